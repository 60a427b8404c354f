"""Time of an iteration and its floors (P5, P17)."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tco.performance.iteration import all_reduce_s, layer_overhead_us, link_figure
from tco.performance.replica import ReplicaSpec, build_replica
from tests.engine.performance.catalog_rows import (
    CPU,
    H100,
    LLAMA_1B,
    LLAMA_70B,
    published,
)


def iteration(tensor_parallel=8, *, device=H100, dtype="bf16", shape=LLAMA_70B, speed=1.0):
    """Return the iteration model of a replica."""
    spec = ReplicaSpec(shape, device, tensor_parallel, dtype, dtype, 1000, 250, speed)
    return build_replica(spec, (1, 2, 4, 8)).iteration


def one(model, prefill, sequences, context=1000.0):
    """Return the time of one iteration in seconds."""
    return float(model.seconds(prefill, 0.0, np.array([float(sequences)]), context)[0])


def test_decode_floor_of_llama_70b():
    """69.5 G parameters at 2 bytes over 8 x 3.35 TB/s: 5.19 ms, not the 3.78 of two matrices."""
    assert iteration().decode_floor_s(0) * 1e3 == pytest.approx(5.19, abs=0.005)


def test_prefill_floor_of_llama_70b():
    """2,048 tokens on 8 x 989.5 TFLOP/s take at least 36.1 ms."""
    exact = dataclasses.replace(H100, peak_tflops=(("bf16", published(989.5, "TFLOP/s")),))
    assert iteration(device=exact).prefill_floor_s(2048) * 1e3 == pytest.approx(36.1, abs=0.05)


def test_all_reduces_are_paid_by_latency():
    """160 small all-reduces of 16 KiB at t = 8 take 1.28 ms of latency and 0.01 of bandwidth."""
    message = np.array(16 * 1024.0)
    total = 160 * float(all_reduce_s(message, 8, 450.0, 8.0))
    assert total * 1e3 == pytest.approx(1.28 + 160 * 16384 * 1.75 / 450e9 * 1e3)
    assert total * 1e3 == pytest.approx(1.29, abs=0.005)


def test_one_device_needs_no_all_reduce():
    """t = 1 has no communication."""
    assert float(all_reduce_s(np.array(1e9), 1, 450.0, 8.0)) == 0


def test_iterations_stay_above_their_floors():
    """A decode step of one sequence and a prefill are slower than the bare hardware."""
    for t in (2, 4, 8):
        model = iteration(t, dtype="fp8")
        assert one(model, 0.0, 1) > model.decode_floor_s(1000)
        assert one(model, 1000.0, 0) > model.prefill_floor_s(1000)


def test_more_work_takes_longer():
    """Time rises with sequences, with context and with prompt tokens."""
    model = iteration(4)
    assert one(model, 0.0, 64) > one(model, 0.0, 1)
    assert one(model, 0.0, 64, 8000.0) > one(model, 0.0, 64, 1000.0)
    assert one(model, 2000.0, 8) > one(model, 1000.0, 8) > one(model, 0.0, 8)


def test_decode_reads_the_kv_of_every_sequence():
    """8,000 more tokens of 100 sequences are read at 80 % of the bandwidth."""
    model = iteration(8)
    longer = one(model, 0.0, 100, 9000.0) - one(model, 0.0, 100, 1000.0)
    assert longer == pytest.approx(8000 * 100 * 327_680 / 8 / (3350e9 * 0.8), rel=1e-6)


def test_a_decode_step_by_hand():
    """One sequence of the 70B in bf16 on 8 devices: every part is bandwidth, link or host time.

    Weights and head at 80 % of 3.35 TB/s, activations of each product (rows x (n + k) x 2 bytes),
    norms and residuals, KV of 1,000 tokens, 160 all-reduces, 80 layers of launches, one host step.
    """
    reached = 3350e9 * 0.8
    products = ((1280, 8192), (8192, 1024), (7168, 8192), (8192, 3584))
    weights = 80 * sum(n * k * 2 + (n + k) * 2 for n, k in products)
    head = 128256 / 8 * 8192 * 2 + (128256 / 8 + 8192) * 2
    moved = 80 * (8 * 8192 + 3 * 28672 / 8) * 2
    kv = 1000 * 327_680 / 8
    reduces = 160 * (8e-6 + 8192 * 2 * 1.75 / (450e9 * 0.8))
    expected = (weights + head + moved + kv) / reached + reduces + 80 * 30e-6 + 0.1e-3
    assert one(iteration(8), 0.0, 1) == pytest.approx(expected, rel=1e-9)


def test_a_cap_slows_the_device_not_the_host():
    """At half speed the device part doubles; launches and scheduling stay (F2.2)."""
    full, half = iteration(4), iteration(4, speed=0.5)
    host = full.overhead_s
    assert one(half, 0.0, 8) - host == pytest.approx(2 * (one(full, 0.0, 8) - host))


def test_measured_launches_replace_the_default():
    """5 us a launch and ten kernels a layer are 50 us instead of 30."""
    from tco.inputs import MeasuredRates

    rates = MeasuredRates(launch_us=published(5.0, "us"))
    assert layer_overhead_us(H100) == 30.0
    assert layer_overhead_us(dataclasses.replace(H100, measured=rates)) == 50.0


def test_beyond_the_scale_up_domain_the_host_link_counts():
    """A pair of cards linked by 300 GB/s does not lend that link to eight."""
    pair = dataclasses.replace(H100, scaleup_domain=2)
    assert link_figure(pair, 2).value == 450
    assert link_figure(pair, 8).value < 100
    assert link_figure(CPU, 2).value < 100


def test_a_small_model_on_a_cpu():
    """1.24 G parameters in 16 bits on 40 GB/s: a token takes at least 61.8 ms."""
    model = iteration(1, device=CPU, shape=LLAMA_1B)
    assert model.body.dtype == "fp32"
    assert model.decode_floor_s(0) * 1e3 == pytest.approx(61.8, abs=0.1)
    assert 61.8 < one(model, 0.0, 1) * 1e3 < 120
