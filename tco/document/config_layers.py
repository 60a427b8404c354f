"""Which layers of a config.json keep a window or a constant state instead of the whole context."""

from __future__ import annotations

from tco.document.config_reader import ConfigReader
from tco.errors import InputError
from tco.inputs import StateLayers, WindowAttention

# sliding layers of each cycle where the config does not list its layers
_PATTERNS = {"gemma2": 2, "gemma3_text": 6, "gemma3": 6, "cohere2": 4, "gpt_oss": 2}
_CONVOLUTION = 4


def window_attention(reader: ConfigReader, attending: int) -> WindowAttention | None:
    """Return the window layers of a config, or None.

    Listed by layer, by a cycle, chunked (Llama 4), or all of them where only a window is given.
    """
    family = reader.text("model_type")
    chunk = reader.maybe("attention_chunk_size")
    tokens = chunk or reader.maybe("sliding_window", "sliding_window_size")
    if not tokens or reader.get("use_sliding_window") is False:
        return None
    listed = reader.words("layer_types")
    if listed:
        count = sum(kind in {"sliding_attention", "chunked_attention"} for kind in listed)
    elif chunk:
        every = reader.maybe("no_rope_layer_interval") or 4
        count = attending - attending // every
    else:
        cycle = reader.maybe("sliding_window_pattern") or _PATTERNS.get(family)
        count = attending - attending // cycle if cycle else attending
    if family.startswith("qwen2") and reader.maybe("max_window_layers"):
        count = max(0, attending - (reader.maybe("max_window_layers") or 0))
    return WindowAttention(tokens, count) if count else None


def state_layers(
    reader: ConfigReader, layers: int
) -> tuple[StateLayers | None, int | None, int | None]:
    """Return the constant-state layers, and how many have attention and a feed-forward (P1.2)."""
    pattern = reader.text("hybrid_override_pattern")
    if pattern:
        return _mamba(reader, pattern, layers)
    if not reader.maybe("linear_num_value_heads"):
        return None, None, None
    listed = reader.words("layer_types")
    if listed:
        full = sum(kind == "full_attention" for kind in listed)
    else:
        full = layers // reader.whole("full_attention_interval")
    values, keys = reader.whole("linear_num_value_heads"), reader.whole("linear_num_key_heads")
    value_dim, key_dim = reader.whole("linear_value_head_dim"), reader.whole("linear_key_head_dim")
    inner = values * value_dim
    channels = 2 * keys * key_dim + inner
    taps = reader.maybe("linear_conv_kernel_dim") or _CONVOLUTION
    state = StateLayers(
        layers=layers - full,
        inner=inner,
        channels=channels,
        scalars=2 * values,
        elements=inner * key_dim + channels * (taps - 1),
    )
    return (state if state.layers else None), full, None


def _mamba(
    reader: ConfigReader, pattern: str, layers: int
) -> tuple[StateLayers | None, int | None, int | None]:
    counts = {mark: pattern.count(mark) for mark in "M*-E"}
    if sum(counts.values()) != layers or len(pattern) != layers:
        raise InputError(
            "hybrid_override_pattern",
            f"has {len(pattern)} layers and num_hidden_layers says {layers}",
            "check the config",
        )
    heads, head_dim = reader.whole("mamba_num_heads"), reader.whole("mamba_head_dim")
    size, groups = reader.whole("ssm_state_size"), reader.whole("n_groups")
    inner = heads * head_dim
    channels = inner + 2 * groups * size
    taps = reader.maybe("conv_kernel") or _CONVOLUTION
    state = StateLayers(
        layers=counts["M"],
        inner=inner,
        channels=channels,
        scalars=heads,
        elements=inner * size + channels * (taps - 1),
    )
    return (state if state.layers else None), counts["*"], counts["-"] + counts["E"]
