"""Entries of the catalog, shared or an organisation's own."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from hardware_catalog.seed.kinds import all_kinds
from hardware_catalog.seed.specs import KindSpec


class CatalogEntry(models.Model):
    """A device, server, region and so on; what it holds is declared in `seed/specs.py`.

    An entry without an organisation is shared by all. An own entry with the key of a shared one
    shadows it for its organisation.
    """

    kind = models.CharField(max_length=30)
    key = models.CharField(max_length=200)
    name = models.CharField(max_length=200)
    vendor = models.CharField(max_length=100, blank=True)
    organisation = models.ForeignKey(
        "accounts.Organisation",
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="catalog_entries",
    )
    attributes = models.JSONField(default=dict, blank=True)
    # ISO dates as sources give them: a year, a month or a day
    release_date = models.CharField(max_length=10, blank=True)
    end_of_sale = models.CharField(max_length=10, blank=True)
    end_of_support = models.CharField(max_length=10, blank=True)
    pending = models.BooleanField(default=False)  # uploaded, not yet confirmed by a person
    archived = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["kind", "name", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "kind", "key"],
                name="catalog_entry_key_once",
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                condition=models.Q(kind__in=list(all_kinds())), name="catalog_entry_kind_known"
            ),
            models.CheckConstraint(
                condition=~models.Q(key="") & ~models.Q(name=""), name="catalog_entry_named"
            ),
        ]
        indexes = [models.Index(fields=["kind", "vendor"], name="catalog_entry_kind_vendor")]

    def __str__(self) -> str:
        return self.name

    @property
    def spec(self) -> KindSpec:
        """What entries of this kind hold."""
        return all_kinds()[self.kind]

    @property
    def shared(self) -> bool:
        """True for an entry that every organisation sees."""
        return self.organisation_id is None
