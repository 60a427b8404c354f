"""The support matrix: devices down, features across, for one framework."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.models import Organisation
from accounts.selectors import may_write
from hardware_catalog.catalog.access import member_page
from hardware_catalog.catalog.selectors import entry_list
from hardware_catalog.models import CatalogEntry
from hardware_catalog.models.as_record import as_record, with_current
from hardware_catalog.seed.record import Record
from hardware_catalog.seed.spec_support import WORKS

BADGES = {"works": "good", "partial": "warn", "missing": "bad"}
ICONS = {"works": "good", "partial": "warning", "missing": "error"}


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """What one framework can do of one feature on one device."""

    pk: int
    works: str
    badge: str
    icon: str
    status: str
    title: str
    own: bool
    efficiency_fraction: float | None


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of devices over columns of features; None where nothing is known."""

    framework: str
    features: tuple[str, ...]
    rows: tuple[tuple[str, tuple[MatrixCell | None, ...]], ...]
    counts: tuple[tuple[str, int], ...]  # how many cells of each kind


def support_matrix(
    *, organisation: Organisation, framework: str, search: str = "", works: str = ""
) -> Matrix:
    """Return the matrix of a framework as the organisation sees it.

    `search` is part of a device or of a feature; with `works` only devices with such a cell stay.
    """
    names = device_names(organisation)
    found: dict[str, dict[str, MatrixCell]] = {}
    entries = entry_list(organisation=organisation, kind="support")
    for entry in with_current(entries.filter(vendor=framework)):
        record = as_record(entry)
        device, feature = record.text("device_key"), record.text("feature")
        name = names.get(device, device)
        if search and not any(search.lower() in x.lower() for x in (name, device, feature)):
            continue
        row = found.setdefault(name, {})
        if feature not in row or not row[feature].own:  # what the organisation says goes first
            row[feature] = _cell(entry, record)
    if works:
        found = {
            name: cells
            for name, cells in found.items()
            if any(cell.works == works for cell in cells.values())
        }
    features = tuple(sorted({feature for cells in found.values() for feature in cells}))
    every = [cell.works for cells in found.values() for cell in cells.values()]
    return Matrix(
        framework,
        features,
        tuple(
            (name, tuple(found[name].get(feature) for feature in features))
            for name in sorted(found, key=str.lower)
        ),
        tuple((word, every.count(word)) for word in WORKS),
    )


def frameworks(*, organisation: Organisation) -> list[str]:
    """Return the frameworks that the matrix knows, those with most rows first."""
    listed = entry_list(organisation=organisation, kind="support").values_list("vendor", flat=True)
    every = [name for name in listed if name]
    return sorted(set(every), key=lambda name: (-every.count(name), name))


def device_names(organisation: Organisation) -> Mapping[str, str]:
    """Return the name of each device by its key."""
    devices = entry_list(organisation=organisation, kind="device")
    return dict(devices.values_list("key", "name"))


def _cell(entry: CatalogEntry, record: Record) -> MatrixCell:
    works = record.text("works")
    share = record.figures.get("efficiency_fraction")
    parts = [record.text("notes"), record.text("source"), record.text("source_date")]
    return MatrixCell(
        entry.pk,
        works,
        BADGES.get(works, "plain"),
        ICONS.get(works, "warning"),
        record.text("status"),
        "; ".join(part for part in parts if part),
        not entry.shared,
        share.value if share is not None else None,
    )


@require_GET
@member_page
def support_page(request: HttpRequest, organisation: Organisation) -> HttpResponse:
    """Show the matrix of one framework, filtered."""
    known = frameworks(organisation=organisation)
    asked = request.GET.get("framework", "")
    framework = asked if asked in known else next(iter(known), "")
    search = request.GET.get("search", "").strip()[:100]
    works = request.GET.get("works", "")
    works = works if works in WORKS else ""
    context: dict[str, Any] = {
        "matrix": support_matrix(
            organisation=organisation, framework=framework, search=search, works=works
        ),
        "frameworks": known,
        "unknown": asked if asked and asked not in known else "",
        "search": search,
        "works": works,
        "words": WORKS,
        "may_write": may_write(request.user),
    }
    return render(request, "hardware_catalog/catalog/support.html", context)
