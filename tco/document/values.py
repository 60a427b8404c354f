"""Values as people write them: numbers, text with a unit, figures with a source."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tco.defaults import defaults
from tco.document.quantity import currency_in, quantity
from tco.fields import Field, section
from tco.inputs import BASE, Figure, Foreign, Status

_NUMBER = r"[-+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?"
_RANGE = re.compile(
    rf"\s*(?P<low>{_NUMBER})\s*(?P<own>\S.*?)?\s+to\s+(?P<high>{_NUMBER})\s*(?P<unit>\S.*?)?\s*"
)
BARE_SOURCE = "scenario"  # source of a number that came without one


def shown(value: Any) -> str:
    """Value as an error message repeats it: short, and as it was written.

    Examples
    --------
    >>> shown("a" * 99), shown(True), shown({"a": 1})
    ("'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...'", 'true', 'a mapping')
    """
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:37] + "...")
    return plain_number(value)


def plain_number(value: float) -> str:
    """Number without a needless ``.0``.

    Examples
    --------
    >>> plain_number(20.0), plain_number(0.35), plain_number(1e9)
    ('20', '0.35', '1,000,000,000')
    """
    if isinstance(value, int) or value.is_integer():
        return f"{int(value):,}" if abs(value) < 1e15 else f"{value:g}"
    return repr(value)


def number(value: Any, unit: str) -> float:
    """Return a number in `unit`, from a number or from text with a unit.

    Raises
    ------
    ValueError
        With two arguments: what is wrong, and the mend.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError(
            f"{shown(value)} is not a number", f"enter a number in {unit}" if unit else "enter one"
        )
    return quantity(value, unit) if isinstance(value, str) else float(value)


def range_ends(value: Any) -> tuple[float | str, float | str] | None:
    """Return the two ends of a range as people write it, or None; a unit at the end is of both.

    Examples
    --------
    >>> range_ends("5 to 9"), range_ends("0.06 to 0.12 USD/kWh"), range_ends("40 kW")
    ((5.0, 9.0), ('0.06 USD/kWh', '0.12 USD/kWh'), None)
    """
    found = _RANGE.fullmatch(value) if isinstance(value, str) and len(value) <= 80 else None
    if found is None:
        return None
    unit = found["unit"] or ""
    own = found["own"] or unit
    low = f"{found['low']} {own}" if own else float(found["low"])
    return low, f"{found['high']} {unit}" if unit else float(found["high"])


def currencies_of(value: Any) -> frozenset[str]:
    """Return the currencies that the numbers of a figure are written in.

    Examples
    --------
    >>> sorted(currencies_of({"value": "8 EUR", "low": "7 EUR", "high": 9}))
    ['EUR', 'USD']
    """
    if isinstance(value, Mapping):
        samples = value.get("samples")
        numbers = [value[name] for name in ("value", "low", "high") if name in value]
        numbers += samples if isinstance(samples, list) else []
        return frozenset().union(*map(currencies_of, numbers))
    if (ends := range_ends(value)) is not None and any(isinstance(end, str) for end in ends):
        return frozenset().union(*map(currencies_of, ends))
    return frozenset({(currency_in(value) if isinstance(value, str) else "") or BASE})


def figure(value: Any, field: Field) -> Figure:
    """Return the figure of a valid document value, in the unit of `field`.

    A bare number, text with a unit, or a range such as ``5 to 9`` is assumed by the scenario; a
    mapping says more. The value of a range is its middle. A price in another currency keeps its
    number and is marked with the currency: the resolver converts it.
    """
    found = _figure(value, field)
    if BASE not in field.unit:
        return found
    code = next(iter(currencies_of(value) - {BASE}), "")
    return replace(found, foreign=Foreign(code, found.value)) if code else found


def _figure(value: Any, field: Field) -> Figure:
    ends_given = range_ends(value)
    if ends_given is not None:
        low, high = (number(end, field.unit) for end in ends_given)
        middle = (low + high) / 2
        return Figure(
            middle, field.unit, Status.ASSUMED, f"{BARE_SOURCE}: range given", low=low, high=high
        )
    if not isinstance(value, Mapping):
        return Figure(number(value, field.unit), field.unit, Status.ASSUMED, BARE_SOURCE)
    ends = {
        end: number(value[end], field.unit) if end in value else None for end in ("low", "high")
    }
    return Figure(
        value=number(value["value"], field.unit),
        unit=field.unit,
        status=Status(value.get("status", Status.ASSUMED)),
        source=value.get("source", BARE_SOURCE),
        as_of=value.get("as_of", ""),
        low=ends["low"],
        high=ends["high"],
        shape=value.get("shape", ""),
        samples=tuple(number(item, field.unit) for item in value.get("samples", ())),
    )


def default_figure(field: Field) -> Figure | None:
    """Return the table's default, or the dictionary's neutral one; None where there is none."""
    if not field.default:
        return None
    found = defaults().get(f"{field.section}.{field.name}")
    if found is not None:
        return dataclasses.replace(found.figure, source=f"default: {found.figure.source}")
    source = f"default: {field.source}" if field.source else "default"
    return Figure(float(field.default), field.unit, Status.ASSUMED, source)


def values(section_name: str, given: Mapping[str, Any], *, defaults: bool = True) -> dict[str, Any]:
    """Return the plain fields of a valid mapping as the engine takes them.

    Figures become `Figure`, words stay words, lists become tuples. Members that are mappings of
    another section, and keys of catalog entries, are left to the caller. A field left out has its
    default, or None (figures, numbers) or an empty text; with `defaults` off it is not returned.
    """
    found: dict[str, Any] = {}
    for name, field in section(section_name).items():
        if field.kind in {"one", "many", "ref", "local"}:
            continue
        if name in given:
            found[name] = _read(field, given[name])
        elif defaults:
            found[name] = _default(field)
    return found


def _read(field: Field, value: Any) -> Any:
    match field.kind:
        case "figure":
            return figure(value, field)
        case "number":
            return number(value, field.unit)
        case "integer":
            return int(value)
        case "choice":
            return str(value)
        case "choices":
            return tuple(sorted({str(item) for item in value}, key=field.choices.index))
        case "list":
            return tuple(value)
        case "hours" | "months" | "series":
            return tuple(number(item, field.unit) for item in value)
        case "map":  # in the order of the dictionary, so that the order as written does not count
            return tuple((key, figure(value[key], field)) for key in field.choices if key in value)
    return value


def _default(field: Field) -> Any:
    match field.kind:
        case "figure":
            return default_figure(field)
        case "number":
            return float(field.default) if field.default else None
        case "integer":
            return int(field.default) if field.default else None
        case "boolean":
            return field.default == "true" if field.default else None
        case "choices" | "list" | "map":
            return ()
        case "hours" | "months" | "series":
            return None
    return field.default
