"""A model hub's config.json as a model: each architecture, by figures known from elsewhere."""

from __future__ import annotations

import dataclasses
import json

import pytest
import yaml

from tco.document.huggingface import catalog_entry, catalog_yaml, model_from_config, model_from_text
from tco.document.local_model import local_model
from tco.errors import InputError
from tco.performance.kv_cache import kv_bytes, kv_bytes_per_token
from tco.performance.parameters import parameters

LLAMA = {
    "model_type": "llama",
    "num_hidden_layers": 32,
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}
DEEPSEEK = {
    "model_type": "deepseek_v3",
    "num_hidden_layers": 61,
    "hidden_size": 7168,
    "num_attention_heads": 128,
    "num_key_value_heads": 128,
    "intermediate_size": 18432,
    "moe_intermediate_size": 2048,
    "n_routed_experts": 256,
    "n_shared_experts": 1,
    "num_experts_per_tok": 8,
    "first_k_dense_replace": 3,
    "moe_layer_freq": 1,
    "kv_lora_rank": 512,
    "q_lora_rank": 1536,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "vocab_size": 129280,
    "max_position_embeddings": 163840,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
    "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]},
}
MIXTRAL = LLAMA | {
    "model_type": "mixtral",
    "num_local_experts": 8,
    "num_experts_per_tok": 2,
    "vocab_size": 32000,
    "max_position_embeddings": 32768,
    "sliding_window": None,
}
QWEN_MOE = {
    "model_type": "qwen3_moe",
    "num_hidden_layers": 48,
    "hidden_size": 2048,
    "num_attention_heads": 32,
    "num_key_value_heads": 4,
    "head_dim": 128,
    "intermediate_size": 6144,
    "moe_intermediate_size": 768,
    "num_experts": 128,
    "num_experts_per_tok": 8,
    "decoder_sparse_step": 1,
    "mlp_only_layers": [],
    "vocab_size": 151936,
    "max_position_embeddings": 40960,
    "tie_word_embeddings": False,
    "use_sliding_window": False,
    "sliding_window": 32768,
}
LLAMA_4 = {
    "model_type": "llama4",
    "text_config": {
        "model_type": "llama4_text",
        "num_hidden_layers": 48,
        "hidden_size": 5120,
        "num_attention_heads": 40,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "intermediate_size": 8192,
        "intermediate_size_mlp": 16384,
        "num_local_experts": 128,
        "num_experts_per_tok": 1,
        "interleave_moe_layer_step": 2,
        "attention_chunk_size": 8192,
        "vocab_size": 202048,
        "max_position_embeddings": 1048576,
        "tie_word_embeddings": False,
    },
    "torch_dtype": "bfloat16",
}
GEMMA = {
    "model_type": "gemma3",
    "text_config": {
        "model_type": "gemma3_text",
        "num_hidden_layers": 62,
        "hidden_size": 5376,
        "num_attention_heads": 32,
        "num_key_value_heads": 16,
        "head_dim": 128,
        "intermediate_size": 21504,
        "sliding_window": 1024,
        "sliding_window_pattern": 6,
        "vocab_size": 262144,
        "max_position_embeddings": 131072,
    },
    "torch_dtype": "bfloat16",
}
OSS = {
    "model_type": "gpt_oss",
    "num_hidden_layers": 36,
    "hidden_size": 2880,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "head_dim": 64,
    "intermediate_size": 2880,
    "num_local_experts": 128,
    "num_experts_per_tok": 4,
    "layer_types": ["sliding_attention", "full_attention"] * 18,
    "sliding_window": 128,
    "vocab_size": 201088,
    "max_position_embeddings": 131072,
    "tie_word_embeddings": False,
    "quantization_config": {
        "quant_method": "mxfp4",
        "modules_to_not_convert": ["model.layers.*.self_attn", "lm_head"],
    },
}
NANO = {
    "model_type": "nemotron_h",
    "num_hidden_layers": 56,
    "hidden_size": 4480,
    "num_attention_heads": 40,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "intermediate_size": 15680,
    "hybrid_override_pattern": "M-M-M-MM-M-M-M*-M-M-M*-M-M-M-M*-M-M-M-M*-M-MM-M-M-M-M-M-",
    "mamba_num_heads": 128,
    "mamba_head_dim": 80,
    "ssm_state_size": 128,
    "n_groups": 8,
    "conv_kernel": 4,
    "vocab_size": 131072,
    "max_position_embeddings": 131072,
    "tie_word_embeddings": False,
}
QWEN_LINEAR = {
    "model_type": "qwen3_5_moe",
    "text_config": {
        "model_type": "qwen3_5_moe_text",
        "num_hidden_layers": 60,
        "hidden_size": 4096,
        "num_attention_heads": 32,
        "num_key_value_heads": 2,
        "head_dim": 256,
        "moe_intermediate_size": 1024,
        "shared_expert_intermediate_size": 1024,
        "num_experts": 512,
        "num_experts_per_tok": 10,
        "full_attention_interval": 4,
        "linear_num_key_heads": 16,
        "linear_num_value_heads": 64,
        "linear_key_head_dim": 128,
        "linear_value_head_dim": 128,
        "linear_conv_kernel_dim": 4,
        "attn_output_gate": True,
        "vocab_size": 248320,
        "max_position_embeddings": 262144,
        "tie_word_embeddings": False,
    },
}
BERT = {
    "model_type": "bert",
    "num_hidden_layers": 24,
    "hidden_size": 1024,
    "num_attention_heads": 16,
    "intermediate_size": 4096,
    "vocab_size": 30522,
    "max_position_embeddings": 512,
    "type_vocab_size": 2,
    "torch_dtype": "float32",
}
OPT = {
    "model_type": "opt",
    "num_hidden_layers": 32,
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "ffn_dim": 16384,
    "vocab_size": 50272,
    "max_position_embeddings": 2048,
    "torch_dtype": "float16",
}
GPT_J = {
    "model_type": "gptj",
    "n_layer": 28,
    "n_embd": 4096,
    "n_head": 16,
    "n_positions": 2048,
    "n_inner": None,
    "vocab_size": 50400,
    "tie_word_embeddings": False,
}
# total of parameters (10^9) and bytes of a token in a 16-bit cache, as computed from other copies
KNOWN = [
    ("llama", LLAMA, 8.030, 131_072),
    ("deepseek", DEEPSEEK, 671.026, 70_272),
    ("mixtral", MIXTRAL, 46.703, 131_072),
    ("qwen moe", QWEN_MOE, 30.532, 98_304),
    ("llama 4", LLAMA_4, 400.712, 196_608),
    ("gemma", GEMMA, 27.008, 507_904),
    ("gpt-oss", OSS, 116.789, 73_728),
    ("nemotron", NANO, 8.888, 16_384),
    ("linear attention", QWEN_LINEAR, 396.346, 30_720),
    ("bert", BERT, 0.3349, 0),
    ("opt", OPT, 6.657, 524_288),
    ("gpt-j", GPT_J, 6.050, 458_752),
]


@pytest.mark.parametrize(("name", "config", "total_g", "cache"), KNOWN, ids=[k[0] for k in KNOWN])
def test_every_architecture(name, config, total_g, cache):
    """Parameters within 0.02 % of the total known, the cache of a token to the byte."""
    model = model_from_config(config, f"hub/{name}")
    assert parameters(model).total / 1e9 == pytest.approx(total_g, rel=2e-4)
    assert model.parameters_g.value == pytest.approx(total_g, rel=2e-4)
    assert kv_bytes_per_token(model, "bf16") == cache


@pytest.mark.parametrize(("name", "config", "total_g", "cache"), KNOWN, ids=[k[0] for k in KNOWN])
def test_the_entry_reads_back_as_the_same_model(name, config, total_g, cache):
    """The YAML pasted into a scenario builds the very model, parts and defaults included."""
    model = model_from_config(config, f"hub/{name}")
    (entry,) = yaml.safe_load(catalog_yaml(model))["catalog"]["models"]
    assert entry == catalog_entry(model)
    back = local_model(entry)
    assert dataclasses.replace(back, parameters_g=model.parameters_g) == model


def test_layers_are_told_apart():
    """Half of Llama 4's layers are dense, 36 of 48 chunked; Gemma has 10 of 62 full."""
    maverick = model_from_config(LLAMA_4, "x")
    assert (maverick.dense_layers, maverick.expert_layers, maverick.experts.shared) == (24, 24, 1)
    assert (maverick.window.window_tokens, maverick.window.layers) == (8192, 36)
    gemma = model_from_config(GEMMA, "x")
    assert gemma.tied_embeddings
    assert float(kv_bytes(gemma, "bf16", context_tokens=32_768)) / 2**30 == pytest.approx(
        2.9, abs=0.05
    )
    nano = model_from_config(NANO, "x")
    assert (nano.state.layers, nano.caching_layers, nano.mixing_layers) == (27, 4, 25)
    assert nano.state.elements == 1_347_584
    linear = model_from_config(QWEN_LINEAR, "x")
    assert (linear.state.layers, linear.caching_layers, linear.query_gate) == (45, 15, True)
    assert linear.state.elements * 45 == 48_844_800


def test_a_window_that_is_switched_off():
    """Qwen names a window and does not use it; Mistral's first uses it on every layer."""
    assert model_from_config(QWEN_MOE, "x").window is None
    mistral = LLAMA | {"model_type": "mistral", "sliding_window": 4096}
    assert model_from_config(mistral, "x").window.layers == 32


def test_head_size_comes_from_the_config():
    """128 where the config says so, though 2,048 over 32 heads would be 64."""
    assert model_from_config(QWEN_MOE, "x").head_dim == 128
    assert model_from_config(LLAMA, "x").head_dim == 128


@pytest.mark.parametrize(
    ("quantised", "dtypes"),
    [
        ({}, ("bf16", "", "")),
        ({"quant_method": "fp8"}, ("fp8", "", "")),
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, ("fp8_block", "", "")),
        ({"quant_method": "awq", "bits": 4}, ("int4", "", "")),
        ({"quant_method": "gptq", "bits": 8}, ("int8", "", "")),
        (
            {
                "quant_method": "compressed-tensors",
                "format": "float-quantized",
                "ignore": ["lm_head"],
            },
            ("fp8", "", ""),
        ),
        (
            {
                "quant_method": "compressed-tensors",
                "format": "pack-quantized",
                "config_groups": {"group_0": {"weights": {"num_bits": 4}}},
            },
            ("int4", "", ""),
        ),
        (
            {"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["*self_attn*"]},
            ("nvfp4", "", "bf16"),
        ),
    ],
)
def test_quantised_weights(quantised, dtypes):
    """The method, its bits and what it leaves out."""
    config = LLAMA | ({"quantization_config": quantised} if quantised else {})
    model = model_from_config(config, "x")
    routed = model.experts.dtype if model.experts else ""
    assert (model.native_dtype, routed, model.attention_dtype) == dtypes


def test_gpt_oss_keeps_attention_wide():
    """Experts in mxfp4, attention in bf16."""
    model = model_from_config(OSS, "x")
    assert (model.native_dtype, model.experts.dtype, model.attention_dtype) == (
        "mxfp4",
        "mxfp4",
        "bf16",
    )


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({k: v for k, v in LLAMA.items() if k != "vocab_size"}, "vocab_size: is missing"),
        ({k: v for k, v in LLAMA.items() if k != "model_type"}, "model_type: is missing"),
        (
            {k: v for k, v in LLAMA.items() if k != "num_hidden_layers"},
            r"num_hidden_layers: is missing \(or n_layer, n_layers, num_layers\)",
        ),
        (LLAMA | {"num_key_value_heads": 5}, "num_key_value_heads: 5 does not divide the 32"),
        (LLAMA | {"num_hidden_layers": "many"}, "num_hidden_layers: 'many' is not a whole number"),
        (LLAMA | {"hidden_size": 0}, "hidden_size: 0 is below 1"),
        (LLAMA | {"hidden_size": 4097}, "head_dim: is missing, and 32 heads do not divide"),
        (MIXTRAL | {"num_experts_per_tok": 9}, "num_experts_per_tok: 9 is more than the 8"),
        (LLAMA | {"torch_dtype": "complex64"}, "torch_dtype: 'complex64' is not known"),
        (LLAMA | {"is_encoder_decoder": True}, "is_encoder_decoder: an encoder-decoder is not"),
        (
            LLAMA | {"quantization_config": {"quant_method": "magic"}},
            "quantization_config: the method 'magic' is not known",
        ),
        (NANO | {"num_hidden_layers": 55}, "hybrid_override_pattern: has 56 layers"),
        ([1], "config.json: is not a mapping"),
    ],
)
def test_what_is_wrong_is_named(config, message):
    """The key, what is wrong with it, and the mend."""
    with pytest.raises(InputError, match=message):
        model_from_config(config, "x")


def test_text_that_is_no_json():
    """The line is told."""
    with pytest.raises(InputError, match=r"config.json: is not JSON: .*line 1"):
        model_from_text("{", "x")
    assert model_from_text(json.dumps(LLAMA), "x").layers == 32
