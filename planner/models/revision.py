"""An immutable state of a scenario."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone


class ScenarioRevision(models.Model):
    """One saved document with its hash. Never changed: `save` and a trigger refuse."""

    scenario = models.ForeignKey(
        "planner.Scenario", on_delete=models.CASCADE, related_name="revisions"
    )
    number = models.PositiveIntegerField()
    document = models.JSONField()
    document_hash = models.CharField(max_length=64)  # SHA-256, hexadecimal
    message = models.CharField(max_length=300, blank=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="scenario_revisions",
    )
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["scenario", "number"], name="one_revision_per_number"),
            models.CheckConstraint(condition=models.Q(number__gte=1), name="revision_from_one"),
            models.CheckConstraint(
                condition=models.Q(document_hash__regex=r"^[0-9a-f]{64}$"),
                name="revision_hash_is_sha256",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.scenario}, revision {self.number}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert once; a second save is an error."""
        if self.pk is not None:
            raise ValidationError("A saved revision never changes: save a new revision instead.")
        super().save(*args, **kwargs)
