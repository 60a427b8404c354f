"""The choice of a degree never makes more load cheaper (P8, F23.5)."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tco.inputs import CloudOffer, LatencyTarget, Rental
from tco.performance import size_fleet
from tests.engine.performance.catalog_rows import H100, fleet, workload

DAY = tuple(
    share / 100
    for share in (
        *(35, 30, 27, 25, 27, 33, 45, 60, 78, 90, 97, 100),
        *(98, 99, 100, 98, 95, 90, 85, 80, 72, 62, 52, 42),
    )
)
OFFER = CloudOffer("p5", "AWS", "p5.48xlarge", "us-east-1", H100, 8)


def rented(requests_per_s, *, scaling, ttft_ms=1000.0, tpot_ms=50.0, lost=1, degree=None):
    """Size rented 8xH100 for a chat that follows the day."""
    targets = (LatencyTarget("ttft", 95, ttft_ms), LatencyTarget("tpot", 95, tpot_ms))
    work = workload(requests_per_s=requests_per_s, targets=targets, headroom=0.1, lost=lost)
    work = dataclasses.replace(work, daily_shape=DAY)
    base = fleet(work, tensor_parallel=degree)
    asked = dataclasses.replace(base, server=None, offer=OFFER, rental=Rental(scaling=scaling))
    return size_fleet(asked, horizon_months=12)


def machine_hours(result):
    """Return machine-hours of the day."""
    return sum(hour.servers_on for hour in result.hours)


def dearer(less, more):
    """Check that `more` needs at least what `less` needs, by hours or by machines."""
    if not (less.feasible and more.feasible):
        return less.feasible or not more.feasible
    return machine_hours(less) <= machine_hours(more)


@pytest.mark.parametrize("requests_per_minute", [600, 2221, 2398, 5000])
def test_hourly_fleets_take_the_degree_with_the_fewest_machine_hours(requests_per_minute):
    """No fixed degree has fewer machine-hours over the day than the search."""
    rate = requests_per_minute / 60
    best = rented(rate, scaling="hourly")
    fixed = [rented(rate, scaling="hourly", degree=degree) for degree in (1, 2, 4, 8)]
    assert machine_hours(best) == min(machine_hours(one) for one in fixed if one.feasible)


loads = st.floats(0.5, 400.0)
factors = st.floats(1.0, 2.0)
scalings = st.sampled_from(["hourly", "peak"])


@given(requests_per_s=loads, more=factors, scaling=scalings)
@settings(max_examples=60, deadline=None)
def test_more_load_never_needs_less(requests_per_s, more, scaling):
    """F23.5: more load never costs fewer machine-hours, nor fewer machines that stay on."""
    less = rented(requests_per_s, scaling=scaling)
    grown = rented(requests_per_s * more, scaling=scaling)
    assert dearer(less, grown)
    if scaling == "peak":
        assert less.servers <= grown.servers


@given(
    requests_per_s=loads,
    ttft_ms=st.floats(150.0, 2000.0),
    tpot_ms=st.floats(15.0, 80.0),
    looser=factors,
    scaling=scalings,
)
@settings(max_examples=60, deadline=None)
def test_a_stricter_target_never_needs_less(requests_per_s, ttft_ms, tpot_ms, looser, scaling):
    """F23.5: the same load with a looser target never needs more."""
    strict = rented(requests_per_s, scaling=scaling, ttft_ms=ttft_ms, tpot_ms=tpot_ms)
    first = rented(requests_per_s, scaling=scaling, ttft_ms=ttft_ms * looser, tpot_ms=tpot_ms)
    token = rented(requests_per_s, scaling=scaling, ttft_ms=ttft_ms, tpot_ms=tpot_ms * looser)
    for loose in (first, token):
        assert dearer(loose, strict)
        if scaling == "peak" and strict.feasible:
            assert loose.servers <= strict.servers


@given(requests_per_s=loads, lost=st.integers(0, 4), scaling=scalings)
@settings(max_examples=40, deadline=None)
def test_one_more_lost_copy_never_needs_less(requests_per_s, lost, scaling):
    """F23.5: planning for one more failed copy never needs fewer machine-hours."""
    less = rented(requests_per_s, scaling=scaling, lost=lost)
    assert dearer(less, rented(requests_per_s, scaling=scaling, lost=lost + 1))
