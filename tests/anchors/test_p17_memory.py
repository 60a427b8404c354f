"""Table P17 digit by digit: the rows on memory and work, each by hand from the public configs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tco.inputs import Parallel
from tco.performance.kv_cache import kv_bytes, kv_bytes_per_token
from tco.performance.memory import memory_plan
from tco.performance.parameters import parameters
from tco.performance.work import touched, work_of
from tests.engine.performance.architecture_rows import DEEPSEEK, GEMMA
from tests.engine.performance.catalog_rows import LLAMA_1B, LLAMA_8B, LLAMA_70B, QWEN_32B

KIB, GIB = 2**10, 2**30
EIGHT = Parallel(tensor=8)
BANDWIDTH, PEAK = 8 * 3.35e12, 8 * 989.5e12


def test_kv_of_llama_70b():
    """327,680 B a token; 32 users x 8,192 tokens 80 GiB, not 640 with 64 heads."""
    assert kv_bytes_per_token(LLAMA_70B, "bf16") == 2 * 80 * 8 * 128 * 2 == 327_680
    assert 32 * float(kv_bytes(LLAMA_70B, "bf16", context_tokens=8192)) == 80 * GIB


def test_head_size_of_the_config():
    """262,144 B a token, not 163,840 with h/a."""
    assert kv_bytes_per_token(QWEN_32B, "bf16") == 262_144


def test_latent_attention():
    """68.6 KiB a token on every device, not 4,880 KiB as multi-head nor an eighth at t = 8."""
    for t in (1, 8):
        assert round(kv_bytes_per_token(DEEPSEEK, "bf16", t) / KIB, 1) == 68.6
    heads = replace(DEEPSEEK, latent=None, head_dim=160)  # 128 heads of (192 + 128) / 2
    assert kv_bytes_per_token(heads, "bf16") / KIB == 4_880


def test_more_devices_than_kv_heads():
    """t = 16 over 8 heads: an eighth of the KV on a device."""
    assert kv_bytes_per_token(LLAMA_70B, "bf16", 16) * 8 == 327_680


def test_sliding_window():
    """At 32k 2.9 GiB, not 15.5."""
    assert round(float(kv_bytes(GEMMA, "bf16", context_tokens=32_768)) / GIB, 1) == 2.9
    full = replace(GEMMA, window=None)
    assert round(float(kv_bytes(full, "bf16", context_tokens=32_768)) / GIB, 1) == 15.5


def test_parameters_read_per_decode_step():
    """68.45 G body + 1.05 G head at 2 bytes: 5.19 ms on 8 x 3.35 TB/s, 5.11 without the head."""
    counts = parameters(LLAMA_70B)
    assert (round(counts.body / 1e9, 2), round(counts.head / 1e9, 2)) == (68.45, 1.05)
    assert round((counts.body + counts.head) * 2 / BANDWIDTH * 1e3, 2) == 5.19
    assert round(counts.body * 2 / BANDWIDTH * 1e3, 2) == 5.11
    two = parameters(replace(LLAMA_70B, mlp_matrices=2))
    assert round((two.body + two.head) * 2 / BANDWIDTH * 1e3, 2) == 3.78  # the usual wrong
    read = work_of(LLAMA_70B, EIGHT, weight_dtype="bf16", kv_dtype="bf16").weight_bytes(1)
    assert round(8 * read / BANDWIDTH * 1e3, 2) == 5.19


def test_tied_embeddings():
    """0.263 of 1.236 G, once."""
    counts = parameters(LLAMA_1B)
    assert (round(counts.embedding / 1e9, 3), round(counts.total / 1e9, 3)) == (0.263, 1.236)
    assert counts.head == 0


@pytest.mark.parametrize(("batch", "distinct"), [(1, 8.0), (8, 51.6), (32, 111.8), (64, 125.9)])
def test_distinct_experts(batch, distinct):
    """128 routed, 8 a token."""
    assert round(touched(128, 128, 8, batch), 1) == distinct


def test_prefill_floor():
    """2,048 tokens on 8 x 989.5 TFLOP/s: 36.1 ms."""
    counts = parameters(LLAMA_70B)
    products = 2 * 2048 * (counts.attention + counts.feed_forward)
    scores = 4 * 64 * 128 * 80 * 2048 * 1024
    head = 2 * counts.head
    assert round((products + scores + head) / PEAK * 1e3, 1) == 36.1
    work = work_of(LLAMA_70B, EIGHT, weight_dtype="bf16", kv_dtype="bf16")
    counted = 8 * (work.flops(2048, 1) + work.full.prompt_flops * 2048 * 1024)
    assert round(counted / PEAK * 1e3, 1) == 36.1


def test_the_pool_of_the_server():
    """24 GiB at 0.9 less the weights are 54,400 tokens; the server really had 41,408."""
    weights = memory_plan(
        LLAMA_8B, memory_gb=None, weight_dtype="bf16", kv_dtype="bf16", sequence_tokens=1
    ).weight_bytes
    assert (24 * GIB * 0.9 - weights) // (16 * 131_072) * 16 == 54_400
    made = memory_plan(
        LLAMA_8B,
        memory_gb=23.64 * GIB / 1e9,
        weight_dtype="bf16",
        kv_dtype="bf16",
        sequence_tokens=1510,
        max_batched_tokens=2048,
    )
    assert made.kv_tokens == pytest.approx(41_408, rel=0.01)
