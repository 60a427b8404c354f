"""The smallest change that makes a model fit a device (P1.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tco.inputs import LanguageModel, Parallel
from tco.performance.dtypes import cache_bytes, dtype_bytes
from tco.performance.memory import GB, MemoryPlan, memory_plan

NARROWER_CACHE = ("fp8",)
NARROWER_WEIGHTS = ("fp8", "int4")


def smallest_change(
    model: LanguageModel,
    *,
    memory_gb: float,
    parallel: Parallel,
    weight_dtype: str,
    kv_dtype: str,
    sequence_tokens: float,
    choices: Sequence[Parallel] = (),
    usable_fraction: float | None = None,
) -> str:
    """Name the smallest change after which the model fits; empty when it fits already (P1.4).

    Tried in order of effort: more devices of the machine, a narrower cache, narrower weights, both
    with all devices, a shorter context, a larger device.

    Parameters
    ----------
    choices
        Degrees that the machine allows.
    """

    def plan(
        at: Parallel,
        weight: str = weight_dtype,
        kv: str = kv_dtype,
        tokens: float = sequence_tokens,
    ) -> MemoryPlan:
        return memory_plan(
            model,
            memory_gb=memory_gb,
            parallel=at,
            weight_dtype=weight,
            kv_dtype=kv,
            sequence_tokens=tokens,
            usable_fraction=usable_fraction,
        )

    def fits(made: MemoryPlan) -> bool:
        return made.missing_gb == 0

    if fits(plan(parallel)):
        return ""
    wider = sorted(
        (one for one in choices if one.devices > parallel.devices), key=lambda one: one.devices
    )
    for one in wider:
        if fits(plan(one)):
            return f"spread it over {one.devices} devices ({one.label})"
    most = wider[-1] if wider else parallel
    caches = [kv for kv in NARROWER_CACHE if cache_bytes(kv) < cache_bytes(kv_dtype)]
    weights = [w for w in NARROWER_WEIGHTS if dtype_bytes(w) < dtype_bytes(weight_dtype)]
    on = "" if most is parallel else f" on {most.devices} devices ({most.label})"
    for kv in caches:
        if fits(plan(most, kv=kv)):
            return f"store the KV cache as {kv}{on}"
    for weight in weights:
        if fits(plan(most, weight)):
            return f"store the weights as {weight}{on}"
    for weight in weights:
        for kv in caches:
            if fits(plan(most, weight, kv)):
                return f"store the weights as {weight} and the KV cache as {kv}{on}"
    context = plan(most).most_context
    if context >= 1:
        return f"shorten the context to {context:,.0f} tokens{on}"
    made = plan(most)
    needed = made.weight_bytes + made.fixed_bytes + 2 * made.sequence_bytes
    return (
        f"choose a device with at least {math.ceil(needed / made.usable_fraction / GB):,} GB"
        " of memory, or more devices"
    )
