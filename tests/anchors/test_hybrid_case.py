"""Own the base, rent the peak: the optimum against whole scenarios one by one (F14, F23.6)."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from hardware_catalog.seed.to_engine.catalog import SeedCatalog
from tco.cost.hybrid import Hybrid, hybrids
from tco.document import parse, resolve
from tco.errors import InputError
from tco.inputs import Option, ScenarioInputs
from tco.projection import option_cases, project

EXAMPLE = Path(__file__).parents[2] / "examples" / "hybrid.yaml"


@cache
def example() -> ScenarioInputs:
    """The shipped example."""
    return resolve(parse(EXAMPLE.read_text(encoding="utf-8")), SeedCatalog())


@cache
def found() -> Hybrid:
    """Its one pair."""
    (only,) = hybrids(option_cases(example()))
    return only


def split(owned_servers: int) -> ScenarioInputs:
    """The example as a scenario of two workloads: a base that the owned carry, and the rest."""
    inputs = example()
    own, rent = (option.fleets[0] for option in inputs.options)
    rule = next(c for case in option_cases(inputs) for c in case.fleets if c.fleet.owned)
    replicas = rule.result.count_rule
    whole = inputs.workloads[0]
    peak = whole.peak_requests_per_s.value
    held = owned_servers * replicas.replicas_per_server / replicas.month_0_replicas
    base = tuple(min(hour, held) for hour in whole.daily_shape)
    beyond = tuple(max(hour - held, 0.0) for hour in whole.daily_shape)
    fleets, loads = [], []
    for key, shape, fleet in (("base", base, own), ("peak", beyond, rent)):
        most = max(shape)
        if most <= 0:
            continue
        load = replace(
            whole,
            key=key,
            peak_requests_per_s=replace(whole.peak_requests_per_s, value=peak * most),
            daily_shape=tuple(hour / most for hour in shape),
        )
        loads.append(load)
        fleets.append(replace(fleet, workload=load))
    option = Option("hybrid", "Hybrid", tuple(fleets))
    return replace(inputs, workloads=tuple(loads), options=(option,))


def test_whole_scenarios_one_by_one_have_the_same_optimum():
    """Every number of owned servers sized, powered and priced from scratch as two workloads.

    The curve takes the watts of a base server from the day of the whole fleet; those of a
    scenario of its own are within 1 % of them, and its total within 0.1 %.
    """
    curve = found().curve
    brute = []
    for point in curve:
        (option,) = project(split(point.owned_servers)).options
        assert option.feasible
        assert sum(f.servers for f in option.fleets if f.owned) == point.owned_servers
        brute.append(option.kpis["tco_usd"].value)
    assert min(range(len(brute)), key=brute.__getitem__) == found().best
    assert [point.total_usd for point in curve] == pytest.approx(brute, rel=1e-3)


def test_the_ends_are_the_options_to_the_cent():
    """None owned is the rented option, all owned the owned one."""
    totals = {option.key: option.kpis["tco_usd"].value for option in project(example()).options}
    curve = found().curve
    assert curve[0].total_usd == pytest.approx(totals["rent"], abs=0.005)
    assert curve[-1].total_usd == pytest.approx(totals["own"], abs=0.005)


def test_the_continuous_optimum_lies_beside_the_whole_one():
    """P(d > q) = c_fixed / (c_cloud - c_var): needed in 31 % of the hours (F14.2)."""
    hybrid = found()
    assert hybrid.threshold_fraction == pytest.approx(
        hybrid.fixed_usd_per_hour / (hybrid.cloud_usd_per_hour - hybrid.variable_usd_per_hour)
    )
    assert abs(hybrid.continuous_server_units - hybrid.optimum.owned_servers) < 1.0
    assert {hybrid.best - 1, hybrid.best + 1} <= {p.owned_servers for p in hybrid.neighbours}
    assert hybrid.saving_usd > 2e6


def with_rental(**terms) -> ScenarioInputs:
    """The example with other terms of the rented fleet."""
    own, rent = example().options
    fleet = rent.fleets[0]
    changed = replace(fleet, rental=replace(fleet.rental, **terms))
    return replace(example(), options=(own, replace(rent, fleets=(changed,))))


def test_a_long_minimum_leaves_less_to_rent():
    """Billed for 12 h a start, the second busy hour is no longer worth renting (F14.3)."""
    (short,) = hybrids(option_cases(with_rental(warm_up_hours=0.0, billing_minimum_hours=0.0)))
    (long,) = hybrids(option_cases(with_rental(billing_minimum_hours=12.0)))
    assert short.optimum.total_usd < found().optimum.total_usd < long.optimum.total_usd
    assert short.optimum.owned_servers <= found().best < long.optimum.owned_servers


def test_what_may_not_leave_is_owned():
    """A rented fleet that a check bars takes no peak: all owned, and the reason."""
    (barred,) = hybrids(option_cases(example()), {("rent", "p5"): "must stay in DE"})
    assert barred.optimum == barred.curve[-1]
    assert barred.saving_usd == 0.0
    assert barred.barred == "must stay in DE"


@pytest.mark.parametrize(
    ("terms", "field"),
    [({"scaling": "peak"}, "p5.rental"), ({"commitment": "reserved_3y"}, "p5.rental")],
)
def test_instances_that_stay_on_take_no_peak(terms, field):
    """What is paid around the clock is a base, not a peak."""
    with pytest.raises(InputError) as caught:
        hybrids(option_cases(with_rental(**terms)))
    assert caught.value.field == field


@pytest.mark.parametrize("growth", [-0.3, 0.0, 0.4])
@pytest.mark.parametrize("rate", [2.0, 40.0, 400.0])
@pytest.mark.parametrize("lost", [0, 1])
def test_never_dearer_than_either_end(growth, rate, lost):
    """F23.6, with growth, spares and rates from cheaper than power to absurd."""
    inputs = example()
    figure = replace(inputs.workloads[0].growth_fraction_per_year, value=growth)
    load = replace(inputs.workloads[0], growth_fraction_per_year=figure, replicas_lost=lost)
    own, rent = (option.fleets[0] for option in inputs.options)
    dollars = replace(figure, value=rate, unit="USD/h")
    options = (
        Option("own", "Own", (replace(own, workload=load),)),
        Option(
            "rent",
            "Rent",
            (replace(rent, workload=load, rental=replace(rent.rental, usd_per_hour=dollars)),),
        ),
    )
    changed = replace(inputs, workloads=(load,), options=options)
    (hybrid,) = hybrids(option_cases(changed))
    ends = [option.kpis["tco_usd"].value for option in project(changed).options]
    assert hybrid.optimum.total_usd <= min(ends) + 0.005
    if rate == 2.0:
        assert hybrid.best == 0
    if rate == 400.0:
        assert hybrid.best > hybrid.curve[-1].owned_servers / 2


def test_a_quota_asks_for_a_larger_base():
    """At most four instances: ten servers must be owned (F13.8, F14.3)."""
    (hybrid,) = hybrids(option_cases(with_rental(quota_instances=4)))
    assert hybrid.optimum.rented_instances <= 4
    assert hybrid.optimum.owned_servers == 10
    assert not hybrid.curve[0].allowed
    assert hybrid.optimum.total_usd <= hybrid.curve[-1].total_usd
