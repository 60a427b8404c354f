"""The seed files as records. Needs no Django and no network."""

from __future__ import annotations

import csv
import functools
import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from hardware_catalog.seed.kinds import all_kinds
from hardware_catalog.seed.record import FigureRecord, PriceRecord, Record
from hardware_catalog.seed.specs import FigureSpec, KindSpec, PriceSpec
from hardware_catalog.seed.status import ESTIMATED, status_of, worse

FOLDER = Path(__file__).parent
ROW_COLUMN = {  # what an empty or absent override falls back to
    "basis": "basis",
    "evidence": "evidence",
    "source": "source",
    "as_of": "source_date",
}
Row = Mapping[str, str]


def slug(*parts: str) -> str:
    """Return the parts in lower case with single hyphens between words.

    Examples
    --------
    >>> slug("Supermicro", "SYS-821GE-TNHR")
    'supermicro-sys-821ge-tnhr'
    >>> slug("415 V 3ph 60 A")
    '415-v-3ph-60-a'
    """
    return re.sub(r"[^a-z0-9]+", "-", " ".join(parts).lower()).strip("-")


def _number(row: Row, column: str) -> float | None:
    text = row.get(column, "") if column else ""
    return float(text) if text else None


def _told(row: Row, column: str, what: str) -> str:
    """Return a provenance word: a literal after ``=``, a column, or the row's own."""
    if column.startswith("="):
        return column[1:]
    return row.get(column, "") or row.get(ROW_COLUMN[what], "")


def _figure(row: Row, spec: FigureSpec) -> FigureRecord | None:
    """Return the figure, or None where the row is silent.

    Where only a range is given, the value is its midpoint and estimated at best; where only one
    bound is given, the value is that bound. The evidence then says so.
    """
    value = _number(row, spec.value_column)
    low, high = _number(row, spec.low), _number(row, spec.high)
    status, verified, evidence = "", True, _told(row, spec.evidence, "evidence")
    bounds = [bound for bound in (low, high) if bound is not None]
    if value is None and not bounds:
        return None
    status, verified = status_of(_told(row, spec.basis, "basis"), evidence)
    if value is None:
        value = sum(bounds) / len(bounds)
        if len(bounds) == 1:
            evidence = f"{evidence}; only one bound is given".lstrip("; ")
        elif low != high:
            status = worse(status, ESTIMATED)
            evidence = f"{evidence}; midpoint of the range".lstrip("; ")
    return FigureRecord(
        name=spec.name,
        value=value,
        unit=spec.unit or row.get("unit", ""),
        status=status,
        source=_told(row, spec.source, "source"),
        as_of=_told(row, spec.as_of, "as_of"),
        low=low,
        high=high,
        verified=verified,
        evidence=evidence,
    )


def _price(row: Row, spec: PriceSpec) -> PriceRecord | None:
    low, mid, high = (_number(row, column) for column in (spec.low, spec.mid, spec.high))
    if low is None and mid is None and high is None:
        return None
    basis, evidence = _told(row, spec.basis, "basis"), _told(row, spec.evidence, "evidence")
    status, verified = status_of(basis, evidence)
    return PriceRecord(
        series=spec.series,
        unit=spec.unit,
        low=low,
        mid=mid,
        high=high,
        status=status,
        source=_told(row, spec.source, "source"),
        price_date=_told(row, spec.as_of, "as_of"),
        verified=verified,
        evidence=evidence,
        basis=basis,
    )


def record_of(spec: KindSpec, row: Row) -> Record:
    """Return the record of one row of a seed file."""
    key = [row.get(column, "") for column in spec.key]
    figures = [figure for figure in (_figure(row, one) for one in spec.figures) if figure]
    prices = [price for price in (_price(row, one) for one in spec.prices) if price]
    return Record(
        kind=spec.kind,
        key=slug(*key) if spec.slug else " ".join(key),
        name=" ".join(text for text in (row.get(column, "") for column in spec.name) if text),
        vendor=row.get(spec.vendor, "") if spec.vendor else "",
        attributes={
            text.name: row[text.name] for text in spec.texts if row.get(text.name, "") != ""
        },
        figures={figure.name: figure for figure in figures},
        prices=tuple(sorted(prices, key=lambda price: (price.series, price.price_date))),
        release_date=row.get("release_date", ""),
        end_of_sale=row.get("end_of_sale", ""),
        end_of_support=row.get("end_of_support", ""),
    )


def rows(file: str) -> list[dict[str, str]]:
    """Return the rows of a seed file."""
    with (FOLDER / f"{file}.csv").open(newline="", encoding="utf-8") as handle:
        return list(csv.DictReader(handle))


@functools.cache
def seed_records(kind: str) -> tuple[Record, ...]:
    """Return all seed records of `kind`.

    Raises
    ------
    KeyError
        If there is no such kind.
    """
    spec = all_kinds()[kind]
    return tuple(record_of(spec, row) for row in rows(spec.file))


def seed_checksum() -> str:
    """Return the SHA-256 over all seed files and the code that reads them."""
    digest = hashlib.sha256()
    for path in sorted([*FOLDER.glob("*.csv"), *FOLDER.glob("*.py")]):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
