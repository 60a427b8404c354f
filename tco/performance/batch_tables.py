"""Measured rows of models that answer in one pass (P10): MLPerf Inference and ML.ENERGY."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib import resources

MLENERGY = "ML.ENERGY Benchmark v3 (2026-02-16)"
MLENERGY_AS_OF = "2026-02"


@dataclass(frozen=True, slots=True)
class BatchModel:
    """A model with measured rows, and the kind of work it is: rows stay within their kind."""

    key: str
    name: str
    kind: str
    unit: str  # what one answer is: image, video, question
    settings: str


@dataclass(frozen=True, slots=True)
class SaturatedRow:
    """One MLPerf system: answers per second and device with all samples at once (Offline), and
    under Poisson arrivals with the p99 latency measured there (Server)."""

    model: str
    accuracy_fraction: float | None
    device: str
    dtype: str
    round: str
    as_of: str
    submitter: str
    system: str
    devices: int
    stack: str
    offline_per_s: float
    low_per_s: float
    high_per_s: float
    submissions: int
    server_per_s: float | None
    server_p99_ms: float | None
    limit_ms: float | None
    wall_w_per_device: float | None

    @property
    def source(self) -> str:
        """As cited: round and system."""
        return f"MLPerf Inference {self.round}, {self.submitter}, {self.system}"


@dataclass(frozen=True, slots=True)
class BatchRow:
    """One batch size of one model on so many devices together."""

    model: str
    device: str
    dtype: str
    devices: int
    batch: int
    latency_s: float
    board_w_per_device: float


def _rows(name: str) -> list[dict[str, str]]:
    path = resources.files("tco.performance").joinpath("tables", name)
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def _optional(text: str) -> float | None:
    return float(text) if text else None


@cache
def batch_models() -> dict[str, BatchModel]:
    """Return every model with measured rows by its catalog key."""
    return {
        row["model_key"]: BatchModel(
            row["model_key"], row["name"], row["kind"], row["unit"], row["settings"]
        )
        for row in _rows("batch_models.csv")
    }


@cache
def saturated_rows() -> tuple[SaturatedRow, ...]:
    """Return the MLPerf rows, oldest round first."""
    found = [
        SaturatedRow(
            model=row["model_key"],
            accuracy_fraction=_optional(row["accuracy_fraction"]),
            device=row["device_key"],
            dtype=row["dtype"],
            round=row["round"],
            as_of=row["as_of"],
            submitter=row["submitter"],
            system=row["system"],
            devices=int(row["devices"]),
            stack=row["stack"],
            offline_per_s=float(row["offline_per_s"]),
            low_per_s=float(row["offline_low_per_s"]),
            high_per_s=float(row["offline_high_per_s"]),
            submissions=int(row["submissions"]),
            server_per_s=_optional(row["server_per_s"]),
            server_p99_ms=_optional(row["server_p99_ms"]),
            limit_ms=_optional(row["limit_ms"]),
            wall_w_per_device=_optional(row["wall_w_per_device"]),
        )
        for row in _rows("batch_saturated.csv")
    ]
    return tuple(sorted(found, key=lambda row: row.as_of))


@cache
def batch_rows() -> tuple[BatchRow, ...]:
    """Return the ML.ENERGY rows."""
    return tuple(
        BatchRow(
            model=row["model_key"],
            device=row["device_key"],
            dtype=row["dtype"],
            devices=int(row["devices"]),
            batch=int(row["batch"]),
            latency_s=float(row["latency_s"]),
            board_w_per_device=float(row["board_w_per_device"]),
        )
        for row in _rows("batch_latency.csv")
    )
