"""Prices agreed with suppliers: an entry never changes, it is withdrawn or another one added."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone

from tco.document.price_book import KINDS, AgreedPrice


class Agreement(models.Model):
    """A net price, or a discount off the list price, from its first to its last day."""

    organisation = models.ForeignKey(
        "accounts.Organisation", on_delete=models.CASCADE, related_name="agreements"
    )
    kind = models.CharField(max_length=10, choices=[(kind, kind) for kind in KINDS])
    key = models.CharField(max_length=200)  # of the catalog entry
    device = models.CharField(max_length=200, blank=True)
    commitment = models.CharField(max_length=20, blank=True)
    price = models.DecimalField(max_digits=20, decimal_places=8, null=True, blank=True)
    currency = models.CharField(max_length=3, default="USD")
    discount_fraction = models.DecimalField(max_digits=12, decimal_places=10, null=True, blank=True)
    supplier = models.CharField(max_length=200)
    reference = models.CharField(max_length=200)
    valid_from = models.DateField()
    valid_to = models.DateField()
    minimum_quantity = models.PositiveIntegerField(null=True, blank=True)
    note = models.CharField(max_length=200, blank=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    by_name = models.CharField(max_length=200)  # as shown
    at = models.DateTimeField(default=timezone.now)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_by_name = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["kind", "key", "device", "commitment", "-valid_from", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(valid_from__lte=models.F("valid_to")),
                name="agreement_ends_after_it_begins",
            ),
            models.CheckConstraint(
                condition=models.Q(price__isnull=True, discount_fraction__isnull=False)
                | models.Q(price__isnull=False, discount_fraction__isnull=True),
                name="agreement_price_or_discount",
            ),
            models.CheckConstraint(
                condition=models.Q(price__isnull=True)
                | models.Q(price__gt=0, price__lt=Decimal(10) ** 12),
                name="agreement_price_above_0",
            ),
            models.CheckConstraint(
                condition=models.Q(discount_fraction__isnull=True)
                | models.Q(discount_fraction__gt=0, discount_fraction__lt=1),
                name="agreement_discount_is_a_fraction",
            ),
            models.CheckConstraint(
                condition=models.Q(kind__in=list(KINDS)), name="agreement_kind_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.reference} of {self.supplier}: {self.key}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert once; afterwards only the withdrawal is written."""
        if self.pk is not None and set(kwargs.get("update_fields") or ("all",)) - WITHDRAWAL:
            raise ValidationError("An agreement never changes: withdraw it and add another one.")
        super().save(*args, **kwargs)

    @property
    def agreed(self) -> AgreedPrice:
        """The entry as the engine reads it."""
        return AgreedPrice(
            kind=self.kind,
            key=self.key,
            supplier=self.supplier,
            reference=self.reference,
            valid_from=self.valid_from.isoformat(),
            valid_to=self.valid_to.isoformat(),
            price=self.price,
            currency=self.currency,
            discount_fraction=self.discount_fraction,
            device=self.device,
            commitment=self.commitment,
            minimum_quantity=self.minimum_quantity,
            note=self.note,
        )


WITHDRAWAL = {"withdrawn_at", "withdrawn_by_name"}
