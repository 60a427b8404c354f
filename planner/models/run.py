"""Work on a scenario that takes longer than a page may: how far it is, and what came of it."""

from __future__ import annotations

import datetime as dt

from django.db import models
from django.utils import timezone

from planner.models.ordered_json import OrderedJSONField

SILENT_S = 60.0  # a worker that works tells so every second or so


class BackgroundRun(models.Model):
    """One question about one revision. The row is the truth, a message only a wake-up.

    A worker writes only while the row still has its attempt and is not ended: what was cancelled
    or started again is never overwritten by the worker that was at it.
    """

    class State(models.TextChoices):
        """Where it stands."""

        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        CANCELLED = "cancelled"
        FAILED = "failed"

    organisation = models.ForeignKey(
        "accounts.Organisation", on_delete=models.CASCADE, related_name="background_runs"
    )
    revision = models.ForeignKey(
        "planner.ScenarioRevision", on_delete=models.CASCADE, related_name="background_runs"
    )
    kind = models.CharField(max_length=40)
    question = models.JSONField()  # its arguments
    key = models.CharField(max_length=64)  # SHA-256 of inputs, engine version, kind and question
    state = models.CharField(max_length=12, choices=State.choices, default=State.QUEUED)
    attempt = models.PositiveIntegerField(default=1)
    done_count = models.PositiveIntegerField(default=0)
    total_count = models.PositiveIntegerField(default=0)
    share_fraction = models.FloatField(default=0.0)
    note = models.CharField(max_length=160, blank=True, default="")  # what is known so far
    asked_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)
    result = OrderedJSONField(null=True, blank=True)
    errors = models.JSONField(default=list, blank=True)  # field, message, mend

    class Meta:
        ordering = ["-asked_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["revision", "key"], name="one_run_per_question")
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.revision}: {self.state}"

    @property
    def going(self) -> bool:
        """True while it waits or works."""
        return self.state in (self.State.QUEUED, self.State.RUNNING)

    @property
    def silent(self) -> bool:
        """True when nobody has reported for longer than a worker keeps quiet."""
        silence = timezone.now() - self.seen_at
        return self.going and silence > dt.timedelta(seconds=SILENT_S)

    @property
    def remaining_s(self) -> float | None:
        """Time that is left at the pace so far [s]; None before there is a pace."""
        if self.state != self.State.RUNNING or self.started_at is None or self.share_fraction <= 0:
            return None
        spent = (self.seen_at - self.started_at).total_seconds()
        return spent * (1.0 - self.share_fraction) / self.share_fraction
