"""What the page of an entry shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from accounts.models import Organisation
from hardware_catalog.catalog.selectors import (
    history,
    measured_figures,
    own_copy_of,
    price_series,
)
from hardware_catalog.catalog.words import METRIC_LABELS, text_in_words
from hardware_catalog.models import CatalogEntry, Change, Price
from hardware_catalog.models.as_record import as_record
from hardware_catalog.seed.record import FigureRecord, Record
from hardware_catalog.seed.specs import FEATURE_LABELS, SECURITY_FEATURES, KindSpec
from hardware_catalog.seed.to_engine import why_unsupported

MOST_CHANGES = 50


@dataclass(frozen=True, slots=True)
class FigureLine:
    """A figure with its label."""

    label: str
    figure: FigureRecord
    source_number: int


@dataclass(frozen=True, slots=True)
class PriceGroup:
    """Prices of one series with the numbers of their sources, newest first."""

    label: str
    unit: str
    prices: tuple[tuple[Price, int], ...]


class Sources:
    """Each source once, numbered in the order in which the page needs them."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        """Return the number of a source."""
        return self._numbers.setdefault(text, len(self._numbers) + 1)

    @property
    def listed(self) -> list[tuple[int, str]]:
        """All sources with their numbers."""
        return [(number, text) for text, number in self._numbers.items()]


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """One changed thing: what it was and what it became."""

    label: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """One row of the history."""

    change: Change
    lines: tuple[ChangeLine, ...]
    first: bool  # added as a whole: its values are on the page


@dataclass(frozen=True, slots=True)
class MeasuredLine:
    """A measured rate in words."""

    label: str
    dtype: str
    shape: str
    value: float
    low: float
    high: float
    unit: str
    runs: int
    measured_at: Any


def figure_lines(spec: KindSpec, record: Record, sources: Sources) -> list[FigureLine]:
    """Return the figures that are known, in the order of the specification."""
    return [
        FigureLine(
            one.label,
            record.figures[one.name],
            sources.number(record.figures[one.name].source),
        )
        for one in spec.figures
        if one.name in record.figures
    ]


def missing_labels(spec: KindSpec, record: Record) -> list[str]:
    """Return what nobody has told yet."""
    figures = [one.label for one in spec.figures if one.name not in record.figures]
    prices = [
        one.label
        for one in spec.prices
        if record.price(one.series) is None and "derived" not in one.series
    ]
    return [
        label[:1].lower() + label[1:] if label[1:2].islower() else label
        for label in figures + prices
    ]


def text_lines(spec: KindSpec, record: Record) -> list[tuple[str, str]]:
    """Return the texts that are known, without those that a section of their own shows."""
    apart = {"features", "software_stack", "lifecycle_source", "price_note", "device_keys"}
    return [
        (one.label, text_in_words(one, record.text(one.name)))
        for one in spec.texts
        if record.text(one.name) and one.name not in apart
    ]


def feature_lines(spec: KindSpec, record: Record) -> list[tuple[str, bool]]:
    """Return each security feature and whether the entry has it."""
    if spec.text("features") is None:
        return []
    held = record.text("features").split(";")
    return [(FEATURE_LABELS[word], word in held) for word in SECURITY_FEATURES]


def price_groups(spec: KindSpec, entry: CatalogEntry, sources: Sources) -> list[PriceGroup]:
    """Return the prices by series, newest first; corrected ones stay visible."""
    rows = list(price_series(entry=entry))
    groups = []
    for one in spec.prices:
        prices = tuple(
            (row, sources.number(row.source)) for row in reversed(rows) if row.series == one.series
        )
        if prices:
            groups.append(PriceGroup(one.label, one.unit, prices))
    return groups


def _figure_words(held: Any) -> str:
    if not isinstance(held, dict):
        return "nothing"
    unit = held.get("unit", "")
    number = f"{held.get('value', 0):,.6g}"
    return f"{number} {unit if unit != 'count' else ''}".strip() + f" ({held.get('status', '')})"


def _price_words(held: Any) -> str:
    if not held:
        return "nothing"
    return "; ".join(
        f"{one['series'].replace('_', ' ')} "
        + " / ".join(
            f"{one[bound]:,.6g}" for bound in ("low", "mid", "high") if one[bound] is not None
        )
        + (f" of {one['price_date']}" if one["price_date"] else "")
        for one in held
    )


def _changed(spec: KindSpec, change: Change) -> tuple[ChangeLine, ...]:
    before, after = change.before, change.after
    lines: list[ChangeLine] = []
    for part in sorted({*before, *after}):
        was, now = before.get(part), after.get(part)
        if part == "figures":
            for name in sorted({*(was or {}), *(now or {})}):
                figure = spec.figure(name)
                lines.append(
                    ChangeLine(
                        figure.label if figure else name.replace("_", " "),
                        _figure_words((was or {}).get(name)),
                        _figure_words((now or {}).get(name)),
                    )
                )
        elif part == "attributes":
            for name in sorted({*(was or {}), *(now or {})}):
                text = spec.text(name)
                lines.append(
                    ChangeLine(
                        text.label if text else name.replace("_", " "),
                        (was or {}).get(name, "") or "nothing",
                        (now or {}).get(name, "") or "nothing",
                    )
                )
        elif part == "prices":
            old = [one for one in was or [] if one not in (now or [])]
            new = [one for one in now or [] if one not in (was or [])]
            lines.append(ChangeLine("Prices", _price_words(old), _price_words(new)))
        else:
            label = part.replace("_", " ").capitalize()
            lines.append(ChangeLine(label, _plain(was), _plain(now)))
    return tuple(lines)


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if value not in (None, "") else "nothing"


def history_lines(spec: KindSpec, entry: CatalogEntry) -> list[HistoryLine]:
    """Return the latest changes in words."""
    found = []
    for change in history(entry=entry)[:MOST_CHANGES]:
        first = all(was is None for was in change.before.values())
        found.append(HistoryLine(change, () if first else _changed(spec, change), first))
    return found


def measured_lines(organisation: Organisation, entry: CatalogEntry) -> list[MeasuredLine]:
    """Return the measured rates of a device."""
    return [
        MeasuredLine(
            label=METRIC_LABELS.get(row.metric, row.metric),
            dtype=row.dtype.upper(),
            shape=f"{row.m:,} × {row.n:,} × {row.k:,}" if row.m else "",
            value=row.value,
            low=row.low,
            high=row.high,
            unit="µs" if row.unit == "us" else row.unit,
            runs=len(row.runs),
            measured_at=row.measured_at,
        )
        for row in measured_figures(organisation=organisation, entry=entry)
    ]


# Where a scenario takes an entry of a kind: the word of the scenario document.
SCENARIO_WORDS = {
    "device": "device",
    "server": "server",
    "cloud_offer": "offer",
    "language_model": "model",
    "region": "region",
    "cooling": "cooling",
    "rack": "rack",
    "feed": "feed",
}


def entry_page(*, organisation: Organisation, entry: CatalogEntry) -> dict[str, Any]:
    """Return the context of an entry's page."""
    spec, record, sources = entry.spec, as_record(entry), Sources()
    figures = figure_lines(spec, record, sources)
    own = own_copy_of(organisation=organisation, entry=entry) if entry.shared else None
    return {
        "entry": entry,
        "spec": spec,
        "record": record,
        "own_copy": own if own and not own.archived else None,
        "figures": figures,
        "missing": missing_labels(spec, record),
        "texts": text_lines(spec, record),
        "features": feature_lines(spec, record),
        "price_groups": price_groups(spec, entry, sources),
        "sources": sources,
        "price_note": record.text("price_note"),
        "software_stack": record.text("software_stack"),
        "history": history_lines(spec, entry),
        "measured": measured_lines(organisation, entry) if entry.kind == "device" else [],
        "unsupported": why_unsupported(record) if entry.kind == "language_model" else "",
        "scenario_word": SCENARIO_WORDS.get(entry.kind, ""),
        "unverified_count": sum(not one.figure.verified for one in figures),
    }
