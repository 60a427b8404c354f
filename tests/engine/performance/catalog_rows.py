"""Shapes and data sheets used by the tests of this room, from public configs and data sheets."""

from __future__ import annotations

from tco.inputs import (
    Device,
    Figure,
    Fleet,
    LanguageModel,
    LatencyTarget,
    Server,
    Status,
    Workload,
)


def published(value: float, unit: str) -> Figure:
    """Return a data-sheet figure."""
    return Figure(value, unit, Status.PUBLISHED, "data sheet")


def model(
    key: str,
    *,
    layers: int,
    hidden: int,
    heads: int,
    kv_heads: int,
    head_dim: int,
    feed_forward: int,
    vocabulary: int,
    parameters_g: float,
    tied: bool = False,
    context: int = 131072,
) -> LanguageModel:
    """Return a shape as in the model's public config."""
    return LanguageModel(
        key=key,
        name=key,
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        feed_forward=feed_forward,
        vocabulary=vocabulary,
        tied_embeddings=tied,
        max_context_tokens=context,
        native_dtype="bf16",
        parameters_g=published(parameters_g, "10^9 parameters"),
    )


LLAMA_70B = model(
    "Llama-3.1-70B",
    layers=80,
    hidden=8192,
    heads=64,
    kv_heads=8,
    head_dim=128,
    feed_forward=28672,
    vocabulary=128256,
    parameters_g=70.554,
)
LLAMA_8B = model(
    "Llama-3.1-8B",
    layers=32,
    hidden=4096,
    heads=32,
    kv_heads=8,
    head_dim=128,
    feed_forward=14336,
    vocabulary=128256,
    parameters_g=8.03,
)
LLAMA_1B = model(
    "Llama-3.2-1B",
    layers=16,
    hidden=2048,
    heads=32,
    kv_heads=8,
    head_dim=64,
    feed_forward=8192,
    vocabulary=128256,
    parameters_g=1.236,
    tied=True,
)
QWEN_32B = model(
    "Qwen3-32B",
    layers=64,
    hidden=5120,
    heads=64,
    kv_heads=8,
    head_dim=128,
    feed_forward=25600,
    vocabulary=151936,
    parameters_g=32.762,
    context=40960,
)

H100 = Device(
    key="h100-sxm",
    name="H100 SXM",
    vendor="NVIDIA",
    kind="gpu",
    memory_gb=published(80, "GB"),
    memory_bandwidth_gb_s=published(3350, "GB/s"),
    peak_tflops=(
        ("fp32", published(67, "TFLOP/s")),
        ("bf16", published(989.4, "TFLOP/s")),
        ("fp8", published(1978.9, "TFLOP/s")),
    ),
    scaleup_gb_s=published(450, "GB/s"),
    scaleup_domain=8,
)
MI300X = Device(
    key="mi300x",
    name="MI300X",
    vendor="AMD",
    kind="gpu",
    memory_gb=published(192, "GB"),
    memory_bandwidth_gb_s=published(5300, "GB/s"),
    peak_tflops=(
        ("bf16", published(1307.4, "TFLOP/s")),
        ("fp8", published(2614.9, "TFLOP/s")),
    ),
    scaleup_gb_s=published(448, "GB/s"),
    scaleup_domain=8,
)
CPU = Device(
    key="desk-cpu",
    name="Desk CPU",
    vendor="any",
    kind="cpu",
    memory_gb=published(64, "GB"),
    memory_bandwidth_gb_s=published(40, "GB/s"),
    peak_tflops=(("fp32", published(1.0, "TFLOP/s")),),
)

CHAT_TARGETS = (LatencyTarget("ttft", 95, 1000), LatencyTarget("tpot", 95, 50))


def server(device: Device = H100, count: int = 8) -> Server:
    """Return a server with `count` devices."""
    return Server(f"server-{device.key}", f"{count} x {device.name}", "any", device, count)


def workload(
    shape: LanguageModel = LLAMA_70B,
    *,
    requests_per_s: float = 200.0,
    targets: tuple[LatencyTarget, ...] = CHAT_TARGETS,
    weight_dtype: str = "fp8",
    kv_dtype: str = "fp8",
    input_tokens: float = 1000,
    output_tokens: float = 250,
    growth: float = 0.0,
    lost: int = 0,
    headroom: float | None = None,
) -> Workload:
    """Return a serving workload with a flat day but for one quiet half."""
    return Workload(
        key="chat",
        name="Chat",
        kind="serving",
        model=shape,
        service=None,
        training=None,
        peak_requests_per_s=published(requests_per_s, "requests/s"),
        daily_shape=(0.25,) * 12 + (1.0,) * 12,
        growth_fraction_per_year=published(growth, "fraction"),
        input_tokens=published(input_tokens, "tokens"),
        output_tokens=published(output_tokens, "tokens"),
        targets=targets,
        weight_dtype=weight_dtype,
        kv_dtype=kv_dtype,
        headroom_fraction=None if headroom is None else published(headroom, "fraction"),
        replicas_lost=lost,
    )


def fleet(
    work: Workload | None = None,
    *,
    device: Device = H100,
    devices: int = 8,
    count: int | None = None,
    tensor_parallel: int | None = None,
    share: float = 1.0,
    start_month: int = 0,
) -> Fleet:
    """Return an owned fleet."""
    return Fleet(
        key="fleet",
        name="Fleet",
        workload=work or workload(),
        share_fraction=share,
        server=server(device, devices),
        count=count,
        tensor_parallel=tensor_parallel,
        start_month=start_month,
    )
