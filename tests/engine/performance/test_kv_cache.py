"""Cache of one sequence on one device (P1.2, P17), worked by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tco.errors import InputError
from tco.inputs import Parallel
from tco.performance.kv_cache import kv_bytes, kv_bytes_per_token, kv_cache
from tests.engine.performance.architecture_rows import BERT, DEEPSEEK, GEMMA, NANO, OSS
from tests.engine.performance.catalog_rows import LLAMA_70B, QWEN_32B

KIB, GIB = 2**10, 2**30


def test_kv_of_llama_70b_uses_the_kv_heads():
    """2·80·8·128·2 = 327,680 B a token; 32 users of 8,192 tokens are 80 GiB, not 640."""
    assert kv_bytes_per_token(LLAMA_70B, "bf16") == 327_680
    assert 32 * float(kv_bytes(LLAMA_70B, "bf16", context_tokens=8192)) / GIB == 80


def test_head_dim_comes_from_the_config():
    """64 layers, 8 KV heads, 128: 262,144 B a token, not 163,840."""
    assert kv_bytes_per_token(QWEN_32B, "bf16") == 262_144


@pytest.mark.parametrize("t", [1, 2, 8, 16])
def test_latent_attention_is_not_divided(t):
    """61·576·2 B = 68.6 KiB a token on every device."""
    assert kv_bytes_per_token(DEEPSEEK, "bf16", t) == 61 * 576 * 2
    assert kv_bytes_per_token(DEEPSEEK, "bf16", t) / KIB == pytest.approx(68.6, abs=0.05)


def test_attention_data_parallel_divides_no_sequence():
    """Each of eight groups holds its own sequences whole."""
    spread = Parallel(tensor=1, attention_data=8, expert=8)
    assert kv_cache(DEEPSEEK, "bf16", spread).token_bytes == 61 * 576 * 2
    assert kv_cache(LLAMA_70B, "bf16", Parallel(tensor=2, attention_data=4)).token_bytes == 163_840


def test_kv_heads_replicate():
    """t = 16 over 8 heads: an eighth of the KV on each device, not a sixteenth."""
    assert kv_bytes_per_token(LLAMA_70B, "bf16", 16) == 327_680 / 8


def test_a_sliding_window_by_hand():
    """10 full and 52 layers of 1,024 at 32,768 tokens: 2.9 GiB; all full would be 15.5."""
    held = float(kv_bytes(GEMMA, "bf16", context_tokens=32_768))
    assert held == 2 * 16 * 128 * 2 * (10 * 32_768 + 52 * 1_024)
    assert held / GIB == pytest.approx(2.9, abs=0.05)
    full = float(kv_bytes(replace(GEMMA, window=None), "bf16", context_tokens=32_768))
    assert full / GIB == pytest.approx(15.5, abs=0.05)


def test_below_the_window_nothing_is_saved():
    """At 512 tokens the window is not full: every layer holds them."""
    open_window, closed = kv_bytes(GEMMA, "bf16", context_tokens=512), 62 * 512 * 8192
    assert float(open_window) == closed


def test_a_window_rounds_up_to_blocks():
    """2,047 tokens of window take 128 blocks of 16."""
    odd = replace(OSS, window=replace(OSS.window, window_tokens=2047))
    held = float(kv_bytes(odd, "bf16", context_tokens=8192))
    assert held == 2 * 8 * 64 * 2 * (18 * 8192 + 18 * 2048)


def test_states_do_not_grow():
    """27 layers of 1,347,584 elements at 4 bytes: 145.5 MB a sequence, and 4 layers that cache."""
    cache = kv_cache(NANO, "bf16")
    assert cache.state_bytes == 27 * 1_347_584 * 4
    assert cache.token_bytes == 4 * 2 * 8 * 128 * 2
    assert float(cache.bytes(1024)) == cache.state_bytes + 1024 * cache.token_bytes
    assert kv_cache(NANO, "bf16", Parallel(tensor=4)).state_bytes == cache.state_bytes / 4


def test_an_encoder_caches_nothing():
    """A text is read whole, at once."""
    assert float(kv_bytes(BERT, "bf16", context_tokens=512)) == 0


@pytest.mark.parametrize(
    ("dtype", "bits"), [("fp32", 32), ("fp8", 8), ("int8", 8.5), ("int4", 4.5), ("fp4", 4.5)]
)
def test_kv_dtype_is_an_input(dtype, bits):
    """Llama-3.1-70B: 163,840 elements a token, scales of block formats included."""
    assert kv_bytes_per_token(LLAMA_70B, dtype) == 163_840 * bits / 8


def test_an_unknown_dtype_is_named():
    """The field and the words that would do."""
    with pytest.raises(InputError, match=r"kv_dtype: 'fp5' is not a dtype of a KV cache; use one"):
        kv_cache(LLAMA_70B, "fp5")


def test_a_pipeline_stage_caches_its_layers():
    """Two stages of 40 of 80 layers each."""
    assert kv_cache(LLAMA_70B, "bf16", Parallel(pipeline=2)).token_bytes == 163_840


def test_heads_that_differ_are_padded():
    """DeciLM gives its elements: 32 layers padded to four heads are 32,768; at t = 2 half."""
    odd = replace(LLAMA_70B, layers=32, kv_heads=4, kv_elements_per_token=32_768)
    assert kv_bytes_per_token(odd, "bf16") == 65_536
    assert kv_bytes_per_token(odd, "bf16", 2) == 32_768


def test_arrays_of_contexts():
    """One call for many contexts gives what single calls give, in whole blocks."""
    contexts = np.array([1.0, 16.0, 17.0, 5000.0])
    many = kv_cache(GEMMA, "fp8").bytes(contexts)
    assert many.tolist() == [float(kv_cache(GEMMA, "fp8").bytes(c)) for c in contexts]
    assert many[0] == many[1] == 16 * 62 * 4096
    assert many[2] == 2 * many[1]


@pytest.mark.parametrize("shape", [LLAMA_70B, GEMMA, OSS, NANO, DEEPSEEK], ids=lambda s: s.key)
def test_the_longest_context_fits_and_the_next_block_does_not(shape):
    """`most_context` turns `bytes` round."""
    cache = kv_cache(shape, "bf16")
    for room in (1e9, 5e9, 20e9):
        tokens = cache.most_context(room)
        assert float(cache.bytes(tokens)) <= room < float(cache.bytes(tokens + 16))


def test_no_room_and_no_limit():
    """Less than the state holds no token; a window on every layer holds any length."""
    assert kv_cache(NANO, "bf16").most_context(1e6) == 0
    windowed = replace(LLAMA_70B, window=replace(GEMMA.window, layers=80))
    assert kv_cache(windowed, "bf16").most_context(10e9) == np.inf
