"""Own models of a scenario: every part is read, and shapes that contradict themselves are told."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from tco.document import parse
from tco.document.local_model import broken_shape, local_model
from tco.document.validate import validate
from tco.performance.parameters import parameters

CHAT = Path(__file__).parents[3] / "examples" / "chat.yaml"
MODEL = {
    "key": "lab/new",
    "layers": 61,
    "hidden": 7168,
    "heads": 128,
    "kv_heads": 128,
    "head_dim": 192,
    "feed_forward": 18432,
    "vocabulary": 129280,
    "max_context_tokens": 163840,
    "native_dtype": "fp8_block",
    "parameters_g": 671,
    "experts": {
        "routed": 256,
        "per_token": 8,
        "feed_forward": 2048,
        "shared": 1,
        "dense_layers": 3,
    },
    "latent": {
        "kv_rank": 512,
        "rope_head_dim": 64,
        "nope_head_dim": 128,
        "value_head_dim": 128,
        "query_rank": 1536,
    },
}


def document(model):
    """Return the chat example with an own model."""
    made = copy.deepcopy(parse(CHAT.read_text(encoding="utf-8")))
    made.setdefault("catalog", {})["models"] = [model]
    return made


def changed(**changes):
    """Return the model with changes; None leaves a field out."""
    made = {**MODEL, **changes}
    return {name: value for name, value in made.items() if value is not None}


def test_experts_and_latent_attention_are_read():
    """The whole of DeepSeek-V3 from one entry: 671.03 G, no name needed."""
    model = local_model(MODEL)
    assert parameters(model).total / 1e9 == pytest.approx(671.026, rel=1e-5)
    assert model.name == "lab/new"
    assert validate(document(MODEL)) == ()


def test_windows_and_states_are_read():
    """Both parts arrive with their defaults."""
    model = local_model(
        changed(
            latent=None,
            window={"window_tokens": 1024, "layers": 30},
            state={"layers": 10, "inner": 64, "channels": 96, "scalars": 2, "elements": 4096},
            attention_layers=51,
        )
    )
    assert (model.window.layers, model.state.dtype, model.caching_layers) == (30, "fp32", 51)


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"experts": {**MODEL["experts"], "per_token": 257}}, "experts.per_token", "256 routed"),
        ({"experts": {**MODEL["experts"], "dense_layers": 62}}, "experts.dense_layers", "61 layer"),
        ({"feed_forward": 0}, "feed_forward", "some layers have no experts"),
        ({"latent": None, "kv_heads": 96}, "kv_heads", "96 does not divide the 128"),
        ({"attention_layers": 62}, "attention_layers", "61 layers"),
        (
            {"latent": None, "attention_layers": 4, "window": {"window_tokens": 9, "layers": 5}},
            "window.layers",
            "4 layers with attention",
        ),
        ({"kv_elements_per_token": 5}, "kv_elements_per_token", "beside latent attention"),
    ],
)
def test_a_shape_that_contradicts_itself(change, field, words):
    """The field is named with its path, and what it contradicts."""
    (error,) = broken_shape("catalog.models[0]", changed(**change))
    assert error.field == f"catalog.models[0].{field}"
    assert words in error.message
    assert str(error) in [str(one) for one in validate(document(changed(**change)))]


def test_all_experts_need_no_dense_width():
    """Without dense layers the width may be 0."""
    experts = {**MODEL["experts"], "dense_layers": 0}
    assert validate(document(changed(feed_forward=0, experts=experts))) == ()


def test_an_unknown_part_is_told():
    """A slip of the pen inside a part is found like any other."""
    wrong = changed(experts={**MODEL["experts"], "routd": 1})
    errors = [str(error) for error in validate(document(wrong))]
    assert errors == ["catalog.models[0].experts.routd: unknown key; did you mean 'routed'?"]
