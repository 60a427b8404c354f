"""A whole run: environment, plan, measurement, and the parts of the document."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from tco_agent.bench import FAMILIES
from tco_agent.bench.base import DeviceView
from tco_agent.conduct import Case, Conductor, Report, result_row
from tco_agent.contention import (
    delay_share,
    host_shares,
    read_delay,
    read_host_counters,
)
from tco_agent.document import utc_text
from tco_agent.environment import collect, host_state
from tco_agent.errors import AgentError, ExitCode
from tco_agent.host_facts import boot_id_hash, memory_bytes
from tco_agent.power.rapl import energy_row, read_rapl
from tco_agent.profiles import Profile
from tco_agent.timing import clock_self_test
from tco_agent.workers import TorchHost, Worker, WorkerEnded, WorkerTimeout

FACTS_LIMIT_NS = 60_000_000_000
ASSUMED_LLC_BYTES = 256 * 2**20
# Families in the order of preparation: short ones first, so that each has a figure at the end.
ORDER = ("launch.v1", "gemm.v1", "membw.v1", "block.v1")


def measure(profile: Profile, label: str | None, report: Report) -> dict[str, Any]:
    """Run the profile; the keyword arguments of `build_document` that come from measuring.

    AgentError when torch cannot be used or nothing at all could be measured.
    """
    report("importing torch", 0.0, profile.soft_budget_ns / 1e9)
    host = TorchHost()
    try:
        host.wait_until_ready()
        facts = _torch_facts(host)
        environment = collect(facts, label)
        return _measure(profile, host, facts, environment, report)
    finally:
        host.close()


def environment_only(label: str | None, *, with_torch: bool) -> dict[str, Any]:
    """What `tco-agent env` shows; torch is imported in a process of its own."""
    if not with_torch:
        return collect(None, label)
    host = TorchHost()
    try:
        host.wait_until_ready()
        return collect(_torch_facts(host), label)
    finally:
        host.close()


def _torch_facts(host: TorchHost) -> dict[str, Any]:
    try:
        worker = host.start({"family": "facts"})
        facts = worker.receive(FACTS_LIMIT_NS)
    except (WorkerEnded, WorkerTimeout) as error:
        text = f"torch could not describe this machine: {error}"
        raise AgentError(text, ExitCode.NOTHING_MEASURED) from None
    worker.kill()
    return facts


def _measure(
    profile: Profile,
    host: TorchHost,
    facts: Mapping[str, Any],
    environment: dict[str, Any],
    report: Report,
) -> dict[str, Any]:
    begin_ns, begin_unix_ns = time.perf_counter_ns(), time.time_ns()
    state = host_state()
    counters = read_host_counters(begin_ns)
    rapl = read_rapl()
    clock = clock_self_test()
    idle_share = _idle_check(profile.idle_check_ns)
    views = _views(environment["devices"], facts)
    cases = plan(profile.name, views)

    def start_worker(family: str, device: str) -> Worker:
        view = views[device]
        order = {
            "family": family,
            "device": {
                "key": view.key,
                "kind": view.kind,
                "threads": list(view.threads),
                "llc_bytes": view.llc_bytes,
                "free_bytes": view.free_bytes,
            },
            "index": next(d["index"] for d in environment["devices"] if d["key"] == device),
            "memory_bytes": profile.memory_bytes,
            "memory_fraction": profile.memory_fraction,
        }
        return host.start(order)

    conductor = Conductor(profile, start_worker, report)
    try:
        conductor.run(cases, begin_ns)
    finally:
        conductor.close()
    end_ns, end_unix_ns = time.perf_counter_ns(), time.time_ns()
    rows = [result_row(case, begin_ns) for case in cases]
    if not any(row["status"] == "ok" for row in rows):
        first = rows[0]["reason"] if rows else "no case"
        raise AgentError(f"nothing could be measured: {first}", ExitCode.NOTHING_MEASURED)
    shares = host_shares(counters, read_host_counters(end_ns))
    run_share = delay_share(
        sum(b.get("run_ns", 0) for case in cases for b in case.blocks),
        sum(b.get("wait_ns", 0) for case in cases for b in case.blocks),
    )
    members = {
        **state,
        **shares,
        "run_delay_share": run_share,
        "idle_run_delay_share": idle_share,
        "import_torch_ns": host.import_ns,
        "timer": clock,
    }
    members["unavailable"] = {
        name: "the kernel does not show it" for name, value in members.items() if value is None
    }
    return {
        "profile": profile.name,
        "moment": {
            "started_at": utc_text(begin_unix_ns),
            "finished_at": utc_text(end_unix_ns),
            "duration_ns": end_ns - begin_ns,
            "monotonic_start_ns": begin_ns,
            "wall_step_ns": (end_unix_ns - begin_unix_ns) - (end_ns - begin_ns),
            **_boot(),
        },
        "environment": environment,
        "host": members,
        "results": rows,
        "energy": _energy(facts, (end_ns - begin_ns) / 1e9, rapl),
    }


def plan(profile: str, views: Mapping[str, DeviceView]) -> list[Case]:
    """The cases of a profile, GPUs first; with several alike, one is measured.

    Families take turns case by case, so that a budget that ends early leaves some of each.
    """
    cases: list[Case] = []
    for view in sorted(views.values(), key=lambda v: (v.kind == "cpu", v.key)):
        lists = {name: FAMILIES[name].cases(profile, view) for name in ORDER}
        longest = max(len(rows) for rows in lists.values())
        for place in range(longest):
            for name, rows in lists.items():
                if place < len(rows):
                    cases.append(Case(len(cases), name, view.key, rows[place]))
    return cases


def _views(devices: list[dict[str, Any]], facts: Mapping[str, Any]) -> dict[str, DeviceView]:
    total, available = memory_bytes()
    limit = min(available or 1 << 30, total or 1 << 30)
    views: dict[str, DeviceView] = {}
    seen: set[str] = set()
    free_by_index = {row["index"]: row["free_bytes"] for row in facts.get("gpus", [])}
    for device in devices:
        on_cpu = device["kind"] == "cpu"
        name = f"{device['vendor']} {device['model']}"
        if name in seen:
            continue
        seen.add(name)
        cores = device.get("cores") or 1
        views[device["key"]] = DeviceView(
            key=device["key"],
            kind=device["kind"],
            threads=((1, cores) if cores > 1 else (1,)) if on_cpu else (0,),
            llc_bytes=device["llc_bytes"] or ASSUMED_LLC_BYTES,
            free_bytes=limit if on_cpu else free_by_index[device["index"]],
        )
    return views


def _idle_check(length_ns: int) -> float | None:
    """Run-queue delay of one busy thread before anything is measured."""
    before = read_delay()
    end = time.perf_counter_ns() + length_ns
    while time.perf_counter_ns() < end:
        pass
    after = read_delay()
    if before is None or after is None:
        return None
    return delay_share(after.run_ns - before.run_ns, after.wait_ns - before.wait_ns)


def _boot() -> dict[str, str]:
    value = boot_id_hash()
    return {} if value is None else {"boot_id_hash": value}


def _energy(facts: Mapping[str, Any], seconds: float, before: Any) -> list[dict[str, Any]]:
    rows = [energy_row("run", seconds, before, read_rapl())]
    if facts.get("gpus"):
        rows.append(
            {
                "phase": "run",
                "joules": None,
                "seconds": seconds,
                "source": "unavailable(GPU energy counters are not read by this version)",
                "scope": "gpu",
                "caveats": [],
            }
        )
    return rows
