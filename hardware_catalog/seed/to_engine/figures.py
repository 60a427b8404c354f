"""Figures of a record as the engine's."""

from __future__ import annotations

from hardware_catalog.seed.record import FigureRecord, Record
from tco.inputs import Figure, Status


def figure(record: FigureRecord | None) -> Figure | None:
    """Return the engine's figure of a record's."""
    if record is None:
        return None
    return Figure(
        value=record.value,
        unit=record.unit,
        status=Status(record.status),
        source=record.source,
        as_of=record.as_of,
        low=record.low,
        high=record.high,
        verified=record.verified,
        evidence=record.evidence,
    )


def get(record: Record, name: str) -> Figure | None:
    """Return a figure of the record by its column, or None."""
    return figure(record.figures.get(name))


def whole(record: Record, name: str, default: int = 0) -> int:
    """Return a figure as a whole number, or `default`."""
    found = record.figures.get(name)
    return default if found is None else round(found.value)


def value_of(record: Record, name: str, default: float = 0.0) -> float:
    """Return the value of a figure, or `default`."""
    found = record.figures.get(name)
    return default if found is None else found.value
