"""Configurations of a model on a server: what is tried, what excludes, how they rank (P6.5, P8)."""

from __future__ import annotations

import dataclasses
import math

import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.errors import InputError
from tco.inputs import LatencyTarget, Parallel
from tco.performance.replica import build_replica, capacity
from tco.search.enumerate import configurations, layouts
from tco.search.rank import cost_usd_per_mtok, point, search, spec_of
from tco.search.request import Configuration, Excluded, Found, Request

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
    assert len({one.label for one in tried}) == len(tried)


def test_the_best_is_the_best_of_trying_each_alone():
    """One at a time through the sizing's own functions: no verified one is cheaper."""
    asked = request(
        LLAMA_8B, devices=2, weight_dtypes=("bf16", "fp8"), batch_limits=(32, 128), split=False
    )
    best = search(asked).found[0]
    cheapest = math.inf
    tried, _ = configurations(asked)
    for each in tried:
        spec = spec_of(asked, each)
        if build_replica(spec, ()).times is None:
            continue
        rate = capacity(spec, (), TARGETS).requests_per_s
        cost = cost_usd_per_mtok(asked, rate * 250, each.devices)
        cheapest = min(cheapest, cost if cost is not None else math.inf)
    assert best.verified
    assert best.usd_per_mtok == pytest.approx(cheapest)


def test_the_ranking_of_the_verified_is_by_cost():
    """Cheapest output tokens first; cost is the server's share over the tokens of a copy."""
    result = search(request())
    costs = [one.usd_per_mtok for one in result.found if one.verified]
    assert costs == sorted(costs)
    one = result.found[0]
    tokens = one.requests_per_s * 250 * 3600
    assert one.usd_per_mtok == pytest.approx(24.0 * one.configuration.devices / 8 / tokens * 1e6)


def test_nothing_found_exceeds_its_memory():
    """Weights, workspace and the cache of the batch: at most what an engine may use."""
    for asked in (request(), request(DEEPSEEK, B200), request(LLAMA_8B, L4)):
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


def test_without_a_price_the_rank_is_speed():
    """Cost is blank with its reason; never 0."""
    result = search(request(usd_per_hour=None))
    assert result.unpriced
    assert result.found[0].usd_per_mtok is None
    speeds = [one.output_tokens_per_s_per_device for one in result.found if one.verified]
    assert speeds == sorted(speeds, reverse=True)


def test_one_point_is_the_same_as_in_the_search():
    """A single configuration gives the numbers of the ranking, to the last digit."""
    asked = request()
    ranked = next(one for one in search(asked).found if one.verified)
    assert point(asked, ranked.configuration) == ranked
    refused = point(asked, Configuration(Parallel(1), "bf16", "bf16", 8))
    assert isinstance(refused, Excluded)
    assert refused.reason == "memory"


def test_splits_share_out_the_server_and_move_the_cache():
    """Prefill and decode workers fill the server; the answer's steps carry no prompt."""
    result = search(request(weight_dtypes=("fp8",), kv_dtypes=("fp8",)))
    splits = [one for one in result.found if one.configuration.prefill_workers]
    assert splits
    for one in splits:
        assert one.configuration.devices == 8
        assert one.binds in ("prefill workers", "decode workers")
        mixed = point(
            request(), dataclasses.replace(one.configuration, prefill_workers=0, decode_workers=0)
        )
        if isinstance(mixed, Found) and mixed.batch >= one.batch:
            assert one.tpot_ms < mixed.tpot_ms


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"batch_limits": (0,)}, "batch_limits"),
        ({"input_tokens": 0}, "input_tokens"),
        ({"targets": (LatencyTarget("speed", 95, 10),)}, "targets"),
        ({"targets": (LatencyTarget("ttft", 100, 10),)}, "targets"),
        ({"cached_tokens": 1000}, "cached_tokens"),
    ],
)
def test_bad_requests_name_the_field(changed, field):
    """The field, the value and what to enter."""
    with pytest.raises(InputError) as caught:
        search(request(**changed))
    assert caught.value.field == field
    assert caught.value.mend
