"""Memory of one device (P1), against hand-worked figures (P17)."""

from __future__ import annotations

import pytest

from tco.performance.memory import (
    block_tokens,
    kv_bytes_per_token,
    memory_plan,
    parameters,
)
from tests.engine.performance.catalog_rows import LLAMA_1B, LLAMA_8B, LLAMA_70B, QWEN_32B

GIB = 2**30


def test_kv_of_llama_70b_uses_the_kv_heads():
    """2·80·8·128·2 = 327,680 bytes a token; 32 users of 8,192 tokens are 80 GiB, not 640."""
    token = kv_bytes_per_token(LLAMA_70B, "bf16")
    assert token == 327_680
    assert 32 * 8192 * token / GIB == 80


def test_head_dim_comes_from_the_config():
    """Qwen3-32B: 64 layers, 8 KV heads of 128 are 262,144 bytes; hidden/heads would say 163,840."""
    assert kv_bytes_per_token(QWEN_32B, "bf16") == 262_144


@pytest.mark.parametrize(
    ("tensor_parallel", "share"), [(1, 1.0), (2, 0.5), (8, 0.125), (16, 0.125)]
)
def test_kv_heads_replicate_beyond_their_number(tensor_parallel, share):
    """t = 16 with 8 KV heads holds an eighth of the KV per device, not a sixteenth."""
    whole = kv_bytes_per_token(LLAMA_70B, "bf16")
    assert kv_bytes_per_token(LLAMA_70B, "bf16", tensor_parallel) == whole * share


def test_three_kv_shards_are_judged_by_the_fullest():
    """8 heads over 3 devices: the fullest holds 3 heads, three eighths."""
    whole = kv_bytes_per_token(LLAMA_70B, "bf16")
    assert kv_bytes_per_token(LLAMA_70B, "bf16", 3) == whole * 3 / 8


@pytest.mark.parametrize(
    ("shape", "total_g"),
    [(LLAMA_70B, 70.554), (LLAMA_8B, 8.030), (LLAMA_1B, 1.236), (QWEN_32B, 32.762)],
    ids=lambda value: getattr(value, "key", ""),
)
def test_parameters_agree_with_the_published_totals(shape, total_g):
    """Counted layer by layer, totals meet the published ones within 0.02 %."""
    assert parameters(shape).total / 1e9 == pytest.approx(total_g, rel=2e-4)


def test_body_and_head_of_llama_70b():
    """68.45 G in the layers (three feed-forward matrices) and 1.05 G in the head."""
    counts = parameters(LLAMA_70B)
    assert counts.body / 1e9 == pytest.approx(68.45, abs=0.005)
    assert counts.head / 1e9 == pytest.approx(1.05, abs=0.005)
    assert counts.feed_forward == 80 * 3 * 8192 * 28672


def test_tied_embeddings_count_once():
    """Llama-3.2-1B: 0.263 of 1.236 G is the one shared table."""
    counts = parameters(LLAMA_1B)
    assert counts.embedding / 1e9 == pytest.approx(0.263, abs=0.0005)
    assert counts.head == 0
    assert counts.total / 1e9 == pytest.approx(1.236, abs=0.0005)


def plan(**changes):
    """Return the plan of the 70B on 80 GB devices, with changes."""
    given = {
        "memory_gb": 80.0,
        "tensor_parallel": 4,
        "weight_dtype": "bf16",
        "kv_dtype": "bf16",
        "sequence_tokens": 1250.0,
    }
    return memory_plan(LLAMA_70B, **{**given, **changes})


def test_weights_are_shared_out():
    """70.55 G at 2 bytes over 4 devices are 35.28 GB each; norms stay whole."""
    norms = parameters(LLAMA_70B).norms
    expected = (parameters(LLAMA_70B).total - norms) * 2 / 4 + norms * 2
    assert plan().weight_bytes == pytest.approx(expected)
    assert plan().weight_bytes / 1e9 == pytest.approx(35.28, abs=0.01)


def test_key_and_value_weights_replicate_beyond_the_heads():
    """At t = 16 the 8 KV heads' weights are an eighth per device, the rest a sixteenth."""
    counts = parameters(LLAMA_70B)
    rest = counts.attention - counts.key_value + counts.feed_forward
    expected = (rest / 16 + counts.key_value / 8 + counts.norms) * 2
    expected += (counts.embedding + counts.head) / 16 * 2
    assert plan(tensor_parallel=16).weight_bytes == pytest.approx(expected)


def test_small_formats_keep_tables_at_16_bits():
    """fp8 halves the layers only: embeddings and head stay at 2 bytes."""
    saved = plan().weight_bytes - plan(weight_dtype="fp8").weight_bytes
    counts = parameters(LLAMA_70B)
    assert saved == pytest.approx((counts.attention + counts.feed_forward) / 4)


def test_the_table_adds_up_to_the_capacity():
    """All lines of the memory table together are the device's memory."""
    assert sum(line.gb_per_device for line in plan().lines) == pytest.approx(80.0)


def test_kv_room_is_what_is_left_of_the_usable_share():
    """0.9 of the memory less weights and workspace, in whole blocks of 16 tokens."""
    made = plan()
    room = 80e9 * 0.9 - made.weight_bytes - made.fixed_bytes
    assert made.kv_room_bytes == pytest.approx(room)
    assert made.kv_tokens == room // (81_920 * 16) * 16
    assert made.sequences == min(256, made.kv_tokens // 1264)


def test_blocks_round_up():
    """1,250 tokens take 79 blocks of 16; 1,264 fit exactly."""
    assert (block_tokens(1250), block_tokens(1264), block_tokens(1265)) == (1264, 1264, 1280)


def test_what_does_not_fit_names_the_missing_gb():
    """141 GB of weights on one 80 GB device: weights, workspace and two sequences are short."""
    made = plan(tensor_parallel=1)
    two = 2 * 327_680 * 1264
    short = made.weight_bytes + made.fixed_bytes + two - 72e9
    assert made.missing_gb == pytest.approx(short / 1e9)
    assert made.missing_gb > 69


def test_unknown_capacity_misses_nothing():
    """A device without a known capacity is not judged, and shows no KV line."""
    made = plan(memory_gb=None, tensor_parallel=1)
    assert made.missing_gb == 0
    assert made.kv_room_bytes is None
    assert made.sequences == 256
    assert all(line.label != "KV cache" for line in made.lines)
