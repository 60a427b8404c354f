"""RAPL package energy of the CPU, where the kernel lets an ordinary user read it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tco_agent.host_facts import read_int, read_text

POWERCAP = Path("/sys/class/powercap")
CAVEAT = "whole package, with all other work on the host"


@dataclass(frozen=True)
class RaplReading:
    """Counter [uJ] and wrap [uJ] by package domain, or the reason why there is none."""

    counters: dict[str, tuple[int, int]]
    unavailable: str | None


def read_rapl(root: Path = POWERCAP) -> RaplReading:
    """Read the package domains only: psys holds package, and package holds core."""
    domains = sorted(root.glob("intel-rapl:*")) if root.is_dir() else []
    counters: dict[str, tuple[int, int]] = {}
    packages = 0
    for domain in domains:
        if not (read_text(domain / "name") or "").startswith("package"):
            continue
        packages += 1
        counter = read_int(domain / "energy_uj")
        wrap = read_int(domain / "max_energy_range_uj")
        if counter is not None and wrap:
            counters[domain.name] = (counter, wrap)
    if not packages:
        return RaplReading({}, "no powercap")
    if len(counters) < packages:
        return RaplReading({}, "no permission to read energy_uj")
    return RaplReading(counters, None)


def energy_row(
    phase: str, seconds: float, before: RaplReading, after: RaplReading
) -> dict[str, Any]:
    """One `energy` entry for the time between two readings [J over s]."""
    row: dict[str, Any] = {
        "phase": phase,
        "joules": None,
        "seconds": max(seconds, 1e-9),
        "source": "rapl_package",
        "scope": "package",
        "caveats": [CAVEAT],
    }
    reason = before.unavailable or after.unavailable
    microjoules = 0
    if reason is None:
        for name, (start, wrap) in before.counters.items():
            microjoules += (after.counters.get(name, (start, wrap))[0] - start) % wrap
        if microjoules > 0:
            return {**row, "joules": microjoules / 1e6}
        reason = "the counter did not move"
    return {**row, "source": f"unavailable({reason})", "scope": "unknown", "caveats": []}
