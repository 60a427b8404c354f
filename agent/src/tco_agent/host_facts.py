"""Facts of the host that need no torch: CPU, cache, memory, cgroup, identity hashes."""

from __future__ import annotations

import hashlib
import math
import os
import platform
from pathlib import Path

ROOT = Path("/")
CPU_ARCH_FLAGS = ("avx2", "avx512f", "avx512_bf16", "avx512_fp16", "amx_bf16", "sve", "bf16")


def read_text(path: Path) -> str | None:
    """The stripped text of a small file, or None when it cannot be read or is empty."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip() or None
    except OSError:
        return None


def read_int(path: Path) -> int | None:
    """The integer in a file, or None."""
    text = read_text(path)
    try:
        return None if text is None else int(text)
    except ValueError:
        return None


def short_hash(purpose: str, secret: str) -> str:
    """32 hex digits of SHA-256 over a purpose and a value that never leaves the host."""
    return hashlib.sha256(f"tco-agent:{purpose}:{secret}".encode()).hexdigest()[:32]


def node_id(root: Path = ROOT) -> str:
    """`n-` and 32 hex digits: a hash of the machine id, else of the boot id."""
    for place in ("etc/machine-id", "var/lib/dbus/machine-id", "proc/sys/kernel/random/boot_id"):
        value = read_text(root / place)
        if value is not None and value != "uninitialized":
            return f"n-{short_hash('node', value)}"
    return f"n-{short_hash('node', platform.node())}"


def boot_id_hash(root: Path = ROOT) -> str | None:
    """Hash of the boot id, which tells two boots apart."""
    value = read_text(root / "proc/sys/kernel/random/boot_id")
    return None if value is None else short_hash("boot", value)


def cpu_model(root: Path = ROOT) -> tuple[str, str, list[str]]:
    """Vendor, model and instruction-set flags of the CPU."""
    fields: dict[str, str] = {}
    for line in (read_text(root / "proc/cpuinfo") or "").splitlines():
        name, _, value = line.partition(":")
        if value:
            fields.setdefault(name.strip(), value.strip())
    vendors = {"GenuineIntel": "Intel", "AuthenticAMD": "AMD", "0x41": "Arm", "0x4e": "NVIDIA"}
    raw_vendor = fields.get("vendor_id") or fields.get("CPU implementer") or "unknown"
    model = fields.get("model name") or (
        f"part {fields['CPU part']}" if "CPU part" in fields else platform.machine() or "unknown"
    )
    flags = (fields.get("flags") or fields.get("Features") or "").split()
    known = [flag for flag in CPU_ARCH_FLAGS if flag in flags]
    return vendors.get(raw_vendor, raw_vendor)[:200], " ".join(model.split())[:200], known


def parse_cpu_list(text: str) -> list[int]:
    """The CPUs of a kernel list.

    >>> parse_cpu_list("0-2,5")
    [0, 1, 2, 5]
    """
    cpus: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        cpus += range(int(first), int(last or first) + 1)
    return cpus


def llc_bytes(cpus: set[int], root: Path = ROOT) -> int | None:
    """Last-level cache of these CPUs in all [bytes]: each shared cache counts once."""
    shared: dict[str, int] = {}
    for cpu in cpus:
        best: tuple[int, str, int] | None = None
        for index in (root / f"sys/devices/system/cpu/cpu{cpu}/cache").glob("index*"):
            level = read_int(index / "level") or 0
            size = _size_bytes(read_text(index / "size"))
            sharing = read_text(index / "shared_cpu_list") or str(cpu)
            kind = read_text(index / "type")
            if size and kind != "Instruction" and (best is None or level > best[0]):
                best = (level, sharing, size)
        if best is not None:
            shared[f"{best[0]}:{best[1]}"] = best[2]
    return sum(shared.values()) or None


def _size_bytes(text: str | None) -> int | None:
    """The size of a cache as sysfs writes it: 32768K."""
    if not text:
        return None
    factor = {"K": 1024, "M": 1024**2, "G": 1024**3}.get(text[-1], 1)
    digits = text.rstrip("KMG")
    return int(digits) * factor if digits.isdigit() else None


def physical_cores(cpus: set[int], root: Path = ROOT) -> int:
    """Physical cores among these CPUs; every CPU counts where the topology is unknown."""
    cores = set()
    for cpu in cpus:
        topology = root / f"sys/devices/system/cpu/cpu{cpu}/topology"
        core, package = read_int(topology / "core_id"), read_int(topology / "physical_package_id")
        cores.add((package, core) if core is not None else ("cpu", cpu))
    return max(1, len(cores))


def allowed_cpus() -> set[int]:
    """The CPUs this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return set(os.sched_getaffinity(0))
    return set(range(os.cpu_count() or 1))


def memory_bytes(root: Path = ROOT) -> tuple[int | None, int | None]:
    """Total and available memory [bytes]."""
    values: dict[str, int] = {}
    for line in (read_text(root / "proc/meminfo") or "").splitlines():
        parts = line.split()
        if len(parts) >= 2 and parts[1].isdigit():
            values[parts[0].rstrip(":")] = int(parts[1]) * 1024
    return values.get("MemTotal"), values.get("MemAvailable")


def cgroup_limits(root: Path = ROOT) -> dict[str, float | int | None]:
    """CPU quota [CPUs] and memory limit [bytes] of this cgroup; None is "no limit"."""
    quota: float | None = None
    text = read_text(root / "sys/fs/cgroup/cpu.max")
    if text and not text.startswith("max"):
        amount, period = text.split()[:2]
        quota = int(amount) / int(period)
    elif text is None:
        amount_us = read_int(root / "sys/fs/cgroup/cpu/cpu.cfs_quota_us")
        period_us = read_int(root / "sys/fs/cgroup/cpu/cpu.cfs_period_us")
        if amount_us and period_us and amount_us > 0:
            quota = amount_us / period_us
    memory = read_int(root / "sys/fs/cgroup/memory.max")
    if memory is None:
        memory = read_int(root / "sys/fs/cgroup/memory/memory.limit_in_bytes")
    if memory is not None and memory >= 1 << 60:
        memory = None
    return {"cpu_quota": quota, "mem_bytes": memory}


def usable_threads(root: Path = ROOT) -> int:
    """All physical cores this process may use within its CPU quota."""
    cores = physical_cores(allowed_cpus(), root)
    quota = cgroup_limits(root)["cpu_quota"]
    return cores if quota is None else max(1, min(cores, math.floor(quota)))


def virtualisation(root: Path = ROOT) -> str | None:
    """`container`, a hypervisor's name, `vm`, or None on bare metal."""
    if (root / ".dockerenv").exists() or (root / "run/.containerenv").exists():
        return "container"
    product = (read_text(root / "sys/class/dmi/id/sys_vendor") or "").lower()
    for name in ("qemu", "kvm", "vmware", "xen", "microsoft", "amazon", "google"):
        if name in product:
            return name
    flags = read_text(root / "proc/cpuinfo") or ""
    return "vm" if " hypervisor" in flags else None
