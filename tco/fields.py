"""The data dictionary: every field of a scenario with its label, unit, limits and default.

``fields.csv`` is the one place where a field is described. The JSON Schema, the checks at the door,
the reference page and the forms are made from it.

The ``type`` column reads:

==================  ================================================================
``text``            any text, at most 2,000 characters
``key``             a short name: letters, digits, ``.``, ``_`` and ``-``
``date``            ``2026-12-01``
``boolean``         true or false
``integer``         whole number
``number``          number, or text with a unit
``figure``          number, text with a unit, or a mapping of section ``figure``
``choice(a|b)``     one of the words
``choices(a|b)``    list of such words
``list(text)``      list of texts
``numbers``         list of numbers in the unit of the figure that they belong to
``hours``           24 numbers, one an hour from midnight
``months``          12 numbers, January first
``series``          8,760 numbers, one an hour of a year, or 35,040, one a quarter-hour
``map(a|b)``        mapping from such a word to a figure
``one(section)``    a mapping of that section
``many(section)``   a list of mappings of that section
``ref(kind)``       a key of the catalog
``local(list)``     a key of that list of the same document
==================  ================================================================
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Field:
    """One row of the dictionary. Limits and the default are in `unit`."""

    section: str
    name: str
    label: str
    unit: str
    kind: str  # figure, number, choice, many ...
    of: str  # what stands in the brackets of the type
    required: bool
    default: str  # empty: none
    minimum: float | None
    maximum: float | None
    description: str
    source: str

    @property
    def choices(self) -> tuple[str, ...]:
        """Words allowed, for ``choice``, ``choices`` and ``map``."""
        return tuple(self.of.split("|")) if self.kind in {"choice", "choices", "map"} else ()

    @property
    def type(self) -> str:
        """The type as the dictionary writes it."""
        return f"{self.kind}({self.of})" if self.of else self.kind


def _number(text: str) -> float | None:
    return float(text) if text else None


def _field(row: dict[str, str]) -> Field:
    kind, _, rest = row["type"].partition("(")
    return Field(
        section=row["section"],
        name=row["field"],
        label=row["label"],
        unit=row["unit"],
        kind=kind,
        of=rest.removesuffix(")"),
        required=row["required"] == "yes",
        default=row["default"],
        minimum=_number(row["minimum"]),
        maximum=_number(row["maximum"]),
        description=row["description"],
        source=row["source"],
    )


@cache
def sections() -> dict[str, dict[str, Field]]:
    """Return all fields by section and name, in the order of the dictionary.

    Examples
    --------
    >>> sections()["site"]["pue"].unit
    'ratio'
    """
    text = resources.files("tco").joinpath("fields.csv").read_text(encoding="utf-8")
    found: dict[str, dict[str, Field]] = {}
    for row in csv.DictReader(text.splitlines()):
        found.setdefault(row["section"], {})[row["field"]] = _field(row)
    return found


def section(name: str) -> dict[str, Field]:
    """Return the fields of one section by name.

    Raises
    ------
    KeyError
        If the dictionary has no such section.
    """
    return sections()[name]


def field(section_name: str, name: str) -> Field:
    """Return one field.

    Examples
    --------
    >>> field("purchase", "server_usd").label
    'Server price'
    """
    return sections()[section_name][name]
