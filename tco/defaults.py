"""Every default of the engine, from one table: what stands in where nobody entered a figure.

``defaults.csv`` holds each with its unit, range, status, source and date. Those of the dictionary's
fields bear the name of their field (``site.pue``), the others that of the room that reads them. A
``basis`` of ``planning`` says that no source was found: such a value is named in a finding whenever
a result rests on it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from tco.fields import sections
from tco.inputs import Figure, Status

BASES = ("sourced", "planning", "convention")


@dataclass(frozen=True, slots=True)
class Default:
    """One row of the table; `value` and range are in `unit`.

    `basis` is ``sourced``, ``planning`` (no source was found) or ``convention`` (a mode of the
    calculation or the absence of something, which needs none).
    """

    key: str
    figure: Figure
    basis: str
    used_for: str

    @property
    def of_a_field(self) -> bool:
        """Whether it is that of a field of the scenario, which anybody may enter."""
        section, _, name = self.key.partition(".")
        return name in sections().get(section, {})

    @property
    def planning(self) -> bool:
        """Whether it is a planning value without a source."""
        return self.basis == "planning"


@cache
def defaults() -> Mapping[str, Default]:
    """Every default by key, in the order of the table.

    Examples
    --------
    >>> found = defaults()["failures.service_level_fraction"]
    >>> found.figure.value, found.figure.unit, found.basis
    (0.95, 'fraction', 'planning')
    """
    text = resources.files("tco").joinpath("defaults.csv").read_text(encoding="utf-8")
    return {row["key"]: _default(row) for row in csv.DictReader(text.splitlines())}


def default(key: str) -> Figure:
    """The figure of a default, with its source.

    Raises
    ------
    KeyError
        No default has that key.

    Examples
    --------
    >>> default("power.cpu_idle_share").value
    0.3
    """
    return defaults()[key].figure


def defaults_in(sources: Iterable[str]) -> tuple[Default, ...]:
    """Defaults that results with these sources rest on, in the order of the table.

    A figure computed from a default names the default's source in brackets: that counts too.

    Examples
    --------
    >>> [found.key for found in defaults_in(["default: planning value: a common rank of adapters"])]
    ['co_location.adapter_rank']
    """
    given = "\n".join(dict.fromkeys(sources))
    return tuple(found for found in defaults().values() if found.figure.source in given)


def _default(row: Mapping[str, str]) -> Default:
    def end(name: str) -> float | None:
        return float(row[name]) if row[name] else None

    figure = Figure(
        float(row["value"]),
        row["unit"],
        Status(row["status"]),
        row["source"],
        row["as_of"],
        low=end("low"),
        high=end("high"),
        verified=row["verified"] != "no",
    )
    return Default(row["key"], figure, row["basis"], row["used_for"])
