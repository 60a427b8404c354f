"""What is asked of the hardware."""

from __future__ import annotations

from dataclasses import dataclass

from tco.inputs.figure import Figure
from tco.inputs.model import LanguageModel

DAY_HOURS = 24


@dataclass(frozen=True, slots=True)
class LatencyTarget:
    """A percentile that must hold at peak."""

    metric: str  # ttft | tpot | e2e
    percentile: float  # 50, 90, 95, 99
    limit_ms: float


@dataclass(frozen=True, slots=True)
class MeasuredPoint:
    """One row of a load test of a whole service (F1.3)."""

    concurrency: float
    requests_per_s: float
    p50_ms: float
    p95_ms: float
    p99_ms: float
    device_w: float | None = None


@dataclass(frozen=True, slots=True)
class MeasuredService:
    """A service measured on one server: no model shape needed."""

    name: str
    server: str  # key of the server or device it was measured on
    points: tuple[MeasuredPoint, ...]
    source: str
    as_of: str


@dataclass(frozen=True, slots=True)
class Training:
    """A training run repeated `runs_per_year` times (P11)."""

    tokens: Figure  # per run
    global_batch_tokens: Figure
    sequence_tokens: int
    runs_per_year: float
    mfu_fraction: Figure | None = None  # measured or published at this scale
    deadline_days: float | None = None


@dataclass(frozen=True, slots=True)
class Workload:
    """Requests with a daily shape, or a training run."""

    key: str
    name: str
    kind: str  # serving | measured_service | training
    model: LanguageModel | None
    service: MeasuredService | None
    training: Training | None
    peak_requests_per_s: Figure
    daily_shape: tuple[float, ...]  # 24 shares of the peak, 0..1
    growth_fraction_per_year: Figure
    input_tokens: Figure
    output_tokens: Figure
    targets: tuple[LatencyTarget, ...] = ()
    weight_dtype: str = "bf16"
    kv_dtype: str = "bf16"
    headroom_fraction: Figure | None = None  # spare over the peak
    replicas_lost: int = 0  # still within target with so many gone (P8)
    numeric_tolerance: str = ""
    residency: tuple[str, ...] = ()  # countries allowed; empty: anywhere
    required_features: tuple[str, ...] = ()  # e.g. attestation
