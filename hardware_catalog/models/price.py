"""Dated prices; one that was corrected stays, marked as superseded."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.db import models
from django.utils import timezone

from hardware_catalog.models.entry import CatalogEntry
from hardware_catalog.seed.record import PriceRecord
from hardware_catalog.seed.status import STATUSES


def _not_negative(name: str) -> models.Q:
    # the upper bound keeps out NaN, which compares as larger than any number
    return models.Q(**{name: None}) | models.Q(
        **{f"{name}__gte": 0, f"{name}__lt": Decimal(10) ** 12}
    )


def _ordered(small: str, large: str) -> models.Q:
    return (
        models.Q(**{small: None})
        | models.Q(**{large: None})
        | models.Q(**{f"{small}__lte": models.F(large)})
    )


def _number(value: Decimal | None) -> float | None:
    return None if value is None else float(value)


class Price(models.Model):
    """One dated price of a series, as low, middle and high; what nobody gives is empty."""

    entry = models.ForeignKey(CatalogEntry, on_delete=models.CASCADE, related_name="prices")
    series = models.CharField(max_length=60)
    low = models.DecimalField(max_digits=20, decimal_places=8, null=True, blank=True)
    mid = models.DecimalField(max_digits=20, decimal_places=8, null=True, blank=True)
    high = models.DecimalField(max_digits=20, decimal_places=8, null=True, blank=True)
    unit = models.CharField(max_length=20)
    basis = models.CharField(max_length=40, blank=True)
    status = models.CharField(max_length=10, choices=[(word, word) for word in STATUSES])
    verified = models.BooleanField(default=True)
    source = models.TextField()
    evidence = models.TextField(blank=True)
    price_date = models.CharField(max_length=20, blank=True)
    quote_reference = models.CharField(max_length=100, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    superseded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["series", "price_date", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(status__in=STATUSES), name="catalog_price_status_known"
            ),
            models.CheckConstraint(
                condition=_not_negative("low") & _not_negative("mid") & _not_negative("high"),
                name="catalog_price_not_negative",
            ),
            models.CheckConstraint(
                condition=_ordered("low", "mid")
                & _ordered("mid", "high")
                & _ordered("low", "high"),
                name="catalog_price_in_order",
            ),
            models.CheckConstraint(
                condition=~models.Q(low=None, mid=None, high=None), name="catalog_price_given"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.series} {self.price_date}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save, and touch the entry: readers reload an entry whose time has moved."""
        super().save(*args, **kwargs)
        CatalogEntry.objects.filter(pk=self.entry_id).update(updated_at=timezone.now())

    @property
    def record(self) -> PriceRecord:
        """The price as a record."""
        return PriceRecord(
            series=self.series,
            unit=self.unit,
            low=_number(self.low),
            mid=_number(self.mid),
            high=_number(self.high),
            status=self.status,
            source=self.source,
            price_date=self.price_date,
            verified=self.verified,
            evidence=self.evidence,
            basis=self.basis,
            quote_reference=self.quote_reference,
        )
