"""Invariants of the ledger and of the projection (F23), over drawn scenarios."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tco.cost.finance import crf, irr, monthly_rate_fraction, npv, present_value_usd
from tco.cost.ledger import columns_usd
from tco.inputs import (
    Colocation,
    FacilityBuild,
    Figure,
    Finance,
    Fleet,
    Purchase,
    Rental,
    ScenarioInputs,
    Tariff,
    canonical_json,
)
from tco.projection import project
from tco.results import OptionResult, Projection
from tests.engine.cost.cast import (
    fig,
    finance,
    option,
    owned,
    purchase,
    rented,
    scenario,
    site,
    workload,
)

few = settings(max_examples=20, deadline=None, derandomize=True)
many = settings(max_examples=150, deadline=None, derandomize=True)

usd = st.floats(1.0, 1e6).map(lambda x: round(x, 2))
rates = st.floats(0.0, 0.4).map(lambda x: round(x, 4))


@st.composite
def terms(draw: st.DrawFn) -> Purchase:
    """Some of the prices of owned servers."""
    optional = st.none() | usd.map(fig)
    return purchase(
        server_usd=fig(draw(usd)),
        discount_fraction=fig(draw(st.floats(0.0, 0.5)), "fraction"),
        network_usd_per_server=draw(optional),
        integration_usd_per_server=draw(optional),
        software_usd_per_device_year=draw(optional),
        staff_usd_per_server_year=draw(optional),
        support_fraction_per_year=draw(st.none() | st.floats(0.0, 0.2).map(fig)),
        residual_fraction=draw(st.none() | st.floats(0.0, 0.5).map(fig)),
        life_months=draw(st.sampled_from([24, 36, 60])),
    )


@st.composite
def fleets(draw: st.DrawFn, key: str = "f") -> Fleet:
    """An owned or a rented fleet of fixed or free size."""
    load = workload(
        peak_requests_per_s=fig(draw(st.floats(0.5, 60.0)), "1/s"),
        growth_fraction_per_year=fig(draw(st.sampled_from([0.0, 0.1, 0.5])), "1/yr"),
    )
    count = draw(st.none() | st.integers(0, 9))
    start = draw(st.sampled_from([0, 0, 5]))
    common: dict[str, Any] = {"workload": load, "count": count, "start_month": start}
    if draw(st.booleans()):
        rental = Rental(
            commitment=draw(st.sampled_from(["on_demand", "reserved_3y"])),
            scaling=draw(st.sampled_from(["peak", "hourly"])),
            support_fraction=draw(st.none() | st.just(fig(0.05, "fraction"))),
        )
        return rented(key, rental=rental, **common)
    place = site(
        pue=fig(draw(st.floats(1.0, 2.0)), "ratio"),
        tariff=Tariff(
            fig(draw(st.floats(0.01, 0.4)), "USD/kWh"), draw(st.none() | st.just(fig(12.0)))
        ),
        colocation=draw(st.none() | st.just(Colocation(fig(150, "USD/kW-month")))),
        build=draw(st.none() | st.just(FacilityBuild(fig(9_000, "USD/kW"), fig(15, "yr")))),
    )
    return owned(key, purchase=draw(terms()), site=place, **common)


@st.composite
def money(draw: st.DrawFn) -> Finance:
    """Conventions of a scenario."""
    return finance(
        horizon_months=draw(st.sampled_from([1, 12, 36, 60])),
        discount_rate_fraction=fig(draw(rates), "1/yr"),
        hours_mode=draw(st.sampled_from(["730", "720", "calendar"])),
        monthly_rate=draw(st.sampled_from(["effective", "nominal"])),
        electricity_escalation_fraction=draw(st.none() | st.just(fig(0.03, "1/yr"))),
        opex_escalation_fraction=draw(st.none() | st.just(fig(0.02, "1/yr"))),
    )


@st.composite
def scenarios(draw: st.DrawFn) -> ScenarioInputs:
    """One to three options of one fleet each."""
    options = [
        option(f"o{index}", draw(fleets(f"f{index}"))) for index in range(draw(st.integers(1, 3)))
    ]
    return scenario(*options, money=draw(money()))


def totals(result: OptionResult) -> tuple[float | None, float | None]:
    """TCO and plain total."""
    return result.kpis["tco_usd"].value, result.kpis["undiscounted_usd"].value


@few
@given(scenarios())
def test_lines_sum_to_the_totals(inputs: ScenarioInputs) -> None:
    """To the cent: months, quarters and years of the lines, and the KPI (F23.1, F23.9)."""
    for result in project(inputs).options:
        tco, plain = totals(result)
        if tco is None or plain is None:
            continue
        start, end = columns_usd(result.ledger.lines, result.ledger.months)
        by_month = start + end
        assert math.fsum(by_month.tolist()) == pytest.approx(plain, abs=0.005)
        for span in (3, 12):
            parts = [by_month[i : i + span].sum() for i in range(0, by_month.size, span)]
            assert math.fsum(parts) == pytest.approx(plain, abs=0.005)
        pv = sum(
            present_value_usd(line.start_usd, line.end_usd, result.ledger.monthly_rate_fraction)
            for line in result.ledger.lines
        )
        assert pv == pytest.approx(tco, abs=0.005)


@few
@given(scenarios())
def test_without_interest_present_value_is_the_plain_sum(inputs: ScenarioInputs) -> None:
    """r = 0: NPV = sum (F23.2)."""
    free = replace(inputs.finance, discount_rate_fraction=fig(0.0, "1/yr"))
    for result in project(replace(inputs, finance=free)).options:
        tco, plain = totals(result)
        assert tco == (None if plain is None else pytest.approx(plain, rel=1e-12, abs=1e-6))


@few
@given(scenarios())
def test_identical_inputs_give_identical_bytes(inputs: ScenarioInputs) -> None:
    """A second run gives the same bytes; no NaN or infinity is in them (F23.10, F23.12)."""
    first = canonical_json(project(inputs).to_dict())
    assert canonical_json(project(inputs).to_dict()) == first
    assert "NaN" not in first


@few
@given(scenarios())
def test_order_of_options_does_not_matter(inputs: ScenarioInputs) -> None:
    """Reversed options give the same options, best and verdict (F23.8)."""
    there = project(inputs)
    back = project(replace(inputs, options=inputs.options[::-1]))
    assert {o.key: o.kpis for o in there.options} == {o.key: o.kpis for o in back.options}
    assert there.best_option == back.best_option


@few
@given(fleets("a"), fleets("b"), money())
def test_order_of_fleets_does_not_matter(a: Fleet, b: Fleet, terms: Finance) -> None:
    """An option's totals do not depend on which fleet is written first (F23.8)."""
    a, b = (replace(fleet, workload=replace(fleet.workload, key=fleet.key)) for fleet in (a, b))
    one, two = (
        project(scenario(option("o", *pair), money=terms)).options[0] for pair in ((a, b), (b, a))
    )
    for key in ("tco_usd", "undiscounted_usd", "peak_kw", "usd_per_1000_requests"):
        left, right = one.kpis[key].value, two.kpis[key].value
        assert left == (None if right is None else pytest.approx(right, rel=1e-12))


@few
@given(fleets(), money(), st.sampled_from([0.5, 2.0, 10.0]))
def test_scaling_every_price_scales_the_money(fleet: Fleet, terms: Finance, by: float) -> None:
    """Doubling all prices doubles every total and unit cost, and changes no kW (F23.4)."""
    base = project(scenario(option("o", fleet), money=terms)).options[0]
    more = project(scenario(option("o", scaled_prices(fleet, by)), money=terms)).options[0]
    for key, kpi in base.kpis.items():
        factor = by if kpi.unit.startswith("USD") else 1.0
        expected = None if kpi.value is None else pytest.approx(kpi.value * factor, rel=1e-9)
        assert more.kpis[key].value == expected


@few
@given(st.floats(0.5, 100.0), st.floats(1.0, 3.0), st.booleans())
def test_more_load_never_costs_less(rate: float, times: float, own: bool) -> None:
    """With the count left to the engine, more load never cuts servers or cost (F23.5)."""
    results = []
    for peak in (rate, rate * times):
        load = workload(peak_requests_per_s=fig(peak, "1/s"))
        fleet = owned(workload=load) if own else rented(workload=load)
        results.append(project(scenario(option("o", fleet))).options[0])
    assert results[1].fleets[0].servers >= results[0].fleets[0].servers
    costs = [totals(result)[0] for result in results]
    assert costs[0] is not None
    assert costs[1] is not None
    assert costs[1] >= costs[0] * (1 - 1e-12)


@few
@given(st.floats(1.0, 2.5), st.integers(1, 20), money())
def test_pue_touches_energy_once(pue: float, count: int, terms: Finance) -> None:
    """Removing the PUE divides facility energy and its bill by it exactly (F23.7)."""
    with_pue, without = (
        project(
            scenario(
                option("o", owned(count=count, site=site(pue=fig(value, "ratio")))), money=terms
            )
        ).options[0]
        for value in (pue, 1.0)
    )
    energy = [
        next(line.total_usd for line in o.ledger.lines if line.key == "electricity_energy")
        for o in (with_pue, without)
    ]
    assert energy[0] == pytest.approx(energy[1] * pue, rel=1e-12)
    assert with_pue.kpis["kwh_per_year"].value == pytest.approx(
        (without.kpis["kwh_per_year"].value or 0.0) * pue, rel=1e-12
    )


@few
@given(st.floats(0.01, 0.5), st.integers(1, 20))
def test_flat_bill_is_kwh_times_rate(price: float, count: int) -> None:
    """PUE 1, no demand charge, flat tariff: bill = kWh x rate (F23.3)."""
    place = site(pue=fig(1.0, "ratio"), tariff=Tariff(fig(price, "USD/kWh")))
    result = project(scenario(option("o", owned(count=count, site=place)))).options[0]
    line = next(line for line in result.ledger.lines if line.key == "electricity_energy")
    kwh = result.power[0].it_average_kw * 8760 * 5
    assert line.total_usd == pytest.approx(kwh * price, rel=1e-9)


@few
@given(money(), st.booleans())
def test_zero_servers_cost_zero(terms: Finance, own: bool) -> None:
    """A fleet of nothing costs 0, not NaN (F23.12)."""
    fleet = owned(count=0) if own else rented(count=0)
    result = project(scenario(option("o", fleet), money=terms)).options[0]
    assert totals(result) == (0.0, 0.0)


@few
@given(st.floats(60.0, 2000.0), st.floats(0.3, 1.0))
def test_stricter_target_never_needs_fewer_servers(limit_ms: float, part: float) -> None:
    """Tightening the TTFT limit never cuts servers while it can be met (F23.5)."""
    base = workload(peak_requests_per_s=fig(80, "1/s"))
    counts = []
    for limit in (limit_ms, limit_ms * part):
        targets = (replace(base.targets[0], limit_ms=limit), base.targets[1])
        fleet = owned(workload=replace(base, targets=targets))
        result: Projection = project(scenario(option("o", fleet)))
        counts.append(result.options[0].fleets[0])
    if counts[1].feasible:
        assert counts[0].feasible
        assert counts[1].servers >= counts[0].servers


@many
@given(st.floats(-0.5, 2.0), st.floats(0.1, 600.0))
def test_recovery_factor_repays_exactly(rate: float, periods: float) -> None:
    """PV of n payments of the factor is 1, whole n; positive everywhere (F12.2)."""
    factor = crf(rate, periods)
    assert factor > 0
    whole = max(1, int(min(periods, 60)))
    level = crf(rate, whole)
    pv = math.fsum(level / (1 + rate) ** t for t in range(1, whole + 1))
    assert pv == pytest.approx(1.0, rel=1e-7)


@many
@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=7))
def test_every_rate_returned_is_a_root(flows: list[int]) -> None:
    """Each IRR brings the NPV to zero; a strict sign change of the NPV is never missed (F12.3)."""
    found = irr(flows)
    for rate in found:
        scale = sum(abs(f) / (1 + rate) ** t for t, f in enumerate(flows))
        assert abs(npv(rate, flows)) <= 1e-7 * scale
    if flows[0] < 0 and all(f >= 0 for f in flows[1:]) and sum(flows) > 0:
        assert len(found) == 1


@many
@given(st.floats(-0.5, 3.0))
def test_effective_monthly_rate_compounds_to_the_year(rate: float) -> None:
    """Twelve months of it make the year (F0.3)."""
    assert (1 + monthly_rate_fraction(rate)) ** 12 == pytest.approx(1 + rate)


def scaled_prices(fleet: Fleet, by: float) -> Fleet:
    """The fleet with every figure that is money multiplied."""

    def times(figure: Figure | None) -> Figure | None:
        return None if figure is None else replace(figure, value=figure.value * by)

    if fleet.offer is not None:
        cloud = fleet.offer
        return replace(
            fleet,
            offer=replace(
                cloud,
                on_demand_usd_per_hour=times(cloud.on_demand_usd_per_hour),
                reserved_3y_usd_per_hour=times(cloud.reserved_3y_usd_per_hour),
            ),
        )
    bought, place = fleet.purchase, fleet.site
    assert bought is not None
    assert place is not None
    tariff = place.tariff
    return replace(
        fleet,
        purchase=replace(
            bought,
            **{
                name: times(getattr(bought, name))
                for name in Purchase.__dataclass_fields__
                if "_usd" in name
            },
        ),
        site=replace(
            place,
            tariff=replace(
                tariff,
                energy_usd_per_kwh=times(tariff.energy_usd_per_kwh),
                demand_usd_per_kw_month=times(tariff.demand_usd_per_kw_month),
            ),
            colocation=place.colocation
            and replace(
                place.colocation, usd_per_kw_month=times(place.colocation.usd_per_kw_month)
            ),
            build=place.build and replace(place.build, usd_per_kw=times(place.build.usd_per_kw)),
        ),
    )
