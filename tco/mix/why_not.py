"""Why not this one? A named option in place of the best mix: what it costs more, and for what."""

from __future__ import annotations

import dataclasses
import threading
from dataclasses import dataclass, replace
from typing import Any

from tco.cost.waterfall import Waterfall, waterfall
from tco.errors import InputError, InputErrors
from tco.inputs import ScenarioInputs
from tco.mix.best import MixRow, as_option, rows_of
from tco.mix.lower import Lowered
from tco.mix.plain import plain_binding, plain_rows, plain_way_out
from tco.optimise.explain import Binding, binding, restricted
from tco.optimise.problem import Column
from tco.optimise.relax import WayOut, way_out
from tco.optimise.solve import INFEASIBLE, Solution, solve
from tco.projection import project


@dataclass(frozen=True, slots=True)
class WhyNot:
    """The best mix that serves an option's workloads with that option alone.

    Parameters
    ----------
    more_units
        Of what is minimised, than the best mix; None: there is no such mix.
    steps
        From the best mix to this one by class of cost; None where a projection cannot say one of
        the two (phases, instances that follow the day).
    way_out, reasons
        Where there is no such mix: what would have to change; why fleets are no candidates.
    """

    option: str
    name: str
    unit: str
    solution: Solution
    rows: tuple[MixRow, ...] = ()
    more_units: float | None = None
    binding: tuple[Binding, ...] = ()
    steps: Waterfall | None = None
    way_out: WayOut | None = None
    reasons: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The answer."""
        if self.more_units is None:
            return f"{self.name} alone is not possible."
        if self.more_units <= 0:
            return f"{self.name} alone is as good as the best mix."
        unit = self.unit
        said = f"{self.name} alone takes {self.more_units:,.0f} {unit} more than the best mix"
        if self.steps is None:
            return f"{said}."
        worst = max(self.steps.steps, key=lambda step: step.change_usd, default=None)
        if worst is None or worst.change_usd <= 0:
            return f"{said}."
        return f"{said}; the largest part is {worst.category} (+{worst.change_usd:,.0f} USD)."

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        steps = self.steps
        return {
            "option": self.option,
            "name": self.name,
            "sentence": self.sentence,
            "unit": self.unit,
            "state": self.solution.state,
            "totals": self.solution.totals,
            "mix": plain_rows(self.rows),
            "more": self.more_units,
            "binding": plain_binding(self.binding),
            "steps": None
            if steps is None
            else [
                {**dataclasses.asdict(step), "change_usd": step.change_usd} for step in steps.steps
            ],
            "way_out": plain_way_out(self.way_out),
            "reasons": list(self.reasons),
        }


def why_not(
    inputs: ScenarioInputs,
    lowered: Lowered,
    best: Solution,
    option: str,
    *,
    seconds: float = 10.0,
    cancel: threading.Event | None = None,
) -> WhyNot:
    """Return what the workloads of an option would take if it served them alone.

    Workloads that the option does not serve keep all their candidates.

    Parameters
    ----------
    lowered, best
        The problem of the inputs and the mix that it is compared with.

    Raises
    ------
    InputError
        The scenario has no such option, or the best mix is none.
    """
    chosen = next((one for one in inputs.options if one.key == option), None)
    if chosen is None:
        known = ", ".join(one.key for one in inputs.options)
        raise InputError("option", f"{option!r} is none of the options", f"use one of {known}")
    objective = best.objective
    if not best.found:
        raise InputError("option", "there is no best mix to compare with", "loosen a limit first")
    problem, unit = lowered.problem, lowered.problem.units[objective]
    served = {fleet.workload.key for fleet in chosen.fleets}

    def allowed(column: Column) -> bool:
        own = column.configuration.startswith(f"{option}/")
        return own or column.workload not in served

    left = restricted(problem, allowed)
    reasons = tuple(
        f"{key.split('/', 1)[1]}: {why}"
        for key, why in lowered.left_out.items()
        if key.startswith(f"{option}/")
    )
    try:
        solution = solve(left, objective, seconds=seconds, cancel=cancel)
    except (InputError, InputErrors) as error:
        said = (error,) if isinstance(error, InputError) else error.errors
        why = tuple(f"{one.field}: {one.message}" for one in said)
        return WhyNot(
            option, chosen.name, unit, Solution(INFEASIBLE, objective), reasons=(*reasons, *why)
        )
    if not solution.found:
        out = way_out(left) if solution.state == INFEASIBLE else None
        return WhyNot(option, chosen.name, unit, solution, way_out=out, reasons=reasons)
    return WhyNot(
        option,
        chosen.name,
        unit,
        solution,
        rows_of(lowered, solution.counts),
        solution.totals[objective] - best.totals[objective],
        tuple(binding(left, solution, seconds=max(1.0, seconds / 10), cancel=cancel)),
        _steps(inputs, lowered, best, solution),
        reasons=reasons,
    )


def _steps(
    inputs: ScenarioInputs, lowered: Lowered, best: Solution, solution: Solution
) -> Waterfall | None:
    mixes = (
        as_option(lowered, best.counts),
        as_option(lowered, solution.counts, "alternative", "Alternative"),
    )
    options = tuple(one for one in mixes if one is not None)
    if len(options) < 2:
        return None
    first, second = project(replace(inputs, options=options)).options
    try:
        return waterfall(first.ledger, second.ledger)
    except InputError:  # a price is missing: nothing to add up
        return None
