"""Conventions of a scenario, and every input figure once: what a result rests on."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from tco.cost.case import Calendar
from tco.defaults import defaults_in
from tco.inputs import Figure, GemmPoint, MeasuredService, ScenarioInputs, Status
from tco.results import Term


def conventions(inputs: ScenarioInputs, calendar: Calendar) -> tuple[Term, ...]:
    """Modes and defaults, printed with every result (F0)."""
    finance = inputs.finance

    def term(name: str, value: float, unit: str, source: str) -> Term:
        return Term(name, value, unit, Status.ASSUMED, source)

    rate = finance.discount_rate_fraction
    hours = float(calendar.hours.mean()) if calendar.months else 0.0
    rate_words = "(1 + r)^(1/12) - 1" if finance.monthly_rate == "effective" else "r / 12"
    step = "(1 + e)^(k/12)" if finance.escalation_mode == "monthly" else "(1 + e)^floor(k/12)"
    terms = [
        term("horizon", float(calendar.months), "months", "finance.horizon_months"),
        term(
            "month 0",
            0.0,
            "month",
            f"{finance.valuation_date}, the valuation date common to all options (F0.1)",
        ),
        term(
            "capital is paid at the start of its month, all else at its end",
            1.0,
            "month between",
            "F0.1",
        ),
        term("hours of a month", hours, "h", f"hours mode {finance.hours_mode} (F0.2)"),
        dataclasses.replace(
            Term.of("discount rate a year", rate), source=f"{finance.discount_basis}; {rate.source}"
        ),
        term(
            "discount rate a month",
            calendar.rate_fraction,
            "1/month",
            f"{finance.monthly_rate}: {rate_words} (F0.3)",
        ),
        term(
            "age of a price",
            0.0,
            "months",
            f"escalation {finance.escalation_mode}: {step}, k from the price's own date on (F0.4)",
        ),
        term(
            "escalation of cloud rates and support",
            0.0,
            "1/yr",
            "held flat where no price change is given",
        ),
        term(
            "escalations and discount rate",
            0.0,
            "basis",
            f"all read as {'real' if finance.discount_basis.startswith('real') else 'nominal'},"
            f" since the rate is {finance.discount_basis} (F0.5)",
        ),
        term("costs are positive, resale is negative", 1.0, "sign", "F0.8"),
        term(
            "owned servers replaced at the end of their life",
            1.0,
            "times the first price",
            "replacement chain (F12.4)",
        ),
    ]
    for path in finance.exchange_rates:
        later = "" if path.flat else ", then by table"
        terms.append(
            Term(
                f"{finance.currency} for one {path.currency}",
                path.account_per_unit[0],
                finance.currency,
                Status.ASSUMED,
                f"from {path.rate_date}{later}: {path.rate_source} (F0.6)",
                as_of=path.rate_date.split(", ")[0],
            )
        )
    if finance.tax is not None:
        terms.append(Term.of("tax rate", finance.tax.rate_fraction))
        terms.append(
            term("tax year", 12.0, "months", "from the valuation date; relief at its end (F12.6)")
        )
    return tuple(terms)


def engine_defaults(terms: Iterable[Term]) -> tuple[Term, ...]:
    """Defaults of the engine among the terms of results; those of fields are input figures."""
    own = (found for found in defaults_in(term.source for term in terms) if not found.of_a_field)
    return tuple(Term.of(f"default: {found.used_for}", found.figure) for found in own)


def input_figures(inputs: ScenarioInputs) -> tuple[Term, ...]:
    """Every figure of the inputs once, under the name of what owns it.

    A table of measured products is one term per dtype, a load test one term.
    """
    seen: dict[tuple[str, Figure], None] = {}
    visited: set[int] = set()
    gemm: dict[tuple[str, str], list[GemmPoint]] = {}
    services: dict[MeasuredService, None] = {}

    def visit(value: Any, owner: str, field: str) -> None:
        if isinstance(value, Figure):
            seen.setdefault((f"{owner}: {field}" if owner else field, value))
        elif isinstance(value, GemmPoint):
            gemm.setdefault((owner, value.dtype), []).append(value)
        elif isinstance(value, tuple):
            for item in value:
                if isinstance(item, tuple) and item and isinstance(item[0], (str, float, int)):
                    for part in item[1:]:
                        visit(part, owner, f"{field} {item[0]}")
                else:
                    visit(item, owner, field)
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            if id(value) in visited:
                return
            visited.add(id(value))
            if isinstance(value, MeasuredService):
                services.setdefault(value)
                return
            name = str(getattr(value, "name", "")) or owner
            for inner in _fields(type(value)):
                visit(getattr(value, inner), name, inner)

    visit(inputs.finance, "finance", "")
    for part in (inputs.sites, inputs.workloads, inputs.options):
        visit(part, "", "")
    terms = dict.fromkeys(Term.of(name, figure) for name, figure in seen)
    tests = (
        Term(
            f"{service.name}: points of the load test",
            float(len(service.points)),
            "points",
            Status.MEASURED,
            service.source,
            as_of=service.as_of,
        )
        for service in services
    )
    return (*terms, *_measured_tables(gemm), *tests)


def _measured_tables(gemm: dict[tuple[str, str], list[GemmPoint]]) -> Iterator[Term]:
    for (owner, dtype), points in gemm.items():
        best = max(points, key=lambda point: point.tflops.value)
        yield Term(
            f"{owner}: best of {len(set(points))} measured {dtype} products",
            best.tflops.value,
            best.tflops.unit,
            best.tflops.status,
            best.tflops.source,
            best.tflops.verified,
            best.tflops.as_of,
        )


@lru_cache(maxsize=64)
def _fields(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))
