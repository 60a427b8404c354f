"""What is recorded of the machine, and what is not."""

from __future__ import annotations

import getpass
import json
import platform
from pathlib import Path
from typing import Any

import pytest

from tco_agent.environment import (
    ENV_VARS,
    collect,
    collected_vars,
    fingerprint,
    gpu_device,
    gpu_driver,
)
from tco_agent.host_facts import (
    cgroup_limits,
    cpu_model,
    llc_bytes,
    node_id,
    physical_cores,
    usable_threads,
)
from tco_agent.power.rapl import energy_row, read_rapl


def put(root: Path, place: str, text: str) -> None:
    """Write a file of the kernel below a temporary root."""
    path = root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n")


def test_neither_host_nor_user_is_named() -> None:
    """The hostname, the home directory and the machine id are nowhere in the record."""
    text = json.dumps(collect(None, None))
    machine_id = Path("/etc/machine-id")
    secrets = [platform.node(), str(Path.home())]
    secrets += [machine_id.read_text().strip()] if machine_id.exists() else []
    secrets += [getpass.getuser()] if len(getpass.getuser()) > 4 else []
    for secret in secrets:
        if len(secret) > 3:
            assert secret not in text


def test_node_id_is_a_hash_that_stays(tmp_path: Path) -> None:
    """The same machine id gives the same id, another one another, and neither shows it."""
    put(tmp_path, "etc/machine-id", "5f1c" * 8)
    first = node_id(tmp_path)
    assert first == node_id(tmp_path)
    assert len(first) == 34
    assert "5f1c5f1c" not in first
    put(tmp_path, "etc/machine-id", "6f1c" * 8)
    assert node_id(tmp_path) != first


def test_variables_outside_the_list_are_not_read() -> None:
    """Secrets in other variables stay where they are."""
    assert collected_vars({"AWS_SECRET_ACCESS_KEY": "x", "PATH": "/bin", "HOSTNAME": "h"}) == {}


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("CUDA_VISIBLE_DEVICES", "0,1", "0,1"),
        ("CUDA_VISIBLE_DEVICES", "GPU-6b1d9f2e-aaaa-bbbb-cccc-1234", "<identifier>"),
        ("MALLOC_CONF", "prof_prefix:/home/eve/x", "<path>"),
        ("OMP_PLACES", "api_key=abc", "<secret>"),
        ("OMP_PLACES", "Q" * 40, "<secret>"),
        ("OMP_PROC_BIND", "close\x1b[2J", "close[2J"),
    ],
)
def test_values_are_cleaned(name: str, value: str, shown: str) -> None:
    """A path, an identifier or a secret is replaced, control characters go."""
    assert collected_vars({name: value}) == {name: shown}


def test_all_listed_variables_fit_the_schema() -> None:
    """At most sixty names, each in the form the schema allows."""
    assert len(set(ENV_VARS)) == len(ENV_VARS) <= 60
    assert all(name.replace("_", "").isalnum() and name.isupper() for name in ENV_VARS)


def a_device(**change: Any) -> dict[str, Any]:
    """A device row for the fingerprint."""
    return {"key": "d0", "model": "CPU", "mem_bytes": 64 * 2**30, "driver": "1.0", **change}


def test_fingerprint_changes_with_what_defines_a_baseline() -> None:
    """A driver, a torch or a quota starts a new one; some kilobytes of memory do not."""
    env, node = {"torch": "2.13.0"}, {"cgroup": {"cpu_quota": None}, "label": "a"}
    base = fingerprint([a_device()], env, node)
    assert fingerprint([a_device(mem_bytes=64 * 2**30 - 4096)], env, node) == base
    assert fingerprint([a_device()], env, {**node, "label": "b"}) == base
    assert fingerprint([a_device(driver="1.1")], env, node) != base
    assert fingerprint([a_device()], {"torch": "2.14.0"}, node) != base
    assert fingerprint([a_device()], env, {"cgroup": {"cpu_quota": 2.0}}) != base


def test_each_shared_cache_counts_once(tmp_path: Path) -> None:
    """Four CPUs on two caches of 32 MiB have 64 MiB, and the level 1 caches do not count."""
    for cpu in range(4):
        base = f"sys/devices/system/cpu/cpu{cpu}/cache"
        put(tmp_path, f"{base}/index0/level", "1")
        put(tmp_path, f"{base}/index0/size", "32K")
        put(tmp_path, f"{base}/index0/type", "Data")
        put(tmp_path, f"{base}/index3/level", "3")
        put(tmp_path, f"{base}/index3/size", "32768K")
        put(tmp_path, f"{base}/index3/type", "Unified")
        put(tmp_path, f"{base}/index3/shared_cpu_list", "0-1" if cpu < 2 else "2-3")
    assert llc_bytes({0, 1, 2, 3}, tmp_path) == 64 * 2**20
    assert llc_bytes({0, 1}, tmp_path) == 32 * 2**20
    assert llc_bytes({0}, tmp_path / "nothing") is None


def test_threads_of_one_core_count_once(tmp_path: Path) -> None:
    """Four CPUs on two cores are two; without a topology every CPU counts."""
    for cpu in range(4):
        put(tmp_path, f"sys/devices/system/cpu/cpu{cpu}/topology/core_id", str(cpu % 2))
        put(tmp_path, f"sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id", "0")
    assert physical_cores({0, 1, 2, 3}, tmp_path) == 2
    assert physical_cores({0, 1, 2}, tmp_path / "nothing") == 3


def test_quota_limits_the_threads(tmp_path: Path) -> None:
    """A quota of 150 ms in 100 ms is 1.5 CPUs, so one thread; `max` is no limit."""
    put(tmp_path, "sys/fs/cgroup/cpu.max", "150000 100000")
    put(tmp_path, "sys/fs/cgroup/memory.max", "1073741824")
    assert cgroup_limits(tmp_path) == {"cpu_quota": 1.5, "mem_bytes": 2**30}
    assert usable_threads(tmp_path) == 1
    put(tmp_path, "sys/fs/cgroup/cpu.max", "max 100000")
    put(tmp_path, "sys/fs/cgroup/memory.max", "max")
    assert cgroup_limits(tmp_path) == {"cpu_quota": None, "mem_bytes": None}


def test_cpu_is_named_as_the_kernel_names_it(tmp_path: Path) -> None:
    """Vendor in plain words, model without double spaces, the flags that matter."""
    put(
        tmp_path,
        "proc/cpuinfo",
        "processor : 0\nvendor_id : AuthenticAMD\nmodel name : AMD EPYC  9654 96-Core\n"
        "flags : fpu avx2 avx512f avx512_bf16\n\nprocessor : 1\nmodel name : other\n",
    )
    model = cpu_model(tmp_path)
    assert model == ("AMD", "AMD EPYC 9654 96-Core", ["avx2", "avx512f", "avx512_bf16"])


def test_gpu_shows_no_identifier(tmp_path: Path) -> None:
    """The vendor leaves the model's name, the identifier becomes a hash, the driver is read."""
    put(
        tmp_path,
        "proc/driver/nvidia/version",
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.15  Thu Jan 23",
    )
    row = {
        "index": 0,
        "hip": False,
        "name": "NVIDIA H200",
        "arch": "sm_90",
        "mem_bytes": 150_000_000_000,
        "free_bytes": 1,
        "llc_bytes": 60 * 2**20,
        "uuid": "6b1d9f2e-0000",
        "compute_units": 132,
    }
    device = gpu_device(row, "d1", tmp_path)
    assert (device["vendor"], device["model"], device["driver"]) == ("NVIDIA", "H200", "570.86.15")
    assert "6b1d9f2e" not in json.dumps(device)
    assert len(device["uuid_hash"]) == 32
    amd = gpu_device({**row, "hip": True, "name": "AMD Instinct MI300X"}, "d1", tmp_path)
    assert (amd["vendor"], amd["model"], amd["driver"]) == ("AMD", "Instinct MI300X", None)
    assert gpu_driver("NVIDIA", tmp_path / "nothing") is None


def rapl(root: Path, energy_uj: int) -> Path:
    """A package domain with a core domain inside and psys beside it."""
    for name, label in (("intel-rapl:0", "package-0"), ("intel-rapl:1", "psys")):
        put(root, f"{name}/name", label)
        put(root, f"{name}/energy_uj", str(energy_uj))
        put(root, f"{name}/max_energy_range_uj", "10000000")
    return root


def test_package_energy_counts_once_and_wraps(tmp_path: Path) -> None:
    """From 9 MJ over the wrap at 10 to 2: 3 million uJ are 3 J; psys is not added."""
    before = read_rapl(rapl(tmp_path, 9_000_000))
    row = energy_row("run", 2.0, before, read_rapl(rapl(tmp_path, 2_000_000)))
    assert row["joules"] == pytest.approx(3.0)
    assert (row["scope"], row["seconds"]) == ("package", 2.0)


def test_energy_that_cannot_be_read_is_never_zero(tmp_path: Path) -> None:
    """No counter, no permission or a counter that stands still: null, with the reason."""
    none = read_rapl(tmp_path / "nothing")
    row = energy_row("run", 2.0, none, none)
    assert (row["joules"], row["source"]) == (None, "unavailable(no powercap)")
    still = read_rapl(rapl(tmp_path, 5))
    row = energy_row("run", 2.0, still, still)
    assert (row["joules"], row["source"]) == (None, "unavailable(the counter did not move)")
    (tmp_path / "intel-rapl:0/energy_uj").unlink()
    row = energy_row("run", 2.0, still, read_rapl(tmp_path))
    assert row["source"] == "unavailable(no permission to read energy_uj)"
