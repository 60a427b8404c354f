"""One measured run, and the same run with its names resolved: what a predictor is given (P16)."""

from __future__ import annotations

from dataclasses import dataclass, field

from tco.inputs import Device, LanguageModel, Parallel


@dataclass(frozen=True, slots=True)
class MeasuredValue:
    """One row of a run."""

    value: float
    unit: str
    row_id: str


@dataclass(frozen=True, slots=True)
class Run:
    """The rows of one ``run_id`` of the UNIFIED schema; None where the source does not say."""

    run_id: str
    stratum: str
    source: str
    device_key: str
    devices: int
    tensor_parallel: int | None
    data_parallel: int | None
    expert_parallel: int | None
    model: str
    precision: str
    precision_assumed: bool
    engine: str
    input_tokens: float | None
    output_tokens: float | None
    load_kind: str
    load_value: float | None
    limit_ttft_ms: float | None
    limit_tpot_ms: float | None
    overloaded: bool
    note: str
    measured: dict[str, MeasuredValue] = field(default_factory=dict)  # by metric


@dataclass(frozen=True, slots=True)
class ResolvedRun:
    """A run whose device, model, degrees, dtypes and lengths are known.

    `filled` names what the source does not say and a stated rule filled in
    (``input_tokens``, ``tensor_parallel``); such runs are reported apart.
    """

    run: Run
    device: Device
    model: LanguageModel
    parallel: Parallel
    weight_dtype: str
    kv_dtype: str
    input_tokens: float
    output_tokens: float
    filled: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Predicted:
    """One predicted metric in the unit of the UNIFIED rows, with its 80 % interval (P13.3)."""

    value: float
    low: float
    high: float
    evidence: str  # class of evidence: measured points, calibrated family, data sheet ...
