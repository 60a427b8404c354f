"""The optimiser against every mix tried (F1.9), and what it says of a mix against the same."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from tco.optimise.explain import binding, restricted, rivals
from tco.optimise.pareto import front
from tco.optimise.relax import loosened, way_out
from tco.optimise.solve import INFEASIBLE, OPTIMAL, solve
from tco.optimise.violations import violations
from tests.oracles.drawn_mixes import cheapest, drawn, every_mix


@pytest.mark.parametrize("hundred", [0, 1, 2])
def test_the_mix_is_the_cheapest_of_all(hundred):
    """300 problems with limits, shares, racks, porting, exclusions, losses, locks: exact each."""
    without = 0
    for seed in range(100 * hundred, 100 * hundred + 100):
        problem = drawn(seed)
        best = cheapest(problem)
        found = solve(problem)
        if math.isinf(best):
            assert found.state == INFEASIBLE, seed
            without += 1
            continue
        assert found.state == OPTIMAL, seed
        assert not violations(problem, found.counts), seed
        assert found.totals["usd"] == pytest.approx(best, abs=1e-9), seed
        assert found.bound_units == pytest.approx(best, abs=1e-9), seed
    assert 5 < without < 60  # both kinds are met


def test_another_objective_is_minimised_alike():
    """Carbon instead of money."""
    for seed in range(40):
        problem = drawn(seed)
        best = cheapest(problem, "carbon_kg")
        found = solve(problem, "carbon_kg")
        assert found.found == math.isfinite(best)
        if found.found:
            assert found.totals["carbon_kg"] == pytest.approx(best)


def test_the_worth_of_a_limit_is_the_difference_that_loosening_makes():
    """Each binding limit: solved again by brute force with that much more of it."""
    seen = 0
    for seed in range(150):
        problem = drawn(seed)
        found = solve(problem)
        if not found.found:
            continue
        for one in binding(problem, found):
            if one.name != "hall":
                continue
            hall = problem.limits[0]
            wider = replace(hall, most_units=hall.most_units + one.more_units)
            changed = replace(problem, limits=(wider, *problem.limits[1:]))
            saved = found.totals["usd"] - cheapest(changed)
            assert one.worth_per_unit == pytest.approx(saved / one.more_units, abs=1e-9)
            seen += saved > 0
    assert seen > 3


def test_the_runner_up_is_the_cheapest_mix_without_one_part():
    """By brute force over the mixes that give up one chosen configuration."""
    for seed in range(30):
        problem = drawn(seed)
        free = tuple(replace(one, fewest=0) for one in problem.columns)
        problem = replace(problem, columns=free)
        found = solve(problem)
        if not found.found:
            continue
        mixes = every_mix(problem)
        used = [place for place, count in enumerate(found.counts) if count]
        costs = [
            min((problem.totals(m)["usd"] for m in mixes if m[place] == 0), default=math.inf)
            for place in used
        ]
        second = rivals(problem, found)
        if math.isinf(min(costs)):
            assert not second
        else:
            assert second[0].more_units == pytest.approx(min(costs) - found.totals["usd"], abs=1e-9)


def test_a_way_out_is_enough_and_no_smaller_one_is():
    """Of problems without a mix: with the loosening there is one, with 1 % less of it none."""
    met = 0
    for seed in range(120):
        problem = drawn(seed)
        if every_mix(problem):
            continue
        found = way_out(problem)
        met += 1
        for one in found.alone:
            assert every_mix(loosened(problem, [one])), (seed, one.sentence)
            if one.kind == "limit":
                short = type(one)(
                    one.name, one.field, one.unit, one.at, one.wanted - 0.01 * one.by_units
                )
                assert not every_mix(loosened(problem, [short])), (seed, one.sentence)
        if found.together:
            assert not found.alone
            assert every_mix(loosened(problem, found.together)), seed
        if not found.alone and not found.together:
            assert found.hopeless, seed
    assert met > 15


def test_the_front_holds_the_best_of_each_axis_and_nothing_beaten():
    """Cost against carbon, every mix tried: no mix beats a point of the front."""
    for seed in range(15):
        problem = drawn(seed)
        mixes = every_mix(problem)
        points = front(problem, "usd", ("carbon_kg",), points=5)
        assert bool(points) == bool(mixes)
        if not mixes:
            continue
        costs = np.array([list(problem.totals(mix).values()) for mix in mixes])
        assert points[0].values["usd"] == pytest.approx(costs[:, 0].min())
        assert min(p.values["carbon_kg"] for p in points) == pytest.approx(costs[:, 1].min())
        for point in points:
            value = np.array([point.values["usd"], point.values["carbon_kg"]])
            better = (costs <= value + 1e-9).all(axis=1) & (costs < value - 1e-6).any(axis=1)
            assert not better.any(), seed


def test_a_slow_configuration_leaves_the_front_under_a_ceiling_on_latency():
    """Latency is of the slowest machine used; tighter never cheaper."""
    for seed in range(20):
        problem = drawn(seed)
        points = front(problem, "usd", ("latency_ms",), points=4)
        cost = [point.values["usd"] for point in points]
        times = [point.values["latency_ms"] for point in points]
        assert cost == sorted(cost)
        assert times == sorted(times, reverse=True)
        for point in points:
            slowest = point.values["latency_ms"]
            quick = restricted(problem, lambda c, most=slowest: (c.latency_ms or 0) <= most)
            assert point.values["usd"] == pytest.approx(cheapest(quick), abs=1e-9)
