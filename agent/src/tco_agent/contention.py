"""Signs that the host was shared while it measured: run-queue delay, steal, PSI, throttling.

Run-queue delay is the share of its runnable time that a thread waited for a CPU. It needs no
privilege and finds what the spread of the timings hides. A sign that cannot be read is None and
its reason is kept; it's never 0.
"""

from __future__ import annotations

import resource
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Delay:
    """Run and wait time of this process's threads so far [ns], and forced context switches."""

    run_ns: int
    wait_ns: int
    forced_switches: int


def read_delay(tasks: Path = Path("/proc/self/task")) -> Delay | None:
    """Sum over the threads that exist now; None where the kernel doesn't say."""
    run_ns = wait_ns = 0
    try:
        for path in tasks.glob("*/schedstat"):
            run, wait, _ = path.read_text().split()
            run_ns += int(run)
            wait_ns += int(wait)
    except (OSError, ValueError):
        return None
    if run_ns == 0:
        return None
    return Delay(run_ns, wait_ns, resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw)


def delay_share(run_ns: int, wait_ns: int) -> float | None:
    """Waiting as a share of the runnable time; None when nothing ran.

    >>> delay_share(90, 10)
    0.1
    """
    runnable = run_ns + wait_ns
    return wait_ns / runnable if runnable > 0 else None


@dataclass(frozen=True)
class HostCounters:
    """Counters of the whole host (or its cgroup) at one moment; None where not available."""

    monotonic_ns: int
    cpu_total_ticks: int | None
    cpu_steal_ticks: int | None
    psi_some_us: int | None
    throttled_periods: int | None
    throttled_us: int | None


def read_host_counters(monotonic_ns: int, root: Path = Path("/")) -> HostCounters:
    """Read /proc/stat, /proc/pressure/cpu and the cgroup's cpu.stat below `root`."""
    total = steal = psi = None
    try:
        first = (root / "proc/stat").read_text().splitlines()[0].split()[1:9]
        ticks = [int(value) for value in first]
        total, steal = sum(ticks), ticks[7]
    except (OSError, ValueError, IndexError):
        pass
    try:
        line = (root / "proc/pressure/cpu").read_text().splitlines()[0]
        psi = int(line.rsplit("total=", 1)[1])
    except (OSError, ValueError, IndexError):
        pass
    periods, throttled = _cgroup_throttling(root)
    return HostCounters(monotonic_ns, total, steal, psi, periods, throttled)


def _cgroup_throttling(root: Path) -> tuple[int | None, int | None]:
    for place, time_name, divisor in (
        ("sys/fs/cgroup/cpu.stat", "throttled_usec", 1),
        ("sys/fs/cgroup/cpu/cpu.stat", "throttled_time", 1000),
    ):
        try:
            pairs = (line.split() for line in (root / place).read_text().splitlines())
            values = {name: int(value) for name, value in pairs}
            return values["nr_throttled"], values[time_name] // divisor
        except (OSError, ValueError, KeyError):
            continue
    return None, None


def host_shares(before: HostCounters, after: HostCounters) -> dict[str, float | int | None]:
    """What happened between two readings, as the members of `host`."""
    elapsed_ns = max(1, after.monotonic_ns - before.monotonic_ns)
    ticks = _difference(before.cpu_total_ticks, after.cpu_total_ticks)
    steal = _difference(before.cpu_steal_ticks, after.cpu_steal_ticks)
    psi_us = _difference(before.psi_some_us, after.psi_some_us)
    throttled_us = _difference(before.throttled_us, after.throttled_us)
    return {
        "steal_share": steal / ticks if ticks and steal is not None else None,
        "psi_cpu_some": None if psi_us is None else min(1.0, psi_us * 1000 / elapsed_ns),
        "nr_throttled": _difference(before.throttled_periods, after.throttled_periods),
        "throttled_share": None
        if throttled_us is None
        else min(1.0, throttled_us * 1000 / elapsed_ns),
    }


def _difference(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else max(0, after - before)
