"""Hours billed for instances that come and go, by hand (F13.1, F14.3)."""

from __future__ import annotations

import pytest

from tco.cost import cloud
from tco.cost.billing import billed_hours_per_day
from tco.inputs import Rental
from tco.results import HourLoad
from tests.engine.cost.cast import case_of, rented

DAY = [1] * 6 + [0] * 6 + [3] * 2 + [2] * 4 + [1] * 6


def test_without_terms_it_is_the_sum():
    """6 + 6 + 8 + 6 instance-hours."""
    assert billed_hours_per_day(DAY) == pytest.approx(26.0)


def test_each_start_pays_warm_up_minimum_and_increment():
    """First: 18 h around midnight; second: 6 h; third: 2 h; each half an hour more, by the hour."""
    assert billed_hours_per_day(DAY, warm_up_hours=0.5) == pytest.approx(18.5 + 6.5 + 2.5)
    assert billed_hours_per_day(DAY, warm_up_hours=0.5, increment_hours=1.0) == 19 + 7 + 3
    assert billed_hours_per_day(DAY, minimum_hours=8.0) == 18 + 8 + 8


def test_nobody_pays_more_than_the_whole_day():
    """Two starts of at least 16 h: it is left on."""
    assert billed_hours_per_day(([1] * 2 + [0] * 10) * 2, minimum_hours=16.0) == 24.0


def test_the_bill_of_a_rented_fleet_follows_the_terms():
    """4 for 2 h and 1 for 22 h: three starts of at least 4 h."""
    hours = tuple(HourLoad(1.0, n, 0.5, 0.1, 0.1) for n in [4] * 2 + [1] * 22)
    fleet = rented(rental=Rental(scaling="hourly", billing_minimum_hours=4.0))
    line = cloud.instances(case_of(fleet, 4, hours=hours))
    assert line.end_usd[0] == pytest.approx((24 + 3 * 4) / 24 * 730 * 50)
