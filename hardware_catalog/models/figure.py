"""Figures of entries; an old value stays, marked as superseded."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils import timezone

from hardware_catalog.models.entry import CatalogEntry
from hardware_catalog.seed.record import FigureRecord
from hardware_catalog.seed.status import STATUSES

LARGEST = 1e300  # NaN compares as larger than any number in PostgreSQL, so this keeps it out too


def _finite(name: str) -> models.Q:
    return models.Q(**{f"{name}__gte": -LARGEST, f"{name}__lte": LARGEST})


class Figure(models.Model):
    """A value with unit, status, source, date and evidence."""

    entry = models.ForeignKey(CatalogEntry, on_delete=models.CASCADE, related_name="figures")
    name = models.CharField(max_length=80)
    value = models.FloatField()
    low = models.FloatField(null=True, blank=True)
    high = models.FloatField(null=True, blank=True)
    unit = models.CharField(max_length=40)
    status = models.CharField(max_length=10, choices=[(word, word) for word in STATUSES])
    verified = models.BooleanField(default=True)
    source = models.TextField()
    as_of = models.CharField(max_length=40, blank=True)
    evidence = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    superseded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["entry", "name"],
                condition=models.Q(superseded_at=None),
                name="catalog_figure_one_current",
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=STATUSES), name="catalog_figure_status_known"
            ),
            models.CheckConstraint(
                condition=_finite("value")
                & (models.Q(low=None) | _finite("low"))
                & (models.Q(high=None) | _finite("high")),
                name="catalog_figure_finite",
            ),
            models.CheckConstraint(
                condition=(models.Q(low=None) | models.Q(low__lte=models.F("value")))
                & (models.Q(high=None) | models.Q(high__gte=models.F("value"))),
                name="catalog_figure_in_range",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.value:g} {self.unit}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save, and touch the entry: readers reload an entry whose time has moved."""
        super().save(*args, **kwargs)
        CatalogEntry.objects.filter(pk=self.entry_id).update(updated_at=timezone.now())

    @property
    def record(self) -> FigureRecord:
        """The figure as a record."""
        return FigureRecord(
            name=self.name,
            value=self.value,
            unit=self.unit,
            status=self.status,
            source=self.source,
            as_of=self.as_of,
            low=self.low,
            high=self.high,
            verified=self.verified,
            evidence=self.evidence,
        )
