"""A stored projection: a pure function of one revision and the catalog of its time."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from planner.models.ordered_json import OrderedJSONField


class Projection(models.Model):
    """What the engine said for these inputs.

    `adopted_at` is empty while nobody has taken the result over: a worker computes it after a new
    measurement, a person decides to show it. The newest adopted one is the one on the page.
    """

    organisation = models.ForeignKey(
        "accounts.Organisation", on_delete=models.CASCADE, related_name="projections"
    )
    revision = models.ForeignKey(
        "planner.ScenarioRevision", on_delete=models.CASCADE, related_name="projections"
    )
    input_hash = models.CharField(max_length=64)
    engine_version = models.CharField(max_length=40)
    result = OrderedJSONField()
    created_at = models.DateTimeField(default=timezone.now)
    adopted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["revision", "input_hash", "engine_version"],
                name="one_projection_per_input",
            )
        ]

    def __str__(self) -> str:
        return f"projection of {self.revision}"
