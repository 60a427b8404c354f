"""Every configuration of a model on a server, ranked within its latency targets (P6.5, P8)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tco.cost.token_price import usd_per_mtok
from tco.errors import InputError
from tco.performance.dtypes import BYTES
from tco.performance.load_table import MAX_LOAD, METRICS
from tco.performance.memory import MemoryPlan
from tco.performance.replica import ReplicaSpec, unusable_target
from tco.search.candidate import Candidate, Times, race, whole
from tco.search.enumerate import configurations, problem
from tco.search.fitting import fitting, longest_sequence, memory_gb
from tco.search.request import TOP, Configuration, Excluded, Found, Request, SearchResult
from tco.search.split import split_of

_MS = 1e3


def search(request: Request, *, top: int = TOP) -> SearchResult:
    """Return the feasible configurations, cheapest output tokens first, and the others' reasons.

    Without a price the rank is by output tokens per second and device. The first `top` are the
    best of all configurations tried, to 1e-4 of their load: every other one was shown to carry at
    most as much at any load within the targets (see `tco.search.candidate.race`). Their figures
    are those of the closed form that sizes a fleet; those after them are `refined` = False, with a
    load within the targets and a bound that no load exceeds.

    Raises
    ------
    InputError
        If the request itself cannot be used: an unknown format, a target that is none.
    """
    check(request)
    if top < 1:
        raise InputError("top", f"{top} is below 1", "ask for one configuration or more")
    tried, excluded = configurations(request)
    kept, unfit = fitting(request, tried)
    candidates, silent = _candidates(request, kept)
    excluded += unfit + silent
    race(candidates, request.targets, request.output_tokens, top)
    excluded += [_missed(request, one) for one in candidates if one.missed]
    good = [one for one in candidates if not one.missed]
    pairs = sorted(((_found(request, one), one) for one in good), key=lambda pair: order(pair[0]))
    found = [_with_tails(*pair) for pair in pairs[:top]] + [pair[0] for pair in pairs[top:]]
    counts = Counter(one.reason for one in excluded)
    return SearchResult(
        found=tuple(found),
        excluded=tuple(excluded),
        tried=len(found) + len(excluded),
        counts=dict(counts),
        unpriced="" if request.usd_per_hour else "no price of the server: cost is blank",
        capacity=kept[0][1].definition if kept else "",
    )


def search_servers(requests: Sequence[Request], *, top: int = TOP) -> SearchResult:
    """Return one ranking over several servers, see `search`; those without a price come last."""
    results = [search(one, top=top) for one in requests]
    counts: Counter[str] = Counter()
    for one in results:
        counts.update(one.counts)
    unpriced = [
        f"{asked.server}: {said.unpriced}"
        for asked, said in zip(requests, results, strict=True)
        if said.unpriced
    ]
    return SearchResult(
        found=tuple(sorted((each for one in results for each in one.found), key=order)),
        excluded=tuple(each for one in results for each in one.excluded),
        tried=sum(one.tried for one in results),
        counts=dict(counts),
        unpriced="; ".join(unpriced),
        capacity=next((one.capacity for one in results if one.capacity), ""),
    )


def point(request: Request, configuration: Configuration) -> Found | Excluded:
    """Return one configuration at its largest load within the targets, or why it cannot be used.

    The figures are those that `search` gives it when it is among the best.

    Raises
    ------
    InputError
        If the request or the configuration names what does not exist.
    """
    named = replace(
        request,
        weight_dtypes=(configuration.weight_dtype,),
        kv_dtypes=(configuration.kv_dtype,),
        batch_limits=(configuration.batch_limit,),
    )
    check(named)
    split = (configuration.prefill_workers, configuration.decode_workers)
    if min(split) < 0 or (max(split) > 0 and min(split) == 0):
        raise InputError(
            "configuration",
            f"split {split[0]}:{split[1]} has no worker on one side",
            "give both sides one worker or more, or leave the split out",
        )
    ruled_out = problem(request, configuration)
    if ruled_out is not None:
        return ruled_out
    kept, unfit = fitting(request, [configuration])
    if unfit:
        return unfit[0]
    candidates, silent = _candidates(request, kept)
    if silent:
        return silent[0]
    race(candidates, request.targets, request.output_tokens, 1)
    one = candidates[0]
    return _missed(request, one) if one.missed else _with_tails(_found(request, one), one)


def check(request: Request) -> None:
    """Raise what is wrong with a request, by field."""
    model = request.model
    if not model.supported:
        said = f"{model.name}: {model.why_unsupported or 'not supported yet'}"
        raise InputError("model", said, "choose another")
    for name in ("input_tokens", "output_tokens", "devices"):
        value = getattr(request, name)
        if not 1 <= value < math.inf:
            raise InputError(name, f"{value:g} is below 1", "enter 1 or more")
    if not 0 <= request.cached_tokens < request.input_tokens:
        said = f"{request.cached_tokens:g} of {request.input_tokens:g} input tokens"
        raise InputError("cached_tokens", said, "leave at least one token to process")
    for name in ("requests_per_s", "concurrency", "usd_per_hour", "max_model_len"):
        value = getattr(request, name)
        if value is not None and not 0 < value < math.inf:
            raise InputError(name, f"{value:g} is not above 0", "enter more, or leave it out")
    if request.requests_per_s is not None and request.concurrency is not None:
        said = "both arrivals and requests in flight are given"
        raise InputError("concurrency", said, "give one of them: the other follows")
    said = unusable_target(request.targets, METRICS)
    if said:
        raise InputError("targets", said, "correct the target")
    for name in ("weight_dtypes", "kv_dtypes"):
        wrong = [dtype for dtype in getattr(request, name) if dtype not in BYTES]
        if wrong or not getattr(request, name):
            said = f"{wrong[0]!r} is not a number format" if wrong else "is empty"
            raise InputError(name, said, f"use {', '.join(BYTES)}")
    low = min(request.batch_limits, default=0)
    if low < 1:
        raise InputError("batch_limits", f"{low} is below one request", "enter 1 or more")


def order(one: Found) -> tuple[float, float, int, int, str]:
    """Cheapest tokens first, then fastest; fewer devices and a smaller batch break ties."""
    cost = one.usd_per_mtok if one.usd_per_mtok is not None else math.inf
    speed = one.output_tokens_per_s_per_device
    each = one.configuration
    return (cost, -speed, each.devices, each.batch_limit, each.label)


def cost_usd_per_mtok(request: Request, output_tokens_per_s: float, devices: int) -> float | None:
    """Return USD per million output tokens of a copy that holds `devices` of the server (F19.1)."""
    if request.usd_per_hour is None or output_tokens_per_s <= 0:
        return None
    share = devices / request.devices
    return usd_per_mtok(request.usd_per_hour * share, output_tokens_per_s)


def spec_of(request: Request, each: Configuration) -> ReplicaSpec:
    """Return a configuration without split as the replica that the sizing of a scenario builds."""
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


def _candidates(
    request: Request, kept: Sequence[tuple[Configuration, MemoryPlan]]
) -> tuple[list[Candidate], list[Excluded]]:
    times = Times(request, kept)
    made, excluded = [], []
    for each, plan in kept:
        found = times.of(each, plan)
        if isinstance(found, str):
            excluded.append(Excluded(each, "dtype", found, server=request.server))
        elif each.prefill_workers:
            made.append(Candidate(each, plan, split_of(request, each, plan, found)))
        else:
            made.append(Candidate(each, plan, whole(found[1])))
    return made, excluded


def _missed(request: Request, one: Candidate) -> Excluded:
    return Excluded(
        one.configuration,
        "target",
        one.missed,
        request.server,
        latency_per_limit=one.latency_per_limit,
    )


def _found(request: Request, one: Candidate) -> Found:
    each, plan = one.configuration, one.plan
    ttft_s, tpot_s, e2e_s, batch = one.means
    tokens = one.low * request.output_tokens
    copies = max(1, each.decode_workers) * each.parallel.attention_data
    room = plan.kv_tokens
    found = Found(
        configuration=each,
        requests_per_s=one.low,
        most_requests_per_s=one.high,
        output_tokens_per_s_per_device=tokens / each.devices,
        usd_per_mtok=cost_usd_per_mtok(request, tokens, each.devices),
        ttft_ms=ttft_s * _MS,
        tpot_ms=_ms(tpot_s),
        e2e_ms=e2e_s * _MS,
        ttft_p95_ms=None,
        tpot_p95_ms=None,
        e2e_p95_ms=None,
        utilisation_fraction=one.low / one.server.limit_per_s * MAX_LOAD.value,
        batch=batch,
        kv_room_tokens=math.inf if room is None else room * copies,
        kv_sequences=plan.sequences * copies,
        max_model_len=request.max_model_len or longest_sequence(request, plan),
        memory_gb_per_device=memory_gb(plan),
        binds=one.binds,
        refined=one.close,
        server=request.server,
    )
    return placed(request, found)


def _with_tails(found: Found, one: Candidate) -> Found:
    """Add the 95th percentiles at the load found."""
    table = one.server.table(np.array([one.low]), (95.0,), METRICS)
    at = {name: _ms(float(value[0, 0])) for name, value in table.quantile_s.items()}
    return replace(found, ttft_p95_ms=at["ttft"], tpot_p95_ms=at.get("tpot"), e2e_p95_ms=at["e2e"])


def _ms(seconds: float) -> float | None:
    return None if math.isnan(seconds) else seconds * _MS


def placed(request: Request, one: Found) -> Found:
    """Return the configuration with the copies and servers that the load asked needs."""
    per_server = request.devices // one.configuration.devices
    if request.requests_per_s is not None:
        needed = request.requests_per_s / one.requests_per_s
    elif request.concurrency is not None:  # Little: in flight = rate x time in the system
        needed = request.concurrency / (one.requests_per_s * one.e2e_ms / _MS)
    else:
        return replace(one, copies_per_server=per_server)
    copies = max(1, math.ceil(needed - 1e-9))
    servers = math.ceil(copies / per_server)
    asked = None
    if request.usd_per_hour is not None and request.requests_per_s is not None:
        tokens = request.requests_per_s * request.output_tokens
        asked = usd_per_mtok(request.usd_per_hour * servers, tokens)
    return replace(
        one,
        copies_per_server=per_server,
        copies=copies,
        servers=servers,
        carried_requests_per_s=copies * one.requests_per_s,
        usd_per_mtok_asked=asked,
    )
