"""A scenario: a name in an organisation; what it says is in its revisions."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

NAME_LENGTH = 200


class Scenario(models.Model):
    """A plan under one name. Name and description follow the newest revision's document."""

    organisation = models.ForeignKey(
        "accounts.Organisation", on_delete=models.CASCADE, related_name="scenarios"
    )
    name = models.CharField(max_length=NAME_LENGTH)
    description = models.TextField(blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="scenarios",
    )
    copy_of = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="copies"
    )
    archived = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)
    # Number of the newest revision: the lock that a save takes and compares.
    revision_number = models.PositiveIntegerField(default=0)
    revised_at = models.DateTimeField(default=timezone.now)
    # Name of the shipped example it was loaded from, so that loading twice changes nothing.
    example = models.CharField(max_length=100, blank=True)

    class Meta:
        ordering = ["-revised_at", "-pk"]
        indexes = [
            models.Index(fields=["organisation", "archived", "-revised_at"], name="scenario_newest")
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "example"],
                condition=~models.Q(example=""),
                name="one_scenario_per_example",
            )
        ]

    def __str__(self) -> str:
        return self.name
