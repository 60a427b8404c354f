"""A model's public config.json as a model of the engine (P1).

The file that model hubs ship beside the weights says the shape: layers, heads, experts, windows,
how the weights are quantised. It is read by the names that the architectures use; what is missing
or contradicts itself is named, nothing is guessed.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from tco.document.config_layers import state_layers, window_attention
from tco.document.config_reader import ConfigReader
from tco.document.dump import dump_yaml
from tco.errors import InputError
from tco.inputs import Experts, Figure, LanguageModel, LatentAttention, Status
from tco.performance.parameters import parameters

GIGA = 1e9
_MOST_LAYERS = 10_000  # the deepest model of any hub has a few hundred
_DTYPES = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32", "float8_e4m3fn": "fp8"}
_ENCODERS = {"bert", "roberta", "xlm-roberta", "distilbert", "modernbert", "nomic_bert"}
_PLAIN_FEED_FORWARD = {
    "gptj",
    "gpt2",
    "gpt_neox",
    "opt",
    "mpt",
    "falcon",
    "phi",
    "starcoder2",
    "bloom",
}
_LEARNED_POSITIONS = {"opt": 2, "gpt2": 0, "bert": 0, "roberta": 0, "xlm-roberta": 0}
_TIED_BY_DEFAULT = {"gemma", "gemma2", "gemma3", "gemma3_text", "opt", "gpt2", "mpt", "bloom"}
_QK_GATED = {"qwen3_next", "qwen3_5_moe", "qwen3_5_moe_text", "qwen3_5", "qwen3_5_text"}
_TEXT_PARTS = ("text_config", "llm_config", "language_config", "thinker_config")


def model_from_config(config: Mapping[str, Any], name: str) -> LanguageModel:
    """Return the model that a config.json describes (P1).

    Parameters
    ----------
    config
        The parsed file. A text part of a model of several kinds (``text_config``) is read in place
        of the whole; encoders beside it are not in the file's shape and count as nothing.
    name
        Key and name, such as ``vendor/model``.

    Raises
    ------
    InputError
        Naming the key that is missing, has the wrong kind, or contradicts another.
    """
    if not isinstance(config, Mapping):
        raise InputError("config.json", "is not a mapping", "give the file as it is on the hub")
    reader = ConfigReader(_text_part(config), outer=config)
    family = reader.text("model_type")
    if not family:
        raise InputError("model_type", "is missing", "give the config.json of a language model")
    if config.get("is_encoder_decoder"):
        raise InputError(
            "is_encoder_decoder", "an encoder-decoder is not sized", "use a decoder or an encoder"
        )
    encoder = family in _ENCODERS
    layers = reader.whole("num_hidden_layers", "n_layer", "n_layers", "num_layers")
    if layers > _MOST_LAYERS:
        raise InputError("num_hidden_layers", f"{layers:,} are too many", "check the config")
    hidden = reader.whole("hidden_size", "n_embd", "d_model", "dim")
    heads = reader.whole("num_attention_heads", "n_head", "n_heads")
    latent = _latent(reader)
    kv_heads = heads if latent else _kv_heads(reader, heads)
    if heads % kv_heads:
        raise InputError(
            "num_key_value_heads",
            f"{kv_heads} does not divide the {heads} of num_attention_heads",
            "check the config",
        )
    head_dim = _head_dim(reader, hidden, heads, latent)
    experts = _experts(reader, layers)
    native, routed_dtype, attention_dtype = _dtypes(reader)
    if experts is not None and routed_dtype:
        experts = dataclasses.replace(experts, dtype=routed_dtype)
    state, attention_layers, feed_forward_layers = state_layers(reader, layers)
    attending = layers if attention_layers is None else attention_layers
    wide = reader.maybe("intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size")
    if experts is not None and experts.dense_layers == 0:
        wide = 0
    elif family == "llama4_text":
        wide = reader.whole("intermediate_size_mlp")
    elif wide is None:
        wide = 4 * hidden if family in _PLAIN_FEED_FORWARD else reader.whole("intermediate_size")
    context = reader.whole("max_position_embeddings", "n_positions", "max_seq_len", "seq_length")
    model = LanguageModel(
        key=name,
        name=name,
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        feed_forward=wide,
        vocabulary=reader.whole("vocab_size"),
        tied_embeddings=reader.flag("tie_word_embeddings", family in _TIED_BY_DEFAULT or encoder),
        max_context_tokens=context,
        native_dtype=native,
        parameters_g=Figure(0.0, "10^9", Status.ESTIMATED, "from the shape of its config.json"),
        kind="encoder" if encoder else "decoder",
        mlp_matrices=_matrices(reader, family, encoder),
        experts=experts,
        latent=latent,
        window=window_attention(reader, attending),
        state=state,
        attention_layers=attention_layers,
        feed_forward_layers=feed_forward_layers,
        query_gate=reader.flag("attn_output_gate", family in _QK_GATED),
        attention_dtype=attention_dtype,
        learned_positions=_positions(reader, family, context),
    )
    total = Figure(
        round(parameters(model).total / GIGA, 6),
        "10^9",
        Status.ESTIMATED,
        "counted from the shape of its config.json",
    )
    return dataclasses.replace(model, parameters_g=total)


def model_from_text(text: str, name: str) -> LanguageModel:
    """Return the model of a config.json given as text.

    Raises
    ------
    InputError
        Where it is not JSON, or as `model_from_config`.
    """
    try:
        config = json.loads(text)
    except ValueError as error:
        raise InputError(
            "config.json", f"is not JSON: {error}", "give the file as it is on the hub"
        ) from None
    return model_from_config(config, name)


def catalog_entry(model: LanguageModel) -> dict[str, Any]:
    """Return the model as an entry of a scenario's own catalog; defaults are left out."""
    entry: dict[str, Any] = {}
    for field in dataclasses.fields(model):
        value = getattr(model, field.name)
        if field.name in {"supported", "why_unsupported", "quality"}:
            continue
        default = field.default
        if default is not dataclasses.MISSING and value == default:
            continue
        if isinstance(value, Figure):
            value = {
                "value": value.value,
                "status": str(value.status.value),
                "source": value.source,
            }
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            value = {
                part.name: getattr(value, part.name)
                for part in dataclasses.fields(value)
                if part.default is dataclasses.MISSING or getattr(value, part.name) != part.default
            }
        entry[field.name] = value
    return entry


def catalog_yaml(model: LanguageModel) -> str:
    """Return the entry as YAML to paste into a scenario."""
    return dump_yaml({"catalog": {"models": [catalog_entry(model)]}})


def _text_part(config: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in _TEXT_PARTS:
        part = config.get(name)
        if isinstance(part, Mapping):
            return _text_part(part)
    return config


def _kv_heads(reader: ConfigReader, heads: int) -> int:
    by_layer = reader.numbers("num_key_value_heads_per_layer")
    if any(by_layer):
        return max(by_layer)  # engines pad every layer to the most
    if reader.flag("multi_query", False) and not reader.flag("new_decoder_architecture", False):
        return 1
    return reader.maybe("num_key_value_heads", "num_kv_heads", "n_kv_heads", "n_head_kv") or heads


def _head_dim(reader: ConfigReader, hidden: int, heads: int, latent: LatentAttention | None) -> int:
    if latent is not None:
        return latent.nope_head_dim + latent.rope_head_dim
    given = reader.maybe("head_dim", "attention_head_dim", "d_kv")
    if given:
        return given
    if hidden % heads:
        raise InputError(
            "head_dim",
            f"is missing, and {heads} heads do not divide the hidden size {hidden}",
            "add head_dim to the config",
        )
    return hidden // heads


def _latent(reader: ConfigReader) -> LatentAttention | None:
    if not reader.maybe("kv_lora_rank"):
        return None
    return LatentAttention(
        kv_rank=reader.whole("kv_lora_rank"),
        rope_head_dim=reader.whole("qk_rope_head_dim"),
        nope_head_dim=reader.whole("qk_nope_head_dim"),
        value_head_dim=reader.whole("v_head_dim"),
        query_rank=reader.maybe("q_lora_rank") or 0,
    )


def _experts(reader: ConfigReader, layers: int) -> Experts | None:
    routed = reader.maybe("n_routed_experts", "num_local_experts", "num_experts", "moe_num_experts")
    if not routed or routed == 1:
        return None
    per_token = reader.whole("num_experts_per_tok", "moe_top_k", "num_experts_per_token", "top_k")
    if per_token > routed:
        raise InputError(
            "num_experts_per_tok",
            f"{per_token} is more than the {routed} routed experts",
            "check the config",
        )
    wide = reader.whole("moe_intermediate_size", "expert_ffn_hidden_size", "intermediate_size")
    shared = reader.maybe("n_shared_experts", "num_shared_experts") or 0
    shared_wide = reader.maybe("shared_expert_intermediate_size", "moe_shared_expert_size") or 0
    if reader.text("model_type") == "llama4_text":
        wide, shared = reader.whole("intermediate_size"), 1
    elif shared_wide and not shared:
        shared = 1
    return Experts(
        routed=routed,
        per_token=per_token,
        feed_forward=wide,
        shared=shared,
        shared_feed_forward=0 if shared_wide == wide else shared_wide,
        dense_layers=_dense_layers(reader, layers),
    )


def _dense_layers(reader: ConfigReader, layers: int) -> int:
    """Layers that stay dense: those in front, those listed, or all but every n-th."""
    first = reader.maybe("first_k_dense_replace") or 0
    listed = set(reader.numbers("mlp_only_layers"))
    only = reader.numbers("moe_layers")
    if only:
        return layers - len(set(only))
    step = reader.maybe("decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_freq") or 1
    sparse = [
        layer
        for layer in range(layers)
        if layer >= first and (layer + 1) % step == 0 and layer not in listed
    ]
    if not sparse:
        raise InputError("num_experts", "no layer has experts", "check the layers in the config")
    return layers - len(sparse)


def _matrices(reader: ConfigReader, family: str, encoder: bool) -> int:
    if family == "nemotron_h":
        return 2
    if encoder:
        return 3 if family in {"modernbert", "nomic_bert"} else 2
    return 2 if family in _PLAIN_FEED_FORWARD else 3


def _positions(reader: ConfigReader, family: str, context: int) -> int:
    if family not in _LEARNED_POSITIONS:
        return 0
    return context + _LEARNED_POSITIONS[family] + (reader.maybe("type_vocab_size") or 0)


def _dtypes(reader: ConfigReader) -> tuple[str, str, str]:
    """Dtype of the weights, of the routed experts where it differs, of attention where kept."""
    base = reader.text("torch_dtype") or reader.text("dtype") or "bfloat16"
    plain = _DTYPES.get(base)
    if plain is None:
        raise InputError(
            "torch_dtype", f"{base!r} is not known", f"use one of {', '.join(_DTYPES)}"
        )
    how = reader.get("quantization_config") or reader.get("compression_config")
    if not isinstance(how, Mapping):
        return plain, "", ""
    method = str(how.get("quant_method") or how.get("quant_algo") or "").lower()
    algorithm = str(how.get("quant_algo") or how.get("fmt") or how.get("format") or "").lower()
    kept = str(how.get("modules_to_not_convert") or how.get("ignore") or how.get("exclude_modules"))
    attention = plain if "attn" in kept else ""
    if method == "mxfp4":
        return "mxfp4", "mxfp4", plain
    if method == "fp8" or "float-quantized" in algorithm or algorithm == "fp8":
        return ("fp8_block" if how.get("weight_block_size") else "fp8"), "", attention
    if "nvfp4" in method + algorithm or "nvfp4" in str(how.get("config_groups", "")).lower():
        return "nvfp4", "", attention
    bits = how.get("bits") or how.get("w_bit") or _group_bits(how)
    if bits == 4 and method in {"awq", "gptq", "compressed-tensors", "auto-round", "bitsandbytes"}:
        return "int4", "", attention
    if bits == 8 and method in {"gptq", "compressed-tensors", "bitsandbytes", "awq"}:
        return "int8", "", attention
    if how.get("load_in_4bit"):
        return "int4", "", attention
    raise InputError(
        "quantization_config",
        f"the method {method or algorithm or 'without a name'!r} is not known",
        "leave it out and choose weight_dtype in the scenario",
    )


def _group_bits(how: Mapping[str, Any]) -> Any:
    groups = how.get("config_groups")
    if not isinstance(groups, Mapping):
        return None
    for group in groups.values():
        weights = group.get("weights") if isinstance(group, Mapping) else None
        if isinstance(weights, Mapping) and weights.get("num_bits"):
            return weights["num_bits"]
    return None
