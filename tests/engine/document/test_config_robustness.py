"""A config.json out of anybody's hands: read, or refused with the key; never another failure."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tco.document.huggingface import model_from_config
from tco.errors import InputError
from tco.performance.parameters import parameters
from tests.engine.document import test_huggingface as hub

BASES = (hub.LLAMA, hub.DEEPSEEK, hub.QWEN_MOE, hub.LLAMA_4, hub.GEMMA, hub.NANO, hub.QWEN_LINEAR)
LISTS = (
    *("num_key_value_heads_per_layer", "mlp_only_layers", "moe_layers", "layer_types"),
    *("quantization_config", "hybrid_override_pattern", "text_config", "torch_dtype"),
)
KEYS = sorted({key for base in BASES for key in base}.union(LISTS))
VALUES = st.one_of(
    st.sampled_from([None, True, 0, -1, 1, 2.5, 10**12, 10**30, "", "x", [], {}, [None], [[1]]]),
    st.lists(st.one_of(st.integers(), st.text(max_size=3), st.none()), max_size=3),
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(BASES), st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=3))
def test_any_value_of_any_key(base, changes):
    """A shape that is read can be counted; one that is not is refused by name."""
    try:
        model = model_from_config(base | changes, "acme/model")
    except InputError as error:
        named = error.field, error.message
        assert all(named)
    else:
        assert parameters(model).total > 0


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"mlp_only_layers": 5}, "mlp_only_layers"),
        ({"moe_layers": [[1]]}, "moe_layers"),
        ({"num_key_value_heads_per_layer": [4, None]}, "num_key_value_heads_per_layer"),
        ({"layer_types": [["sliding_attention"]], "use_sliding_window": True}, "layer_types"),
        ({"num_hidden_layers": 10_001}, "num_hidden_layers"),
    ],
)
def test_the_key_is_named(changes, key):
    """Each of these once went through as something else."""
    with pytest.raises(InputError) as found:
        model_from_config(json.loads(json.dumps(hub.QWEN_MOE)) | changes, "acme/model")
    assert found.value.field == key
