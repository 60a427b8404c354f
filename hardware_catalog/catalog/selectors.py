"""Reading the catalog, always as one organisation sees it."""

from __future__ import annotations

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import Http404

from accounts.models import Organisation
from hardware_catalog.models import CatalogEntry, Change, Price, ThroughputFigure
from hardware_catalog.models.as_record import with_current
from hardware_catalog.seed.kinds import all_kinds
from hardware_catalog.seed.specs import KindSpec


def entry_list(
    *, organisation: Organisation, kind: str | None = None, archived: bool = False
) -> QuerySet[CatalogEntry]:
    """Return shared and own entries; a shared one that an own one shadows is left out."""
    own = CatalogEntry.objects.filter(
        organisation=organisation, kind=OuterRef("kind"), key=OuterRef("key"), archived=False
    )
    entries = (
        CatalogEntry.objects.filter(Q(organisation=None) | Q(organisation=organisation))
        .filter(archived=archived)
        .exclude(Q(organisation=None) & Exists(own))
        .order_by("vendor", "name", "pk")
    )
    return entries.filter(kind=kind) if kind else entries


def entry_get(*, organisation: Organisation, pk: int) -> CatalogEntry:
    """Return a shared or own entry with its current figures and prices, else 404."""
    entry = (
        with_current(
            CatalogEntry.objects.filter(Q(organisation=None) | Q(organisation=organisation))
        )
        .filter(pk=pk)
        .first()
    )
    if entry is None:
        raise Http404("There is no such catalog entry here.")
    return entry


def own_copy_of(*, organisation: Organisation, entry: CatalogEntry) -> CatalogEntry | None:
    """Return the own entry with the key of a shared one, archived or not."""
    return CatalogEntry.objects.filter(
        organisation=organisation, kind=entry.kind, key=entry.key
    ).first()


def kind_get(kind: str) -> KindSpec:
    """Return the specification of a kind, else 404."""
    spec = all_kinds().get(kind)
    if spec is None:
        raise Http404("The catalog has no such kind.")
    return spec


def kind_counts(*, organisation: Organisation) -> list[tuple[KindSpec, int, int]]:
    """Return each kind with the number of entries seen and how many of them are own."""
    rows = (
        entry_list(organisation=organisation)
        .order_by()
        .values_list("kind")
        .annotate(Count("pk"), own=Count("pk", filter=Q(organisation=organisation)))
    )
    counts = {kind: (seen, own) for kind, seen, own in rows}
    return [(spec, *counts.get(kind, (0, 0))) for kind, spec in all_kinds().items()]


def pending_devices(*, organisation: Organisation) -> QuerySet[CatalogEntry]:
    """Return uploaded devices that a person has yet to confirm."""
    return CatalogEntry.objects.filter(
        organisation=organisation, pending=True, archived=False
    ).order_by("name", "pk")


def device_keys(*, organisation: Organisation) -> frozenset[str]:
    """Return the keys of all devices that are seen."""
    return frozenset(
        entry_list(organisation=organisation, kind="device").values_list("key", flat=True)
    )


def history(*, entry: CatalogEntry) -> QuerySet[Change]:
    """Return the changes of an entry, newest first."""
    return Change.objects.filter(entry=entry).order_by("-at", "-pk")


def price_series(*, entry: CatalogEntry) -> QuerySet[Price]:
    """Return every price that was ever kept, also corrected ones, oldest first."""
    return Price.objects.filter(entry=entry).order_by("series", "price_date", "pk")


def measured_figures(
    *, organisation: Organisation, entry: CatalogEntry
) -> QuerySet[ThroughputFigure]:
    """Return what trusted runs of the organisation say about a device, by its key."""
    return ThroughputFigure.objects.filter(
        organisation=organisation, current=True, entry__kind="device", entry__key=entry.key
    ).order_by("metric", "dtype", "m", "n", "k")


def vendors(*, organisation: Organisation, kind: str) -> list[str]:
    """Return the vendors of a kind, in order."""
    return list(
        entry_list(organisation=organisation, kind=kind)
        .exclude(vendor="")
        .order_by("vendor")
        .values_list("vendor", flat=True)
        .distinct()
    )
