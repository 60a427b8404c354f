"""Carry a measured rate to a device that has none, within one kind of work (P10, P0.5)."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from functools import cache
from importlib import resources

from tco.inputs import Device
from tco.performance.batch_tables import batch_models, batch_rows, saturated_rows

_EIGHT_BIT = ("int8", "fp8")
_SIXTEEN_BIT = ("bf16", "fp16")


@dataclass(frozen=True, slots=True)
class Carried:
    """The device whose rows stand in, and the factor on its rate."""

    device: str
    factor: float
    distance: int  # 2: rows of the same kind of work; 3: data sheets
    basis: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """Dense peaks and bandwidth of a device with rows."""

    kind: str
    sixteen_bit_tflops: float
    eight_bit_tflops: float | None
    bandwidth_gb_s: float


@cache
def sheets() -> dict[str, Sheet]:
    """Return the data sheets of the devices with rows."""
    path = resources.files("tco.performance").joinpath("tables", "batch_devices.csv")
    return {
        row["device_key"]: Sheet(
            row["kind"],
            float(row["tflops_16bit"]),
            float(row["tops_8bit"]) if row["tops_8bit"] else None,
            float(row["bandwidth_gb_s"]),
        )
        for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines())
    }


@cache
def rates(model: str) -> dict[tuple[str, str], float]:
    """Return the best rate of one device by (device, precision): ``8`` or ``16`` bit, ``fp32``."""
    found: dict[tuple[str, str], float] = {}
    for row in saturated_rows():  # oldest first: the newest round stays
        if row.model == model:
            found[row.device, _precision(row.dtype)] = row.offline_per_s
    for entry in batch_rows():
        if entry.model == model and entry.devices == 1:
            key = entry.device, _precision(entry.dtype)
            found[key] = max(found.get(key, 0.0), entry.batch / entry.latency_s)
    return found


def _precision(dtype: str) -> str:
    return "8" if dtype in _EIGHT_BIT else "16" if dtype in _SIXTEEN_BIT else dtype


def family_ratio(model: str, known: str, wanted: str) -> tuple[float, int]:
    """Return rate of `wanted` over that of `known`, and from how many models of the same kind.

    The geometric mean over models (other than `model`) that both were measured with, at one
    precision; 0 models where there is none.
    """
    logs = []
    kind = batch_models()[model].kind
    for other in batch_models().values():
        if other.kind != kind or other.key == model:
            continue
        by = rates(other.key)
        shared = [p for (d, p) in by if d == known and (wanted, p) in by]
        if shared:
            at = shared[0]
            logs.append(math.log(by[wanted, at] / by[known, at]))
    return (math.exp(math.fsum(logs) / len(logs)), len(logs)) if logs else (0.0, 0)


def sheet_ratio(known: Sheet, wanted: Sheet, precision: str) -> float:
    """Return the geometric mean of the ratios of peak and bandwidth."""
    peak = wanted.sixteen_bit_tflops / known.sixteen_bit_tflops
    if precision == "8" and wanted.eight_bit_tflops and known.eight_bit_tflops:
        peak = wanted.eight_bit_tflops / known.eight_bit_tflops
    return math.sqrt(peak * wanted.bandwidth_gb_s / known.bandwidth_gb_s)


def sheet_of(device: Device) -> Sheet | None:
    """Return a device's data sheet, or None where a figure is missing."""
    sixteen = next((p for name in _SIXTEEN_BIT if (p := device.peak(name))), None)
    eight = next((p for name in _EIGHT_BIT if (p := device.peak(name))), None)
    if sixteen is None or device.memory_bandwidth_gb_s is None:
        return None
    return Sheet(
        device.kind,
        sixteen.value,
        None if eight is None else eight.value,
        device.memory_bandwidth_gb_s.value,
    )


def transfer(model: str, device: Device, dtype: str) -> Carried | None:
    """Return how a model's rows reach `device`, or None where they do not.

    First by models of the same kind of work that both devices ran; else by data sheets, to the
    nearest one of the same sort of device.
    """
    precision = _precision(dtype)
    by = rates(model)
    order = sorted({d for d, _ in by}, key=lambda d: ((d, precision) not in by, d))
    found = []
    for known in order:
        ratio, models = family_ratio(model, known, device.key)
        if models:
            found.append((-models, abs(math.log(ratio)), known, ratio))
    if found:
        models, _, known, ratio = min(found)
        kind = batch_models()[model].kind
        many = "s" if models < -1 else ""
        return Carried(known, ratio, 2, f"{-models} other {kind} model{many} on both devices")
    own = sheet_of(device)
    if own is None:
        return None
    near = [
        (abs(math.log(ratio)), known, ratio)
        for known in order
        if (sheet := sheets().get(known)) is not None and sheet.kind == own.kind
        for ratio in [sheet_ratio(sheet, own, precision)]
    ]
    if not near:
        return None
    _, known, ratio = min(near)
    return Carried(known, ratio, 3, "peak and bandwidth of the data sheets")
