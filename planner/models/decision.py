"""The decision log of a scenario: who chose what, when and why. Rows are only ever added."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone

from planner.models.ordered_json import OrderedJSONField


class Decision(models.Model):
    """One entry. Figures are copied from the projection of the time, so that they stay.

    `chosen` and each of `rejected` hold an option's key, name, total cost with status and range
    or the reason why there is none, and whether it was feasible; a rejected one also why it was.
    """

    organisation = models.ForeignKey(
        "accounts.Organisation", on_delete=models.CASCADE, related_name="decisions"
    )
    scenario = models.ForeignKey(
        "planner.Scenario", on_delete=models.CASCADE, related_name="decisions"
    )
    number = models.PositiveIntegerField()  # within the scenario, from 1
    revision = models.ForeignKey(
        "planner.ScenarioRevision", on_delete=models.CASCADE, related_name="decisions"
    )
    engine_version = models.CharField(max_length=40)
    result_hash = models.CharField(max_length=64)  # SHA-256 of the projection's result
    chosen = OrderedJSONField()
    rejected = OrderedJSONField(default=list)
    reason = models.TextField()
    decided_by = models.CharField(max_length=200)  # as written: a person, a board
    decided_on = models.DateField()
    corrects = models.OneToOneField(
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="corrected_by"
    )
    # None: a token, or a person who has left
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    by_name = models.CharField(max_length=200)  # as shown: who wrote the entry
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["scenario", "number"], name="one_decision_per_number"),
            models.CheckConstraint(condition=models.Q(number__gte=1), name="decision_from_one"),
            models.CheckConstraint(
                condition=models.Q(result_hash__regex=r"^[0-9a-f]{64}$"),
                name="decision_hash_is_sha256",
            ),
            models.CheckConstraint(condition=~models.Q(reason=""), name="decision_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.scenario}, decision {self.number}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert once; a second save is an error."""
        if self.pk is not None:
            raise ValidationError("A decision is never edited: add one that corrects it.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> Any:
        """Refuse: only a whole scenario takes its log with it."""
        raise ValidationError("A decision is never deleted: add one that corrects it.")
