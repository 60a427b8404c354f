"""A sweep and its shards. The rows are the truth, a message only a wake-up."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class Sweep(models.Model):
    """A grid of inputs over one revision, priced shard by shard."""

    class State(models.TextChoices):
        """Where it stands."""

        RUNNING = "running"
        DONE = "done"
        CANCELLED = "cancelled"
        FAILED = "failed"

    organisation = models.ForeignKey(
        "accounts.Organisation", on_delete=models.CASCADE, related_name="sweeps"
    )
    revision = models.ForeignKey(
        "planner.ScenarioRevision", on_delete=models.CASCADE, related_name="sweeps"
    )
    axes = models.JSONField()  # path, values
    key = models.CharField(max_length=64)  # SHA-256 of inputs, engine version and axes
    state = models.CharField(max_length=12, choices=State.choices, default=State.RUNNING)
    points = models.PositiveIntegerField()
    by_columns = models.BooleanField()
    why_whole = models.CharField(max_length=300, blank=True)
    asked_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)
    summary = models.JSONField(null=True, blank=True)
    error = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["-asked_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["revision", "key"], name="one_sweep_per_grid")
        ]

    def __str__(self) -> str:
        return f"sweep {self.pk} of {self.revision}: {self.state}"


class SweepShard(models.Model):
    """Some points of a sweep, worked by one worker at a time.

    A worker writes only while `attempt` is the one it took: a shard taken again after a worker
    fell silent is stored once, whoever is first.
    """

    sweep = models.ForeignKey(Sweep, on_delete=models.CASCADE, related_name="shards")
    first = models.PositiveIntegerField()
    last = models.PositiveIntegerField()  # not included
    attempt = models.PositiveIntegerField(default=0)
    taken_at = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)
    cost = models.BinaryField(null=True, blank=True)  # float64, points x options

    class Meta:
        ordering = ["sweep", "first"]
        constraints = [
            models.UniqueConstraint(fields=["sweep", "first"], name="one_shard_per_place"),
            models.CheckConstraint(
                condition=models.Q(first__lt=models.F("last")), name="shard_has_points"
            ),
        ]

    def __str__(self) -> str:
        return f"points {self.first} to {self.last} of sweep {self.sweep_id}"
