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
    recompute: str = "auto"  # auto | none | selective | full
    sharding: str = "auto"  # auto | none | optimizer | gradients | full
    micro_batch_sequences: int | None = None  # of a device at once; None: the fastest that fits
    pipeline: int | None = None  # stages; None: the fastest that fits
    failures_per_device_year: Figure | None = None  # that stop the run (F10.1)
    checkpoint_s: float = 60.0  # the run stands still (F10.4)
    restart_s: float = 600.0
    bytes_per_token: float = 4.0  # read from storage (P12)
    loader_tokens_per_s: Figure | None = None  # of one server
    storage_gb_s: Figure | None = None  # of one server


@dataclass(frozen=True, slots=True)
class BatchService:
    """How a server gathers requests of a model that answers in one pass (P10)."""

    batch_limit: int | None = None  # None: the best one within the targets
    timeout_ms: float = 0.0  # longest wait of the oldest request for a fuller batch
    devices: int = 1  # that work on one batch together


@dataclass(frozen=True, slots=True)
class PipelineStage:
    """One step of a pipeline (P9). Tokens are means; `items` rows go through for each request."""

    key: str
    name: str
    kind: str  # model: prefill and decode | encoder: one pass | cpu: a measured service time
    after: tuple[str, ...] = ()  # stages that must have answered; empty: the request's arrival
    share_fraction: float = 1.0  # of the requests that take this stage; the others pass by
    model: LanguageModel | None = None
    input_tokens: float = 0.0  # of one item
    output_tokens: float = 0.0
    items: int = 1
    weight_dtype: str = "bf16"
    kv_dtype: str = "bf16"
    batch_limit: int | None = None
    timeout_ms: float = 0.0
    service_ms: Figure | None = None  # cpu: mean time of one request on one core
    service_variation_fraction: float = 1.0  # cpu: standard deviation over mean
    cores: int = 0  # cpu: of one server, for this stage
    inside: str = ""  # cpu: the stage on whose servers it runs; empty: servers of its own
    request_gb: float = 0.0  # memory a request holds from its arrival here until it leaves
    budget_ms: float | None = None  # share of the whole target given to this stage


@dataclass(frozen=True, slots=True)
class Workload:
    """Requests with a daily shape, or a training run."""

    key: str
    name: str
    kind: str  # serving | measured_service | training | batch_inference | pipeline
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
    framework_features: tuple[str, ...] = ()  # of the software stack, as in the support matrix
    cached_input_fraction: Figure | None = None  # of the input, found in the prefix cache (P6.1)
    batch: BatchService | None = None
    stages: tuple[PipelineStage, ...] = ()
    quality_floor_fraction: float | None = None  # share of answers that must be accepted (P19.1)
    quality_measure: str = ""  # as in Quality.measure; empty: any
    downtime_usd_per_hour: Figure | None = None  # of the whole workload (F16.4)
    downtime_usd_per_event: Figure | None = None
    tolerance_fraction: float | None = None  # relative numeric error allowed between devices (P15)
