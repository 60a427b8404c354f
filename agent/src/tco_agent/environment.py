"""What is recorded of the machine: devices, software, settings, and the fingerprint over them.

Nothing here names the host or a user: no hostname, address, path or serial number is read into the
document. COLLECTED lists every field; the reference page shows the same list.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tco_agent.document import canonical_json
from tco_agent.host_facts import (
    ROOT,
    allowed_cpus,
    cgroup_limits,
    cpu_model,
    llc_bytes,
    memory_bytes,
    node_id,
    read_text,
    short_hash,
    usable_threads,
    virtualisation,
)

COLLECTED = {
    "node.id": "hash of the machine id",
    "node.label": "only what --label gives",
    "node.virt": "container, hypervisor or nothing",
    "node.cgroup": "CPU quota and memory limit",
    "devices[]": "kind, vendor, model, instruction set, memory, last-level cache, cores, driver",
    "devices[].uuid_hash": "hash of a GPU's identifier",
    "env": "operating system, kernel release, versions of Python, torch, CUDA or ROCm, BLAS",
    "env.settings": "threads and determinism as torch has them",
    "env.vars": "the variables in ENV_VARS, with paths and secrets replaced",
    "fingerprint": "SHA-256 over devices, env and cgroup: what starts a new baseline",
    "host": "load, CPU pressure, steal, run-queue delay, throttling, governor, huge pages",
    "results[]": "parameters, timings in ns, their summary, the check of the output",
    "energy[]": "joules where a counter can be read",
    "time": "start, end, duration, hash of the boot id",
    "spool": "runs waiting and runs dropped",
}

ENV_VARS = (
    "OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES", "OMP_WAIT_POLICY", "OMP_SCHEDULE",
    "GOMP_SPINCOUNT", "GOMP_CPU_AFFINITY", "KMP_AFFINITY", "KMP_BLOCKTIME", "MKL_NUM_THREADS",
    "MKL_DYNAMIC", "OPENBLAS_NUM_THREADS", "ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA",
    "ONEDNN_DEFAULT_FPMATH_MODE", "DNNL_MAX_CPU_ISA", "MALLOC_ARENA_MAX", "MALLOC_CONF",
    "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "CUDA_LAUNCH_BLOCKING", "CUDA_MODULE_LOADING",
    "CUDA_DEVICE_MAX_CONNECTIONS", "NVIDIA_TF32_OVERRIDE", "CUBLAS_WORKSPACE_CONFIG",
    "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "HSA_OVERRIDE_GFX_VERSION", "HSA_ENABLE_SDMA",
    "GPU_MAX_HW_QUEUES", "HIP_FORCE_DEV_KERNARG", "ROCBLAS_USE_HIPBLASLT",
    "TORCH_BLAS_PREFER_HIPBLASLT", "PYTORCH_TUNABLEOP_ENABLED", "PYTORCH_TUNABLEOP_TUNING",
    "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF", "PYTORCH_ALLOC_CONF",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
)  # fmt: skip
_SECRET = re.compile(r"(?i)(token|secret|passw|api_?key|bearer|[A-Za-z0-9+/_-]{32,})")
_IDENTIFIER = re.compile(r"(?i)\b(GPU|MIG)-[0-9a-f-]+")


def collected_vars(environ: Mapping[str, str]) -> dict[str, str]:
    """The allowed variables that are set; a path, an identifier or a secret is replaced.

    >>> collected_vars({"OMP_NUM_THREADS": "2", "HOME": "/x", "MALLOC_CONF": "prof:/x"})
    {'OMP_NUM_THREADS': '2', 'MALLOC_CONF': '<path>'}
    """
    values: dict[str, str] = {}
    for name in ENV_VARS:
        value = environ.get(name)
        if value is None:
            continue
        if "/" in value:
            value = "<path>"
        elif _IDENTIFIER.search(value):
            value = "<identifier>"
        elif _SECRET.search(value):
            value = "<secret>"
        values[name] = "".join(c for c in value if c.isprintable())[:200]
    return values


def cpu_device(threads: int, root: Path = ROOT) -> dict[str, Any]:
    """The CPU as device d0."""
    vendor, model, flags = cpu_model(root)
    total, _ = memory_bytes(root)
    return {
        "key": "d0",
        "kind": "cpu",
        "index": 0,
        "vendor": vendor,
        "model": model,
        "arch": " ".join([platform.machine() or "unknown", *flags])[:60],
        "uuid_hash": None,
        "mem_bytes": total,
        "llc_bytes": llc_bytes(allowed_cpus(), root),
        "cores": threads,
        "driver": None,
    }


def gpu_device(row: Mapping[str, Any], key: str, root: Path = ROOT) -> dict[str, Any]:
    """A GPU from what torch reports (see device.cuda.gpu_rows)."""
    vendor = "AMD" if row["hip"] else "NVIDIA"
    model = str(row["name"]).strip() or "unknown"
    if model.upper().startswith(vendor + " "):
        model = model[len(vendor) + 1 :]
    return {
        "key": key,
        "kind": "gpu",
        "index": row["index"],
        "vendor": vendor,
        "model": model[:200],
        "arch": str(row["arch"])[:60],
        "uuid_hash": short_hash("device", row["uuid"]) if row["uuid"] else None,
        "mem_bytes": row["mem_bytes"],
        "llc_bytes": row["llc_bytes"],
        "driver": gpu_driver(vendor, root),
    }


def gpu_driver(vendor: str, root: Path = ROOT) -> str | None:
    """Version of the kernel driver, or None when the kernel doesn't show it."""
    if vendor == "AMD":
        return (read_text(root / "sys/module/amdgpu/version") or "")[:60] or None
    text = read_text(root / "proc/driver/nvidia/version") or ""
    found = re.search(r"\b(\d{3}\.\d+(?:\.\d+)?)\b", text)
    return found.group(1) if found else None


def fingerprint(
    devices: list[dict[str, Any]], env: Mapping[str, Any], node: Mapping[str, Any]
) -> str:
    """SHA-256 over what defines a baseline segment.

    Memory counts in GiB, because the kernel's total differs a little from boot to boot.
    """
    stable = [
        {**device, "mem_bytes": round((device["mem_bytes"] or 0) / 2**30)} for device in devices
    ]
    text = canonical_json({"devices": stable, "env": dict(env), "cgroup": node["cgroup"]})
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def collect(
    torch_facts: Mapping[str, Any] | None, label: str | None, root: Path = ROOT
) -> dict[str, Any]:
    """node, devices, env and fingerprint. Without `torch_facts`, env.torch is None."""
    threads = usable_threads(root)
    facts = dict(torch_facts or {})
    devices = [cpu_device(threads, root)]
    devices += [
        gpu_device(row, f"d{number}", root)
        for number, row in enumerate(facts.get("gpus", []), start=1)
    ]
    env = {
        "os": platform.system().lower() or "unknown",
        "kernel": platform.release()[:200],
        "python": platform.python_version(),
        "torch": facts.get("torch"),
        "torch_git": facts.get("torch_git"),
        "cuda": facts.get("cuda"),
        "hip": facts.get("hip"),
        "blas": facts.get("blas"),
        "settings": {
            **facts.get("settings", {}),
            "threads": threads,
            "cpu_capability": facts.get("cpu_capability"),
        },
        "vars": collected_vars(os.environ),
    }
    node = {
        "id": node_id(root),
        "label": label,
        "virt": virtualisation(root),
        "cgroup": cgroup_limits(root),
    }
    return {
        "node": node,
        "devices": devices,
        "env": env,
        "fingerprint": fingerprint(devices, env, node),
    }


def host_state(root: Path = ROOT) -> dict[str, Any]:
    """Settings and load of the host at this moment; None where the kernel doesn't say."""
    governor = read_text(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    thp = read_text(root / "sys/kernel/mm/transparent_hugepage/enabled")
    chosen = re.search(r"\[(\w+)\]", thp or "")
    numa = read_text(root / "proc/sys/kernel/numa_balancing")
    return {
        "loadavg": [round(value, 2) for value in os.getloadavg()],
        "governor": governor,
        "thp": chosen.group(1) if chosen else None,
        "numa_balancing": int(numa) if numa and numa.isdigit() else None,
    }
