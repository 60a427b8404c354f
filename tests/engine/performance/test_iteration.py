"""Time of an iteration and its floors (P5, P17)."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.inputs import MeasuredRates, Parallel
from tco.performance.iteration import iteration_model
from tco.performance.rates import collective_us, link_figure
from tco.performance.replica import ReplicaSpec, build_replica
from tests.engine.performance.catalog_rows import (
    CPU,
    H100,
    LLAMA_1B,
    LLAMA_70B,
    published,
)

MODELS = {
    "experts": SeedCatalog().model("mistralai/Mixtral-8x22B-v0.1"),
    "latent": SeedCatalog().model("deepseek-ai/DeepSeek-V3"),
    "window": SeedCatalog().model("google/gemma-3-27b-it"),
    "state": SeedCatalog().model("nvidia/NVIDIA-Nemotron-Nano-9B-v2"),
}


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
    """160 small all-reduces at t = 8 on H100: 16.0 us each by the vendor library, times a factor.

    Of 16 KiB a row the wire takes 0.01 ms, the latency more than a millisecond (P17).
    """
    model = iteration()
    assert collective_us(H100, 8) == 16.0
    assert float(model.arrays.collectives[0]) == 160
    reduces = float(model.at["fixed_s"][0]) - model.overhead_s
    factor = reduces / (160 * 16.0e-6)
    assert 0.15 < factor < 1.0
    wire = float(model.arrays.collective_bytes[0] * model.at["wire_byte_s"][0])
    assert wire == pytest.approx(160 * 8192 * 2 * 1.75 / (450e9 * 0.7))
    assert reduces > 20 * wire


def test_one_device_needs_no_all_reduce():
    """t = 1 has no communication."""
    alone = iteration(1, dtype="int4")
    assert float(alone.arrays.collectives[0]) == 0
    assert float(alone.arrays.collective_bytes[0]) == 0
    assert collective_us(H100, 1) == 0


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
    """8,000 more tokens of 100 sequences are read at the share fitted for caches."""
    model = iteration(8)
    longer = one(model, 0.0, 100, 9000.0) - one(model, 0.0, 100, 1000.0)
    reached = 1 / float(model.at["kv_byte_s"][0])
    assert longer == pytest.approx(8000 * 100 * 327_680 / 8 / reached, rel=1e-6)
    assert 0.4 < reached / 3350e9 < 1.0


def test_a_decode_step_by_hand():
    """One sequence of the 70B in bf16 on 8 devices, put together from its parts.

    Products at the fitted share of the bandwidth (compute adds in the cubic mean), norms and adds,
    the cache of 1,000 tokens, 160 all-reduces, launches, one host step, one sequence.
    """
    model = iteration(8)
    at = model.at
    byte, flop = float(at["byte_s"][0, 0]), float(at["flop_s"][0, 0])
    products = [(80, 1280, 8192), (80, 8192, 1024), (80, 7168, 8192), (80, 8192, 3584)]
    products.append((1, 128256 // 8, 8192))
    work = 0.0
    for count, n, k in products:
        memory, compute = (n * k * 2 + (n + k) * 2) * byte, 2 * n * k * flop
        work += count * (memory**3 + compute**3) ** (1 / 3)
    moved = 80 * (4 * 8192 + 4 * 8192 + 3 * 28672 / 8) * 2 * float(at["row_byte_s"][0])
    kv = 1000 * 327_680 / 8 * float(at["kv_byte_s"][0])
    wire = 160 * 8192 * 2 * 1.75 * float(at["wire_byte_s"][0])
    expected = work + moved + kv + wire + float(at["fixed_s"][0]) + float(at["sequence_s"][0])
    assert one(model, 0.0, 1) == pytest.approx(expected, rel=1e-6)


def test_a_cap_slows_the_device_not_the_host():
    """At half speed the device part doubles; launches and scheduling stay (F2.2)."""
    full, half = iteration(4), iteration(4, speed=0.5)
    host = full.overhead_s + 8 * float(full.at["sequence_s"][0])
    assert one(half, 0.0, 8) - host == pytest.approx(2 * (one(full, 0.0, 8) - host))


def test_measured_launches_replace_the_fitted_ones():
    """5 us a launch: the layers cost their kernels, and only they change."""
    fitted = iteration(1, dtype="int4")
    rates = MeasuredRates(launch_us=published(5.0, "us"))
    own = iteration(1, dtype="int4", device=dataclasses.replace(H100, measured=rates))
    kernels = float(own.arrays.kernels[0])
    assert kernels == 80 * 10 + 4
    layer = float(np.exp(fitted._factors["layer_us"])[0])
    assert own.overhead_s - fitted.overhead_s == pytest.approx(
        kernels * (5.0 - layer / 10) * 1e-6, rel=1e-6
    )


def test_beyond_the_scale_up_domain_the_host_link_counts():
    """A pair of cards linked by 300 GB/s does not lend that link to eight."""
    pair = dataclasses.replace(H100, scaleup_domain=2)
    assert link_figure(pair, 2).value == 450
    assert link_figure(pair, 8).value < 100
    assert link_figure(CPU, 2).value < 100


def test_the_table_of_an_iteration_says_the_same():
    """What the simulator reads agrees with the model within a thousandth."""
    model = iteration(8)
    table = model.table(kv_tokens=1e6, max_sequences=256, max_batched_tokens=8192)
    for sequences in (1, 7, 64, 256):
        step = float(table.seconds(0.0, 0.0, sequences, sequences * 1000.0))
        assert step == pytest.approx(one(model, 0.0, sequences), rel=2e-3)
    chunk = float(table.seconds(1000.0, 1000.0 * 500, 8, 8 * 1000.0))
    assert chunk == pytest.approx(one(model, 1000.0, 8), rel=5e-3)


@pytest.mark.parametrize("kind", ["experts", "latent", "window", "state"])
def test_every_architecture_has_a_time_above_its_floor(kind):
    """Mixture of experts, latent attention, windows and states: more rows take longer."""
    shape = MODELS[kind]
    model = iteration_model(shape, H100, Parallel(tensor=8), weight_dtype="fp8", kv_dtype="bf16")
    few, many = one(model, 0.0, 1), one(model, 0.0, 128)
    assert few > model.decode_floor_s(1000)
    assert many > few
    assert one(model, 1000.0, 0) > model.prefill_floor_s(1000)


def test_a_small_model_on_a_cpu():
    """1.24 G parameters in 16 bits on 40 GB/s: a token takes at least 61.8 ms."""
    model = iteration(1, device=CPU, shape=LLAMA_1B)
    assert model.body.dtype == "fp32"
    assert model.decode_floor_s(0) * 1e3 == pytest.approx(61.8, abs=0.1)
    assert 61.8 < one(model, 0.0, 1) * 1e3 < 120
