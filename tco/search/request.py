"""What is asked of a configuration search, and what an answer looks like (P6.5, P8)."""

from __future__ import annotations

from dataclasses import dataclass, field

from tco.inputs import Device, LanguageModel, LatencyTarget, Parallel

BATCH_LIMITS = (8, 16, 32, 64, 128, 256, 512)
WEIGHTS = ("bf16", "fp8", "int4")
CACHES = ("bf16", "fp8")


@dataclass(frozen=True, slots=True)
class Request:
    """A model on a server, the load it must carry, and what may be tried.

    Parameters
    ----------
    devices
        In one server; a replica uses a divisor of them.
    usd_per_hour
        Of the server; None: ranked by tokens per second and device, without cost.
    """

    model: LanguageModel
    device: Device
    devices: int
    input_tokens: float
    output_tokens: float
    requests_per_s: float | None = None
    targets: tuple[LatencyTarget, ...] = ()
    cached_tokens: float = 0.0
    weight_dtypes: tuple[str, ...] = WEIGHTS
    kv_dtypes: tuple[str, ...] = CACHES
    batch_limits: tuple[int, ...] = BATCH_LIMITS
    split: bool = True
    usd_per_hour: float | None = None
    stack: str = "vllm"


@dataclass(frozen=True, slots=True)
class Configuration:
    """One way to serve."""

    parallel: Parallel
    weight_dtype: str
    kv_dtype: str
    batch_limit: int
    prefill_workers: int = 0  # 0: prompts and answers share the workers
    decode_workers: int = 0

    @property
    def devices(self) -> int:
        """Devices of one copy: a replica, or all workers of a split."""
        return self.parallel.devices * max(1, self.prefill_workers + self.decode_workers)

    @property
    def label(self) -> str:
        """As printed."""
        text = f"{self.parallel.label} {self.weight_dtype}/{self.kv_dtype} batch {self.batch_limit}"
        if self.prefill_workers:
            text += f" split {self.prefill_workers}:{self.decode_workers}"
        return text


@dataclass(frozen=True, slots=True)
class Found:
    """A feasible configuration at the largest load within the targets."""

    configuration: Configuration
    requests_per_s: float  # of one copy
    output_tokens_per_s_per_device: float
    usd_per_mtok: float | None  # of output tokens; None: no price
    ttft_ms: float  # mean at that load
    tpot_ms: float
    e2e_ms: float
    batch: float  # mean number of sequences decoding
    kv_room_tokens: float
    memory_gb_per_device: float  # weights, workspace and the cache of the batch limit
    binds: str
    verified: bool  # percentiles by the closed form; False: means with the stated tails
    copies_per_server: int = 1
    copies: int | None = None  # for the load asked
    servers: int | None = None


@dataclass(frozen=True, slots=True)
class Excluded:
    """A configuration that cannot be used, and why."""

    configuration: Configuration
    reason: str  # memory | degrees | dtype | target | batch | context
    detail: str


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Feasible configurations, best first, and what excluded the others."""

    found: tuple[Found, ...]
    excluded: tuple[Excluded, ...]
    tried: int
    counts: dict[str, int] = field(default_factory=dict)  # excluded, by reason
    unpriced: str = ""
