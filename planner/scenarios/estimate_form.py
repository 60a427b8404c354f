"""The five inputs from an address, and the scenario they start."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from planner.scenarios.estimate import EstimateQuery
from planner.scenarios.estimate_answer import answer
from planner.scenarios.exchange import errors_of
from tco.errors import InputError, InputErrors
from tco.fields import field

if TYPE_CHECKING:
    from accounts.models import Organisation

NUMBERS = {
    "requests_per_minute": ("workload", "requests_per_minute", "Requests a minute"),
    "input_tokens": ("workload", "input_tokens", "Input tokens"),
    "output_tokens": ("workload", "output_tokens", "Output tokens"),
    "ttft_ms": ("target", "limit_ms", "Latency target"),
}


def query_of(data: Mapping[str, Any]) -> tuple[EstimateQuery, tuple[InputError, ...]]:
    """Return the query of an address with every error; what is wrong keeps its default."""
    values: dict[str, Any] = {}
    errors = []
    for name in ("model", "region"):
        text = str(data.get(name, "")).strip()
        if text:
            values[name] = text[:200]
    for name, (section, field_name, label) in NUMBERS.items():
        text = str(data.get(name, "")).strip().replace(",", "")
        if not text:
            continue
        limits = field(section, field_name)
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        low, high = limits.minimum or 0.0, limits.maximum or math.inf
        if not math.isfinite(number):
            errors.append(InputError(name, f"{text[:40]!r} is not a number", "enter a number"))
        elif number <= 0 or not low <= number <= high:
            mend = f"enter {label.lower()} above 0 and up to {high:,g}"
            errors.append(InputError(name, f"{number:g} is out of range", mend))
        else:
            values[name] = number
    return EstimateQuery(**values), tuple(errors)


def starter_document(
    query: EstimateQuery, organisation: Organisation | None, valuation_date: str
) -> dict[str, Any]:
    """Return the document a new scenario starts from: the estimate's shortlist.

    A query that cannot be answered starts from the default one: the builder always opens.
    """
    for attempt in (query, EstimateQuery()):
        try:
            return answer(attempt, valuation_date=valuation_date).document
        except (InputError, InputErrors) as error:
            _ = errors_of(error)
    return {
        "schema": "tco-scenario/1",
        "name": "New scenario",
        "finance": {"valuation_date": valuation_date},
        "workloads": [],
        "options": [],
    }
