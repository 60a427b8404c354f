"""Faults that drawn scenarios found in the engine, each with the right value."""

from __future__ import annotations

import pytest

from tests.cases.plain_document import at, kpi, lines, projected, rent

HOURS = 8760


def test_a_count_above_the_need_is_not_billed_when_it_is_off():
    """3 instances given, scaled by the hour, cost more under less load.

    One instance carries 600 requests a minute: it alone is on, and billed, whatever was given.
    """
    found = projected(rent("count", 3), rent("rental.scaling", "hourly"))
    assert {hour.servers_on for hour in found.options[1].fleets[0].hours} == {1}
    assert lines(found.options[1])["instances"].total_usd == pytest.approx(50 * HOURS)
    always = projected(rent("count", 3))
    assert lines(always.options[1])["instances"].total_usd == pytest.approx(3 * 50 * HOURS)


def test_a_time_that_cannot_be_given_is_no_crash():
    """The simulator finds that requests wait ever longer: the target is missed, in words."""
    target = {"metric": "tpot", "percentile": 95, "limit_ms": 60}
    found = projected(
        at("workloads.0.model", "meta-llama/Llama-3.1-8B"),
        at("workloads.0.requests_per_minute", 24_000),
        at("workloads.0.targets", [target]),
        at("workloads.0.replicas_lost", 1),
        rent("offer", "aws-p4d-24xlarge-us-east-1"),
        rent("count", 6),
    )
    fleet = found.options[1].fleets[0]
    assert not fleet.feasible
    assert fleet.targets[0].predicted_ms is None
    assert fleet.binds == "tpot p95 60 ms: ever longer waits at peak"


def test_a_range_of_any_price_is_a_range_of_the_total():
    """The prices of an API had ranges and its total had none: 0.2 to 0.9 USD a million tokens."""
    price = {"value": 0.6, "low": 0.2, "high": 0.9}
    terms = {"provider": "P", "input_usd_per_mtok": 0, "output_usd_per_mtok": price}
    found = projected(at("options.1.fleets", [{"key": "a", "workload": "chat", "api": terms}]))
    million = 600 * 60 * HOURS * 250 / 1e6
    total = kpi(found, 1, "undiscounted_usd")
    assert total.value == pytest.approx(million * 0.6)
    assert (total.low, total.high) == pytest.approx((million * 0.2, million * 0.9))
