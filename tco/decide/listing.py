"""Inputs that a goal seek may vary: every number that a document gives, by its path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tco.fields import section

_NUMBERS = ("figure", "number", "integer")


def numbers_in(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return (path, label with its unit) of each number that a document gives.

    Members of lists are named by their keys where they have one.

    Examples
    --------
    >>> numbers_in({"sites": [{"key": "kiel", "pue": 1.3}]})
    [('sites[kiel].pue', 'PUE [ratio]')]
    """
    return list(_of("scenario", document, ""))


def _of(name: str, given: Any, path: str) -> Iterator[tuple[str, str]]:
    if not isinstance(given, Mapping):
        return
    for field in section(name).values():
        if field.name not in given:
            continue
        place = f"{path}.{field.name}" if path else field.name
        value = given[field.name]
        if field.kind in _NUMBERS:
            unit = f" [{field.unit}]" if field.unit else ""
            yield place, f"{field.label}{unit}"
        elif field.kind == "one":
            yield from _of(field.of, value, place)
        elif field.kind == "many" and isinstance(value, list):
            for index, item in enumerate(value):
                key = item.get("key", index) if isinstance(item, Mapping) else index
                yield from _of(field.of, item, f"{place}[{key}]")
