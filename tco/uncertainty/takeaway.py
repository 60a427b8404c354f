"""One sentence for a comparison: who wins, by how much, over what, what would turn it (F20, F21).

The comparison page, the command line and the workbook's summary all say this sentence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tco.cost.ledger import OptionCase
from tco.cost.unpriced import before_what, unpriced_classes
from tco.cost.wording import list_text, money_text, number_text, percent_text
from tco.inputs import ScenarioInputs
from tco.projection import option_cases
from tco.results import Projection
from tco.results.currency import in_currency
from tco.uncertainty.assess import DRAWS, SEED, Duel, duels, share_text
from tco.uncertainty.drivers import Driver, every_input, find_drivers
from tco.uncertainty.evaluate import Evaluator
from tco.uncertainty.sampling import spread, uniforms
from tco.uncertainty.switching import Switch, switches

RIVALS = 2  # next to the winner, in which a turn is looked for
SAME = 0.0005  # below it two totals are called the same


@dataclass(frozen=True, slots=True)
class Contender:
    """One option that carries its workloads and has every price."""

    case: OptionCase
    name: str
    tco_usd: float


@dataclass(frozen=True, slots=True)
class Takeaway:
    """What a comparison comes down to."""

    sentence: str
    winner: str = ""
    second: str = ""
    saving_usd: float | None = None  # what the winner costs less than the second
    saving_fraction: float | None = None  # of what the second costs
    horizon_months: int | None = None
    turn: Switch | None = None  # the nearest value of one input at which the winner loses
    win_fraction: float | None = None  # of the draws in which the winner costs less than the second
    standard_error_fraction: float | None = None
    draws: int = 0


def contenders(inputs: ScenarioInputs, projection: Projection, suffix: str = "") -> list[Contender]:
    """Return the options of a scenario that can win, `suffix` behind their names."""
    cases = {case.option.key: case for case in option_cases(inputs)}
    found = []
    for option in projection.options:
        total = option.kpis["tco_usd"].value
        if option.feasible and option.complete and total is not None:
            name = f"{option.name}{suffix}"
            case = replace(cases[option.key], option=replace(cases[option.key].option, name=name))
            found.append(Contender(case, name, total))
    return found


def takeaway(
    inputs: ScenarioInputs, projection: Projection, found: Sequence[Duel] | None = None
) -> Takeaway:
    """Return the take-away of a scenario's options.

    Parameters
    ----------
    inputs, projection
        A scenario and what `project` says of it.
    found
        Pairs of an assessment of it, if there is one; else two options are drawn here.
    """
    able = contenders(inputs, projection)
    if len(able) < 2:
        return Takeaway(projection.verdict, able[0].name if able else "")
    return between(able, unpriced_classes(inputs.options), found)


def between(
    able: Sequence[Contender],
    unpriced: Mapping[str, tuple[str, ...]] | None = None,
    found: Sequence[Duel] | None = None,
) -> Takeaway:
    """Return the take-away between two contenders or more, of one scenario or of several.

    Examples
    --------
    >>> between([]).sentence
    'There is nothing to compare: no two options carry their workloads with every price known.'
    """
    if len(able) < 2:
        return Takeaway(
            "There is nothing to compare: no two options carry their workloads with every price"
            " known."
        )
    spans = sorted({one.case.calendar.months for one in able})
    if len(spans) > 1:
        words = list_text([str(months) for months in spans])
        return Takeaway(f"Totals over {words} months are not compared: set one horizon for all.")
    codes = sorted({one.case.calendar.finance.currency for one in able})
    if len(codes) > 1:
        words = list_text(codes)
        return Takeaway(f"Totals in {words} are not compared: set one currency for all.")
    ranked = sorted(able, key=lambda one: (one.tco_usd, one.case.option.key))
    best, second = ranked[:2]
    turn = _nearest([one.case for one in ranked[: 1 + RIVALS]])
    duel = _duel(best, second, found)
    saving = second.tco_usd - best.tco_usd
    share = saving / second.tco_usd if second.tco_usd > 0 else 0.0
    text = f"{best.name} costs {money_text(best.tco_usd)} over {spans[0]} months"
    if share < SAME:
        text += f", the same as {second.name}"
    else:
        text += f", {money_text(saving)} ({percent_text(share)}) less than {second.name}"
    before = before_what(
        [(one.case.option.key, one.name) for one in (best, second)], unpriced or {}
    )
    text += f", {before}" if before else ""
    text += f"; {_turn_text(turn)}" if share >= SAME else ""
    won, error, draws = None, None, 0
    if duel is not None:
        own = duel.a == best.name
        won = duel.a_cheaper_fraction if own else 1.0 - duel.a_cheaper_fraction
        error, draws = duel.standard_error_fraction, duel.draws
        text += f"; over the ranges given it costs less in {share_text(won)} of {draws:,} draws"
        text += f" (± {percent_text(error)})" if error > 0 else ""
    text = in_currency(text, codes[0], [one.name for one in able])
    return Takeaway(
        f"{text}.", best.name, second.name, saving, share, spans[0], turn, won, error, draws
    )


def _nearest(cases: Sequence[OptionCase]) -> Switch | None:
    """The turn that takes the least change of one input, whether or not it has a range."""
    ranged, _ = find_drivers(cases, cases[0].calendar.finance)
    speeds = [driver for driver in ranged if driver.figure is None]
    drivers = (*every_input(cases), *speeds)
    try:
        turns = switches(Evaluator(tuple(cases), drivers))
    except ValueError:  # a value far from its own may be none of a line's
        return None
    apart = [
        (abs(math.log(one.switch_at / one.value)), one)
        for one in turns
        if one.value > 0 and one.switch_at > 0
    ]
    return min(apart, key=lambda pair: (pair[0], pair[1].label))[1] if apart else None


def _turn_text(turn: Switch | None) -> str:
    if turn is None:
        return "no single input turns it within a quarter to four times its value"
    change = turn.switch_at / turn.value - 1.0
    verb = "rises" if change > 0 else "falls"
    digits = 3
    while digits < 8 and number_text(turn.value, digits) == number_text(turn.switch_at, digits):
        digits += 1
    unit = "" if turn.unit in ("ratio", "fraction", "1", "") else f" {turn.unit}"
    if turn.label.startswith("Speed of"):
        unit = " times what is predicted"
    return (
        f"{turn.b} wins if {turn.label} {verb} from {number_text(turn.value, digits)} to"
        f" {number_text(turn.switch_at, digits)}{unit} ({percent_text(change)})"
    )


def _duel(best: Contender, second: Contender, found: Sequence[Duel] | None) -> Duel | None:
    """The pair of an assessment, else of the two alone on the draws that an assessment takes."""
    names = {best.name, second.name}
    if found is not None:
        return next((duel for duel in found if {duel.a, duel.b} == names), None)
    cases = (best.case, second.case)
    drivers: dict[str, Driver] = {}
    for case in cases:
        for driver in find_drivers((case,), case.calendar.finance)[0]:
            one = drivers.get(driver.identity)
            fleets = driver.fleets | one.fleets if one is not None else driver.fleets
            drivers[driver.identity] = replace(driver, fleets=fleets)
    if not drivers:
        return None
    wanted = tuple(drivers.values())
    uniform = uniforms(wanted, DRAWS, SEED)
    values = np.column_stack([spread(one, uniform[:, i]) for i, one in enumerate(wanted)])
    cost = Evaluator(cases, wanted).at(values).present_usd
    return duels([best.name, second.name], cost)[0]
