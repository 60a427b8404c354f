"""Shapes beyond dense grouped-query, from public configs: one a kind."""

from __future__ import annotations

from dataclasses import replace

from tco.inputs import Experts, LatentAttention, StateLayers, WindowAttention
from tests.engine.performance.catalog_rows import LLAMA_8B, model

MIXTRAL = replace(
    model(
        "Mixtral-8x7B",
        layers=32,
        hidden=4096,
        heads=32,
        kv_heads=8,
        head_dim=128,
        feed_forward=0,
        vocabulary=32000,
        parameters_g=46.703,
        context=32768,
    ),
    experts=Experts(routed=8, per_token=2, feed_forward=14336),
)
DEEPSEEK = replace(
    model(
        "DeepSeek-V3",
        layers=61,
        hidden=7168,
        heads=128,
        kv_heads=128,
        head_dim=192,
        feed_forward=18432,
        vocabulary=129280,
        parameters_g=671.026,
        context=163840,
    ),
    experts=Experts(routed=256, per_token=8, feed_forward=2048, shared=1, dense_layers=3),
    latent=LatentAttention(
        kv_rank=512, rope_head_dim=64, nope_head_dim=128, value_head_dim=128, query_rank=1536
    ),
    native_dtype="fp8",
    attention_dtype="fp8",
)
# DeepSeek-V2-Lite: queries are not compressed
LITE = replace(
    model(
        "DeepSeek-V2-Lite",
        layers=27,
        hidden=2048,
        heads=16,
        kv_heads=16,
        head_dim=192,
        feed_forward=10944,
        vocabulary=102400,
        parameters_g=15.706,
        context=163840,
    ),
    experts=Experts(routed=64, per_token=6, feed_forward=1408, shared=2, dense_layers=1),
    latent=LatentAttention(kv_rank=512, rope_head_dim=64, nope_head_dim=128, value_head_dim=128),
)
GEMMA = replace(
    model(
        "Gemma-3-27B",
        layers=62,
        hidden=5376,
        heads=32,
        kv_heads=16,
        head_dim=128,
        feed_forward=21504,
        vocabulary=262144,
        parameters_g=27.008,
        tied=True,
    ),
    window=WindowAttention(window_tokens=1024, layers=52),
)
NANO = replace(
    model(
        "Nemotron-Nano-9B-v2",
        layers=56,
        hidden=4480,
        heads=40,
        kv_heads=8,
        head_dim=128,
        feed_forward=15680,
        vocabulary=131072,
        parameters_g=8.888,
    ),
    mlp_matrices=2,
    attention_layers=4,
    feed_forward_layers=25,
    state=StateLayers(layers=27, inner=10240, channels=12288, scalars=128, elements=1_347_584),
)
OSS = replace(
    model(
        "gpt-oss-120b",
        layers=36,
        hidden=2880,
        heads=64,
        kv_heads=8,
        head_dim=64,
        feed_forward=0,
        vocabulary=201088,
        parameters_g=116.789,
    ),
    experts=Experts(routed=128, per_token=4, feed_forward=2880, dtype="mxfp4"),
    window=WindowAttention(window_tokens=128, layers=18),
    attention_dtype="bf16",
    native_dtype="mxfp4",
)
BERT = replace(
    model(
        "bge-large",
        layers=24,
        hidden=1024,
        heads=16,
        kv_heads=16,
        head_dim=64,
        feed_forward=4096,
        vocabulary=30522,
        parameters_g=0.335,
        tied=True,
        context=512,
    ),
    kind="encoder",
    mlp_matrices=2,
    learned_positions=514,
)
ALL = (LLAMA_8B, MIXTRAL, DEEPSEEK, LITE, GEMMA, NANO, OSS, BERT)
