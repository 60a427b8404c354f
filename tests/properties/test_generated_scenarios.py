"""The invariants of the cost model (F23) over whole scenarios drawn from a seed.

A case is one invariant on one drawn scenario. `make test` counts 10,000 of them in all,
`make test-deep` (TCO_CASES=100000) ten times as many. A failure prints its seed and the shortest
document that still fails: paste it into a file and project it.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field

import pytest

from tests.generated import change_checks, money_checks, variant_checks
from tests.generated.drawn import Check, Drawn, failure, problems

CASES = int(os.environ.get("TCO_CASES", "10000"))


@dataclass
class Tally:
    """One invariant over all seeds."""

    number: int  # of F23; 0: one beside them
    check: Check
    every: int  # one seed in so many: what costs a projection of its own is drawn less often
    needs: int = 0  # inputs to change that the document must give
    cases: int = 0
    failures: list[str] = field(default_factory=list)


def one_change(which: int) -> Check:
    """The check of one changed input, the same for a drawn scenario whenever it is made."""
    return lambda drawn: change_checks.only_descendants_change(drawn, which)


TALLIES = [
    Tally(1, money_checks.lines_give_every_total, 1),
    Tally(1, money_checks.exports_hold_the_lines, 8),
    Tally(2, money_checks.no_rate_no_discount, 1),
    Tally(0, money_checks.ranges_are_those_of_the_prices, 4),
    Tally(3, variant_checks.bill_is_energy_times_rate, 8),
    Tally(4, money_checks.twice_the_prices_cost_twice, 1),
    Tally(4, variant_checks.twice_the_machines_cost_twice, 12),
    Tally(5, variant_checks.more_load_never_costs_less, 8),
    Tally(5, variant_checks.stricter_target_never_needs_less, 12),
    Tally(5, variant_checks.lower_usable_share_never_needs_fewer_racks, 12),
    Tally(6, variant_checks.hybrid_is_never_dearer, 20),
    Tally(7, variant_checks.pue_is_touched_once, 10),
    Tally(8, variant_checks.order_does_not_matter, 10),
    Tally(9, money_checks.roll_ups_agree, 1),
    Tally(10, money_checks.same_input_same_bytes, 20),
    *(Tally(10, one_change(which), 1, which + 1) for which in range(change_checks.MOST)),
    Tally(11, money_checks.waterfalls_reach_the_other_total, 1),
    Tally(12, variant_checks.nothing_costs_nothing, 8),
    Tally(13, money_checks.cash_and_cost_agree, 1),
]
PER_SEED = 0.97 * sum(1 / tally.every for tally in TALLIES)  # few documents give few inputs


@pytest.fixture(scope="module")
def tallies() -> list[Tally]:
    """Every invariant over as many seeds as the cases ask for; of a fault, the first three."""
    for seed in range(math.ceil(CASES / PER_SEED)):
        drawn = Drawn.of(seed)
        changes = len(change_checks.given_inputs(drawn))
        for tally in TALLIES:
            if seed % tally.every or changes < tally.needs:
                continue
            found = problems(tally.check, drawn)
            tally.cases += 1
            if found and len(tally.failures) < 3:
                tally.failures.append(
                    failure(tally.check, drawn, found) if not tally.failures else found[0]
                )
    return TALLIES


@pytest.mark.parametrize("index", range(len(TALLIES)))
def test_invariant(tallies: list[Tally], index: int) -> None:
    """No drawn scenario breaks it."""
    tally = tallies[index]
    assert tally.cases >= 20
    assert not tally.failures, "\n\n".join(tally.failures)


def test_as_many_cases_as_promised(tallies: list[Tally]) -> None:
    """Counted, not assumed: one invariant on one scenario is one case."""
    assert sum(tally.cases for tally in tallies) >= CASES
    assert {tally.number for tally in tallies} == set(range(14))
