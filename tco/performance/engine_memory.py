"""What a serving engine takes beside weights and cache, by version and date (P1.3, P18).

The constants age in months, so each version of an engine is a row of a table with its date. They
were read off start-up logs: the peak while profiling grows with sequences × vocabulary by the same
bytes for models of 1 to 70 billion parameters, so that is the law; what is left is constant.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from tco.errors import InputError

DEFAULT_VERSION = "vllm 0.19"


@dataclass(frozen=True, slots=True)
class EngineMemory:
    """Memory constants and default limits of one engine version."""

    engine: str
    version: str
    as_of: str
    sampler_bytes: float  # per sequence and vocabulary entry: logits and their wider copies
    base_gb: float  # of the tensor library, at any model
    runtime_gb: float  # driver context and libraries outside the tensor library
    communication_gb: float  # buffers of collectives, added where devices work together
    graphs_gb: float  # captured graphs
    usable_fraction: float  # share of the device's memory that the engine may use
    max_batched_tokens: int
    max_sequences: int
    block_tokens: int
    source: str

    @property
    def label(self) -> str:
        """As printed: ``vllm 0.19``."""
        return f"{self.engine} {self.version}"


@cache
def engine_versions() -> dict[str, EngineMemory]:
    """Return the known versions by label, newest first."""
    text = files("tco.performance").joinpath("tables/engine_memory.csv").read_text("utf-8")
    found = {}
    for row in csv.DictReader(text.splitlines()):
        made = EngineMemory(
            engine=row["engine"],
            version=row["version"],
            as_of=row["as_of"],
            sampler_bytes=float(row["sampler_bytes"]),
            base_gb=float(row["base_gb"]),
            runtime_gb=float(row["runtime_gb"]),
            communication_gb=float(row["communication_gb"]),
            graphs_gb=float(row["graphs_gb"]),
            usable_fraction=float(row["usable_fraction"]),
            max_batched_tokens=int(row["max_batched_tokens"]),
            max_sequences=int(row["max_sequences"]),
            block_tokens=int(row["block_tokens"]),
            source=row["source"],
        )
        found[made.label] = made
    return found


def engine_memory(label: str = DEFAULT_VERSION) -> EngineMemory:
    """Return the constants of an engine version.

    Raises
    ------
    InputError
        For a version that is not in the table.

    Examples
    --------
    >>> engine_memory().sampler_bytes, engine_memory("vllm 0.15").sampler_bytes
    (14.2, 38.5)
    """
    try:
        return engine_versions()[label]
    except KeyError:
        raise InputError(
            "engine",
            f"{label!r} is not a known engine version",
            f"use one of {', '.join(engine_versions())}",
        ) from None
