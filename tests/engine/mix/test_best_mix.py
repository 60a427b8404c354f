"""The best mix of a scenario against what the other rooms say of the same machines (F1.9, F14)."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.cost.hybrid import hybrids
from tco.document import parse, resolve
from tco.errors import InputError, InputErrors
from tco.mix import best_mix, lower
from tco.optimise.violations import violations
from tco.projection import option_cases, project

EXAMPLES = Path(__file__).parents[3] / "examples"


def document(name, **optimise):
    """An example, with what the optimiser is asked."""
    found = parse((EXAMPLES / f"{name}.yaml").read_text(encoding="utf-8"))
    return {**found, "optimise": optimise} if optimise else copy.deepcopy(found)


def answer(given):
    """The best mix of a document."""
    return best_mix(resolve(given, SeedCatalog()))


def only(given, key):
    """The document with one of its options."""
    return {**given, "options": [one for one in given["options"] if one["key"] == key]}


@pytest.mark.parametrize("key", ["h100", "mi300x", "gaudi3"])
def test_one_candidate_is_the_fleet_that_the_engine_sizes(key):
    """Same count, and the same money within what does not go by the machine (racks, rounding)."""
    given = only(document("chat"), key)
    found = answer(given)
    option = project(resolve(given, SeedCatalog())).options[0]
    assert [row.count for row in found.rows] == [option.fleets[0].servers]
    assert found.solution.totals["usd"] == pytest.approx(option.kpis["tco_usd"].value, rel=0.01)
    assert found.projected_usd == pytest.approx(option.kpis["tco_usd"].value, rel=1e-12)


def test_the_mix_is_never_dearer_than_the_cheapest_option():
    """Every option alone is a mix."""
    given = document("chat")
    projection = project(resolve(given, SeedCatalog()))
    whole = [one.kpis["tco_usd"].value for one in projection.options if one.feasible]
    found = answer(given)
    assert found.solution.state == "optimal"
    assert found.projected_usd <= min(whole) * 1.001


def test_own_the_base_rent_the_peak_as_the_hybrid_curve_says():
    """The number owned is the lowest point of `tco hybrid`, priced hour by hour."""
    given = document("hybrid")
    found = answer(given)
    curve = hybrids(option_cases(resolve(given, SeedCatalog())))[0]
    owned = sum(row.count for row in found.rows if row.tenure == "owned")
    rented = sum(row.count for row in found.rows if row.tenure == "rented")
    assert owned == curve.optimum.owned_servers
    assert rented == curve.optimum.rented_instances
    # warm-up, billed minimum and idle watts are beyond whole machines by the hour
    assert found.solution.totals["usd"] == pytest.approx(curve.optimum.total_usd, rel=0.05)


def test_limits_of_the_section_are_kept_and_what_they_cost_is_said():
    """Four places and no more: the rest goes to the cloud, and a place more is worth something."""
    free = document("hybrid")
    tight = {**free, "optimise": {"site_limits": [{"site": "ashburn", "servers": 3}]}}
    found = answer(tight)
    assert sum(row.count for row in found.rows if row.tenure == "owned") == 3
    (bound,) = found.binding
    assert bound.field == "optimise.site_limits[0].servers"
    base = answer(free).solution.totals["usd"]
    assert found.limits_units == pytest.approx(found.solution.totals["usd"] - base)
    assert bound.worth_per_unit > 0
    assert not violations(found.lowered.problem, found.solution.counts)


def test_the_example_keeps_shares_racks_and_budget():
    """At most 70 % of one vendor, 80 % of the chat in one place, 12 racks, 8 M USD a year."""
    found = answer(document("mix"))
    assert not violations(found.lowered.problem, found.solution.counts)
    makers = [
        found.lowered.problem.columns[i].vendor
        for i, n in enumerate(found.solution.counts)
        for _ in range(n)
    ]
    assert makers.count("AMD") <= 0.7 * len(makers)
    assert {row.tenure for row in found.rows} == {"owned", "rented"}
    assert {row.from_month for row in found.rows} == {0, 24}
    assert found.runner_up is not None
    assert found.runner_up.more_units >= 0


def test_nothing_fits_says_what_to_change():
    """A hall of 20 kW and no cloud: more kilowatts or fewer requests."""
    given = only(document("chat"), "h100")
    given["sites"][0]["hall_kw"] = 20
    found = answer(given)
    assert not found.rows
    fields = [one.field for one in found.way_out.alone]
    assert fields[0] == "sites[0].hall_kw"
    assert found.way_out.alone[0].wanted > 20


@pytest.mark.parametrize(
    ("optimise", "field"),
    [
        ({"phases": [{"month": 3}]}, "optimise.phases[0].month"),
        ({"phases": [{"month": 0}, {"month": 0}]}, "optimise.phases[1].month"),
        ({"vendor_caps": [{"vendor": "AMD"}]}, "optimise.vendor_caps[0].servers"),
        ({"locks": [{"option": "h100", "fleet": "h10"}]}, "optimise.locks[0].fleet"),
        (
            {"locks": [{"option": "h100", "fleet": "h100", "fewest": 3, "most": 2}]},
            "optimise.locks[0].most",
        ),
        ({"alike_workloads": ["chatt"]}, "optimise.alike_workloads[0]"),
        ({"site_limits": [{"site": "ashbrun", "racks": 2}]}, "optimise.site_limits[0].site"),
        ({"budgets": [{"year": 0, "most_usd": 1}]}, "optimise.budgets[0].year"),
        ({"objective": "euro"}, "optimise.objective"),
        (
            {"blast": [{"workload": "chat", "share_fraction": 1.5}]},
            "optimise.blast[0].share_fraction",
        ),
        (
            {"vendor_caps": [{"vendor": "AMD", "share_fraction": float("nan")}]},
            "optimise.vendor_caps[0].share_fraction",
        ),
    ],
)
def test_what_cannot_be_asked_is_named(optimise, field):
    """The field as it was written."""
    with pytest.raises(InputErrors) as caught:
        resolve(document("chat", **optimise), SeedCatalog())
    assert field in [error.field for error in caught.value.errors]


def test_a_phase_beyond_the_horizon_and_no_candidates_are_named():
    """Month 60 of 60; a training run has no requests to share."""
    with pytest.raises(InputError, match="beyond 60 months"):
        answer(document("chat", phases=[{"month": 0}, {"month": 60}]))
    counted = only(document("chat"), "h100")
    counted["options"][0]["fleets"][0]["count"] = 9
    with pytest.raises(InputError, match="does not follow a demand"):
        answer(counted)


def test_a_budget_of_zero_leaves_only_what_is_rented():
    """Nothing may be bought in the first year: all of it comes from the cloud."""
    found = answer(document("chat", budgets=[{"year": 1, "most_usd": 0}]))
    assert {row.tenure for row in found.rows} == {"rented"}


def test_candidates_left_out_are_named_with_the_reason():
    """A fleet that misses its target is no candidate, and says why."""
    given = document("chat")
    given["workloads"][0]["targets"] = [{"metric": "ttft", "percentile": 95, "limit_ms": 1}]
    with pytest.raises(InputError, match="no fleet can be a candidate"):
        lower(resolve(given, SeedCatalog()))
