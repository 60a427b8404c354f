"""Lines of rented machines, by hand."""

from __future__ import annotations

import math

import pytest

from tco.cost import cloud
from tco.cost.egress import egress
from tco.cost.ledger import fleet_lines
from tco.inputs import Rental
from tco.results import HourLoad
from tests.engine.cost.cast import case_of, fig, offer, rented, workload

TIERS = ((10_240.0, fig(0.09)), (51_200.0, fig(0.085)), (math.inf, fig(0.05)))


def hours(*on: int) -> tuple[HourLoad, ...]:
    """Servers on by hour."""
    return tuple(HourLoad(1.0, n, 0.5, 0.1, 0.1) for n in on)


def test_instances_are_paid_for_every_hour_at_peak_scaling() -> None:
    """3 x 730 h x 50 USD."""
    line = cloud.instances(case_of(rented(), 3))
    assert line.end_usd[0] == pytest.approx(109_500)
    assert line.total_usd == pytest.approx(109_500 * 60)


def test_hourly_scaling_follows_the_day() -> None:
    """On 4 for 12 h and 1 for 12 h: 2.5 of 4 on average."""
    fleet = rented(rental=Rental(scaling="hourly"))
    day = hours(*([1] * 12 + [4] * 12))
    line = cloud.instances(case_of(fleet, 4, hours=day))
    assert line.end_usd[0] == pytest.approx(2.5 * 730 * 50)


def test_reserved_instances_are_paid_used_or_not() -> None:
    """A commitment costs all hours at its own rate, whatever the scaling."""
    fleet = rented(rental=Rental(commitment="reserved_3y", scaling="hourly"))
    line = cloud.instances(case_of(fleet, 4, hours=hours(*([1] * 12 + [4] * 12))))
    assert line.end_usd[0] == pytest.approx(4 * 730 * 25)


def test_missing_rate_is_no_price_and_never_zero() -> None:
    """No spot price in the catalog: blank with a reason that names it."""
    line = cloud.instances(case_of(rented(rental=Rental(commitment="spot")), 4))
    assert "spot" in line.missing
    assert line.total_usd == 0


def test_hourly_price_is_not_divided_again() -> None:
    """0.95 USD an hour stays 0.95: one instance costs 693.50 USD in 730 h."""
    fleet = rented(offer=offer(on_demand_usd_per_hour=fig(0.95, "USD/h")))
    assert cloud.instances(case_of(fleet, 1)).end_usd[0] == pytest.approx(693.5)


def test_egress_is_tiered_by_month_after_the_allowance() -> None:
    """10,240 at 0.09 and the rest at 0.085, beyond 100 GB free."""
    fleet = rented(
        rental=Rental(
            egress_gb_per_month=fig(20_340, "GB"),
            egress_tiers=TIERS,
            egress_free_gb_per_month=100.0,
        )
    )
    line = egress(case_of(fleet, 1))
    assert line.end_usd[0] == pytest.approx(10_240 * 0.09 + 10_000 * 0.085)


def test_egress_grows_with_the_load() -> None:
    """21 % a year: a tenth more after six months."""
    fleet = rented(
        workload=workload(growth_fraction_per_year=fig(0.21, "1/yr")),
        rental=Rental(egress_gb_per_month=fig(1_000, "GB"), egress_tiers=((math.inf, fig(0.1)),)),
    )
    line = egress(case_of(fleet, 1))
    assert line.end_usd[0] == pytest.approx(100)
    assert line.end_usd[6] == pytest.approx(110)


def test_egress_without_prices_is_missing() -> None:
    """A volume without a price is a blank."""
    fleet = rented(rental=Rental(egress_gb_per_month=fig(10, "GB")))
    assert egress(case_of(fleet, 1)).missing


def test_support_is_a_share_of_instances_and_egress() -> None:
    """10 % of the bill, its base stated (F13.6)."""
    fleet = rented(
        rental=Rental(
            support_fraction=fig(0.1, "fraction"),
            egress_gb_per_month=fig(1_000, "GB"),
            egress_tiers=((math.inf, fig(0.1)),),
        )
    )
    lines = {line.key: line for line in fleet_lines(case_of(fleet, 1))}
    assert lines["cloud_support"].end_usd[0] == pytest.approx(0.1 * (36_500 + 100))
    assert "instances + egress" in lines["cloud_support"].formula


def test_own_rate_goes_before_the_offer() -> None:
    """A negotiated rate replaces the list."""
    fleet = rented(rental=Rental(usd_per_hour=fig(40, "USD/h")))
    assert cloud.instances(case_of(fleet, 1)).end_usd[0] == pytest.approx(29_200)
