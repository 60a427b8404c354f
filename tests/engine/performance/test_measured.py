"""Services sized from a load test (F1.3, F1.3a)."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from scipy.stats import poisson

from tco.inputs import LatencyTarget, MeasuredPoint, MeasuredService, Status, Workload
from tco.performance import size_fleet
from tco.performance.measured import OpenQueue, service_curve
from tests.engine.performance.catalog_rows import MI300X, fleet, workload

POINTS = (
    # concurrency, requests/s, p50, p95, p99 in ms
    (1, 80.0, 12.0, 13.0, 14.0),
    (4, 285.0, 13.5, 15.0, 16.5),
    (16, 900.0, 17.0, 19.5, 22.0),
    (64, 1700.0, 37.0, 43.0, 50.0),
    (256, 2000.0, 126.0, 150.0, 180.0),
)


def service(points=POINTS, server="server-h100-sxm"):
    """Return a load test of an embedding service."""
    rows = tuple(MeasuredPoint(*point) for point in points)
    return MeasuredService("Embeddings", server, rows, "load test 7", "2026-11")


def measured_work(
    *, limit_ms=50.0, percentile=99.0, requests_per_s=10_000.0, made=None, lost=0, growth=0.0
) -> Workload:
    """Return a measured workload with one end-to-end target."""
    base = workload(
        requests_per_s=requests_per_s,
        targets=(LatencyTarget("e2e", percentile, limit_ms),),
        lost=lost,
        growth=growth,
    )
    return dataclasses.replace(base, kind="measured_service", model=None, service=made or service())


def size(work, **given):
    """Size a fleet of 8xH100 servers for the workload over five years."""
    return size_fleet(fleet(work, **given), horizon_months=60)


def test_the_curve_passes_through_the_points():
    """Monotone interpolation: exact at every measured concurrency, rising between."""
    curve = service_curve(service())
    for concurrency, rate, p50, p95, p99 in POINTS:
        assert float(curve.rates(np.array([float(concurrency)]))[0]) == pytest.approx(rate)
        assert curve.latency_ms(50, concurrency) == pytest.approx(p50)
        assert curve.latency_ms(95, concurrency) == pytest.approx(p95)
        assert curve.latency_ms(99, concurrency) == pytest.approx(p99)
    between = [curve.latency_ms(99, c) for c in np.linspace(1, 256, 400)]
    assert between == sorted(between)


def test_c_star_is_the_largest_concurrency_within_the_target():
    """A limit equal to a measured p99 gives that concurrency; a looser one lies beyond it."""
    curve = service_curve(service())
    at = curve.bound((LatencyTarget("e2e", 99, 50.0),))
    assert at == (pytest.approx(64, abs=0.01), "e2e p99 50 ms")
    assert 64 < curve.bound((LatencyTarget("e2e", 99, 90.0),))[0] < 256
    assert curve.bound((LatencyTarget("e2e", 99, 10.0),))[0] == 0


def test_nothing_is_extrapolated():
    """A target looser than all measurements is bounded by the end of the range, and says so."""
    curve = service_curve(service())
    assert curve.bound((LatencyTarget("e2e", 99, 1e6),)) == (256, "end of the measured range")
    assert curve.latency_ms(99, 10_000) == pytest.approx(180.0)
    assert float(curve.rates(np.array([1e4]))[0]) == pytest.approx(2000.0)


def flat(concurrency):
    """A service whose latency does not depend on the load: 10 ms, up to `concurrency`."""
    return service(((1, 100.0, 10, 10, 10), (concurrency, 100.0 * concurrency, 10, 10, 10)))


@pytest.mark.parametrize(("c_star", "share"), [(16, 0.55), (256, 0.86)])
def test_closed_percentiles_are_not_open_ones(c_star, share):
    """With constant latency the number in flight is Poisson: c* = 16 allows a mean of 8.9, not 16.

    Beyond c* the measured rate is held, so the true tail is a little heavier than Poisson.
    """
    queue = OpenQueue(service_curve(flat(c_star)))
    mean = queue.capacity_per_s(c_star) * 0.010
    low, high = 0.0, float(c_star)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if poisson.cdf(c_star, middle) >= 0.99 else (low, middle)
    assert 0.97 * low < mean <= low * (1 + 1e-3)
    assert mean / c_star == pytest.approx(share, abs=0.02)


def test_an_event_simulation_agrees_with_the_open_queue():
    """Poisson arrivals into the measured rates, simulated: the same law of the number in flight."""
    curve = service_curve(service())
    rate = 800.0
    rng = np.random.default_rng(5)
    leave = np.concatenate([[0.0], curve.rates(np.arange(1, 400, dtype=float))])
    state, spent = 0, np.zeros(400)
    for _ in range(300_000):
        total = rate + leave[state]
        spent[state] += 1 / total
        state += 1 if rng.random() * total < rate else -1
    law = OpenQueue(curve).shares(np.array([rate]))[0]
    simulated = spent / spent.sum()
    states = np.arange(400)
    assert law[:400] @ states[: len(law)] == pytest.approx(simulated @ states, rel=0.05)


def test_servers_hold_the_target_with_one_gone():
    """10,000 requests a second at p99 50 ms: the whole count, and one for the loss."""
    plain, spare = size(measured_work()), size(measured_work(lost=1))
    each = OpenQueue(service_curve(service())).capacity_per_s(64.0)
    assert plain.servers == math.ceil(10_000 / each)
    assert spare.servers == plain.servers + 1
    assert plain.feasible
    assert plain.binds == "e2e p99 50 ms"
    assert plain.targets[0].met
    assert plain.targets[0].binds
    assert plain.at_peak.e2e_ms["p99"] <= 50
    assert plain.at_peak.measured_range
    assert plain.status is Status.ESTIMATED


def test_one_server_less_breaks_the_target():
    """The count is the least: one server fewer is over the target."""
    result = size(measured_work())
    fewer = size(measured_work(), count=result.servers - 1)
    assert not fewer.feasible
    assert not fewer.targets[0].met


def test_too_few_servers_saturate():
    """One server for 10,000 requests a second: saturated, without latencies."""
    result = size(measured_work(), count=1)
    assert not result.feasible
    assert result.at_peak.saturated
    assert result.at_peak.e2e_ms == {}
    assert not result.at_peak.measured_range


def test_a_target_missed_at_the_lightest_load():
    """10 ms cannot be held where one request alone takes 14."""
    result = size(measured_work(limit_ms=10.0))
    assert not result.feasible
    assert result.servers == 0
    assert "not held even at 1 in flight" in result.binds


def test_only_end_to_end_was_measured():
    """A TTFT target cannot be judged from an end-to-end load test."""
    work = dataclasses.replace(measured_work(), targets=(LatencyTarget("ttft", 95, 100),))
    result = size(work)
    assert not result.feasible
    assert result.binds.startswith("target ttft")


def test_another_machine_is_an_assumption():
    """A load test carried to a machine it was not run on is assumed and out of range."""
    result = size(measured_work(), device=MI300X)
    assert result.feasible
    assert result.status is Status.ASSUMED
    assert not result.at_peak.measured_range
    assert any("not on this machine" in term.source for term in result.terms)


def test_one_point_is_not_a_curve():
    """One measured concurrency cannot be interpolated."""
    result = size(measured_work(made=service(POINTS[:1])))
    assert not result.feasible
    assert "two usable concurrencies" in result.binds


def test_rows_without_a_rate_are_left_out():
    """A row with zero requests a second or no latency is not a point of the curve."""
    broken = (*POINTS, (512, 0.0, 100.0, 200.0, 300.0), (8, 500.0, 0.0, 17.0, 19.0))
    assert service_curve(service(broken)).concurrency.tolist() == [1, 4, 16, 64, 256]


def test_zero_servers_and_zero_load():
    """count = 0 gives zeros; no load needs nothing."""
    none = size(measured_work(), count=0)
    assert (none.feasible, none.servers, none.curve) == (False, 0, ())
    quiet = size(measured_work(requests_per_s=0.0))
    assert (quiet.feasible, quiet.servers) == (True, 0)


def test_growth_and_the_day():
    """20 % growth adds servers; the quiet half of the day uses a quarter of the busy one."""
    grown = size(measured_work(growth=0.2))
    assert grown.servers_by_month[-1] > grown.servers_by_month[0]
    hours = size(measured_work()).hours
    assert hours[0].requests_per_s == pytest.approx(2500)
    assert hours[0].busy_fraction <= hours[20].busy_fraction <= 1
    assert hours[20].busy_fraction > 0.99
    assert hours[0].compute_fraction < hours[20].compute_fraction < 1


def test_a_cap_slows_the_service():
    """At half speed the same load needs about twice the servers."""
    given = fleet(measured_work(limit_ms=150.0))
    full = size_fleet(given, horizon_months=12).servers
    half = size_fleet(given, horizon_months=12, throughput_fraction=0.5).servers
    assert 1.8 * full < half < 2.6 * full
