"""Uploaded benchmark runs: the document as sent, its devices and its measurements."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class Verdict(models.TextChoices):
    """How far a run can be believed."""

    TRUSTED = "trusted", "Trusted"
    DEGRADED = "degraded", "Degraded"
    UNTRUSTED = "untrusted", "Untrusted"


class BenchmarkRun(models.Model):
    """One document of the agent, kept as it came, with the verdict of the server."""

    organisation = models.ForeignKey(
        "accounts.Organisation", on_delete=models.CASCADE, related_name="benchmark_runs"
    )
    token = models.ForeignKey(
        "accounts.ApiToken", on_delete=models.SET_NULL, null=True, related_name="benchmark_runs"
    )
    run_id = models.UUIDField()
    content_sha256 = models.CharField(max_length=64)
    raw_gzip = models.BinaryField()
    schema_version = models.CharField(max_length=10)
    profile = models.CharField(max_length=10)
    agent_name = models.CharField(max_length=200)
    agent_version = models.CharField(max_length=200)
    seq = models.BigIntegerField()
    machine_id = models.CharField(max_length=70)
    machine_label = models.CharField(max_length=100, blank=True)
    fingerprint = models.CharField(max_length=64)
    environment = models.JSONField(default=dict)
    host = models.JSONField(default=dict)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField()
    duration_s = models.FloatField()
    received_at = models.DateTimeField(default=timezone.now)
    verdict = models.CharField(max_length=10, choices=Verdict.choices)
    flags = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ["-finished_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "run_id"], name="one_run_per_organisation_and_id"
            ),
            models.CheckConstraint(
                condition=models.Q(verdict__in=[str(value) for value in Verdict.values]),
                name="run_verdict_known",
            ),
            models.CheckConstraint(
                condition=models.Q(duration_s__gte=0), name="run_duration_not_negative"
            ),
        ]
        indexes = [
            models.Index(fields=["organisation", "-finished_at"], name="run_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.profile} run of {self.finished_at:%Y-%m-%d %H:%M}"


class RunDevice(models.Model):
    """A device of a run, and the catalog entry it was recognised as."""

    run = models.ForeignKey(BenchmarkRun, on_delete=models.CASCADE, related_name="devices")
    entry = models.ForeignKey(
        "hardware_catalog.CatalogEntry",
        on_delete=models.SET_NULL,
        null=True,
        related_name="run_devices",
    )
    key = models.CharField(max_length=4)
    kind = models.CharField(max_length=3)
    vendor = models.CharField(max_length=200)
    model = models.CharField(max_length=200)
    driver = models.CharField(max_length=60, blank=True)
    memory_bytes = models.BigIntegerField(null=True)
    cores = models.BigIntegerField(null=True)
    # True until the figures of the entry count this run in; a queue message only wakes someone.
    needs_refresh = models.BooleanField(default=False)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["run", "key"], name="one_device_per_key")]
        indexes = [
            models.Index(
                fields=["entry"],
                name="device_needs_refresh",
                condition=models.Q(needs_refresh=True),
            )
        ]

    def __str__(self) -> str:
        named = self.model.lower().startswith(self.vendor.lower())
        return self.model if named else f"{self.vendor} {self.model}"


class Measurement(models.Model):
    """One result of a run, in units for people; low and high are its own 95 % interval."""

    run = models.ForeignKey(BenchmarkRun, on_delete=models.CASCADE, related_name="measurements")
    device = models.ForeignKey(RunDevice, on_delete=models.CASCADE, related_name="measurements")
    position = models.PositiveIntegerField()
    benchmark = models.CharField(max_length=45)
    params = models.JSONField(default=dict)
    status = models.CharField(max_length=11)
    reason = models.CharField(max_length=200, blank=True)
    metric = models.CharField(max_length=15, blank=True)
    dtype = models.CharField(max_length=20, blank=True)
    m = models.BigIntegerField(default=0)
    n = models.BigIntegerField(default=0)
    k = models.BigIntegerField(default=0)
    value = models.FloatField(null=True)
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    unit = models.CharField(max_length=10, blank=True)
    median_ns = models.FloatField(null=True)
    samples_total = models.BigIntegerField(default=0)
    blocks_ns = models.JSONField(default=list, blank=True)
    verdict = models.CharField(max_length=10, choices=Verdict.choices)
    flags = models.JSONField(default=list, blank=True)
    usable = models.BooleanField(default=False)

    class Meta:
        ordering = ["run", "position"]
        constraints = [
            models.UniqueConstraint(fields=["run", "position"], name="one_measurement_per_position")
        ]

    def __str__(self) -> str:
        return f"{self.benchmark} {self.status}"
