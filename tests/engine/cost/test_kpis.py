"""KPIs: recomputed by hand from what the panel shows, blank where they have no meaning."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tco.cost.kpis import kpis
from tco.cost.ledger import OptionCase, build_ledger
from tco.inputs import Figure, Rental, Status
from tco.results import Explained, LoadPoint, TargetResult
from tests.engine.cost.cast import fig, finance, owned, purchase, rented, server, workload
from tests.engine.cost.test_ledger import option_case


def figures(case: OptionCase) -> dict[str, Explained]:
    """KPIs of an option."""
    powers = [c.power for c in case.fleets if c.power is not None]
    racks = [c.racks for c in case.fleets if c.racks is not None]
    return kpis(case, build_ledger(case), powers, racks)


def value(kpi: Explained) -> float:
    """The value, which must be there."""
    assert kpi.value is not None, kpi.reason
    return kpi.value


def test_money_kpis_can_be_added_up_from_their_terms() -> None:
    """TCO, plain total and capex are the sums of their USD terms, to the last digit."""
    found = figures(option_case(owned(purchase=purchase(network_usd_per_server=fig(25_000)))))
    for key in ("tco_usd", "undiscounted_usd", "capex_usd"):
        parts = [term.value for term in found[key].terms if term.unit == "USD"]
        assert value(found[key]) == pytest.approx(math.fsum(parts), rel=1e-15)
    assert value(found["capex_usd"]) == pytest.approx(900_000)
    monthly = found["opex_usd_per_month"]
    parts = [term.value for term in monthly.terms if term.unit == "USD"]
    assert value(monthly) == pytest.approx(math.fsum(parts) / 60)
    assert value(monthly) == pytest.approx(2_190)


def test_unit_costs_are_their_two_terms_divided() -> None:
    """Each unit cost is PV of the cost over PV of the units, both shown."""
    found = figures(option_case(owned()))
    for key in (
        "usd_per_mtok_output",
        "usd_per_mtok_total",
        "usd_per_1000_requests",
        "usd_per_device_hour",
    ):
        cost, units = found[key].terms[:2]
        assert value(found[key]) == pytest.approx(cost.value / units.value, rel=1e-15)


def test_cost_of_a_token_by_hand() -> None:
    """Equivalent monthly cost / 730 h over 7.5 x 250 tokens/s x 0.0036 (F19.1)."""
    found = figures(option_case(owned()))
    rate = 1.1 ** (1 / 12) - 1
    annuity = (1 - (1 + rate) ** -60) / rate
    usd_per_hour = (800_000 / annuity + 2_190) / 730
    assert value(found["usd_per_mtok_output"]) == pytest.approx(usd_per_hour / (7.5 * 250 * 0.0036))
    assert value(found["usd_per_mtok_total"]) == pytest.approx(
        usd_per_hour / (7.5 * 1_250 * 0.0036)
    )
    assert value(found["usd_per_1000_requests"]) == pytest.approx(usd_per_hour / (7.5 * 3.6))
    assert value(found["usd_per_device_hour"]) == pytest.approx(usd_per_hour / 32)


def test_energy_of_a_token_by_hand() -> None:
    """30 kW of the facility over 7.5 x 250 tokens/s: 16 J/token, 62,500 tok/s/MW (F19.4)."""
    found = figures(option_case(owned()))
    assert value(found["j_per_token"]) == pytest.approx(30_000 / 1_875)
    assert value(found["tokens_per_s_per_mw"]) == pytest.approx(1_875 / 0.030)
    assert "served within the targets" in found["j_per_token"].formula
    rent = option_case(rented(rental=Rental()))
    blank = kpis(rent, build_ledger(rent), [], [])
    assert blank["j_per_token"].value is None
    assert "rented" in blank["tokens_per_s_per_mw"].reason


def test_marginal_cost_of_a_token_by_hand() -> None:
    """30 kW x 730 h x 0.1 USD = 2,190 USD a month over its tokens; the base is said (F19.6)."""
    found = figures(option_case(owned()))
    marginal = found["usd_per_mtok_output_marginal"]
    assert value(marginal) == pytest.approx(2_190 / 730 / (7.5 * 250 * 0.0036))
    assert "own, marginal" in marginal.formula
    assert "fully loaded, own" in found["usd_per_mtok_output"].formula
    cloud = figures(option_case(rented()))["usd_per_mtok_output"]
    assert "fully loaded, cloud" in cloud.formula


def test_levelised_cost_falls_with_growth() -> None:
    """Growth raises PV of tokens; same cost over more tokens (levelised)."""
    flat = figures(option_case(owned()))
    grown = figures(
        option_case(owned(workload=workload(growth_fraction_per_year=fig(0.1, "1/yr"))))
    )
    rate = 1.1 ** (1 / 12) - 1
    ratio = sum((1 + rate) ** -(m + 1) * 1.1 ** (m / 12) for m in range(60)) / sum(
        (1 + rate) ** -(m + 1) for m in range(60)
    )
    assert value(flat["usd_per_mtok_output"]) / value(grown["usd_per_mtok_output"]) == (
        pytest.approx(ratio)
    )


def test_only_requests_within_the_target_are_counted() -> None:
    """Holding its target up to 6/s, a fleet serves the 12 hours at 5/s, not those at 10/s."""
    fleet = owned(count=1)
    points = tuple(
        LoadPoint(rate, rate / 12, {"p95": ms}, {"p95": 10.0}, {"p95": 100.0}, False, True)
        for rate, ms in ((3.0, 500.0), (6.0, 990.0), (10.0, 1500.0))
    )
    case = option_case(fleet, servers=1)
    missed = TargetResult("ttft", 95, 1000, 1500, False, True)
    result = replace(
        case.fleets[0].result, feasible=False, curve=points, at_peak=points[-1], targets=(missed,)
    )
    found = figures(replace(case, fleets=(replace(case.fleets[0], result=result),)))
    full = figures(option_case(fleet_with_all(fleet), servers=1))
    assert value(found["usd_per_1000_requests"]) == pytest.approx(
        value(full["usd_per_1000_requests"]) * 15 / 5
    )


def fleet_with_all(fleet):
    """The same fleet sized freely, so that all is served."""
    return replace(fleet, count=None)


def test_a_missing_price_leaves_totals_blank() -> None:
    """Never 0: the value is absent and the reason names what is missing."""
    case = option_case(owned(server=server(price_usd=None)))
    found = figures(case)
    for key in ("tco_usd", "capex_usd", "usd_per_mtok_output", "usd_per_device_hour"):
        assert found[key].value is None
        assert "no price is known for Box" in found[key].reason
    assert value(found["peak_kw"]) > 0


def test_range_comes_from_all_prices_at_their_ends() -> None:
    """Server 180 to 230 thousand: TCO moves by 4 x the difference, and so does the unit cost."""
    price = Figure(200_000, "USD", Status.PUBLISHED, "x", low=180_000, high=230_000)
    kpi = figures(option_case(owned(purchase=purchase(server_usd=price))))
    tco = kpi["tco_usd"]
    assert tco.low == pytest.approx(value(tco) - 80_000)
    assert tco.high == pytest.approx(value(tco) + 120_000)
    hour = kpi["usd_per_device_hour"]
    assert hour.low / value(hour) == pytest.approx(tco.low / value(tco))
    assert figures(option_case(owned()))["tco_usd"].low is None


def test_status_is_the_weakest_of_what_feeds_it() -> None:
    """One assumed price makes the total assumed."""
    assumed_price = Figure(200_000, "USD", Status.ASSUMED, "guess")
    good = figures(option_case(owned()))
    worse = figures(option_case(owned(purchase=purchase(server_usd=assumed_price))))
    assert good["capex_usd"].status is Status.ESTIMATED  # the count is
    assert worse["capex_usd"].status is Status.ASSUMED


def test_power_kpis_add_up_and_rented_ones_are_blank() -> None:
    """Provisioned 40 kW, average 4 x 6 x 1.25 = 30 kW; a rented fleet's are unknown."""
    found = figures(option_case(owned()))
    assert value(found["it_provisioned_kw"]) == pytest.approx(40)
    assert value(found["average_kw"]) == pytest.approx(30)
    assert value(found["kwh_per_year"]) == pytest.approx(30 * 8760)
    assert found["tco2e_per_year"].value is None
    assert value(found["racks"]) == 2
    assert value(found["devices"]) == 32
    rent = option_case(rented(rental=Rental()))
    blank = kpis(rent, build_ledger(rent), [], [])
    assert blank["peak_kw"].value is None
    assert "rented" in blank["peak_kw"].reason
    assert blank["usd_per_device_hour"].reason == "no device is owned"


def test_worst_latency_is_that_nearest_its_limit() -> None:
    """400 of 500 ms is worse than 600 of 1,000 ms."""
    case = option_case(owned("a"), owned("b"))
    targets = (
        (TargetResult("ttft", 95, 1000, 600.0, True, False),),
        (TargetResult("ttft", 99, 500, 400.0, True, True),),
    )
    fleets = tuple(
        replace(c, result=replace(c.result, targets=t))
        for c, t in zip(case.fleets, targets, strict=True)
    )
    ttft = figures(replace(case, fleets=fleets))["ttft_ms"]
    assert value(ttft) == 400.0
    assert "p99" in ttft.label
    assert {term.value for term in ttft.terms} >= {600.0, 400.0, 1000.0, 500.0}


def test_zero_servers_cost_zero() -> None:
    """A fleet of nothing has a total of 0, not NaN; its unit cost is blank."""
    found = figures(option_case(owned(count=0), servers=0))
    assert found["tco_usd"].value == 0.0
    assert found["usd_per_mtok_output"].value is None
    assert found["usd_per_device_hour"].value is None


def test_every_kpi_explains_itself() -> None:
    """Formula and reference always; a reason whenever there is no value."""
    for kpi in figures(option_case(owned(), money=finance())).values():
        assert kpi.formula
        assert kpi.reference
        assert kpi.label
        assert (kpi.value is None) == bool(kpi.reason)
