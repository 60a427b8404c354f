"""Sizing of serving fleets (P8): least machines with every target met, and what binds."""

from __future__ import annotations

import dataclasses
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tco.inputs import CloudOffer, Fleet, LatencyTarget, MeasuredRates, Rental, Status
from tco.performance import size_fleet
from tests.engine.performance.catalog_rows import (
    CPU,
    H100,
    LLAMA_1B,
    LLAMA_8B,
    MI300X,
    fleet,
    published,
    workload,
)


def size(given: Fleet, **options):
    """Size a fleet over five years."""
    return size_fleet(given, **{"horizon_months": 60, **options})


def with_count(given: Fleet, count: int) -> Fleet:
    """Return the fleet with a fixed number of servers."""
    return dataclasses.replace(given, count=count)


def test_chat_is_sized_within_its_targets():
    """70B fp8 at 200 requests a second on 8xH100: all targets met, below the saturation load."""
    result = size(fleet())
    assert result.feasible
    assert all(target.met for target in result.targets)
    assert result.device_count == result.servers * 8
    assert result.replicas * result.tensor_parallel == result.device_count
    assert result.servers_by_month == (result.servers,) * 60
    assert 0.4 < result.at_peak.utilisation_fraction <= 0.9
    # public experience: 3 to 10 k output tokens a second on 8xH100 at such lengths
    assert 3000 < 200 * 250 / result.servers < 10_000


@pytest.mark.parametrize("requests_per_s", [7.0, 60.0, 200.0, 900.0])
@pytest.mark.parametrize("lost", [0, 1, 3])
def test_one_server_less_misses(requests_per_s, lost):
    """The sized fleet holds the targets with the lost replicas gone; one server fewer does not."""
    asked = fleet(workload(requests_per_s=requests_per_s, lost=lost, headroom=0.1))
    result = size(asked)
    assert result.feasible
    fixed = dataclasses.replace(asked, tensor_parallel=result.tensor_parallel)
    assert size(with_count(fixed, result.servers)).feasible
    fewer = size(with_count(fixed, result.servers - 1))
    over_cap = result.binds.startswith("throughput") and not fewer.targets
    near = fewer.at_peak is None or fewer.at_peak.saturated
    if result.servers == 1:
        assert not fewer.feasible
    elif result.binds.startswith("throughput"):
        left = fewer.replicas - lost
        each = requests_per_s * 1.1 / left if left > 0 else math.inf
        curve = fewer.curve[-1]
        saturation = curve.requests_per_s / curve.utilisation_fraction / fewer.replicas
        assert each > 0.9 * saturation * (1 - 1e-3)
    else:
        assert not fewer.feasible or over_cap or near


@pytest.mark.parametrize("degree", [2, 4, 8])
def test_the_search_is_no_worse_than_any_degree(degree):
    """No fixed tensor-parallel degree needs fewer servers than the search found."""
    best = size(fleet())
    fixed = size(fleet(tensor_parallel=degree))
    assert fixed.tensor_parallel == degree
    assert best.servers <= fixed.servers


def test_a_tight_token_time_binds_and_widens():
    """TPOT p95 of 20 ms is what sizes, and takes more devices a replica than 50 ms."""
    tight = (LatencyTarget("ttft", 95, 1000), LatencyTarget("tpot", 95, 20))
    result = size(fleet(workload(targets=tight)))
    assert result.feasible
    assert result.binds == "tpot p95 20 ms"
    assert [target.binds for target in result.targets] == [False, True]
    assert result.servers > size(fleet()).servers
    assert result.tensor_parallel > 2


def test_a_tight_first_token_binds():
    """TTFT p99 of 120 ms on a long prompt sizes the fleet."""
    tight = (LatencyTarget("ttft", 99, 300), LatencyTarget("tpot", 95, 80))
    result = size(fleet(workload(targets=tight, input_tokens=2000)))
    assert result.feasible
    assert result.binds == "ttft p99 300 ms"


def test_growth_buys_ahead_of_each_year():
    """30 % growth: each year is sized for its last month, and owned servers stay."""
    result = size(fleet(workload(growth=0.3)))
    flat = size(fleet())
    years = [result.servers_by_month[12 * year] for year in range(5)]
    assert years == sorted(years)
    assert years[0] > flat.servers
    same = size(
        fleet(workload(requests_per_s=200 * 1.3**5), tensor_parallel=result.tensor_parallel)
    )
    assert result.servers == years[-1] == same.servers
    assert result.at_peak.requests_per_s == pytest.approx(200 * 1.3**5)


def test_decline_returns_rented_machines_only():
    """With demand halving each year, owned servers stay and rented ones go."""
    owned = size(fleet(workload(growth=-0.5)))
    assert len(set(owned.servers_by_month)) == 1
    offer = CloudOffer("p5", "AWS", "p5.48xlarge", "us-east-1", H100, 8)
    rented = size(
        dataclasses.replace(fleet(workload(growth=-0.5)), server=None, offer=offer, rental=Rental())
    )
    assert rented.servers_by_month[0] == owned.servers
    assert rented.servers_by_month[-1] < owned.servers


def test_go_live_later():
    """Before go-live there are no machines."""
    result = size(fleet(start_month=6))
    assert result.servers_by_month[:6] == (0,) * 6
    assert result.servers_by_month[6] == result.servers


def test_half_the_share_is_half_the_demand():
    """A fleet that takes half the requests is sized as for half the rate."""
    half = size(fleet(share=0.5))
    assert half.servers == size(fleet(workload(requests_per_s=100.0))).servers
    assert half.at_peak.requests_per_s == pytest.approx(100.0)


def test_rented_machines_follow_the_day():
    """Hourly scaling switches instances off in the quiet half; peak scaling keeps them."""
    offer = CloudOffer("p5", "AWS", "p5.48xlarge", "us-east-1", H100, 8)
    base = dataclasses.replace(fleet(), server=None, offer=offer)
    hourly = size(dataclasses.replace(base, rental=Rental(scaling="hourly")))
    peak = size(dataclasses.replace(base, rental=Rental(scaling="peak")))
    assert hourly.hours[20].servers_on == hourly.servers == peak.servers
    assert hourly.hours[0].servers_on == math.ceil(hourly.servers * 0.25 - 0.2)
    assert {hour.servers_on for hour in peak.hours} == {peak.servers}
    assert sum(hour.requests_per_s for hour in hourly.hours) == pytest.approx(12 * 250.0)


def test_shares_of_compute_are_physical():
    """Compute in use is the useful flops over the dense peak, within its possible range."""
    result = size(fleet())
    busy = result.hours[20]
    # 1,249 tokens a request at 2 flops a parameter, and the heads of the answer, without attention
    least = 200 * (1249 * 2 * 68.45e9 + 250 * 2 * 1.05e9) / (result.device_count * 1978.9e12)
    assert busy.busy_fraction > 0.99
    assert least * 0.98 < busy.compute_fraction < least * 1.2
    assert 0 < busy.memory_fraction < 1
    assert result.hours[0].compute_fraction < busy.compute_fraction


def test_the_curve_goes_from_light_to_beyond_the_knee():
    """Sixteen points: latency rises, and the last one is saturated."""
    curve = size(fleet()).curve
    assert len(curve) == 16
    assert curve[0].utilisation_fraction == pytest.approx(0.05)
    assert [point.saturated for point in curve] == [False] * 15 + [True]
    tails = [point.ttft_ms["p95"] for point in curve[:-1]]
    assert tails == sorted(tails)
    assert set(curve[0].e2e_ms) == {"mean", "p50", "p90", "p95", "p99"}


def test_predictions_respect_the_floors():
    """Every point of the curve lies above the physical floors of the result (P0.1)."""
    result = size(fleet(device=MI300X))
    for point in result.curve[:-1]:
        assert min(point.ttft_ms.values()) >= result.floor_ms["ttft"]
        assert min(point.tpot_ms.values()) >= result.floor_ms["tpot"]
        assert min(point.e2e_ms.values()) >= result.floor_ms["e2e"]


def test_half_the_speed_needs_more_servers():
    """A cap that leaves half the throughput (F2.2) about doubles the servers."""
    loose = (LatencyTarget("ttft", 95, 3000), LatencyTarget("tpot", 95, 150))
    asked = fleet(workload(targets=loose, requests_per_s=600), tensor_parallel=4)
    full, half = size(asked).servers, size(asked, throughput_fraction=0.5).servers
    assert 1.6 * full < half < 2.1 * full
    assert size(asked, throughput_fraction=0.0).binds.startswith("power cap")


def test_terms_carry_sources_and_the_weakest_status():
    """The result names its figures; data-sheet inputs with default efficiencies are estimated."""
    result = size(fleet())
    names = {term.name for term in result.terms}
    assert {
        "dense peak fp8",
        "share of the peak reached by large products",
        "memory bandwidth",
        "scale-up link",
    } <= names
    assert all(term.source for term in result.terms)
    assert result.status is Status.ESTIMATED


def test_a_fallback_dtype_is_said():
    """int4 on an H100 runs at the bf16 rate, and the terms say so."""
    result = size(fleet(workload(weight_dtype="int4")))
    assert result.feasible
    note = next(term for term in result.terms if term.name == "executed dtype")
    assert "does not execute int4" in note.source


def test_measured_points_are_used_and_their_range_is_kept():
    """A CPU measured up to 512 rows: prompts of 400 are inside, prompts of 2,000 outside."""
    from tests.engine.performance.test_operators import cpu_with, measured

    cpu = cpu_with([(1, 0.005), (16, 0.08), (128, 0.4), (512, 0.5)])
    assert isinstance(cpu.measured, MeasuredRates)
    asked = workload(
        LLAMA_1B,
        requests_per_s=0.02,
        targets=(LatencyTarget("ttft", 95, 60_000),),
        weight_dtype="fp32",
        kv_dtype="fp32",
        input_tokens=400,
        output_tokens=50,
    )
    inside = size(fleet(asked, device=cpu, devices=1))
    assert inside.feasible
    assert inside.at_peak.measured_range
    term = next(term for term in inside.terms if term.name.startswith("matrix products fp32"))
    assert (term.value, term.status) == (0.5, measured(1.0).status)
    longer = dataclasses.replace(asked, input_tokens=published(2000, "tokens"))
    outside = size(fleet(longer, device=cpu, devices=1))
    assert not outside.at_peak.measured_range


def test_a_slow_cpu_serves_a_small_model():
    """A 1B model on 40 GB/s: feasible at a trickle, with about 80 ms a token."""
    asked = workload(
        LLAMA_1B,
        requests_per_s=0.05,
        targets=(LatencyTarget("tpot", 95, 200),),
        weight_dtype="bf16",
        kv_dtype="bf16",
        input_tokens=200,
        output_tokens=100,
    )
    result = size(fleet(asked, device=CPU, devices=1))
    assert result.feasible
    assert 61.8 < result.at_peak.tpot_ms["mean"] < 150


def test_same_inputs_same_result():
    """Sizing is a pure function."""
    assert size(fleet(workload(LLAMA_8B))) == size(fleet(workload(LLAMA_8B)))


@given(
    requests_per_s=st.floats(0.01, 5000),
    more=st.floats(1.0, 3.0),
    input_tokens=st.integers(10, 6000),
    output_tokens=st.integers(1, 1500),
)
@settings(max_examples=25, deadline=None)
def test_more_demand_never_needs_fewer_servers(requests_per_s, more, input_tokens, output_tokens):
    """Servers rise with the demand; nothing raises, whatever the lengths."""
    lengths = {"input_tokens": input_tokens, "output_tokens": output_tokens}
    less = size(fleet(workload(requests_per_s=requests_per_s, **lengths)))
    grown = size(fleet(workload(requests_per_s=requests_per_s * more, **lengths)))
    assert less.feasible == grown.feasible
    assert less.servers <= grown.servers


def test_beyond_the_stated_range_the_simulator_decides():
    """One server at 95 % of its saturation: numbers come from events, marked so (P6.3)."""
    one = size(dataclasses.replace(fleet(workload()), count=1))
    edge = one.curve[-1].requests_per_s / 1.02 * 0.95
    result = size(dataclasses.replace(fleet(workload(requests_per_s=edge)), count=1))
    assert result.at_peak.simulated
    assert not result.at_peak.within_model_range
    assert result.at_peak.ttft_ms["p99"] > result.at_peak.ttft_ms["p50"] > 0
    half = size(dataclasses.replace(fleet(workload(requests_per_s=edge / 2)), count=1))
    assert not half.at_peak.simulated


def test_a_result_says_its_evidence_batch_and_interval():
    """What the speed rests on, sequences decoding, cache in use, 80 % interval (P13)."""
    result = size(fleet())
    assert "public serving runs of the H100" in result.evidence
    assert result.parallel.startswith("t")
    peak = result.at_peak
    assert peak.batch > 1
    assert 0 < peak.kv_fraction < 1
    for low, high in peak.interval_ratio.values():
        assert low < 1 < high
    strange = dataclasses.replace(H100, key="new", vendor="Nobody", architecture="None")
    unknown = size(fleet(device=strange))
    assert "none of Nobody is known" in unknown.evidence
    widths = [high / low for low, high in unknown.at_peak.interval_ratio.values()]
    known = [high / low for low, high in peak.interval_ratio.values()]
    assert all(wide > narrow for wide, narrow in zip(widths, known, strict=True))
