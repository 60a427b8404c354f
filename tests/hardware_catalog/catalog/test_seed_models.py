"""Shapes of the seed's language models: parameters and cache against columns counted elsewhere."""

from __future__ import annotations

import dataclasses

import pytest

from hardware_catalog.seed.reader import seed_records
from hardware_catalog.seed.to_engine import SeedCatalog, why_unsupported
from hardware_catalog.seed.to_engine.language_models import language_model
from tco.performance.batch_tables import batch_models
from tco.performance.kv_cache import kv_cache
from tco.performance.parameters import parameters

CATALOG = SeedCatalog()
RECORDS = {record.key: record for record in seed_records("language_model")}
MODELS = {key: CATALOG.model(key) for key in RECORDS}
SIZED = sorted(key for key, model in MODELS.items() if model.supported)
# engines pad its key-value heads, which differ by layer, to the most: 0.9 % more than published
PADDED = {"Deci/DeciLM-7B"}


def value(key, name):
    """Return a figure of the seed row, or None."""
    found = RECORDS[key].figures.get(name)
    return None if found is None else found.value


def test_only_what_is_no_language_model_is_not_sized():
    """Image classification, recommendation, speech and images: measured rows only, as they say."""
    rest = {key: MODELS[key].why_unsupported for key in RECORDS if key not in SIZED}
    # every model of the measured batches but the text encoder, which is sized by its shape too
    assert set(rest) == set(batch_models()) - {"google-bert/bert-large-uncased"}
    assert all("measured rows only" in why for why in rest.values())
    assert all(MODELS[key].why_unsupported == "" for key in SIZED)


@pytest.mark.parametrize("key", [key for key in SIZED if key not in PADDED])
def test_parameters_agree_with_the_total_computed_elsewhere(key):
    """Counted layer by layer they meet the column computed from each config within 0.2 %."""
    computed_g = value(key, "total_params_billion_computed")
    assert parameters(MODELS[key]).total / 1e9 == pytest.approx(computed_g, rel=2e-3)


def test_padded_heads_weigh_more_than_published():
    """DeciLM: 32 layers of 4 heads instead of 67 in all are 61 heads of 2 x 4,096 x 128 more."""
    more = (32 * 4 - 67) * 2 * 4096 * 128
    counted = parameters(MODELS["Deci/DeciLM-7B"]).total
    assert counted - more == pytest.approx(7.044e9, rel=2e-4)
    assert kv_cache(MODELS["Deci/DeciLM-7B"], "fp8").token_bytes == 32_768


@pytest.mark.parametrize(
    "key",
    [key for key in SIZED if key not in PADDED and value(key, "active_params_billion_published")],
)
def test_active_parameters_agree_with_the_published_ones(key):
    """Published counts take the embedding in, leave it out, or add a vision part; all rounded.

    Within 6 % of one of the ways; a mixture of experts would be off by a factor otherwise.
    """
    model, counts = MODELS[key], parameters(MODELS[key])
    published_g = value(key, "active_params_billion_published")
    with_table = counts.active + (0 if model.tied_embeddings else counts.embedding)
    ways = [
        counts.active / 1e9,
        with_table / 1e9,
        with_table / 1e9 + model.beside_parameters_g,
        counts.total / 1e9,
    ]
    nearest = min(ways, key=lambda way: abs(way / published_g - 1))
    assert nearest == pytest.approx(published_g, rel=0.06)
    assert counts.active <= counts.total


@pytest.mark.parametrize(
    "key",
    [key for key in SIZED if key not in PADDED and value(key, "kv_elems_per_token_all_layers")],
)
def test_cache_elements_agree_with_the_column(key):
    """One byte an element: the cache of a token is the column of the seed, windows included."""
    assert kv_cache(MODELS[key], "fp8").token_bytes == value(key, "kv_elems_per_token_all_layers")


@pytest.mark.parametrize(
    "key", [key for key in SIZED if value(key, "state_elems_per_sequence_all_layers")]
)
def test_state_does_not_grow(key):
    """State layers hold the column's elements at 4 bytes, at one token and at a million."""
    cache = kv_cache(MODELS[key], "fp8")
    assert cache.state_bytes == 4 * value(key, "state_elems_per_sequence_all_layers")
    assert float(cache.bytes(0.0)) == cache.state_bytes


def test_shapes_carry_their_kind():
    """Experts, latent, window and state come from the columns of each row."""
    deepseek = MODELS["deepseek-ai/DeepSeek-V3"]
    assert (deepseek.experts.routed, deepseek.experts.per_token, deepseek.experts.shared) == (
        256,
        8,
        1,
    )
    assert (deepseek.dense_layers, deepseek.expert_layers) == (3, 58)
    assert (deepseek.latent.kv_rank, deepseek.latent.rope_head_dim) == (512, 64)
    gemma = MODELS["google/gemma-3-27b-it"]
    assert (gemma.window.window_tokens, gemma.window.layers) == (1024, 52)
    assert gemma.beside_parameters_g == pytest.approx(0.392)
    nano = MODELS["nvidia/NVIDIA-Nemotron-Nano-9B-v2"]
    assert (nano.caching_layers, nano.mixing_layers, nano.state.layers) == (4, 25, 27)
    assert (nano.mlp_matrices, nano.state.elements) == (2, 1_347_584)
    oss = MODELS["openai/gpt-oss-120b"]
    assert (oss.experts.dtype, oss.attention_dtype, oss.native_dtype) == ("mxfp4", "bf16", "mxfp4")
    bert = MODELS["google-bert/bert-large-uncased"]
    assert (bert.kind, bert.learned_positions) == ("encoder", 514)


def changed(key, **values):
    """Return a seed record with figures changed, or dropped where None."""
    record = RECORDS[key]
    figures = dict(record.figures)
    for name, number in values.items():
        if number is None:
            del figures[name]
        else:
            figures[name] = dataclasses.replace(figures[name], value=number)
    return dataclasses.replace(record, figures=figures)


def test_a_shape_that_misses_a_part_is_not_sized():
    """10 billion published and 8.03 from the shape: something is missing, and both are named."""
    why = why_unsupported(changed("meta-llama/Llama-3.1-8B", total_params_billion_published=10.0))
    assert "8.03" in why
    assert "10" in why


def test_a_missing_column_is_named():
    """Without a head size there is no cache: the column is named, the model is not sized."""
    model = language_model(changed("meta-llama/Llama-3.1-8B", head_dim=None))
    assert not model.supported
    assert model.why_unsupported == "the shape lacks head_dim"


def test_a_rounded_total_gives_way_to_the_computed_one():
    """230 billion stand for 228.689: the figure shown is the one the shape gives."""
    assert MODELS["MiniMaxAI/MiniMax-M2.5"].parameters_g.value == 228.689
    assert MODELS["deepseek-ai/DeepSeek-V3"].parameters_g.value == 671
