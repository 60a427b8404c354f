"""The plainest scenario with round numbers, as a document: what each case changes one thing of."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.document import parse, resolve
from tco.errors import InputErrors
from tco.inputs import ScenarioInputs
from tco.projection import project
from tco.results import Explained, LedgerLine, OptionResult, Projection

CATALOG = SeedCatalog()
ZERO = {"value": 0, "status": "assumed", "source": "this case"}
PLAIN: dict[str, Any] = {
    "schema": "tco-scenario/1",
    "name": "Plain",
    "finance": {
        "valuation_date": "2026-12-01",
        "horizon_months": 12,
        "discount_rate_fraction": 0,
    },
    "sites": [
        {
            "key": "hall",
            "country": "US",
            "energy_usd_per_kwh": 0.10,
            "demand_included": True,
            "pue": 1.25,
            "slot_w": 1000,
        }
    ],
    "workloads": [
        {
            "key": "chat",
            "model": "meta-llama/Llama-3.1-70B",
            "weight_dtype": "fp8",
            "requests_per_minute": 600,
            "input_tokens": 1000,
            "output_tokens": 250,
        }
    ],
    "options": [
        {
            "key": "own",
            "fleets": [
                {
                    "key": "own",
                    "workload": "chat",
                    "site": "hall",
                    "server": "supermicro-sys-821ge-tnhr",
                    "device": "h100-sxm",
                    "count": 2,
                    "purchase": {"server_usd": 240_000, "life_months": 60},
                }
            ],
        },
        {
            "key": "rent",
            "fleets": [
                {
                    "key": "rent",
                    "workload": "chat",
                    "offer": "aws-p5-48xlarge-us-east-1",
                    "count": 2,
                    "rental": {"usd_per_hour": 50},
                }
            ],
        },
    ],
}
Change = Callable[[dict[str, Any]], object]


def document(*changes: Change) -> dict[str, Any]:
    """The plain document with changes."""
    made = copy.deepcopy(PLAIN)
    for change in changes:
        change(made)
    return made


def at(path: str, value: Any) -> Change:
    """Set one field: ``options.0.fleets.0.count``; None takes it away."""

    def change(made: Any) -> None:
        *steps, last = path.split(".")
        for step in steps:
            made = made[int(step)] if isinstance(made, list) else made.setdefault(step, {})
        if value is None:
            made.pop(last, None)
        else:
            made[int(last) if isinstance(made, list) else last] = value

    return change


def own(path: str, value: Any) -> Change:
    """Set a field of the owned fleet."""
    return at(f"options.0.fleets.0.{path}", value)


def rent(path: str, value: Any) -> Change:
    """Set a field of the rented fleet."""
    return at(f"options.1.fleets.0.{path}", value)


def inputs(*changes: Change) -> ScenarioInputs:
    """Resolved with the shipped catalog."""
    return resolve(document(*changes), CATALOG)


def projected(*changes: Change) -> Projection:
    """All the way."""
    return project(inputs(*changes))


def refusals(*changes: Change) -> list[str]:
    """Every error of a document that is refused; none: it was taken."""
    try:
        inputs(*changes)
    except InputErrors as errors:
        return [str(error) for error in errors.errors]
    return []


def refused_text(text: str) -> list[str]:
    """Every error of a text."""
    try:
        resolve(parse(text), CATALOG)
    except InputErrors as errors:
        return [str(error) for error in errors.errors]
    return []


def lines(option: OptionResult) -> dict[str, LedgerLine]:
    """Lines of an option of one fleet, by key."""
    return {line.key: line for line in option.ledger.lines}


def kpi(found: Projection, option: int, key: str) -> Explained:
    """One KPI of one option."""
    return found.options[option].kpis[key]


def codes(found: Projection) -> dict[str, str]:
    """Fields of the findings by code, the first of each."""
    return {finding.code: finding.field for finding in reversed(found.findings)}
