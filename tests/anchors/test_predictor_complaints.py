"""Public complaints about performance predictors, each with the right answer (named by thread).

Memory sizing has its own file: tests/engine/performance/test_memory_pains.py.
"""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import resources

import numpy as np
import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.evidence.rows import read_folder
from tco.inputs import LatencyTarget, MeasuredRates, Status
from tco.performance.kv_cache import kv_bytes_per_token
from tco.performance.partition import reserved_overcommit
from tco.performance.replica import ReplicaSpec, build_replica
from tco.performance.serving import evaluate
from tco.performance.terms import reached_terms
from tco.search.rank import search
from tco.search.request import Request
from tco.simulate.arrivals import poisson
from tco.simulate.cluster import simulate_cluster
from tco.simulate.lengths import lognormal
from tco.simulate.replica import simulate
from tco.simulate.requests import Requests

CATALOG = SeedCatalog()
REPORT = json.loads(
    resources.files("tco.evidence").joinpath("tables/accuracy.json").read_text(encoding="utf-8")
)


def model(key):
    """A model of the catalog."""
    return CATALOG.model(key)


def replica(name, device, tensor, weights="bf16", tokens=(1024, 256), **more):
    """A replica of a catalog model on a catalog device."""
    card = CATALOG.device(device) if isinstance(device, str) else device
    kv = "fp8" if weights == "fp8" else "bf16"
    spec = ReplicaSpec(model(name), card, tensor, weights, kv, *tokens, **more)
    return build_replica(spec, (tensor,))


def made(*of, **more):
    """The iteration of a replica."""
    return replica(*of, **more).iteration


def headline(fold, key):
    """A published figure of the accuracy report."""
    return REPORT["folds"][fold]["measures"][key]["median"]


def test_time_to_first_token_of_known_arrivals_and_whole_answers_on_a100():
    """aiconfigurator 1205: TTFT 45 % off on A100 with vLLM.

    Ours with the device left out: TTFT of the study's runs on H100 (the A100 runs name no rate),
    and whole answers of static batches on A100.
    """
    assert headline("device", "eval38 ttft_mean") < 0.15
    (a100,) = [one for one in REPORT["folds"]["device"]["devices"] if one["group"] == "a100-sxm-40"]
    (whole,) = [one for one in a100["metrics"] if one["metric"] == "e2e_mean"]
    assert whole["median"] < 0.15


def test_every_latency_names_its_terms():
    """aiconfigurator 1205 asks what the hard-coded formulas are: terms, units and sources stand."""
    terms = reached_terms(made("meta-llama/Llama-3.1-8B", "a100-sxm-80", 1))
    names = " ".join(term.name for term in terms)
    for word in ("peak", "bandwidth", "step", "request"):
        assert word in names
    assert all(term.unit and term.source for term in terms)


def test_throughput_at_a_speed_per_user():
    """aiconfigurator 1396: Kimi-K2.5 on 8 B200 measured 192 tok/s per device at 44.6 per user.

    The tool had said 884 at half the speed per user. Lengths are not given: 8,192 in, 1,024 out.
    """
    one = replica(
        "moonshotai/Kimi-K2-Instruct", "b200", 8, "fp8", (8192, 1024), stack="sglang-tuned"
    )
    rates = np.linspace(0.02, 0.95, 60) * one.times.saturation_per_s
    table = evaluate(one.times, rates)
    fast = table.mean_s["tpot"] <= 1 / 44.6
    per_device = float((rates * 1024)[fast].max() / 8)
    assert 192 / 2 < per_device < 192 * 2


def test_prompts_of_an_expert_model_are_slower_than_the_roofline():
    """aiconfigurator 1254: prefill of gpt-oss-120b on B200 under-predicted by 47 % on average."""
    one = replica("openai/gpt-oss-120b", "b200", 1, "fp4", (4096, 256))
    iteration = one.iteration
    seconds = float(iteration.seconds(4096, 0, np.array([0.0]), 4096)[0])
    assert seconds > 1.47 * iteration.prefill_floor_s(4096)


def test_prefill_and_decode_apart_are_compared_with_both_together():
    """Splits stand in the same rank as whole servers, so the gain is a figure and no promise."""
    asked = Request(
        model("meta-llama/Llama-3.1-70B"),
        CATALOG.device("h100-sxm"),
        8,
        4000,
        250,
        targets=(LatencyTarget("ttft", 95, 1500), LatencyTarget("tpot", 95, 25)),
        usd_per_hour=24.0,
    )
    result = search(asked, top=40)
    kinds = {bool(one.configuration.prefill_workers) for one in result.found}
    assert kinds == {True, False}
    best = {
        split: max(
            one.output_tokens_per_s_per_device
            for one in result.found
            if bool(one.configuration.prefill_workers) is split
        )
        for split in kinds
    }
    assert 0.5 < best[True] / best[False] < 3.0


def test_the_serving_stack_is_named():
    """vidur 60: 700 % off against a newer engine; which one is simulated? Ours says."""
    terms = reached_terms(made("meta-llama/Llama-3.1-8B", "h100-sxm", 1))
    assert any("vllm" in term.source for term in terms)
    other = reached_terms(made("meta-llama/Llama-3.1-8B", "h100-sxm", 1, stack="trtllm-tuned"))
    assert any("trtllm-tuned" in term.source for term in other)


def test_own_kernels_move_the_prediction():
    """vidur 72: fresh profiles differ from the shipped ones. A measured bandwidth comes first."""
    card = CATALOG.device("h100-sxm")
    slow = card.memory_bandwidth_gb_s.value / 2
    figure = replace(card.memory_bandwidth_gb_s, value=slow, status=Status.MEASURED)
    rates = replace(card.measured or MeasuredRates(), memory_bandwidth_gb_s=figure)
    own = replica("meta-llama/Llama-3.1-8B", replace(card, measured=rates), 1)
    shipped = replica("meta-llama/Llama-3.1-8B", card, 1)
    assert own.times.decode_s[1] > 1.3 * shipped.times.decode_s[1]


def test_near_the_edge_a_point_is_marked_and_beyond_it_there_is_none():
    """inference-sim 489: capacity over-estimated by 22 % makes any figure at the edge worthless."""
    one = replica("meta-llama/Llama-3.1-8B", "h100-sxm", 1)
    limit = one.times.saturation_per_s
    table = evaluate(one.times, np.array([0.5, 0.97, 1.05]) * limit)
    assert table.within_range(0, limit)
    assert not table.within_range(1, limit)
    assert bool(table.saturated[2])


def test_a_longer_prompt_takes_longer():
    """inference-sim 489: the same step time for 1 and 2,048 prefill tokens."""
    iteration = replica("meta-llama/Llama-3.1-8B", "h100-sxm", 1).iteration
    times = [
        float(iteration.seconds(tokens, 0, np.array([0.0]), tokens)[0]) for tokens in (1, 512, 2048)
    ]
    assert times[0] < times[1] < times[2]
    assert times[2] > 5 * times[0]


def test_dense_layers_between_expert_layers_are_dense():
    """inference-sim 877: interleaved mixtures taken for all-experts, 89 to 100 % off."""
    maverick = model("meta-llama/Llama-4-Maverick-17B-128E")
    every = replace(maverick, experts=replace(maverick.experts, dense_layers=0))
    right, wrong = maverick.parameters_g.value, _parameters_g(every)
    assert _parameters_g(maverick) == pytest.approx(right, rel=0.03)
    assert wrong > 1.8 * right


def _parameters_g(shape):
    from tco.performance.parameters import parameters

    return parameters(shape).total / 1e9


def test_time_per_token_beats_a_roofline():
    """inference-sim 436: a roofline 47.7 % off, tuned 36.1 %. Ours, with the device left out."""
    assert headline("device", "tpot") < 0.15


def test_latent_cache_is_whole_on_every_device_and_head_size_is_the_configs():
    """inference-sim 1712: cache width of latent attention, hidden / heads for head_dim."""
    deepseek, qwen = model("deepseek-ai/DeepSeek-V3"), model("Qwen/Qwen3-32B")
    assert kv_bytes_per_token(deepseek, "bf16", 8) == 61 * 576 * 2
    assert kv_bytes_per_token(deepseek, "bf16", 1) == 61 * 576 * 2
    assert kv_bytes_per_token(qwen, "bf16", 1) == 2 * 64 * 8 * 128 * 2


def test_two_devices_can_be_compared():
    """LLM-Viewer 4, llmfit 88: one constant for all devices. H100 and A100 differ as they do."""
    fast = replica("meta-llama/Llama-2-7b", "h100-sxm", 1).times.decode_s[1]
    slow = replica("meta-llama/Llama-2-7b", "a100-sxm-40", 1).times.decode_s[1]
    assert 1.3 < slow / fast < 2.6  # their bandwidths are 2.15 apart, host times alike


@pytest.mark.parametrize(
    ("device", "dtype", "dense"), [("l40s", "fp8", 733), ("l40s", "bf16", 362)]
)
def test_peaks_are_dense(device, dtype, dense):
    """inference-sim PR 816: L40S FP8 missing, then entered as 1,466, which is the sparse one."""
    peaks = dict(CATALOG.device("l40s").peak_tflops)
    assert peaks[dtype].value == pytest.approx(dense, abs=1)


@pytest.mark.parametrize("device", ["l40s", "a10g", "l4", "t4", "a2"])
def test_small_cards_are_in_the_catalog(device):
    """mlco2 57, 49, 25 and others: missing L40S, A10G; each with memory, bandwidth and watts."""
    card = CATALOG.device(device)
    assert card.memory_gb
    assert card.memory_bandwidth_gb_s
    assert card.board_w


def test_a_device_without_any_measured_row_is_answered_and_says_so():
    """llm-d-planner 137: no benchmark row, zero results. Ours takes the family's and says it."""
    card = replace(CATALOG.device("l40s"), key="new-card", name="New card", architecture="New")
    one = replica("meta-llama/Llama-3.1-8B", card, 1, "fp8")
    assert one.times is not None
    assert any("other devices" in term.source for term in reached_terms(one.iteration))


def test_two_engines_at_nine_tenths_do_not_share_a_card():
    """edutelligence 570 (UP9): 45 GiB planned where vLLM reserves its share of the whole card."""
    assert reserved_overcommit([0.9, 0.9]) == pytest.approx(0.8)
    assert reserved_overcommit([0.45, 0.45]) == 0.0


def test_the_cache_room_is_that_of_the_memory():
    """inference-sim 432: a default of a million blocks hides all pressure."""
    one = replica("meta-llama/Llama-3.1-70B", "h100-sxm", 4, "fp8", (8000, 1000))
    assert 0 < one.plan.kv_tokens < 2e6
    tight = replica("meta-llama/Llama-3.1-70B", "h100-sxm", 2, "fp8", (8000, 1000))
    assert tight.plan.kv_tokens < one.plan.kv_tokens / 2


def test_lengths_with_a_tail_wait_longer_than_fixed_ones():
    """llm-d-planner 3: point traffic. The simulator takes distributions, and they matter."""
    one = replica("meta-llama/Llama-3.1-8B", "h100-sxm", 1)
    rate = 0.7 * one.times.saturation_per_s
    fixed = Requests(poisson(rate, 4000, 1), np.full(4000, 1024), np.full(4000, 256))
    wide = Requests(
        poisson(rate, 4000, 1), lognormal(1024, 6000, 4000, 2), lognormal(256, 1500, 4000, 3)
    )
    short, long = (
        np.percentile(simulate(one.step_table(), asked).ttft_s, 99) for asked in (fixed, wide)
    )
    assert long > 1.2 * short


def test_a_router_that_knows_prefixes_saves_prompt_work():
    """llm-d-planner 16: cache-aware routing across replicas."""
    one = replica("meta-llama/Llama-3.1-8B", "h100-sxm", 1, "bf16", (2048, 64))
    rate = 0.6 * one.times.saturation_per_s
    asked = Requests(poisson(rate, 3000, 1), np.full(3000, 2048), np.full(3000, 64))
    prefixes = np.random.default_rng(4).integers(0, 12, 3000).tolist()
    cached = {
        router: simulate_cluster(
            one.step_table(), asked, 3, router=router, prefixes=prefixes, prefix_tokens=1536
        ).cached_fraction
        for router in ("round_robin", "prefix")
    }
    # each of twelve prefixes is worked out once, not once on each of three copies
    assert cached["prefix"] > cached["round_robin"] > 0.7


def test_the_rank_is_cost_within_targets_and_nothing_else():
    """llm-d-planner PR 43: a composite score favoured small models through latency bonuses."""
    asked = Request(
        model("meta-llama/Llama-3.1-8B"),
        CATALOG.device("h100-sxm"),
        8,
        1000,
        250,
        targets=(LatencyTarget("tpot", 95, 50),),
        usd_per_hour=24.0,
    )
    cost = [one.usd_per_mtok for one in search(asked).found]
    assert cost == sorted(cost)


def test_runs_past_the_knee_are_called_so():
    """aicr 2385: a benchmark beyond saturation; overloaded runs are counted apart, not scored."""
    assert REPORT["folds"]["device"]["coverage"]["overloaded_rows"] > 0
    assert REPORT["folds"]["device"]["overload"]["called"] > 0


def test_a_pointer_of_a_large_file_is_not_data(tmp_path):
    """aiconfigurator PR 69: Git-LFS pointers parsed as data. Ours names the file's fault."""
    (tmp_path / "UNIFIED_latency.csv").write_text(
        "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    )
    found = read_folder(tmp_path)
    assert found.runs == ()
    assert (found.bad[0].file, found.bad[0].field) == ("UNIFIED_latency.csv", "device_key")
    assert found.bad_rows == found.rows == 2
