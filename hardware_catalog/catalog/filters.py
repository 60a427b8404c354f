"""Filters of lists, for pages and API alike."""

from __future__ import annotations

from typing import Any

import django_filters
from django import forms
from django.db.models import Exists, OuterRef, Q, QuerySet

from hardware_catalog.models import CatalogEntry, Figure, Price
from hardware_catalog.seed.kinds import all_kinds
from hardware_catalog.seed.status import STATUSES

Entries = QuerySet[CatalogEntry]


class EntryFilter(django_filters.FilterSet):  # type: ignore[misc]
    """Search by words, vendor, status of any figure or price, and whether there is a price."""

    search = django_filters.CharFilter(method="by_words", label="Search")
    vendor = django_filters.CharFilter(field_name="vendor", label="Vendor")
    status = django_filters.ChoiceFilter(
        method="by_status",
        label="Status",
        empty_label="Any",
        choices=[(word, word.capitalize()) for word in STATUSES],
    )
    has_price = django_filters.ChoiceFilter(
        method="by_price",
        label="Price",
        empty_label="With or without",
        choices=[("yes", "With a price"), ("no", "Without a price")],
    )
    own = django_filters.ChoiceFilter(
        method="by_owner",
        label="Whose",
        empty_label="All",
        choices=[("own", "Your own"), ("shared", "Shared")],
    )

    class Meta:
        model = CatalogEntry
        fields: list[str] = []

    def by_words(self, entries: Entries, name: str, value: str) -> Entries:
        """Keep entries that hold every word in name, vendor, key or a text."""
        for word in value.split()[:8]:
            entries = entries.filter(
                Q(name__icontains=word)
                | Q(vendor__icontains=word)
                | Q(key__icontains=word)
                | Q(attributes__icontains=word)
            )
        return entries

    def by_status(self, entries: Entries, name: str, value: str) -> Entries:
        """Keep entries with a current figure or price of that status."""
        current = {"entry": OuterRef("pk"), "superseded_at": None, "status": value}
        return entries.filter(
            Exists(Figure.objects.filter(**current)) | Exists(Price.objects.filter(**current))
        )

    def by_price(self, entries: Entries, name: str, value: str) -> Entries:
        """Keep entries with, or without, a current price."""
        priced = Exists(Price.objects.filter(entry=OuterRef("pk"), superseded_at=None))
        return entries.filter(priced if value == "yes" else ~priced)

    def by_owner(self, entries: Entries, name: str, value: str) -> Entries:
        """Keep own or shared entries."""
        return entries.filter(organisation__isnull=value == "shared")


class PageFilter(EntryFilter):
    """The filter of a list page: vendors are those of the kind."""

    def __init__(self, *args: Any, vendors: list[str], vendor_label: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = forms.ChoiceField(
            label=vendor_label,
            required=False,
            choices=[("", "Any"), *((name, name) for name in vendors)],
        )
        self.form.fields["vendor"] = field


class ApiFilter(EntryFilter):
    """The filter of the API: also by kind and key."""

    kind = django_filters.ChoiceFilter(
        choices=[(kind, spec.label) for kind, spec in all_kinds().items()]
    )
    key = django_filters.CharFilter(field_name="key")
