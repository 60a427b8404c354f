"""Reading the price book of an organisation."""

from __future__ import annotations

import csv
import datetime as dt
import io
from dataclasses import dataclass

from django.db.models import QuerySet

from accounts.models import Organisation
from hardware_catalog.models import Agreement, CatalogEntry
from hardware_catalog.to_engine import DatabaseCatalog
from tco.document.price_book import NAMES

SOON_DAYS = 30


@dataclass(frozen=True, slots=True)
class Row:
    """One entry for a page: its name in the catalog, and where it stands today."""

    entry: Agreement
    name: str
    state: str  # holds | soon | later | ended | withdrawn
    price_text: str

    @property
    def commitment(self) -> str:
        """What an instance is committed for, in words."""
        return str(self.entry.commitment).replace("_", " ")


def agreements(*, organisation: Organisation) -> QuerySet[Agreement]:
    """Return every entry of an organisation, withdrawn ones too."""
    return Agreement.objects.filter(organisation=organisation)


def rows(*, organisation: Organisation, today: dt.date) -> list[Row]:
    """Return the entries with their names and states; what holds comes first."""
    found = list(agreements(organisation=organisation))
    keys = {entry.key for entry in found}
    names = dict(
        CatalogEntry.objects.filter(
            key__in=keys, kind__in=("server", "cloud_offer"), organisation=None
        ).values_list("key", "name")
    )
    names |= dict(
        CatalogEntry.objects.filter(
            key__in=keys, kind__in=("server", "cloud_offer"), organisation=organisation
        ).values_list("key", "name")
    )
    listed = [
        Row(entry, names.get(entry.key, entry.key), state_of(entry, today), price_text(entry))
        for entry in found
    ]
    order = ("holds", "soon", "later", "ended", "withdrawn")
    return sorted(listed, key=lambda row: order.index(row.state))


def state_of(entry: Agreement, today: dt.date) -> str:
    """Return where an entry stands on a day."""
    if entry.withdrawn_at is not None:
        return "withdrawn"
    if today < entry.valid_from:
        return "later"
    if today > entry.valid_to:
        return "ended"
    return "soon" if entry.valid_to - today <= dt.timedelta(days=SOON_DAYS) else "holds"


def price_text(entry: Agreement) -> str:
    """Return the price with its unit, or the discount."""
    if entry.discount_fraction is not None:
        return f"{entry.discount_fraction:.2%} off the list price"
    assert entry.price is not None
    per = "server" if entry.kind == "server" else "instance-hour"
    places = 2 if entry.price == round(entry.price, 2) else 4
    return f"{entry.price:,.{places}f} {entry.currency} per {per}"


def as_csv(*, organisation: Organisation) -> str:
    """Return the entries that are not withdrawn as the table that the import reads."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(NAMES)
    for entry in agreements(organisation=organisation).filter(withdrawn_at=None):
        given = entry.agreed
        writer.writerow([_cell(getattr(given, name)) for name in NAMES])
    return out.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    text = f"{value:f}".rstrip("0").rstrip(".") if hasattr(value, "as_tuple") else str(value)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t") else text


def known_keys(*, organisation: Organisation) -> dict[str, tuple[str, ...]]:
    """Return the keys of servers and offers that the organisation can name."""
    catalog = DatabaseCatalog(organisation)
    return {kind: catalog.keys(kind) for kind in ("server", "offer", "device")}
