"""Configurations of a model on a server: what is tried, what excludes, how they rank (P6.5, P8)."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.errors import InputError
from tco.inputs import Figure, LatencyTarget, Parallel, Status
from tco.performance.replica import build_replica, capacity
from tco.search.candidate import Times
from tco.search.enumerate import configurations, layouts
from tco.search.fitting import mend, plan_of
from tco.search.rank import cost_usd_per_mtok, point, search, search_servers, spec_of
from tco.search.request import Configuration, Excluded, Found, Request
from tco.search.split import split_of

CATALOG = SeedCatalog()
H100, L4, B200 = (CATALOG.device(key) for key in ("h100-sxm", "l4", "b200"))
H200 = CATALOG.device("h200-sxm")
LLAMA_70B, LLAMA_8B, DEEPSEEK = (
    CATALOG.model(key)
    for key in ("meta-llama/Llama-3.1-70B", "meta-llama/Llama-3.1-8B", "deepseek-ai/DeepSeek-V3")
)
TARGETS = (LatencyTarget("ttft", 95, 1000), LatencyTarget("tpot", 95, 50))


def request(model=LLAMA_70B, device=H100, devices=8, **changed) -> Request:
    """Return a chat request."""
    given = {
        "input_tokens": 1000,
        "output_tokens": 250,
        "targets": TARGETS,
        "usd_per_hour": 24.0,
        "requests_per_s": 40.0,
    }
    return Request(model, device, devices, **{**given, **changed})


def test_every_layout_divides_the_server_and_the_model():
    """Degrees multiply to a divisor of 8; experts spread over the stage or not at all."""
    dense = set(layouts(request()))
    assert {one.devices for one in dense} == {1, 2, 4, 8}
    assert Parallel(2, 4) in dense
    assert all(one.attention_data == 1 for one in dense)
    latent = set(layouts(request(DEEPSEEK, B200)))
    assert Parallel(1, 1, 8, 8) in latent
    assert Parallel(8, 1, 8, 1) in latent
    tried, excluded = configurations(request())
    assert len(tried) + len(excluded) >= 400
    assert not excluded
    assert len({one.label for one in tried}) == len(tried)


@pytest.mark.parametrize(
    "targets", [TARGETS, (), (LatencyTarget("ttft", 99, 300), LatencyTarget("e2e", 95, 3000))]
)
def test_the_best_are_the_best_of_trying_each_alone(targets):
    """Each configuration through the sizing's own functions: same best three, same values."""
    asked = request(
        LLAMA_8B,
        devices=2,
        weight_dtypes=("bf16", "fp8"),
        batch_limits=(32, 128),
        split=False,
        targets=targets,
    )
    found = search(asked, top=3).found
    rates = {}
    for each in configurations(asked)[0]:
        rate = capacity(spec_of(asked, each), (), targets).requests_per_s
        if rate > 0:
            rates[each] = rate / each.devices
    assert {one.configuration for one in found} == set(rates)
    best = sorted(rates.values(), reverse=True)[:3]
    for one, value in zip(found, best, strict=False):
        assert one.refined
        assert one.requests_per_s / one.configuration.devices == pytest.approx(value, rel=3e-4)
        tokens = rates[one.configuration] * one.configuration.devices * 250
        cost = cost_usd_per_mtok(asked, tokens, one.configuration.devices)
        assert one.usd_per_mtok == pytest.approx(cost, rel=3e-4)
    for one in found:  # what was left alone carries no more than its bound
        rate = rates[one.configuration] * one.configuration.devices
        assert one.requests_per_s * (1 - 3e-4) <= rate <= one.most_requests_per_s * (1 + 3e-4)


def test_the_rank_is_by_cost_and_cost_is_the_share_of_the_server():
    """Cheapest output tokens first; a copy pays for the devices it holds (F19.1), by hand."""
    found = search(request()).found
    costs = [one.usd_per_mtok for one in found]
    assert costs == sorted(costs)
    one = found[0]
    tokens = one.requests_per_s * 250 * 3600
    assert one.usd_per_mtok == pytest.approx(24.0 * one.configuration.devices / 8 / tokens * 1e6)
    asked = one.servers * 24.0 / (40.0 * 250 * 3600) * 1e6
    assert one.usd_per_mtok_asked == pytest.approx(asked)


def test_every_target_holds_at_the_load_given():
    """The 95th percentiles printed keep the limits, and those above mean something: none is 0."""
    for one in search(request(weight_dtypes=("fp8",))).found[:10]:
        assert one.ttft_ms < one.ttft_p95_ms <= 1000 * (1 + 1e-6)
        assert one.tpot_ms < one.tpot_p95_ms <= 50 * (1 + 1e-6)
        assert one.e2e_ms < one.e2e_p95_ms
        assert one.e2e_ms == pytest.approx(one.ttft_ms + 249 * one.tpot_ms, rel=1e-6)
        assert 0 < one.utilisation_fraction <= 0.9 + 1e-9
        assert 0 < one.batch <= one.kv_sequences


def test_nothing_found_exceeds_its_memory():
    """Weights, workspace and the cache of the batch: at most what an engine may use."""
    for asked in (
        request(batch_limits=(16, 512)),
        request(DEEPSEEK, B200, weight_dtypes=("fp8",), kv_dtypes=("fp8",), batch_limits=(64,)),
        request(LLAMA_8B, L4, 4, batch_limits=(16, 512)),
    ):
        result = search(asked)
        assert result.found
        limit = asked.device.memory_gb.value * 0.9
        assert max(one.memory_gb_per_device for one in result.found) <= limit * (1 + 1e-9)
        assert result.tried == len(result.found) + len(result.excluded)
        assert sum(result.counts.values()) == len(result.excluded)


def test_a_70b_on_one_l4_cannot_be_selected():
    """24 GB for 70 billion parameters: nothing is feasible, and the missing GB are named."""
    result = search(request(device=L4, devices=1))
    assert not result.found
    assert set(result.counts) == {"memory"}
    assert "GB missing" in result.excluded[0].detail
    wide = next(one for one in result.excluded if one.configuration.weight_dtype == "bf16")
    assert "choose a device with at least" in mend(request(device=L4, devices=1), wide)


def test_eight_h200_are_not_answered_with_eighty_eight():
    """32 users of a 70B: one server of eight is enough (configiq 89), and it reads 'copies x'."""
    targets = (LatencyTarget("ttft", 95, 2000), LatencyTarget("tpot", 95, 60))
    asked = request(device=H200, targets=targets, requests_per_s=32 / 60)
    best = search(asked).found[0]
    assert best.copies * best.configuration.devices <= 8
    assert best.servers == 1
    assert best.copies * best.requests_per_s >= asked.requests_per_s


def test_what_a_target_excludes_says_by_how_much():
    """2 ms a token of a 70B: refused with the target and the factor."""
    result = search(request(targets=(LatencyTarget("tpot", 95, 2.0),)))
    assert not result.found
    assert result.counts["target"] > 0
    detail = next(one.detail for one in result.excluded if one.reason == "target")
    assert detail.startswith("tpot p95 2 ms")


def test_a_context_beyond_the_model_is_refused():
    """A window larger than the model's is no configuration (dynamo 10104)."""
    result = search(request(input_tokens=200_000))
    assert not result.found
    assert "context" in result.counts
    assert "131,072" in next(o.detail for o in result.excluded if o.reason == "context")


def test_a_window_larger_than_the_room_is_refused_and_the_largest_one_named():
    """dynamo 10104: max_model_len 131,072 where the cache holds less would never start."""
    asked = request(LLAMA_8B, L4, 4, max_model_len=131_072, split=False, batch_limits=(8, 32))
    result = search(asked)
    assert result.found
    refused = {one.configuration: one for one in result.excluded if one.reason == "context"}
    assert refused
    for each, said in list(refused.items())[::5]:
        plan = plan_of(asked, each)
        assert plan.kv_room_bytes < plan.cache.bytes(131_072)
        free = point(dataclasses.replace(asked, max_model_len=None), each)
        if isinstance(free, Found):
            assert f"to at most {free.max_model_len:,} tokens" in mend(asked, said)
            assert plan.cache.bytes(free.max_model_len) <= plan.kv_room_bytes
    for one in result.found:
        plan = plan_of(asked, one.configuration)
        assert plan.kv_room_bytes >= plan.cache.bytes(131_072)
        assert one.max_model_len == 131_072


def test_a_batch_of_tokens_below_one_prompt_is_refused():
    """An engine that does not split prompts never runs one of 1,000 tokens in 512."""
    result = search(request(max_batched_tokens=512, weight_dtypes=("fp8",), split=False))
    assert not result.found
    assert result.counts["batch"] > 0
    one = next(each for each in result.excluded if each.reason == "batch")
    assert "raise max_batched_tokens to 1,000" in mend(request(max_batched_tokens=512), one)


def test_without_a_price_the_rank_is_speed():
    """Cost is blank with its reason; never 0."""
    result = search(request(usd_per_hour=None, weight_dtypes=("fp8",)))
    assert result.unpriced
    assert all(one.usd_per_mtok is None and one.usd_per_mtok_asked is None for one in result.found)
    speeds = [one.output_tokens_per_s_per_device for one in result.found]
    assert speeds == sorted(speeds, reverse=True)


def test_requests_in_flight_are_carried_by_littles_law():
    """Copies hold rate x time in the system each: enough of them for 200 at once."""
    one = search(request(requests_per_s=None, concurrency=200.0, weight_dtypes=("fp8",))).found[0]
    held = one.requests_per_s * one.e2e_ms / 1e3
    assert (one.copies - 1) * held < 200 <= one.copies * held


def test_several_servers_are_ranked_together_and_one_without_a_price_comes_last():
    """Each keeps its own best at the same cost; counts add up."""
    few = {"weight_dtypes": ("fp8",), "batch_limits": (64, 256)}
    each = [
        request(server="dear", usd_per_hour=48.0, **few),
        request(server="cheap", **few),
        request(server="unpriced", usd_per_hour=None, **few),
    ]
    together = search_servers(each)
    alone = search(each[1])
    assert together.found[0] == alone.found[0]
    assert together.tried == 3 * alone.tried
    assert [one.server for one in together.found[-len(alone.found) :]] == (
        ["unpriced"] * len(alone.found)
    )
    dear = next(one for one in together.found if one.server == "dear")
    assert dear.usd_per_mtok == pytest.approx(2 * alone.found[0].usd_per_mtok)
    assert "unpriced" in together.unpriced


def test_one_point_is_the_same_as_in_the_search():
    """A single configuration gives the numbers of the ranking, to the last digit."""
    asked = request()
    ranked = search(asked).found[0]
    assert point(asked, ranked.configuration) == ranked
    refused = point(asked, Configuration(Parallel(1), "bf16", "bf16", 8))
    assert isinstance(refused, Excluded)
    assert refused.reason == "memory"


@pytest.mark.parametrize(
    ("configuration", "device", "reason", "said"),
    [
        (Configuration(Parallel(3), "fp8", "fp8", 8), "h100-sxm", "degrees", "use 4"),
        (Configuration(Parallel(16), "fp8", "fp8", 8), "h100-sxm", "degrees", "16 devices"),
        (Configuration(Parallel(2), "fp8", "fp8", 8, 3, 3), "h100-sxm", "degrees", "12 devices"),
        (Configuration(Parallel(4), "fp8", "fp8", 8, 1, 1), "h100-sxm", "", ""),
    ],
)
def test_a_point_is_checked_as_the_search_does(configuration, device, reason, said):
    """Degrees that do not divide and splits that do not fill are named; a split is a split."""
    one = point(request(device=CATALOG.device(device)), configuration)
    assert getattr(one, "reason", "") == reason
    if reason:
        assert said in one.detail
    else:
        ranked = search(request(weight_dtypes=("fp8",), kv_dtypes=("fp8",), batch_limits=(8,)))
        assert one.configuration in {each.configuration for each in ranked.found}
        assert one.requests_per_s <= next(
            each.most_requests_per_s for each in ranked.found if each.configuration == configuration
        )


def test_splits_share_out_the_server():
    """Prefill and decode workers fill the server; the three stages bound the load, by hand."""
    result = search(request(targets=(), weight_dtypes=("fp8",), kv_dtypes=("fp8",)), top=1000)
    splits = [one for one in result.found if one.configuration.prefill_workers]
    assert len(splits) >= 4
    for one in splits:
        each = one.configuration
        assert each.devices == 8
        alone = Configuration(each.parallel, "fp8", "fp8", each.batch_limit)
        times = build_replica(spec_of(request(), alone), ()).times
        steps = times.decode_s[1:]
        slots = len(steps)
        decode = each.decode_workers * max((n + 1) / (steps[n] * 249) for n in range(slots))
        prefill = each.prefill_workers / times.prefill_s[0]
        assert one.most_requests_per_s <= 0.9 * min(decode, prefill) * (1 + 1e-9)
        assert one.binds.split(":")[0] in (
            "prefill workers",
            "decode workers",
            "memory",
            "batch limit",
        )


def test_the_cache_of_a_prompt_crosses_the_link():
    """KV bytes / link rate, by hand (P6.5): it delays the first token, and binds when slow."""
    slow = dataclasses.replace(H100, scaleup_gb_s=Figure(0.5, "GB/s", Status.ESTIMATED, "test"))
    each = Configuration(Parallel(2), "fp8", "fp8", 64, 2, 2)
    answers = []
    for device in (H100, slow):
        asked = request(device=device, targets=(), input_tokens=1024)
        plan = plan_of(asked, each)
        made = Times(asked).of(each, plan)
        answers.append(split_of(asked, each, plan, made))
    quick, late = answers
    per_device = 80 * 2 * 8 * 128 * 1 / 2 * 1024  # layers, K and V, heads, width, bytes; t = 2
    assert late.move_s == pytest.approx(per_device / 0.5e9)
    assert quick.move_s == pytest.approx(per_device / (H100.scaleup_gb_s.value * 1e9))
    light = np.array([0.01])
    ttft = [one.table(light, (95.0,), ("ttft",)).mean_s["ttft"][0] for one in (quick, late)]
    moved = late.move_s - quick.move_s  # collectives on that link slow the prompt as well
    assert ttft[1] - ttft[0] >= moved + late.prompt_s - quick.prompt_s
    at_link = dataclasses.replace(late, prompt_s=late.move_s / 2, decode_workers=1000)
    assert at_link.bound.startswith("KV link")
    assert at_link.limit_per_s == pytest.approx(0.9 * 2 / late.move_s)


def test_an_answer_of_one_token_has_no_split_and_no_token_time():
    """Nothing is decoded after the first token: a target on it judges nothing."""
    result = search(request(LLAMA_8B, devices=2, output_tokens=1, weight_dtypes=("fp8",)))
    assert result.found
    assert all(one.configuration.prefill_workers == 0 for one in result.found)
    assert result.found[0].tpot_ms is None
    assert "tpot" not in result.found[0].binds


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"batch_limits": (0,)}, "batch_limits"),
        ({"input_tokens": 0}, "input_tokens"),
        ({"targets": (LatencyTarget("speed", 95, 10),)}, "targets"),
        ({"targets": (LatencyTarget("ttft", 100, 10),)}, "targets"),
        ({"cached_tokens": 1000}, "cached_tokens"),
        ({"weight_dtypes": ("fp7",)}, "weight_dtypes"),
        ({"kv_dtypes": ()}, "kv_dtypes"),
        ({"concurrency": 5.0}, "concurrency"),
        ({"requests_per_s": 0.0}, "requests_per_s"),
        ({"usd_per_hour": -1.0}, "usd_per_hour"),
    ],
)
def test_bad_requests_name_the_field(changed, field):
    """The field, the value and what to enter."""
    with pytest.raises(InputError) as caught:
        search(request(**changed))
    assert caught.value.field == field
    assert caught.value.mend
