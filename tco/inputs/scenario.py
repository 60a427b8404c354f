"""Everything a projection depends on, and its hash."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from tco.inputs.finance import Finance
from tco.inputs.fleet import Option
from tco.inputs.mix import MixRequest
from tco.inputs.site import Site
from tco.inputs.workload import Workload

SCHEMA_VERSION = "1"


def plain(value: Any) -> Any:
    """Dataclasses, tuples and sets as JSON values with a stable order.

    What stands in several places, as a site or a device does, is one value of the answer: it is to
    be read, not changed.
    """
    return _plain(value, {})


_INFINITY = float("inf")
_AS_THEY_ARE = frozenset({str, int, bool, type(None)})


@lru_cache(maxsize=512)
def _names(kind: type) -> tuple[str, ...] | None:
    """Fields of a dataclass; None of another type."""
    if not dataclasses.is_dataclass(kind):
        return None
    return tuple(field.name for field in dataclasses.fields(kind))


def _plain(value: Any, known: dict[int, Any]) -> Any:
    kind: Any = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if isinstance(value, float):
        if value in (_INFINITY, -_INFINITY):
            return "inf" if value > 0 else "-inf"
        return value
    names = _names(kind)
    if names is not None:  # the whole tree lives as long as this call: an id names one object
        place = id(value)
        if place not in known:
            known[place] = {name: _plain(getattr(value, name), known) for name in names}
        return known[place]
    if isinstance(value, (list, tuple)):
        return [_plain(item, known) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted(_plain(item, known) for item in value)
    if isinstance(value, dict):
        return {str(key): _plain(item, known) for key, item in value.items()}
    return value


def canonical_json(value: Any) -> str:
    """One text for one value: sorted keys, no spaces, no NaN."""
    return json.dumps(plain(value), sort_keys=True, separators=(",", ":"), allow_nan=False)


@dataclass(frozen=True, slots=True)
class Correlation:
    """How two uncertain inputs go together: rank correlation by their labels (F21.2)."""

    first: str
    second: str
    rank_correlation: float


@dataclass(frozen=True)
class ScenarioInputs:
    """A resolved scenario: every name replaced by figures."""

    name: str
    finance: Finance
    sites: tuple[Site, ...]
    workloads: tuple[Workload, ...]
    options: tuple[Option, ...]
    correlations: tuple[Correlation, ...] = ()
    mix: MixRequest | None = None  # what the optimiser is asked

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 over the canonical form: same input, same bytes."""
        return hashlib.sha256(canonical_json(self).encode()).hexdigest()
