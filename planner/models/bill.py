"""Bills of a scenario as they were paid. A reference stands once; rows are only ever added."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone


class ActualBill(models.Model):
    """One bill in its own currency, of a calendar month (``2026-12``)."""

    organisation = models.ForeignKey(
        "accounts.Organisation", on_delete=models.CASCADE, related_name="bills"
    )
    scenario = models.ForeignKey("planner.Scenario", on_delete=models.CASCADE, related_name="bills")
    reference = models.CharField(max_length=200)
    month = models.CharField(max_length=7)
    line = models.CharField(max_length=200)
    fleet = models.CharField(max_length=200, blank=True)
    amount = models.DecimalField(max_digits=24, decimal_places=8)
    currency = models.CharField(max_length=3)
    quantity = models.DecimalField(max_digits=24, decimal_places=8, null=True, blank=True)
    planned_quantity = models.DecimalField(max_digits=24, decimal_places=8, null=True, blank=True)
    rate = models.DecimalField(max_digits=24, decimal_places=12, null=True, blank=True)
    note = models.CharField(max_length=200, blank=True)
    # None: a token, or a person who has left
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    by_name = models.CharField(max_length=200)  # as shown: who sent the table
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["month", "reference"]
        constraints = [
            models.UniqueConstraint(fields=["scenario", "reference"], name="one_bill_a_reference"),
            models.CheckConstraint(
                condition=models.Q(month__regex=r"^[0-9]{4}-(0[1-9]|1[0-2])$"),
                name="bill_month_is_a_month",
            ),
            models.CheckConstraint(
                condition=models.Q(currency__regex=r"^[A-Z]{3}$"), name="bill_currency_is_a_code"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.reference}, {self.month}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert once; a bill that was wrong is answered by another one, as in the books."""
        if self.pk is not None:
            raise ValidationError("A bill never changes: enter a credit under its own reference.")
        super().save(*args, **kwargs)
