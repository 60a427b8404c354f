"""Factors fitted to measured serving rows, each on a physical basis (P0.4, P13.2).

A factor is the logarithm of a share or of a cost. Its value for a replica is the sum of what the
world has (scope ``all``), its serving stack and the half-year of it,
the vendor and the architecture of its device, and the
device itself; each scope was shrunk to the one before, so a device never seen takes its family's.
"""

from __future__ import annotations

import csv
import functools
import importlib.resources
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tco.inputs import Device

Array = NDArray[np.float64]
TABLE = "tables/serving_factors.csv"
SHIPPED = "all"  # the fold that left nothing out
DEFAULT_STACK = "vllm"
NAMES = (
    "compute",
    "compute_8bit",
    "compute_4bit",
    "compute_experts",
    "memory",
    "memory_8bit",
    "memory_4bit",
    "memory_experts",
    "kv",
    "attention",
    "prompt_attention",
    "collective",
    "routing",
    "layer_us",
    "prompt_kernel_us",
    "step_ms",
    "sequence_us",
    "request_ms",
    "device",
)
Key = tuple[str, str, str]  # scope, whose, factor


@dataclass(frozen=True, slots=True)
class Subject:
    """What decides which factors a replica takes."""

    stack: str
    vintage: str  # stack and half-year, empty where not known
    vendor: str
    architecture: str
    device: str

    def scopes(self) -> tuple[tuple[str, str], ...]:
        """Scope and whose, from the widest to the narrowest."""
        return (
            ("all", ""),
            ("stack", self.stack),
            ("vintage", self.vintage),
            ("vendor", self.vendor),
            ("architecture", self.architecture),
            ("device", self.device),
            ("port", f"{self.stack} on {self.architecture}"),
        )


def subject(device: Device, stack: str = DEFAULT_STACK, vintage: str = "") -> Subject:
    """Return the subject of a device under a serving stack."""
    return Subject(stack, vintage, device.vendor, device.architecture or device.vendor, device.key)


@functools.cache
def shipped_factors() -> Mapping[str, Mapping[Key, float]]:
    """Return the shipped factors by fold; see the header of the table for how they were made."""
    folds: dict[str, dict[Key, float]] = {}
    text = importlib.resources.files("tco.performance").joinpath(TABLE)
    with text.open(encoding="utf-8") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            key = (row["scope"], row["whose"], row["factor"])
            folds.setdefault(row["fold"], {})[key] = float(row["log_value"])
    return folds


def resolve(values: Mapping[Key, float], subjects: Sequence[Subject]) -> dict[str, Array]:
    """Return each factor as an array over `subjects`.

    Examples
    --------
    >>> one = Subject("vllm", "", "NVIDIA", "Hopper", "h100-sxm")
    >>> known = {("all", "", "kv"): -0.2, ("stack", "vllm", "kv"): 0.1}
    >>> round(float(resolve(known, [one])["kv"][0]), 2)
    -0.1
    """
    unique = sorted(set(subjects), key=lambda s: s.scopes())
    place = {each: index for index, each in enumerate(unique)}
    index = np.array([place[each] for each in subjects], dtype=np.int64)
    return {
        name: np.array(
            [sum(values.get((*scope, name), 0.0) for scope in each.scopes()) for each in unique]
        )[index]
        for name in NAMES
    }
