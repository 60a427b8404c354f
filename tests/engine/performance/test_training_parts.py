"""Parts of a training step by hand: bases, network, memory, goodput, data path, scaling (P11)."""

from __future__ import annotations

import dataclasses
import math

import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.errors import InputError
from tco.evidence.training_rows import platform_of, training_models, training_rows
from tco.performance.training.bases import bases_of
from tco.performance.training.data_path import DataPath, input_time
from tco.performance.training.factors import factors, interval_of
from tco.performance.training.goodput import goodput, time_between_failures
from tco.performance.training.memory import smallest_change, training_memory, usable_bytes
from tco.performance.training.network import all_to_all_seconds, ring_seconds
from tco.performance.training.plan import Plan
from tco.performance.training.predict import Wishes, predict
from tco.performance.training.rates import sustained_rate
from tco.performance.training.scaling import scaling
from tco.performance.training.shape import training_shape
from tco.performance.training.step import step_time
from tco.performance.training.time_to_train import benchmarks, time_to_train

CATALOG = SeedCatalog()
MODELS = training_models()
H100 = platform_of("h100-sxm", "bf16", server_devices=8)
ONE = Plan(devices=1, sequence_tokens=4096, micro_batch=2, micro_batches=1)


def bases(model="llama3.1-8b", platform=H100, **changed):
    """Return the bases of a changed plan."""
    return bases_of(training_shape(MODELS[model]), dataclasses.replace(ONE, **changed), platform)


@pytest.mark.parametrize(
    ("model", "parameters_g", "active_g"),
    [
        ("llama3.1-8b", 8.030, 7.504),
        ("llama3.1-405b", 405.85, 403.75),
        ("mpt-7b", 6.649, 6.649),
        ("deepseek-v3", 671.0, 36.6),
        ("qwen3-30b-a3b", 30.53, 3.04),
    ],
)
def test_parameters_of_public_shapes(model, parameters_g, active_g):
    """Published totals; active ones without the input embedding, which multiplies nothing."""
    shape = training_shape(MODELS[model])
    assert shape.total_parameters / 1e9 == pytest.approx(parameters_g, rel=2e-3)
    assert shape.active_parameters / 1e9 == pytest.approx(active_g, rel=5e-3)


def test_floor_is_six_flops_a_parameter_and_token_plus_attention():
    """8,192 tokens: 6 × 7.504 G each, and 3.5 passes of causal scores, at 989.4 TFLOP/s."""
    tokens, layers, heads, width = 8192, 32, 32, 128
    scores = 2 * 2 * heads * width * 4096 / 2 * layers  # two products, half of the square
    flops = tokens * (6 * 7.5046e9 + 3.5 * scores)
    assert bases().floor == pytest.approx(flops / 989.4e12, rel=1e-3)


def test_full_recompute_makes_every_layer_again():
    """Products of the layers 4 instead of 3 passes, attention 4.5 instead of 3.5."""
    plain, again = bases(), bases(recompute="full")
    body, head = 6.979e9, 0.5253e9
    want = (8 * body + 6 * head) / (6 * (body + head))
    assert again.products_16 / plain.products_16 == pytest.approx(want, rel=1e-3)
    assert again.attention / plain.attention == pytest.approx(4.5 / 3.5)


def test_frozen_weights_save_a_third():
    """An adapter needs no weight gradients: two passes of three, no states, no reduction."""
    plain, adapter = bases(), bases(adapter=True)
    assert adapter.products_16 / plain.products_16 == pytest.approx(2 / 3)
    assert (adapter.optimizer, bases(adapter=True, devices=8, sharding="none").data_network) == (
        0.0,
        0.0,
    )


def test_pipeline_bubble():
    """(p − 1) / m of the compute on top, that is (p − 1) / (m + p − 1) of the whole."""
    found = bases(devices=4, pipeline=4, micro_batches=12, sharding="optimizer")
    assert found.bubble == pytest.approx(3 / 12)
    step = step_time(found, factors(), "compiled")
    compute = step.products + step.attention + step.elements - found.optimizer
    assert step.bubble / (step.bubble + compute) == pytest.approx(3 / 15)


def test_sharded_traffic_of_a_step():
    """Full sharding gathers 16-bit weights twice and reduces 32-bit gradients once."""
    total = training_shape(MODELS["llama3.1-8b"]).total_parameters
    found = bases(devices=8)
    want = total * (2 + 2 + 4) * 7 / 8 / (450e9 * 0.72)
    assert found.data_network == pytest.approx(want, rel=0.02)  # latencies are the rest
    once = bases(devices=8, sharding="gradients")
    assert once.data_network / found.data_network == pytest.approx(6 / 8, rel=0.02)


def test_collectives_against_public_tables():
    """80 H100 in 10 servers, nccl-tests: gathers of 17.18 GB 52.3 ms, 2.15 GB 6.98, 67 MB 0.74."""
    for size, milliseconds in ((17179868160, 52.31), (2147482880, 6.98), (67107840, 0.737)):
        found = ring_seconds(H100, size, 80, near=8) * 1e3
        assert found == pytest.approx(milliseconds, rel=0.12)
    inside = ring_seconds(H100, 536870912, 8, near=8) * 1e3
    assert inside == pytest.approx(1.4015, rel=0.08)


def test_exchange_between_servers_is_slower_than_inside():
    """All-to-all of the same bytes: one scale-up domain against eight."""
    assert all_to_all_seconds(H100, 1e9, 64) > 5 * all_to_all_seconds(H100, 1e9, 8)


def test_an_unknown_device_gets_its_peak_and_a_wide_interval():
    """No measured product: 70 % of the peak, and the interval of data sheets (P0.5)."""
    found = sustained_rate("unheard-of", "bf16", peak=1e15, peak_16=1e15)
    assert (found.flops, found.measured) == (0.7e15, False)
    known, sheet = interval_of("16 bits"), interval_of("data sheet")
    assert sheet.high / sheet.low > known.high / known.low
    assert interval_of("something new").high == max(
        interval_of(name).high for name in ("16 bits", "narrow", "experts", "data sheet")
    )


def test_no_step_is_faster_than_its_floor():
    """Every measured run of the table, predicted part by part (P0.1)."""
    rows = training_rows()
    assert len(rows) > 300
    for row in rows:
        step = step_time(row.bases, factors(), row.plan.stack)
        assert step.seconds > row.bases.floor, row.row
        assert min(step.products, step.attention, step.elements, step.network, step.bubble) >= 0


def test_no_measured_run_is_faster_than_its_floor():
    """A row above the dense peak would be a wrong row, not a fast machine."""
    fast = [r.row for r in training_rows() if r.measured_seconds < r.bases.floor]
    assert fast == []


def test_memory_of_an_8b_by_hand():
    """8.03 G × 16 B over 8 devices, one sequence of 8,192 under full recompute."""
    model = MODELS["llama3.1-8b"]
    shape = training_shape(model)
    plan = Plan(8, 8192, 1, 1, sharding="full", recompute="full")
    found = training_memory(model, shape, plan)
    assert (found.weights_bytes, found.gradients_bytes) == (
        pytest.approx(8.0303e9 * 2 / 8, rel=1e-4),
        pytest.approx(8.0303e9 * 2 / 8, rel=1e-4),
    )
    assert found.states_bytes == pytest.approx(8.0303e9 * 12 / 8, rel=1e-4)
    assert found.activations_bytes == 8192 * 4096 * (2 * 32 + 34)
    assert found.logits_bytes == 8192 * 128256 * 6
    assert sum(line.gb_per_device for line in found.lines) == pytest.approx(found.total / 1e9)


def test_sharding_orders_memory_and_the_smallest_change_helps():
    """none > optimizer > gradients > full; what is proposed really fits 80 GB."""
    model = MODELS["llama3.1-8b"]
    shape = training_shape(model)
    plans = [
        Plan(8, 8192, 1, 1, sharding=mode, recompute="full")
        for mode in ("none", "optimizer", "gradients", "full")
    ]
    sizes = [training_memory(model, shape, plan).total for plan in plans]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 4
    assert sizes[0] > usable_bytes(80e9) > sizes[3]
    assert smallest_change(model, shape, plans[0], 80e9) == "full sharding"
    assert smallest_change(model, shape, plans[3], 80e9) == ""
    wide = dataclasses.replace(plans[3], micro_batch=8, micro_batches=1)
    assert smallest_change(model, shape, wide, 80e9) == "micro-batch of 1"
    assert "more devices" in smallest_change(
        MODELS["llama3.1-405b"], training_shape(MODELS["llama3.1-405b"]), plans[3], 80e9
    )


def test_goodput_by_hand():
    """delta 0.1 h, M 6 h, R 0.25 h: tau 1.095 h, T/T_useful 1.2590 (F10.4)."""
    found = goodput(6.0, checkpoint=0.1, restart=0.25)
    assert found.interval_hours == pytest.approx(math.sqrt(1.2))
    assert found.factor == pytest.approx(1.2590, abs=5e-5)
    assert found.fraction == pytest.approx(1 / 1.2590, abs=1e-4)


def test_youngs_interval_is_near_the_best():
    """No interval between a fifth and five times Young's does more than 1 % better."""
    young = goodput(50.0, checkpoint=0.05, restart=0.2)
    for share in (0.2, 0.5, 0.8, 1.25, 2.0, 5.0):
        other = goodput(50.0, checkpoint=0.05, restart=0.2, interval=share * young.interval_hours)
        assert other.factor > young.factor * 0.99


def test_goodput_at_its_ends():
    """No failures: all of the time. A checkpoint of half the time between failures: refused."""
    assert time_between_failures(100, 0.0) == math.inf
    assert goodput(math.inf, checkpoint=0.1, restart=0.2).fraction == 1.0
    with pytest.raises(InputError, match="checkpoint"):
        goodput(1.0, checkpoint=0.5, restart=0.1)
    assert time_between_failures(8760, 1.0) == 1.0


def test_the_slowest_stage_of_the_data_path_names_itself():
    """Text never stalls; images from a slow disk do, and a slow loader before it."""
    text = input_time(DataPath(), step_tokens=4e6, servers=8, devices=64)
    assert text.seconds < 1e-3
    slow = DataPath(bytes_per_token=1000.0, loader_tokens_per_s=1e6, storage_gb_s=0.5)
    found = input_time(slow, step_tokens=4e6, servers=2, devices=16)
    assert (found.slowest, found.seconds) == ("storage", pytest.approx(4.0))
    found = input_time(
        dataclasses.replace(slow, loader_tokens_per_s=1e5), step_tokens=4e6, servers=2, devices=16
    )
    assert (found.slowest, found.seconds) == ("data loader", pytest.approx(20.0))


def eight(**given):
    """Return the step of an 8B on 64 H100."""
    settings = {
        "devices": 64,
        "server_devices": 8,
        "batch_tokens": 4e6,
        "sequence_tokens": 8192.0,
        "dtype": "bf16",
    }
    settings.update(given)
    return predict(CATALOG.model("meta-llama/Llama-3.1-8B"), CATALOG.device("h100-sxm"), **settings)


def test_a_slow_disk_sets_the_step():
    """The step takes as long as its data, and says which stage."""
    data = DataPath(bytes_per_token=1000.0, storage_gb_s=0.01)
    found = eight(wishes=Wishes(data=data))
    assert found.seconds == pytest.approx(4e6 * 1000 / (8 * 0.01e9))
    assert found.slowest_input == "storage"
    assert eight().slowest_input == ""


def test_what_the_scenario_fixes_is_kept_and_never_faster():
    """Recompute, micro-batch, pipeline and sharding as asked."""
    free = eight()
    for wish in (
        Wishes(recompute="full"),
        Wishes(micro_batch=1),
        Wishes(pipeline=4),
        Wishes(sharding="gradients", recompute="full"),
    ):
        found = eight(wishes=wish)
        assert found.seconds >= free.seconds
    assert eight(wishes=Wishes(recompute="full")).plan.recompute == "full"
    assert eight(wishes=Wishes(pipeline=4)).plan.pipeline == 4
    assert eight(wishes=Wishes(sharding="gradients")).plan.sharding == "gradients"


@pytest.mark.parametrize("kind", ["strong", "weak"])
def test_scaling_ends_at_the_network(kind):
    """Efficiency falls as servers are added; a fixed batch ends sooner than a growing one."""
    found = scaling(
        CATALOG.model("meta-llama/Llama-3.1-8B"),
        CATALOG.device("h100-sxm"),
        counts=(8, 64, 512, 2048),
        server_devices=8,
        batch_tokens=16e6 if kind == "strong" else 65536.0,
        sequence_tokens=8192.0,
        dtype="bf16",
        kind=kind,
    )
    efficiencies = [point.efficiency_fraction for point in found.points]
    assert efficiencies[0] == 1.0
    assert efficiencies[1] >= efficiencies[2] >= efficiencies[3]
    speeds = [point.tokens_per_s for point in found.points]
    assert speeds == sorted(speeds)


def test_minutes_of_benchmarks_are_measured_or_flagged():
    """MLPerf v5.1: at a measured scale the value, between log-log, outside held and flagged."""
    exact = time_to_train("dlrm_dcnv2", "gb200", 64)
    assert (exact.minutes, exact.in_range) == (0.77, True)
    between = time_to_train("llama31_8b", "b200", 90)
    assert 11.447 < between.minutes < 18.256
    share = math.log(90 / 64) / math.log(2)
    assert between.minutes == pytest.approx(18.256 ** (1 - share) * 11.447**share)
    beyond = time_to_train("flux1", "gb200", 4608)
    assert (beyond.minutes, beyond.in_range) == (12.514, False)
    assert time_to_train("flux1", "h100-sxm", 64) is None
    assert set(benchmarks()) == {"dlrm_dcnv2", "flux1", "llama2_70b_lora", "llama31_8b"}
