"""Every configuration of a model on a server, ranked within its latency targets (P6.5, P8)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tco.cost.token_price import usd_per_mtok
from tco.errors import InputError
from tco.inputs import LatencyTarget, Parallel
from tco.performance.memory import GB, MemoryPlan
from tco.performance.rates import replica_rates
from tco.performance.replica import ReplicaSpec, build_replica, capacity
from tco.performance.serving import evaluate
from tco.performance.work import WIDE
from tco.search.enumerate import configurations
from tco.search.evaluate import Loads, fitting, loads
from tco.search.request import Configuration, Excluded, Found, Request, SearchResult
from tco.search.split import split_found

VERIFIED = 12  # of the best, held against the closed form with its percentiles
METRICS = ("ttft", "tpot", "e2e")


def search(request: Request) -> SearchResult:
    """Return the feasible configurations, cheapest output tokens first, and the others' reasons.

    Without a price the rank is by output tokens per second and device. The best ones are verified:
    their load and latencies come from the closed form at the percentiles asked, the others from
    means with stated tails (`tco.search.evaluate`).

    Raises
    ------
    InputError
        If the request itself cannot be used: no rate of the device, a target that is none.
    """
    _check(request)
    tried, excluded = configurations(request)
    whole = [each for each in tried if not each.prefill_workers]
    kept, plans, unfit = fitting(request, whole)
    excluded = [*excluded, *unfit]
    found: list[Found] = []
    if kept:
        said = loads(request, kept, plans)
        for place, each in enumerate(kept):
            if said.excess[place]:
                excluded.append(Excluded(each, "target", said.excess[place]))
            else:
                found.append(_found(request, said, place))
    splits = [each for each in tried if each.prefill_workers]
    if splits:
        fit, fit_plans, unfit = fitting(request, splits)
        excluded += unfit
        good, missed = split_found(request, fit, fit_plans)
        found += good
        excluded += missed
    found, more = _verified(request, sorted(found, key=_order))
    excluded += more
    counts = Counter(one.reason for one in excluded)
    unpriced = "" if request.usd_per_hour else "no price of the server: cost is blank"
    return SearchResult(
        tuple(found), tuple(excluded), len(found) + len(excluded), dict(counts), unpriced
    )


def point(request: Request, configuration: Configuration) -> Found | Excluded:
    """Return one configuration at its largest load within the targets, verified."""
    _check(request)
    kept, plans, unfit = fitting(request, [configuration])
    if unfit:
        return unfit[0]
    said = loads(request, kept, plans)
    one = _verify(request, _found(request, said, 0))
    return one if isinstance(one, Found) else Excluded(configuration, "target", one)


def _check(request: Request) -> None:
    if not request.model.supported:
        name = request.model.name
        raise InputError("model", f"{name}: {request.model.why_unsupported}", "choose another")
    for name, value in (("input_tokens", request.input_tokens), ("devices", request.devices)):
        if value < 1:
            raise InputError(name, f"{value:g} is below 1", "enter 1 or more")
    if request.cached_tokens >= request.input_tokens:
        raise InputError("cached_tokens", "is the whole prompt", "leave at least one token")
    for target in request.targets:
        if target.metric not in METRICS:
            said = f"{target.metric!r} is not a latency"
            raise InputError("targets", said, f"use one of {', '.join(METRICS)}")
        if not 0 < target.percentile < 100 or target.limit_ms <= 0:
            said = f"p{target.percentile:g} {target.limit_ms:g} ms cannot be judged"
            raise InputError("targets", said, "give a percentile within 0..100 and a limit above 0")
    low = min(request.batch_limits, default=0)
    if low < 1:
        raise InputError("batch_limits", f"{low} is below one request", "enter 1 or more")
    rates = replica_rates(request.device, _ONE, (WIDE,))
    if isinstance(rates, str):
        raise InputError("device", rates, "enter the missing figure or measure it")


def _order(one: Found) -> tuple[float, float, int, str]:
    """Cheapest tokens first, then fastest; fewer devices and the shorter name break ties."""
    cost = one.usd_per_mtok if one.usd_per_mtok is not None else math.inf
    speed = one.output_tokens_per_s_per_device
    return (cost, -speed, one.configuration.devices, one.configuration.label)


def cost_usd_per_mtok(request: Request, output_tokens_per_s: float, devices: int) -> float | None:
    """Return USD per million output tokens of a copy that holds `devices` of the server."""
    if request.usd_per_hour is None or output_tokens_per_s <= 0:
        return None
    share = devices / request.devices
    return usd_per_mtok(request.usd_per_hour * share, output_tokens_per_s)


def placed(request: Request, one: Found) -> Found:
    """Return the configuration with the copies and servers that the load asked needs."""
    per_server = request.devices // one.configuration.devices
    if request.requests_per_s is None:
        return replace(one, copies_per_server=per_server)
    copies = max(1, math.ceil(request.requests_per_s / one.requests_per_s - 1e-9))
    servers = math.ceil(copies / per_server)
    return replace(one, copies_per_server=per_server, copies=copies, servers=servers)


def memory_gb(plan: MemoryPlan) -> float:
    """Weights, workspace and the cache of the sequences that may run, GB of one device."""
    return (plan.weight_bytes + plan.fixed_bytes + plan.sequences * plan.sequence_bytes) / GB


def _found(request: Request, said: Loads, place: int) -> Found:
    each, plan = said.kept[place], said.plans[place]
    rate = float(said.requests_per_s[place])
    tokens = rate * request.output_tokens
    room = plan.kv_tokens
    return placed(
        request,
        Found(
            configuration=each,
            requests_per_s=rate,
            output_tokens_per_s_per_device=tokens / each.devices,
            usd_per_mtok=cost_usd_per_mtok(request, tokens, each.devices),
            ttft_ms=float(said.ttft_s[place]) * 1e3,
            tpot_ms=float(said.tpot_s[place]) * 1e3,
            e2e_ms=float(said.e2e_s[place]) * 1e3,
            batch=float(said.sequences[place]),
            kv_room_tokens=math.inf if room is None else room * each.parallel.attention_data,
            memory_gb_per_device=memory_gb(plan),
            binds=said.binds[place],
            verified=False,
        ),
    )


def spec_of(request: Request, each: Configuration) -> ReplicaSpec:
    """Return a configuration as the replica that the sizing of a scenario builds."""
    return ReplicaSpec(
        model=request.model,
        device=request.device,
        tensor_parallel=each.parallel.tensor,
        weight_dtype=each.weight_dtype,
        kv_dtype=each.kv_dtype,
        input_tokens=request.input_tokens,
        output_tokens=request.output_tokens,
        pipeline_parallel=each.parallel.pipeline,
        expert_parallel=each.parallel.expert,
        attention_data_parallel=each.parallel.attention_data,
        cached_tokens=request.cached_tokens,
        max_sequences=each.batch_limit,
        stack=request.stack,
    )


def _verify(request: Request, one: Found) -> Found | str:
    """Hold a configuration against the closed form at the percentiles asked."""
    if one.configuration.prefill_workers:
        return one
    spec = spec_of(request, one.configuration)
    replica = build_replica(spec, ())
    if replica.times is None:
        return replica.reason
    targets: tuple[LatencyTarget, ...] = request.targets
    found = capacity(spec, (), targets)
    if found.requests_per_s <= 0:
        return found.binds

    table = evaluate(replica.times, np.array([found.requests_per_s]), (50.0,), ())
    tokens = found.requests_per_s * request.output_tokens
    devices = one.configuration.devices
    return placed(
        request,
        replace(
            one,
            requests_per_s=found.requests_per_s,
            output_tokens_per_s_per_device=tokens / devices,
            usd_per_mtok=cost_usd_per_mtok(request, tokens, devices),
            ttft_ms=float(table.mean_s["ttft"][0]) * 1e3,
            tpot_ms=float(table.mean_s["tpot"][0]) * 1e3,
            e2e_ms=float(table.mean_s["e2e"][0]) * 1e3,
            batch=float(table.decoding[0]),
            binds=found.binds,
            verified=True,
        ),
    )


def _verified(request: Request, ranked: Sequence[Found]) -> tuple[list[Found], list[Excluded]]:
    """Verify from the top until the best dozen are verified ones, and rank again."""
    left = list(ranked)
    done: list[Found] = []
    excluded: list[Excluded] = []
    while left and len(done) < VERIFIED:
        one = left.pop(0)
        said = _verify(request, one)
        if isinstance(said, Found):
            done.append(said)
        else:
            excluded.append(Excluded(one.configuration, "target", said))
    return [*sorted(done, key=_order), *left], excluded


_ONE = Parallel()
