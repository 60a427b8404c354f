"""What is asked of a configuration search, and what an answer looks like (P6.5, P8)."""

from __future__ import annotations

from dataclasses import dataclass, field

from tco.inputs import Device, LanguageModel, LatencyTarget, Parallel

BATCH_LIMITS = (8, 16, 32, 64, 128, 256, 512)
WEIGHTS = ("bf16", "fp8", "int4")
CACHES = ("bf16", "fp8")
TOP = 10  # configurations whose order is proven


@dataclass(frozen=True, slots=True)
class Request:
    """A model on a server, the load it must carry, and what may be tried.

    Parameters
    ----------
    devices
        In one server; a copy uses a divisor of them.
    requests_per_s, concurrency
        Load at peak: arrivals, or requests in flight. One of them, or none.
    cached_tokens
        Of the input, found in the prefix cache.
    max_model_len
        Longest sequence that the engine must accept; None: what the room allows, at most the
        model's context.
    max_batched_tokens
        Tokens of one iteration of an engine that does not split prompts; a longer prompt is
        refused. None: prompts are split into chunks.
    usd_per_hour
        Of the server; None: ranked by tokens per second and device, without cost.
    server
        Name of the server in an answer over several.
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
    concurrency: float | None = None
    max_model_len: int | None = None
    max_batched_tokens: int | None = None
    server: str = ""

    @property
    def sequence_tokens(self) -> float:
        """Tokens of a sequence at its end."""
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class Configuration:
    """One way to serve."""

    parallel: Parallel
    weight_dtype: str
    kv_dtype: str
    batch_limit: int  # sequences of an attention group
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
        if self.prefill_workers or self.decode_workers:
            text += f" split {self.prefill_workers}:{self.decode_workers}"
        return text


@dataclass(frozen=True, slots=True)
class Found:
    """A feasible configuration at its largest load within every target, in the steady state.

    Latencies in ms; the 95th percentiles are given for the best ones, whose order is proven.
    """

    configuration: Configuration
    requests_per_s: float  # of one copy
    most_requests_per_s: float  # no load above it is within the targets
    output_tokens_per_s_per_device: float
    usd_per_mtok: float | None  # of output tokens at that load; None: no price
    ttft_ms: float  # mean
    tpot_ms: float | None  # None: an answer of one token has none
    e2e_ms: float
    ttft_p95_ms: float | None
    tpot_p95_ms: float | None
    e2e_p95_ms: float | None
    utilisation_fraction: float  # of the saturation load
    batch: float  # mean number of sequences decoding
    kv_room_tokens: float  # of one copy
    kv_sequences: float  # of one copy, at the lengths asked, at most the batch limit
    max_model_len: int  # longest sequence that the engine may be told to accept
    memory_gb_per_device: float  # weights, workspace and the cache of `kv_sequences`
    binds: str
    refined: bool  # False: the load is a lower bound; what is above is better for certain
    server: str = ""
    copies_per_server: int = 1
    copies: int | None = None  # for the load asked
    servers: int | None = None
    carried_requests_per_s: float | None = None  # by those copies, within the targets
    usd_per_mtok_asked: float | None = None  # whole servers paid, only the asked tokens made


@dataclass(frozen=True, slots=True)
class Excluded:
    """A configuration that cannot be used, and why."""

    configuration: Configuration
    reason: str  # memory | degrees | dtype | context | batch | target
    detail: str
    server: str = ""
    missing_gb: float = 0.0  # of memory, on each device
    beyond_tokens: float = 0.0  # above what the model, the cache or an iteration takes
    latency_per_limit: float = 0.0  # of the target missed most, at a light load

    @property
    def distance(self) -> float:
        """How far from usable, among those of one reason; the smallest comes nearest."""
        return self.missing_gb + self.beyond_tokens + self.latency_per_limit


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Feasible configurations, best first, and what excluded the others."""

    found: tuple[Found, ...]
    excluded: tuple[Excluded, ...]
    tried: int
    counts: dict[str, int] = field(default_factory=dict)  # excluded, by reason
    unpriced: str = ""
    capacity: str = ""  # how the memory that counts is defined
