"""What the optimiser refuses, and rules that one case shows (F1.9)."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

from tco.errors import InputError, InputErrors
from tco.optimise.dominance import undominated
from tco.optimise.pareto import front
from tco.optimise.problem import Column, Demand, Limit, OneOf, Problem, Step
from tco.optimise.relax import way_out
from tco.optimise.solve import FEASIBLE, INFEASIBLE, OPTIMAL, UNKNOWN, solve
from tco.optimise.violations import violations

CHAT = Demand("chat at peak", 20, "req/s")


def problem(**changes) -> Problem:
    """Two servers for one workload in one hall of 100 kW."""
    base = Problem(
        (Column("h100", vendor="NVIDIA"), Column("mi300x", vendor="AMD")),
        {"usd": np.array([300e3, 260e3]), "carbon_kg": np.array([9.0, 11.0])},
        (CHAT,),
        np.array([[5.0, 4.0]]),
        (Limit("hall Kiel", "kW", np.array([10.0, 9.0]), 100.0, "sites[0].hall_kw"),),
        units={"usd": "USD", "carbon_kg": "kg"},
    )
    return replace(base, **changes)


def test_a_server_more_for_the_largest_that_may_be_lost():
    """20 requests a second at 5: four servers, five with one lost; of the smaller ones, six."""
    only = problem(
        columns=(Column("h100"), Column("mi300x", most=0)),
        demands=(replace(CHAT, lost=1),),
    )
    assert solve(problem()).counts == (4, 0)
    assert solve(only).counts == (5, 0)
    # the second kind needs six to lose one: 6 x 260,000 is dearer than 5 x 300,000
    both = solve(problem(demands=(replace(CHAT, lost=1),)))
    assert both.counts == (5, 0)


def test_racks_are_bought_whole():
    """Four servers to a rack at 10,000 USD: five servers pay two racks."""
    racks = Step("racks", "racks", np.array([0.25, 0.25]), 10e3)
    found = solve(problem(demands=(replace(CHAT, needed_units=25),), steps=(racks,)))
    assert found.counts == (5, 0)
    assert found.totals["usd"] == 5 * 300e3 + 2 * 10e3


def test_devices_that_do_not_answer_alike_never_share_a_workload():
    """21 a second: 1 + 4 would be cheapest, but only one kind may serve."""
    rule = OneOf("answers of chat", ((0,), (1,)), ("NVIDIA", "AMD"))
    demands = (replace(CHAT, needed_units=21),)
    assert solve(problem(demands=demands)).counts == (1, 4)
    alone = solve(problem(demands=demands, one_of=(rule,)))
    assert alone.counts == (5, 0)  # 1.5 M USD against 1.56 M


def test_a_lock_is_kept():
    """Three of the dearer kind stand already: they are counted in, the rest is chosen freely."""
    demands = (replace(CHAT, needed_units=21),)
    locked = problem(columns=(Column("h100", fewest=3), Column("mi300x")), demands=demands)
    assert solve(locked).counts == (3, 2)


def test_what_does_not_fit_says_by_how_much():
    """Four servers at 10 kW in 35 kW: 5 kW more in the hall, or less to serve."""
    tight = problem(limits=(replace(problem().limits[0], most_units=35.0),))
    assert solve(tight).state == INFEASIBLE
    said = [(one.name, one.field, one.wanted) for one in way_out(tight).alone]
    assert said == [("hall Kiel", "sites[0].hall_kw", 40.0), ("chat at peak", "chat at peak", 15.0)]


def test_two_limits_at_once_are_named_together():
    """Hall and budget each stand in the way: neither alone helps, so both are named."""
    budget = Limit("budget 2027", "USD", np.array([300e3, 250e3]), 900e3, "optimise.budget")
    hall = replace(problem().limits[0], most_units=35.0)
    demand = replace(CHAT, needed_units=20)
    found = way_out(problem(limits=(hall, budget), demands=(demand,)))
    assert not [one for one in found.alone if one.kind == "limit"]
    assert {one.name for one in found.alone} <= {"chat at peak"}


def test_nothing_is_proposed_where_a_fact_forbids():
    """A hall that cannot grow and a lock above it: no way out, and both are named."""
    hall = replace(problem().limits[0], most_units=35.0, relaxable=False)
    locked = (Column("h100", fewest=4), Column("mi300x", most=0))
    found = way_out(problem(columns=locked, limits=(hall,)))
    assert not found.alone
    assert not found.together
    assert set(found.hopeless) == {
        "lock: h100, owned",
        "lock: mi300x, owned",
        "hall Kiel",
    }


def test_a_machine_beaten_in_everything_is_not_looked_at():
    """Dearer, slower, hotter: out. Dearer but cooler: stays."""
    more = problem(
        columns=(*problem().columns, Column("old"), Column("cool")),
        cost={"usd": np.array([300e3, 260e3, 310e3, 400e3])},
        serves=np.array([[5.0, 4.0, 4.0, 5.0]]),
        limits=(Limit("hall", "kW", np.array([10.0, 9.0, 12.0, 4.0]), 100.0),),
    )
    assert undominated(more, more.cost["usd"]).tolist() == [0, 1, 3]


def test_cancel_gives_the_best_so_far_or_says_there_is_none():
    """Cancelled before it began: no exception, no claim of proof."""
    stop = threading.Event()
    stop.set()
    found = solve(problem(), cancel=stop)
    assert found.cancelled
    assert found.state in {OPTIMAL, FEASIBLE, UNKNOWN}
    assert not found.counts or not violations(problem(), found.counts)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"cost": {"usd": np.array([np.nan, 1.0])}}, "its usd is nan"),
        ({"cost": {"usd": np.array([1.0])}}, "1 values for 2 columns"),
        ({"demands": (replace(CHAT, needed_units=-1),)}, "-1"),
        ({"serves": np.array([[0.0, 0.0]])}, "no machine that is allowed serves it"),
        ({"serves": np.array([[-1.0, 2.0]])}, "capacity is below 0"),
        ({"columns": (Column("a", fewest=3, most=2), Column("b"))}, "at least 3 and at most 2"),
        ({"limits": (Limit("hall", "kW", np.ones(2), -5.0),)}, "-5 kW is below 0"),
        ({"limits": (Limit("hall", "kW", np.array([np.inf, 1]), 5.0),)}, "a use is no number"),
        ({"steps": (Step("racks", "racks", -np.ones(2), 1.0),)}, "below 0"),
        ({"steps": (Step("racks", "racks", np.ones(2), np.nan),)}, "nan USD"),
    ],
)
def test_what_cannot_be_solved_is_named_before_it_is_tried(changes, named):
    """NaN prices, negative limits, a workload that nothing serves, locks that contradict."""
    with pytest.raises(InputErrors) as caught:
        solve(problem(**changes))
    assert named in str(caught.value)


def test_an_unknown_objective_and_an_endless_one_are_named():
    """The names there are; a machine that pays for itself without end."""
    with pytest.raises(InputError, match="carbon_kg"):
        solve(problem(), "watts")
    with pytest.raises(InputError, match="lowers the total"):
        solve(problem(cost={"usd": np.array([-1.0, 2.0])}))


@pytest.mark.parametrize(
    ("others", "points", "named"),
    [(("noise",), 5, "noise"), (("carbon_kg",), 1, "points"), (("carbon_kg", "usd"), 60, "2,000")],
)
def test_a_front_that_cannot_be_drawn_is_refused(others, points, named):
    """Unknown axis, one point, more solves than anyone waits for."""
    with pytest.raises(InputError, match=named):
        front(problem(), "usd", others, points=points)
