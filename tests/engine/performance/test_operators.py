"""Time of an operator (P3): measured points, roofline, floors, dtypes executed."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tco.inputs import Figure, GemmPoint, MeasuredRates, Status
from tco.performance.dtypes import execution
from tco.performance.operators import bandwidth, operator_times
from tests.engine.performance.catalog_rows import CPU, H100, published


def measured(value, unit="TFLOP/s"):
    """Return a measured figure."""
    return Figure(value, unit, Status.MEASURED, "run 1", "2026-11-30")


def cpu_with(points, *, bandwidth_gb_s=30.0):
    """Return the CPU with measured products ``(m, TFLOP/s)`` of one 2048 x 2048 weight."""
    gemm = tuple(GemmPoint("fp32", m, 2048, 2048, measured(rate)) for m, rate in points)
    rates = MeasuredRates(gemm=gemm, memory_bandwidth_gb_s=measured(bandwidth_gb_s, "GB/s"))
    return dataclasses.replace(CPU, measured=rates)


def seconds(times, rows, n=2048, k=2048):
    """Return the time of one product."""
    return float(times.gemm_s(np.array([float(rows)]), n, k)[0])


def test_measured_points_are_met_exactly():
    """At a measured row count and shape the time is the measured one."""
    times = operator_times(cpu_with([(1, 0.005), (64, 0.2), (256, 0.4)]), "fp32", "fp32")
    assert seconds(times, 64) == pytest.approx(2 * 64 * 2048**2 / 0.2e12)
    assert seconds(times, 256) == pytest.approx(2 * 256 * 2048**2 / 0.4e12)


def test_between_points_time_is_log_log():
    """Halfway in log rows, the time is the geometric mean of the two measured times."""
    times = operator_times(cpu_with([(16, 0.05), (256, 0.4)]), "fp32", "fp32")
    between = np.sqrt(seconds(times, 16) * seconds(times, 256))
    assert seconds(times, 64) == pytest.approx(between)


def test_other_shapes_scale_by_work():
    """Three times the weight takes three times the time."""
    times = operator_times(cpu_with([(16, 0.05), (256, 0.4)]), "fp32", "fp32")
    assert seconds(times, 64, n=3 * 2048) == pytest.approx(3 * seconds(times, 64))


def test_outside_the_points_utilisation_is_held():
    """Far above the largest measured row count the achieved rate stays; the range says so."""
    times = operator_times(cpu_with([(16, 0.05), (256, 0.4)]), "fp32", "fp32")
    assert seconds(times, 4096) == pytest.approx(2 * 4096 * 2048**2 / 0.4e12, rel=1e-6)
    assert times.in_range(64)
    assert not times.in_range(4096)
    assert not times.in_range(4)


def test_slower_small_batches_never_beat_a_smaller_one():
    """A measured time that falls with more rows is noise: times do not fall with m."""
    times = operator_times(cpu_with([(16, 0.01), (32, 0.08), (256, 0.4)]), "fp32", "fp32")
    assert seconds(times, 32) >= seconds(times, 16)


@given(
    rows=st.floats(1, 1e5),
    n=st.integers(64, 60_000),
    k=st.integers(64, 60_000),
    dtype=st.sampled_from(["bf16", "fp8"]),
)
@settings(max_examples=80, deadline=None)
def test_no_product_beats_its_floor(rows, n, k, dtype):
    """P0.1: never faster than the dense peak or the bandwidth allows."""
    times = operator_times(H100, dtype, dtype)
    peak = {"bf16": 989.4e12, "fp8": 1978.9e12}[dtype]
    size = {"bf16": 2, "fp8": 1}[dtype]
    taken = seconds(times, rows, n, k)
    assert taken >= 2 * rows * n * k / peak * (1 - 1e-12)
    assert taken >= n * k * size / 3350e9 * (1 - 1e-12)


def test_a_measured_rate_above_the_sheet_is_the_floor():
    """A device that measures above its printed peak is not slowed down to the print."""
    fast = cpu_with([(16, 0.5), (256, 2.0)])  # the sheet says 1.0 TFLOP/s
    assert seconds(operator_times(fast, "fp32", "fp32"), 256) == pytest.approx(
        2 * 256 * 2048**2 / 2.0e12
    )


def test_measured_bandwidth_comes_first():
    """Measured bandwidth is used as it is; a printed one loses its usual fifth."""
    assert bandwidth(cpu_with([(1, 0.01)])).reached_bytes_per_s == 30e9
    assert bandwidth(CPU).reached_bytes_per_s == pytest.approx(40e9 * 0.8)
    assert bandwidth(CPU).floor_bytes_per_s == 40e9


def test_missing_rates_are_said():
    """Without a bandwidth or a peak there are no times, and nothing is made up."""
    assert (
        operator_times(dataclasses.replace(CPU, memory_bandwidth_gb_s=None), "fp32", "fp32") is None
    )
    assert operator_times(CPU, "bf16", "bf16") is None


def test_native_dtype_runs_natively():
    """The H100 executes fp8 as fp8, without a note."""
    assert execution(H100, "fp8").dtype == "fp8"
    assert execution(H100, "fp8").note == ""


def test_four_bit_weights_run_at_the_16_bit_rate():
    """P0.3: W4A16 reads half a byte a weight and multiplies at the bf16 rate."""
    run = execution(H100, "int4")
    assert run.dtype == "bf16"
    assert "does not execute int4" in run.note
    times = operator_times(H100, run.dtype, "int4")
    large = 2 * 16384 * 8192 * 8192
    assert seconds(times, 16384, 8192, 8192) >= large / 989.4e12
    assert seconds(times, 1, 8192, 8192) < 8192 * 8192 * 1 / 3350e9  # less than fp8 would read


def test_a_cpu_falls_back_to_fp32():
    """A CPU with an fp32 rate only runs bf16 weights at that rate."""
    assert execution(CPU, "bf16").dtype == "fp32"


def test_nothing_runs_narrower_than_stored():
    """A device with fp8 only cannot multiply bf16 weights."""
    only = dataclasses.replace(H100, peak_tflops=(("fp8", published(1978.9, "TFLOP/s")),))
    assert execution(only, "bf16") is None
