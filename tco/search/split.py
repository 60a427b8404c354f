"""Prefill and decode on workers of their own (P6.5)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tco.performance.factors import SHIPPED, resolve, shipped_factors, subject
from tco.performance.memory import GB, MemoryPlan
from tco.performance.steady import Batch
from tco.performance.step import shares, step_arrays
from tco.search.evaluate import laid_out
from tco.search.request import Configuration, Excluded, Found, Request

MOST_BUSY = 0.9  # of the prefill workers, as of a replica
_SIZES = np.array([1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512], dtype=float)


def split_found(
    request: Request, kept: Sequence[Configuration], plans: Sequence[MemoryPlan]
) -> tuple[list[Found], list[Excluded]]:
    """Return the splits that meet the targets at some load, at their largest, and the others.

    Prompts wait as in M/D/1 at each of x workers; the KV cache of a prompt crosses the link once;
    a decode step carries no prompt. Percentiles: the wait has an exponential tail.
    """
    found: list[Found] = []
    excluded: list[Excluded] = []
    if not kept:
        return found, excluded
    works, rates = laid_out(request, kept)
    arrays = step_arrays(works, rates)
    who = [subject(request.device, request.stack)] * len(kept)
    at = shares(arrays, resolve(shipped_factors()[SHIPPED], who))
    size = len(kept)

    def column(value: float) -> np.ndarray:
        return np.full(size, value)

    batch = Batch(
        arrays,
        at,
        column(request.input_tokens),
        column(request.output_tokens),
        column(math.inf),
        column(math.inf),
        column(request.cached_tokens),
    )
    prompt = batch.prompt_s()
    steps = np.stack([batch.decode_s(column(n)) for n in _SIZES], axis=1)
    for place, each in enumerate(kept):
        sent = float(plans[place].cache.bytes(request.input_tokens))
        move = sent / rates[place].link_bytes_per_s
        one = _best(
            request, each, plans[place], float(prompt[place]), steps[place], move, at, place
        )
        if isinstance(one, Found):
            found.append(one)
        else:
            excluded.append(Excluded(each, "target", one))
    return found, excluded


def _best(
    request: Request,
    each: Configuration,
    plan: MemoryPlan,
    prompt_s: float,
    steps_s: np.ndarray,
    move_s: float,
    at: Mapping[str, np.ndarray],
    place: int,
) -> Found | str:
    x, y = each.prefill_workers, each.decode_workers
    answer = max(request.output_tokens - 1, 1.0)
    host = float(at["request_s"][place])
    best: Found | None = None
    said = "no batch fits beside the weights"
    for batch, step in zip(_SIZES, steps_s, strict=True):
        if batch > plan.sequences:
            break
        decode_rate = y * batch / (answer * step)
        rate = min(decode_rate, x * MOST_BUSY / prompt_s)
        busy = rate * prompt_s / x
        wait = busy * prompt_s / (2 * (1 - busy))
        ttft = prompt_s + wait + move_s + host
        e2e = ttft + answer * step
        missed = ""
        for target in request.targets:
            tail = math.log(1 / (1 - target.percentile / 100))
            late = wait * max(tail - 1, 0.0)
            value = {"ttft": ttft + late, "tpot": step, "e2e": e2e + late}[target.metric] * 1e3
            if value > target.limit_ms:
                label = f"{target.metric} p{target.percentile:g} {target.limit_ms:,g} ms"
                missed = f"{label}: {value / target.limit_ms:,.2f} x"
                break
        if missed:
            said = missed
            continue
        if best is None or rate > best.requests_per_s:
            tokens = rate * request.output_tokens
            share = request.usd_per_hour
            cost = None if share is None else share / (tokens * 3600) * 1e6
            bound = "prefill workers" if rate < decode_rate else "decode workers"
            used = (plan.weight_bytes + plan.fixed_bytes + batch * plan.sequence_bytes) / GB
            best = Found(
                configuration=each,
                requests_per_s=rate,
                output_tokens_per_s_per_device=tokens / each.devices,
                usd_per_mtok=cost,
                ttft_ms=ttft * 1e3,
                tpot_ms=float(step) * 1e3,
                e2e_ms=float(e2e) * 1e3,
                batch=float(batch),
                kv_room_tokens=math.inf if plan.kv_tokens is None else plan.kv_tokens,
                memory_gb_per_device=used,
                binds=bound,
                verified=False,
            )
    if best is None:
        return said
    if request.requests_per_s is None:
        return best

    copies = max(1, math.ceil(request.requests_per_s / best.requests_per_s - 1e-9))
    return replace(best, copies=copies, servers=copies)
