"""What fits the memory of the devices, and the smallest mend of what does not (P1)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tco.performance.degrees import degrees_problem
from tco.performance.dtypes import BYTES, execution
from tco.performance.fit import smallest_change
from tco.performance.memory import GB, MemoryPlan, memory_plan
from tco.search.enumerate import layouts
from tco.search.request import Configuration, Excluded, Request


def fitting(
    request: Request, tried: Sequence[Configuration]
) -> tuple[list[tuple[Configuration, MemoryPlan]], list[Excluded]]:
    """Return what fits with at least two sequences, with its memory, and what does not."""
    kept: list[tuple[Configuration, MemoryPlan]] = []
    excluded = []
    plans: dict[tuple[object, ...], MemoryPlan] = {}
    for each in tried:
        key = (each.parallel, each.weight_dtype, each.kv_dtype, each.batch_limit)
        if key not in plans:
            plans[key] = plan_of(request, each)
        unfit = _unfit(request, each, plans[key])
        if unfit is None:
            kept.append((each, plans[key]))
        else:
            excluded.append(unfit)
    return kept, excluded


def plan_of(request: Request, each: Configuration) -> MemoryPlan:
    """Return the memory of a device of a configuration (P1)."""
    memory = request.device.memory_gb
    return memory_plan(
        request.model,
        memory_gb=None if memory is None else memory.value,
        parallel=each.parallel,
        weight_dtype=each.weight_dtype,
        kv_dtype=each.kv_dtype,
        sequence_tokens=request.sequence_tokens,
        max_batched_tokens=request.max_batched_tokens,
        max_sequences=each.batch_limit,
    )


def longest_sequence(request: Request, plan: MemoryPlan) -> int:
    """Return the longest sequence that the cache of one attention group holds, in tokens.

    An engine told to accept more than that does not start (or stops at the first such request).
    """
    most = request.model.max_context_tokens
    room = plan.kv_room_bytes
    if room is None or math.isinf(room):
        return most
    held = plan.cache.most_context(max(room, 0.0))
    return most if held >= most else int(held)


def _unfit(request: Request, each: Configuration, plan: MemoryPlan) -> Excluded | None:
    model, tokens = request.model, request.sequence_tokens
    asked = max(tokens, request.max_model_len or 0)
    if asked > model.max_context_tokens:
        said = f"{asked:,.0f} tokens, {model.name} takes {model.max_context_tokens:,}"
        beyond = asked - model.max_context_tokens
        return Excluded(each, "context", said, request.server, beyond_tokens=beyond)
    if plan.missing_gb > 0:
        said = f"{plan.missing_gb:,.1f} GB missing on each device of {each.parallel.label}"
        return Excluded(each, "memory", said, request.server, missing_gb=plan.missing_gb)
    held = longest_sequence(request, plan)
    if asked > held:
        said = f"max_model_len {asked:,.0f}: the cache of a copy holds {held:,} tokens"
        return Excluded(each, "context", said, request.server, beyond_tokens=asked - held)
    fresh = request.input_tokens - request.cached_tokens
    limit = request.max_batched_tokens
    if limit is not None and limit < fresh:
        said = f"max_batched_tokens {limit:,} is below one prompt of {fresh:,.0f} tokens"
        return Excluded(each, "batch", said, request.server, beyond_tokens=fresh - limit)
    return None


def memory_gb(plan: MemoryPlan) -> float:
    """Weights, workspace and the cache of the sequences that may run, GB of one device."""
    return (plan.weight_bytes + plan.fixed_bytes + plan.sequences * plan.sequence_bytes) / GB


def mend(request: Request, one: Excluded) -> str:
    """Name the smallest change after which an excluded configuration could be used; empty: none.

    Of degrees the reason itself names the nearest that work.
    """
    each = one.configuration
    if one.reason == "memory" and request.device.memory_gb is not None:
        choices = [way for way in layouts(request) if not degrees_problem(request.model, way)]
        return smallest_change(
            request.model,
            memory_gb=request.device.memory_gb.value,
            parallel=each.parallel,
            weight_dtype=each.weight_dtype,
            kv_dtype=each.kv_dtype,
            sequence_tokens=request.sequence_tokens,
            choices=choices,
        )
    if one.reason == "context":
        held = min(
            longest_sequence(request, plan_of(request, each)), request.model.max_context_tokens
        )
        name = "max_model_len" if request.max_model_len else "input and output"
        return f"set {name} to at most {held:,} tokens, or give the cache more devices"
    if one.reason == "batch":
        fresh = request.input_tokens - request.cached_tokens
        return f"raise max_batched_tokens to {fresh:,.0f}, or let the engine split prompts"
    if one.reason == "dtype":
        able = [dtype for dtype in BYTES if execution(request.device, dtype) is not None]
        return f"store the weights as {' or '.join(able)}" if able else ""
    if one.reason == "target" and one.latency_per_limit > 1:
        return f"allow {one.latency_per_limit:,.2f} x the limit, or take a faster device"
    return ""
