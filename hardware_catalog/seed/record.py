"""What a catalog entry is, whether it comes from the seed files or from the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class FigureRecord:
    """A value with its pedigree; `status` is one of the four words of `status.STATUSES`."""

    name: str
    value: float
    unit: str
    status: str
    source: str
    as_of: str = ""
    low: float | None = None
    high: float | None = None
    verified: bool = True
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class PriceRecord:
    """A dated price of one series; a bound that no source gives is None."""

    series: str
    unit: str
    low: float | None
    mid: float | None
    high: float | None
    status: str
    source: str
    price_date: str = ""
    verified: bool = True
    evidence: str = ""
    basis: str = ""
    quote_reference: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """One entry. `prices` are ordered oldest first; the last of a series is the current one."""

    kind: str
    key: str
    name: str
    vendor: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)
    figures: Mapping[str, FigureRecord] = field(default_factory=dict)
    prices: tuple[PriceRecord, ...] = ()
    release_date: str = ""
    end_of_sale: str = ""
    end_of_support: str = ""
    pending: bool = False

    def price(self, series: str) -> PriceRecord | None:
        """Return the current price of `series`."""
        found = [price for price in self.prices if price.series == series]
        return found[-1] if found else None

    def text(self, name: str) -> str:
        """Return a text attribute, or an empty text."""
        return self.attributes.get(name, "")
