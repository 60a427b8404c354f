"""Everything a projection depends on, and its hash."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tco.inputs.finance import Finance
from tco.inputs.fleet import Option
from tco.inputs.site import Site
from tco.inputs.workload import Workload

SCHEMA_VERSION = "1"


def plain(value: Any) -> Any:
    """Dataclasses, tuples and sets as JSON values with a stable order."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)
        }
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted(plain(item) for item in value)
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
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

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 over the canonical form: same input, same bytes."""
        return hashlib.sha256(canonical_json(self).encode()).hexdigest()
