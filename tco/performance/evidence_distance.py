"""What a predicted speed rests on, how near that is, and how wide its interval is (P13, P0.5)."""

from __future__ import annotations

import dataclasses
import math
from functools import lru_cache

from tco.performance.factors import SHIPPED, shipped_factors
from tco.performance.replica import Replica
from tco.performance.residuals import SEEN, family_of, interval_for, shipped_intervals
from tco.results import LoadPoint

_KIND = "open_constant_rps"
_METRICS = ("ttft", "tpot", "e2e")
_UNRELATED_STRETCH = 1.5  # of the interval of a vendor that no measured serving run is of


def _seen(replica: Replica) -> str:
    """``device``, ``architecture``, ``vendor`` or an empty text: the nearest with measured runs."""
    device = replica.spec.device
    known = _known()
    for scope, whose in (
        ("device", device.key),
        ("architecture", device.architecture),
        ("vendor", device.vendor),
    ):
        if whose and (scope, whose) in known and device.kind != "cpu":
            return scope
    return "vendor" if device.vendor == "NVIDIA" and device.kind == "gpu" else ""


@lru_cache(maxsize=1)
def _known() -> frozenset[tuple[str, ...]]:
    """Scopes with measured runs in the shipped tables, which do not change."""
    return frozenset(key[:2] for key in shipped_factors()[SHIPPED])


def evidence_of(replica: Replica) -> str:
    """Say what the speed of a replica rests on, nearest evidence first (P13.1)."""
    assert replica.iteration is not None
    device, stack = replica.spec.device, replica.spec.stack
    kernels = {
        "measured here": "own measured kernels",
        "measured elsewhere": f"public kernel measurements of the {device.name}",
        "family": "kernel efficiencies of other devices",
    }[replica.iteration.rates.evidence]
    if replica.measured:
        kernels = "own measured kernels"
    runs = {
        "device": f"public serving runs of the {device.name}",
        "architecture": f"public serving runs of other {device.architecture} devices",
        "vendor": f"public serving runs of other {device.vendor} devices",
        "": f"serving runs of other vendors: none of {device.vendor or device.name} is known",
    }[_seen(replica)]
    return f"{kernels}; host times and factors fitted to {runs} (stack {stack})"


def with_evidence(point: LoadPoint, replica: Replica) -> LoadPoint:
    """Return the point with its KV use and the 80 % interval of each metric (P13.3)."""
    assert replica.plan is not None
    seen = _seen(replica)
    table = shipped_intervals()
    rows = table.get(SEEN if seen == "device" else SHIPPED, table[SHIPPED])
    stretch = 1.0 if seen else _UNRELATED_STRETCH
    ratios = {}
    for metric in _METRICS:
        spread = interval_for(family_of(metric, _KIND), rows)
        ratios[metric] = (math.exp(spread.low * stretch), math.exp(spread.high * stretch))
    spec, room = replica.spec, replica.plan.kv_tokens
    used = None
    if room is not None and room > 0 and not point.saturated:
        held = point.batch * (spec.input_tokens + spec.output_tokens / 2)
        used = min(1.0, held / (room * spec.attention_data_parallel))
    return dataclasses.replace(point, kv_fraction=used, interval_ratio=ratios)
