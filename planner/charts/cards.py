"""KPIs as text for cards and tables; the rounding itself is in templatetags/units.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from planner.charts.kpis import head, ordered
from planner.templatetags.units import exact, percent, si, sig3
from tco.fields import field

SHORT_LABELS = {
    "tco_usd": "Total cost, present value",
    "usd_per_mtok_output": "Per million output tokens",
    "usd_per_mtok_total": "Per million tokens, in and out",
    "usd_per_1000_requests": "Per 1,000 requests",
    "usd_per_training_run": "Per training run",
    "usd_per_device_hour": "Per owned device-hour",
    "peak_kw": "Facility peak",
    "average_kw": "Facility average",
}

CURRENCY_CODES = field("finance", "currency").choices
COUNTS = {"servers", "devices", "racks"}


@dataclass(frozen=True, slots=True)
class Card:
    """One KPI of one option as people read it."""

    key: str
    label: str
    long_label: str
    value: str
    unit: str
    exact: str
    low_high: str
    status: str
    verified: bool
    reason: str


def _get(thing: Any, name: str) -> Any:
    return thing[name] if isinstance(thing, dict) else getattr(thing, name)


def value_text(value: float | None, unit: str) -> str:
    """Return three significant figures, money and energy with k or M.

    >>> value_text(11234567, "USD"), value_text(0.615, "fraction"), value_text(1250, "servers")
    ('11.2 M', '61.5 %', '1,250')
    """
    if unit == "fraction":
        return percent(value)
    if unit in COUNTS:
        return exact(value)
    if (
        unit.removesuffix("/month") in {*CURRENCY_CODES, "kWh"}
        and value is not None
        and abs(value) >= 1e4
    ):
        return si(value)
    return sig3(value)


def unit_text(unit: str) -> str:
    """Return the unit beside the value; counts carry their own word, fractions a per cent sign."""
    return "" if unit == "fraction" else unit


def card(kpi: Any) -> Card:
    """Return the card of an `Explained`, stored or fresh."""
    value, unit = _get(kpi, "value"), _get(kpi, "unit")
    low, high = _get(kpi, "low"), _get(kpi, "high")
    spread = ""
    if value is not None and low is not None and high is not None and low != high:
        spread = f"{value_text(low, unit)} to {value_text(high, unit)}"
        spread += " (80 %)" if unit == "ms" else ""
    return Card(
        key=_get(kpi, "key"),
        label=SHORT_LABELS.get(_get(kpi, "key"), _get(kpi, "label")),
        long_label=_get(kpi, "label"),
        value=value_text(value, unit),
        unit=unit_text(unit),
        exact=f"{exact(value)} {unit}".strip() if value is not None else "",
        low_high=spread,
        status=str(_get(kpi, "status")),
        verified=all(_get(term, "verified") for term in _get(kpi, "terms")),
        reason=_get(kpi, "reason"),
    )


def head_cards(kpis: dict[str, Any]) -> list[Card]:
    """Return the few cards that open a page."""
    return [card(kpi) for kpi in head(kpis)]


def all_cards(kpis: dict[str, Any]) -> list[Card]:
    """Return every KPI, in the order people read them."""
    return [card(kpi) for kpi in ordered(kpis)]
