"""The answer in one sentence: the best option, its margin, what would change it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tco.cost.unpriced import before_what
from tco.cost.wording import list_text, money_text, percent_text
from tco.results import Crossing, OptionResult

_STRONGEST_FIRST = (
    "price_usd_per_board_w",
    "porting_capex_usd",
    "use_hours_per_day",
    "server_price_usd",
)


def best_option(options: Sequence[OptionResult]) -> OptionResult | None:
    """Cheapest option that is feasible and has every price; ties go to the first key."""
    return min(_comparable(options), key=lambda o: (_tco(o), o.key), default=None)


def verdict(
    options: Sequence[OptionResult],
    crossings: Sequence[Crossing],
    months: int,
    unpriced: Mapping[str, tuple[str, ...]] | None = None,
) -> str:
    """One sentence, with the threshold where one decides.

    `unpriced` names the cost classes an option leaves out (`unpriced_classes`): where the two
    compared differ in them, the sentence says before what.
    """
    if not options:
        return "There is no option to compare."
    best = best_option(options)
    if best is None:
        return _nothing_left(options)
    rest = sorted(
        (o for o in _comparable(options) if o.key != best.key), key=lambda o: (_tco(o), o.key)
    )
    text = f"{best.name} costs {money_text(_tco(best))} over {months} months"
    left_out = [o for o in options if o.key != best.key and o not in rest]
    if not rest:
        if left_out:
            names = list_text([o.name for o in left_out])
            text += f"; {names} cannot be compared: {_why_not(left_out[0])}"
        return f"{text}."
    second = rest[0]
    margin = 1.0 - _tco(best) / _tco(second) if _tco(second) > 0 else 0.0
    if margin < 0.0005:
        text += f", the same as {second.name}"
    else:
        text += f", {percent_text(margin)} below {second.name}"
    before = before_what([(o.key, o.name) for o in (best, second)], unpriced or {})
    text += f", {before}" if before else ""
    change = _what_changes_it(best, rest, crossings)
    if change:
        text += f"; {change}"
    return f"{text}."


def _what_changes_it(
    best: OptionResult, rest: Sequence[OptionResult], crossings: Sequence[Crossing]
) -> str:
    """The first threshold between the best and the next ones, the strongest kind first."""
    for what in _STRONGEST_FIRST:
        for other in rest:
            for crossing in crossings:
                pair = {best.key, other.key}
                if crossing.what == what and set(crossing.between) == pair:
                    if crossing.value is None and what != "use_hours_per_day":
                        continue
                    return _clause(crossing.sentence.rstrip("."))
    return ""


def _clause(sentence: str) -> str:
    """A sentence after a semicolon; names keep their capitals."""
    plain = sentence.startswith(("Below ", "Porting "))
    return sentence[0].lower() + sentence[1:] if plain else sentence


def _nothing_left(options: Sequence[OptionResult]) -> str:
    infeasible = [o for o in options if not o.feasible]
    if len(infeasible) == len(options):
        reason = next((f.binds for o in options for f in o.fleets if not f.feasible), "")
        tail = f": {infeasible[0].name}, {reason}" if reason else ""
        return f"No option carries its workloads within their targets{tail}."
    priced = [o.name for o in options if o.feasible]
    return f"No option can be priced in full: a price is missing for {list_text(priced)}."


def _why_not(option: OptionResult) -> str:
    if not option.feasible:
        return next((f.binds for f in option.fleets if not f.feasible), "it is not feasible")
    return "a price is missing"


def _comparable(options: Sequence[OptionResult]) -> list[OptionResult]:
    return [o for o in options if o.feasible and o.complete and o.kpis["tco_usd"].value is not None]


def _tco(option: OptionResult) -> float:
    return option.kpis["tco_usd"].value or 0.0
