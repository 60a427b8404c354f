"""How the chosen mix stands against its rivals when inputs are uncertain (F21)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tco.inputs import Option, ScenarioInputs
from tco.mix.best import BestMix, as_option
from tco.uncertainty.assess import Assessment, Step, assess

DRAWS = 2_000
MOST_RIVALS = 5


def as_options(inputs: ScenarioInputs, best: BestMix) -> tuple[Option, ...]:
    """Return the mix and its nearest rivals as options; empty where a projection cannot say it."""
    lowered, names = best.lowered, {one.key: one.name for one in inputs.options}
    chosen = as_option(lowered, best.solution.counts) if best.rows else None
    if chosen is None:
        return ()
    found = [chosen]
    for place, rival in enumerate(best.rivals[:MOST_RIVALS], start=1):
        name = f"Without {names.get(rival.without, rival.without)}"
        other = as_option(lowered, rival.solution.counts, f"rival-{place}", name)
        if other is not None:
            found.append(other)
    return tuple(found)


def robustness(
    inputs: ScenarioInputs,
    best: BestMix,
    *,
    draws: int = DRAWS,
    progress: Callable[[Step], None] = lambda step: None,
) -> Assessment | None:
    """Return the mix and its rivals, as counted, on the same draws of every uncertain input.

    The counts stay as chosen: what is drawn is what they cost. None where the mix is bought in
    phases or follows the day, or no input has a range.

    Raises
    ------
    InputError
        As `tco.uncertainty.assess`.
    """
    options = as_options(inputs, best)
    if not options:
        return None
    found = assess(replace(inputs, options=options), draws=draws, progress=progress)
    return found if found.drivers else None
