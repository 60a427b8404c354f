"""Measured training runs, resolved to plan and platform: what the fit and the score read (P13)."""

from __future__ import annotations

import csv
import functools
import importlib.resources
from dataclasses import dataclass

from tco.inputs import Experts, Figure, LanguageModel, LatentAttention, Status, WindowAttention
from tco.performance.training.bases import Bases, bases_of
from tco.performance.training.factors import evidence_class
from tco.performance.training.plan import Plan, Platform
from tco.performance.training.rates import TERA, bits_of, sustained_rate
from tco.performance.training.shape import TrainingShape, training_shape

GIGA = 1e9


@dataclass(frozen=True, slots=True)
class TrainingRow:
    """One measured run.

    `role`: target rows are scored against the target; converted rows give only minutes to train,
    turned into speed by the stated samples to converge; extra rows help the fit; report rows are
    scored, never fitted.
    """

    row: str
    source: str
    device: str
    model: str
    role: str
    filled: str
    plan: Plan
    measured_seconds: float  # of a step
    bases: Bases
    evidence: str  # class of the interval

    @property
    def cell(self) -> tuple[str, str, str]:
        """Source, device and model: averages go over these (P16.3)."""
        return self.source, self.device, self.model


def _read(name: str) -> list[dict[str, str]]:
    path = importlib.resources.files("tco.evidence") / "tables" / name
    with path.open(encoding="utf-8") as text:
        return list(csv.DictReader(text))


@functools.cache
def training_models() -> dict[str, LanguageModel]:
    """Return the models of the measured runs by their key in the table."""
    return {row["model"]: _model(row) for row in _read("training_models.csv")}


def _model(row: dict[str, str]) -> LanguageModel:
    def whole(name: str) -> int:
        return int(row[name]) if row[name] else 0

    experts = None
    if row["experts"]:
        experts = Experts(
            routed=whole("experts"),
            per_token=whole("per_token"),
            feed_forward=whole("expert_feed_forward"),
            shared=whole("shared"),
            dense_layers=whole("dense_layers"),
        )
    latent = None
    if row["kv_rank"]:
        latent = LatentAttention(
            kv_rank=whole("kv_rank"),
            rope_head_dim=whole("rope_head_dim"),
            nope_head_dim=whole("nope_head_dim"),
            value_head_dim=whole("value_head_dim"),
            query_rank=whole("query_rank"),
        )
    window = None
    if row["window"]:
        tokens, layers = row["window"].split("x")
        window = WindowAttention(int(tokens), int(layers))
    return LanguageModel(
        key=row["model"],
        name=row["model"],
        layers=whole("layers"),
        hidden=whole("hidden"),
        heads=whole("heads"),
        kv_heads=whole("kv_heads"),
        head_dim=whole("head_dim"),
        feed_forward=whole("feed_forward"),
        vocabulary=whole("vocabulary"),
        tied_embeddings=row["tied_embeddings"] == "1",
        max_context_tokens=131072,
        native_dtype="bf16",
        parameters_g=Figure(0.0, "10^9 parameters", Status.ESTIMATED, "counted from the shape"),
        mlp_matrices=whole("mlp_matrices"),
        experts=experts,
        latent=latent,
        window=window,
    )


@functools.cache
def _devices() -> dict[str, dict[str, str]]:
    return {row["device"]: row for row in _read("training_devices.csv")}


def platform_of(
    device: str,
    dtype: str,
    *,
    server_devices: int,
    speed_fraction: float = 1.0,
    memory_gb_s: float | None = None,
    measured_rates: bool = True,
) -> Platform:
    """Return the rates of a device of the table.

    With `measured_rates` False only the data sheet speaks: what a device nobody measured gets.
    """
    row = _devices()[device]
    peak_16 = float(row["tflops_16"]) * TERA
    peaks = {16: peak_16, 8: float(row["tflops_8"] or 0) * TERA}
    peaks[4] = float(row["tflops_4"] or 0) * TERA
    bits = bits_of(dtype)
    key = device if measured_rates else ""
    peak = peaks[bits] or peak_16
    wide = sustained_rate(key, "bf16", peak=peak_16, peak_16=peak_16)
    own = sustained_rate(key, dtype, peak=peak, peak_16=peak_16)
    return Platform(
        name=device,
        peak_16=peak_16,
        peak=peak,
        sustained_16=wide.flops * speed_fraction,
        sustained=own.flops * speed_fraction,
        memory=(memory_gb_s or float(row["memory_gb_s"])) * GIGA,
        memory_bytes=float(row["memory_gb"]) * GIGA,
        scale_up=float(row["scaleup_gb_s"]) * GIGA,
        scale_up_domain=int(row["scaleup_domain"]),
        scale_out=float(row["network_gb_s"]) * GIGA,
        server_devices=server_devices,
        evidence=own.source,
        measured_rate=wide.measured,
    )


@functools.cache
def _shape(model: str) -> TrainingShape:
    return training_shape(training_models()[model])


@functools.cache
def training_rows(*, measured_rates: bool = True) -> tuple[TrainingRow, ...]:
    """Return every measured run with its bases."""
    return tuple(_row(row, measured_rates) for row in _read("training_rows.csv"))


def _row(row: dict[str, str], measured_rates: bool) -> TrainingRow:
    plan = Plan(
        devices=int(row["devices"]),
        sequence_tokens=float(row["sequence_tokens"]),
        micro_batch=float(row["micro_batch"]),
        micro_batches=float(row["micro_batches"]),
        tensor=int(row["tensor"]),
        pipeline=int(row["pipeline"]),
        virtual=int(row["virtual"]),
        context=int(row["context"]),
        expert=int(row["expert"]),
        sharding=row["sharding"],
        recompute=row["recompute"],
        dtype=row["dtype"],
        reduce_bytes=float(row["reduce_bytes"]),
        stack=row["stack"],
        adapter=row["adapter"] == "1",
    )
    platform = platform_of(
        row["device"],
        plan.dtype,
        server_devices=int(row["server_devices"]),
        speed_fraction=float(row["speed_fraction"]),
        memory_gb_s=float(row["memory_gb_s"]) if row["memory_gb_s"] else None,
        measured_rates=measured_rates,
    )
    return TrainingRow(
        row=row["row"],
        source=row["source"],
        device=row["device"],
        model=row["model"],
        role=row["role"],
        filled=row["filled"],
        plan=plan,
        measured_seconds=plan.step_tokens / plan.devices / float(row["tokens_per_s_device"]),
        bases=bases_of(_shape(row["model"]), plan, platform),
        evidence=evidence_class(
            _shape(row["model"]), plan.dtype, measured_rate=platform.measured_rate
        ),
    )
