"""Parameters, dtypes and weights of every kind of model (P1.1), worked by hand."""

from __future__ import annotations

import pytest

from tco.inputs import Parallel
from tco.performance.parameters import parameters, part_dtypes
from tco.performance.weights import weight_lines
from tests.engine.performance.architecture_rows import (
    ALL,
    BERT,
    DEEPSEEK,
    GEMMA,
    LITE,
    MIXTRAL,
    NANO,
    OSS,
)
from tests.engine.performance.catalog_rows import LLAMA_70B


def weights_gb(shape, dtype, parallel=None):
    """Return the weights of one device by label."""
    lines = weight_lines(shape, dtype, parallel or Parallel())
    return {line.label.removeprefix("weights, "): line.gb_per_device for line in lines}


@pytest.mark.parametrize("shape", ALL, ids=lambda shape: shape.key)
def test_totals_are_the_published_ones(shape):
    """Layer by layer they meet the published totals within 0.2 %."""
    assert parameters(shape).total / 1e9 == pytest.approx(shape.parameters_g.value, rel=2e-3)


def test_a_mixture_by_hand():
    """Mixtral: 32 layers of 8 experts of three 4,096 x 14,336 matrices; two compute."""
    counts = parameters(MIXTRAL)
    assert counts.experts == 32 * 8 * 3 * 4096 * 14336
    assert counts.router == 32 * 4096 * 8
    assert counts.feed_forward == counts.shared_experts == 0
    assert counts.attention == 32 * 4096 * 128 * (2 * 32 + 2 * 8)
    assert counts.active / 1e9 == pytest.approx(12.9 - 0.131, abs=0.05)  # less the embedding


def test_latent_attention_by_hand():
    """DeepSeek-V3: ranks 1,536 and 512 + 64 down, heads up, 128 values out; 187.1 M a layer."""
    counts = parameters(DEEPSEEK)
    down = 7168 * (1536 + 576)
    up = 1536 * 128 * 192 + 512 * 128 * 256
    out = 128 * 128 * 7168
    assert counts.latent_down == 61 * down
    assert counts.attention == 61 * (down + up + out)
    assert counts.feed_forward == 3 * 3 * 7168 * 18432
    assert counts.experts == 58 * 256 * 3 * 7168 * 2048
    assert counts.shared_experts == 58 * 3 * 7168 * 2048
    assert counts.active / 1e9 == pytest.approx(36.6, abs=0.05)


def test_latent_attention_without_compressed_queries():
    """DeepSeek-V2-Lite: queries go from 2,048 to 16 heads of 192 in one matrix."""
    counts = parameters(LITE)
    assert counts.latent_down == 27 * 2048 * 576
    layer = 2048 * 576 + 2048 * 16 * 192 + 512 * 16 * 256 + 16 * 128 * 2048
    assert counts.attention == 27 * layer


def test_state_layers_by_hand():
    """Nemotron Nano: 27 layers of 4,480 x (10,240 + 12,288 + 128) in, 10,240 x 4,480 out."""
    counts = parameters(NANO)
    layer = 4480 * (10240 + 12288 + 128) + 10240 * 4480 + 4 * 12288
    assert counts.state == 27 * layer
    assert counts.attention == 4 * 4480 * 128 * (2 * 40 + 2 * 8)
    assert counts.feed_forward == 25 * 2 * 4480 * 15680
    assert counts.norms == (4 + 25 + 27 + 1) * 4480


def test_an_encoder_by_hand():
    """BERT large: two matrices, learned positions, a pooler in place of a head over words."""
    counts = parameters(BERT)
    assert counts.feed_forward == 24 * 2 * 1024 * 4096
    assert counts.embedding == (30522 + 514) * 1024
    assert counts.head == 1024 * 1024


@pytest.mark.parametrize(
    ("chosen", "attention", "experts", "table"),
    [
        ("mxfp4", "bf16", "mxfp4", "bf16"),
        ("bf16", "bf16", "mxfp4", "bf16"),
        ("fp8", "bf16", "mxfp4", "bf16"),
    ],
)
def test_parts_keep_their_dtype(chosen, attention, experts, table):
    """gpt-oss: experts ship in mxfp4 and attention in bf16, whatever is chosen for the rest."""
    found = part_dtypes(OSS, chosen)
    assert (found.attention, found.experts, found.table) == (attention, experts, table)


def test_gpt_oss_fits_one_80_gb_device():
    """114.7 G expert parameters at 4.25 bits are 60.9 GB; the checkpoint on disk has 65 GB."""
    parts = weights_gb(OSS, "mxfp4")
    assert parts["experts"] == pytest.approx(36 * 128 * 3 * 2880**2 * 4.25 / 8 / 1e9)
    assert sum(parts.values()) == pytest.approx(65.2, abs=0.5)


@pytest.mark.parametrize(
    ("dtype", "bits"),
    [("nvfp4", 4.5), ("mxfp4", 4.25), ("int4", 4.125), ("fp4", 4.5), ("fp8", 8), ("bf16", 16)],
)
def test_block_formats_carry_their_scales(dtype, bits):
    """An 8-bit scale for 16 or 32 elements, a 16-bit one for 128, none for a whole tensor."""
    fed = weights_gb(LLAMA_70B, dtype)["feed-forward"]
    assert fed == pytest.approx(80 * 3 * 8192 * 28672 * bits / 8 / 1e9)


def test_deepseek_in_four_bits_keeps_attention_at_eight():
    """Experts fall to 4.5 bits; 11.4 G of attention stay at a byte."""
    parts = weights_gb(DEEPSEEK, "nvfp4")
    assert parts["attention"] == pytest.approx(parameters(DEEPSEEK).attention / 1e9)
    assert parts["experts"] == pytest.approx(parameters(DEEPSEEK).experts * 0.5625 / 1e9)


def test_expert_parallel_spreads_experts_only():
    """t = 1, eight attention groups, e = 8: an eighth of the experts, all of the rest each."""
    one = weights_gb(DEEPSEEK, "fp8")
    spread = weights_gb(DEEPSEEK, "fp8", Parallel(tensor=1, attention_data=8, expert=8))
    assert spread["experts"] == pytest.approx(one["experts"] / 8)
    for part in ("attention", "feed-forward", "norms and router", "embeddings and head"):
        assert spread[part] == pytest.approx(one[part])


def test_experts_split_by_tensor_hold_as_much():
    """Eight experts over t = 4 whole by twos, or each split in four: the same bytes."""
    by_tensor = weights_gb(MIXTRAL, "bf16", Parallel(tensor=4))
    by_expert = weights_gb(MIXTRAL, "bf16", Parallel(tensor=4, expert=4))
    assert by_tensor["experts"] == pytest.approx(by_expert["experts"])
    assert by_tensor["experts"] == pytest.approx(weights_gb(MIXTRAL, "bf16")["experts"] / 4)


def test_uneven_experts_are_judged_by_the_fullest_group():
    """Eight experts in three groups: one holds three, three eighths."""
    whole = weights_gb(MIXTRAL, "bf16")["experts"]
    spread = weights_gb(MIXTRAL, "bf16", Parallel(tensor=3, expert=3))["experts"]
    assert spread == pytest.approx(whole * 3 / 8)


def test_latent_projections_lie_on_each_device():
    """The down-projections are not split: at t = 8 they count whole, the rest an eighth."""
    counts = parameters(DEEPSEEK)
    expected = (counts.attention - counts.latent_down) / 8 + counts.latent_down
    assert weights_gb(DEEPSEEK, "fp8", Parallel(tensor=8))["attention"] == pytest.approx(
        expected / 1e9
    )


def test_a_pipeline_holds_its_layers_and_the_larger_table():
    """61 layers over 2 stages: 31 on the fullest, and one table, not two."""
    one, two = weights_gb(DEEPSEEK, "fp8"), weights_gb(DEEPSEEK, "fp8", Parallel(pipeline=2))
    assert two["experts"] == pytest.approx(one["experts"] * 31 / 61)
    assert two["embeddings and head"] == pytest.approx(one["embeddings and head"] / 2)


def test_tied_embeddings_lie_on_both_ends_of_a_pipeline():
    """Gemma: the one table serves the first and the last stage, so each holds it."""
    one, two = weights_gb(GEMMA, "bf16"), weights_gb(GEMMA, "bf16", Parallel(pipeline=2))
    assert two["embeddings and head"] == pytest.approx(one["embeddings and head"])
