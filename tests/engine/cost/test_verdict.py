"""The verdict: one sentence for every outcome."""

from __future__ import annotations

from dataclasses import replace

from tco.cost.verdict import best_option, verdict
from tco.inputs import Status
from tco.results import Crossing, Explained, Ledger, OptionResult
from tests.engine.cost.cast import owned, result_of


def result(key: str, usd: float | None, *, feasible: bool = True) -> OptionResult:
    """An option of this total."""
    kpi = Explained("tco_usd", "TCO", usd, "USD", Status.ASSUMED, "given", reason="x")
    fleet = replace(result_of(owned(), 1), feasible=feasible, binds="memory: 10 GB short")
    return OptionResult(
        key=key,
        name=f"Plan {key.upper()}",
        feasible=feasible,
        complete=usd is not None,
        kpis={"tco_usd": kpi},
        ledger=Ledger(60, 0.0, ()),
        fleets=(fleet,),
        power=(),
        racks=(),
    )


def test_best_margin_and_what_would_change_it() -> None:
    """82 of 100: 18 % below, then the strongest threshold between the two."""
    crossings = (
        Crossing(("a", "b"), "server_price_usd", 1.0, "USD", "Plan B would match at 1 USD."),
        Crossing(("b", "a"), "use_hours_per_day", 5.1, "h/day", "Below 5.1 h Plan B costs less."),
        Crossing(("b", "c"), "price_usd_per_board_w", 33.0, "USD/W", "Not about Plan A."),
    )
    text = verdict([result("b", 100e6), result("a", 82e6)], crossings, 60)
    assert text == (
        "Plan A costs 82 M USD over 60 months, 18 % below Plan B; below 5.1 h Plan B costs less."
    )


def test_infeasible_and_unpriced_options_are_named_not_ranked() -> None:
    """A cheaper option that cannot serve never wins, and the reason is given."""
    options = [result("a", 5.0, feasible=False), result("b", 9e6), result("c", None)]
    assert best_option(options) is options[1]
    assert verdict(options, (), 36) == (
        "Plan B costs 9 M USD over 36 months; Plan A and Plan C cannot be compared:"
        " memory: 10 GB short."
    )


def test_nothing_feasible_and_nothing_priced() -> None:
    """Both say so, with the first reason."""
    assert verdict([result("a", 1.0, feasible=False)], (), 60) == (
        "No option carries its workloads within their targets: Plan A, memory: 10 GB short."
    )
    assert verdict([result("a", None)], (), 60) == (
        "No option can be priced in full: a price is missing for Plan A."
    )


def test_equal_costs_are_said_to_be_equal_and_the_key_decides() -> None:
    """A tie is a tie, whatever the order."""
    options = [result("b", 1e6), result("a", 1e6)]
    assert best_option(options).key == "a"
    assert "the same as Plan B" in verdict(options, (), 60)
