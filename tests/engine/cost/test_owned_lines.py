"""Lines of owned servers, by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tco.cost import energy, moving, owned, premises, running
from tco.cost.ledger import fleet_lines
from tco.inputs import Colocation, FacilityBuild, Migration, Rack, Tariff
from tests.engine.cost.cast import case_of, fig, finance, purchase, site
from tests.engine.cost.cast import owned as owned_fleet


def by_key(case):
    """Lines of a fleet by key."""
    return {line.key: line for line in fleet_lines(case)}


def test_servers_cost_list_less_discount_at_the_start() -> None:
    """4 x 200,000 x 0.9 = 720,000 at the start of month 0 and never again."""
    fleet = owned_fleet(purchase=purchase(discount_fraction=fig(0.1, "fraction")))
    line = owned.servers(case_of(fleet, 4))
    assert line is not None
    assert line.start_usd[0] == pytest.approx(720_000)
    assert sum(line.start_usd[1:]) == 0
    assert sum(line.end_usd) == 0


def test_scenario_price_goes_before_the_catalog() -> None:
    """A quote replaces the list price."""
    fleet = owned_fleet(purchase=purchase(server_usd=fig(150_000)))
    assert owned.servers(case_of(fleet, 2)).total_usd == pytest.approx(300_000)


def test_growth_buys_servers_in_the_month_they_are_needed() -> None:
    """3 at go-live in month 6, 2 more in month 18, nothing when the count falls."""
    counts = [0] * 6 + [3] * 12 + [5] * 12 + [4] * 6
    fleet = owned_fleet(start_month=6)
    case = case_of(fleet, counts, money=finance(horizon_months=36))
    line = owned.servers(case)
    paid = {month: usd for month, usd in enumerate(line.start_usd) if usd}
    assert paid == {6: pytest.approx(600_000), 18: pytest.approx(400_000)}
    assert case.servers[-1] == 5, "a bought server stays"


def test_servers_are_replaced_at_the_end_of_their_life() -> None:
    """A life of 24 months in a horizon of 60 is bought three times."""
    fleet = owned_fleet(purchase=purchase(life_months=24))
    line = owned.servers(case_of(fleet, 1))
    assert [m for m, usd in enumerate(line.start_usd) if usd] == [0, 24, 48]


def test_missing_price_is_a_blank_with_a_reason() -> None:
    """No price: no amount, a reason, and support that rests on it is blank too."""
    fleet = owned_fleet(
        server=replace(owned_fleet().server, price_usd=None),
        purchase=purchase(support_fraction_per_year=fig(0.05, "fraction")),
    )
    lines = by_key(case_of(fleet, 4))
    assert "Box" in lines["servers"].missing
    assert lines["servers"].total_usd == 0
    assert lines["support"].missing


def test_residual_falls_exponentially_to_the_given_share() -> None:
    """20 % of 200,000 at 60 months of life; at 30 months sqrt(0.2); negative, at the end."""
    fleet = owned_fleet(purchase=purchase(residual_fraction=fig(0.2, "fraction")))
    line = owned.residual(case_of(fleet, 1))
    assert line.end_usd[59] == pytest.approx(-40_000)
    short = owned.residual(case_of(fleet, 1, money=finance(horizon_months=30)))
    assert short.end_usd[29] == pytest.approx(-200_000 * 0.2**0.5)
    assert owned.residual(case_of(owned_fleet(), 1)) is None, "0 until a quote supports more"


def test_racks_are_bought_as_servers_fill_them() -> None:
    """Three to a rack: 4 servers take 2 racks, 7 take 3."""
    fleet = owned_fleet(site=site(rack=Rack("r", "R", 48, price_usd=fig(5_000))))
    line = owned.racks(case_of(fleet, [4] * 12 + [7] * 48))
    assert line.start_usd[0] == pytest.approx(10_000)
    assert line.start_usd[12] == pytest.approx(5_000)
    assert owned.racks(case_of(owned_fleet(), 4)) is None, "no price, no line"


def test_facility_is_charged_by_share_of_life_or_whole() -> None:
    """40 kW x 9,000 USD: 5 of 15 years are 120,000; the whole is 360,000 (F25)."""
    for charge, usd in (("share_of_life", 120_000), ("whole", 360_000)):
        place = site(build=FacilityBuild(fig(9_000, "USD/kW"), fig(15, "yr"), charge))
        line = premises.build(case_of(owned_fleet(site=place), 4))
        assert line.total_usd == pytest.approx(usd)


def test_facility_share_counts_from_the_month_of_purchase() -> None:
    """A server bought in month 30 uses 30 of 180 months."""
    place = site(build=FacilityBuild(fig(9_000, "USD/kW"), fig(15, "yr")))
    counts = [0] * 30 + [2] * 30
    line = premises.build(case_of(owned_fleet(site=place, start_month=30), counts))
    assert line.start_usd[30] == pytest.approx(2 * 10 * 9_000 * 30 / 180)


def test_colocation_bills_provisioned_kw_and_may_include_power() -> None:
    """40 kW x 150 USD; with power in the rate there is no electricity line (F5.4)."""
    tariff = Tariff(fig(0.1, "USD/kWh"), fig(10, "USD/kW-month"), fig(100, "USD/month"))
    for included in (False, True):
        place = site(
            colocation=Colocation(fig(150, "USD/kW-month"), power_included=included), tariff=tariff
        )
        lines = by_key(case_of(owned_fleet(site=place), 4))
        assert lines["colocation"].end_usd[0] == pytest.approx(6_000)
        assert ("electricity_energy" in lines) is not included
        assert ("electricity_demand" in lines) is not included


def test_energy_is_facility_kwh_times_price() -> None:
    """4 x 6 kW x 1.25 x 730 h x 0.10 = 2,190 USD a month; PUE once."""
    line = energy.energy(case_of(owned_fleet(), 4))
    assert line.end_usd[0] == pytest.approx(2_190)
    assert line.start_usd[0] == 0


def test_demand_is_peak_kw_times_rate_unless_included() -> None:
    """4 x 10 kW x 1.25 x 12 USD = 600 USD a month; nothing when the price holds it (F4.5a)."""
    for included, usd in ((False, 600.0), (True, None)):
        tariff = Tariff(fig(0.1, "USD/kWh"), fig(12, "USD/kW-month"), demand_included=included)
        line = energy.demand(case_of(owned_fleet(site=site(tariff=tariff)), 4))
        assert (line.end_usd[0] if line else None) == (pytest.approx(usd) if usd else None)


def test_electricity_follows_the_servers_of_the_month() -> None:
    """Twice the servers draw twice the energy."""
    line = energy.energy(case_of(owned_fleet(), [2] * 12 + [4] * 48))
    assert line.end_usd[12] == pytest.approx(2 * line.end_usd[11])


def test_escalation_steps_once_a_year_from_the_date_of_the_price() -> None:
    """A price of seven months before month 0 steps first in month 5 (F0.4)."""
    tariff = Tariff(fig(0.10, "USD/kWh", as_of="2026-05"))
    money = finance(electricity_escalation_fraction=fig(0.10, "1/yr"))
    line = energy.energy(case_of(owned_fleet(site=site(tariff=tariff)), 4, money=money))
    assert line.end_usd[4] == pytest.approx(2_190)
    assert line.end_usd[5] == pytest.approx(2_190 * 1.1)
    assert line.end_usd[17] == pytest.approx(2_190 * 1.21)
    undated = energy.energy(case_of(owned_fleet(), 4, money=money))
    assert undated.end_usd[11] == pytest.approx(2_190)
    assert undated.end_usd[12] == pytest.approx(2_190 * 1.1)


def test_monthly_escalation_is_smooth() -> None:
    """(1 + e)^(m/12): month 6 is the square root of a year's rise."""
    money = finance(electricity_escalation_fraction=fig(0.21, "1/yr"), escalation_mode="monthly")
    line = energy.energy(case_of(owned_fleet(), 4, money=money))
    assert line.end_usd[6] == pytest.approx(2_190 * 1.1)


def test_hours_of_the_month_follow_the_mode() -> None:
    """720 h and calendar months change energy in proportion (F0.2)."""
    for mode, hours in (("720", 720), ("calendar", 744)):
        line = energy.energy(case_of(owned_fleet(), 4, money=finance(hours_mode=mode)))
        assert line.end_usd[0] == pytest.approx(2_190 * hours / 730)


def test_support_software_and_staff() -> None:
    """5 % of 800,000 / 12; 32 devices x 4,500 / 12; 4 servers x 6,000 / 12."""
    fleet = owned_fleet(
        purchase=purchase(
            support_fraction_per_year=fig(0.05, "fraction"),
            software_usd_per_device_year=fig(4_500),
            staff_usd_per_server_year=fig(6_000),
        )
    )
    case = case_of(fleet, 4)
    assert running.support(case).end_usd[0] == pytest.approx(800_000 * 0.05 / 12)
    assert running.software(case).end_usd[0] == pytest.approx(32 * 4_500 / 12)
    assert running.staff(case).end_usd[0] == pytest.approx(2_000)


def test_migration_has_all_its_parts() -> None:
    """(6 x 2 x 10,000 + 20,000) x 1.1; 2.5 months of delay; 1.5 months of dual running."""
    fleet = owned_fleet(
        start_month=2,
        purchase=purchase(staff_usd_per_server_year=fig(12_000)),
        site=site(tariff=Tariff(fig(0.0, "USD/kWh"))),
        migration=Migration(
            engineer_months=fig(6, "months"),
            factor=fig(2, "x"),
            usd_per_engineer_month=fig(10_000),
            validation_usd=fig(20_000),
            dual_running_months=fig(1.5, "months"),
            delay_months=fig(2.5, "months"),
            benefit_usd_per_month=fig(100_000),
            contingency_fraction=fig(0.1, "fraction"),
        ),
    )
    lines = by_key(case_of(fleet, [0, 0] + [4] * 58))
    assert lines["migration"].start_usd[2] == pytest.approx(120_000)
    assert lines["migration_validation"].start_usd[2] == pytest.approx(20_000)
    assert lines["migration_contingency"].start_usd[2] == pytest.approx(14_000)
    assert lines["migration_delay"].end_usd[2:6] == pytest.approx((100_000, 100_000, 50_000, 0))
    assert lines["migration_dual_running"].end_usd[2:5] == pytest.approx((4_000, 2_000, 0))


def test_delay_without_its_benefit_is_missing() -> None:
    """A delay whose cost is not given is blank, not free."""
    fleet = owned_fleet(
        migration=Migration(
            fig(1, "months"), fig(1, "x"), fig(10_000), delay_months=fig(3, "months")
        )
    )
    assert moving.migration_delay(case_of(fleet, 1)).missing


def test_every_line_states_formula_reference_and_status() -> None:
    """A line without its formula, reference or terms cannot be checked by finance."""
    fleet = owned_fleet(
        purchase=purchase(
            network_usd_per_server=fig(1),
            integration_usd_per_server=fig(1),
            support_fraction_per_year=fig(0.05, "fraction"),
        ),
        site=site(colocation=Colocation(fig(150, "USD/kW-month"))),
    )
    lines = fleet_lines(case_of(fleet, 4))
    assert len(lines) >= 6
    for line in lines:
        assert line.formula
        assert line.reference
        assert line.terms
        assert len(line.start_usd) == len(line.end_usd) == 60
        assert np.isfinite(line.start_usd).all()
