"""Measured rates of devices, made from trusted measurements; nothing is overwritten."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class Metric(models.TextChoices):
    """What a figure measures."""

    GEMM = "gemm", "Matrix product"
    MEMBW = "membw", "Memory bandwidth"
    LAUNCH = "launch", "Launch of one operation"
    BLOCK_PREFILL = "block_prefill", "Decoder block, prefill"
    BLOCK_DECODE = "block_decode", "Decoder block, decode step"


class ThroughputFigure(models.Model):
    """A rate of a device as one organisation measured it.

    `value`, `low`, `high` are in `unit`: TFLOP/s for gemm, GB/s (1e9) for membw, us for launch, ms
    for the decoder block. For gemm m, n, k are the shape; for a decoder block m counts tokens, n is
    the model width and k the length of the key-value cache; elsewhere they are 0. The range holds
    the interval within the runs and the spread between runs.
    """

    organisation = models.ForeignKey(
        "accounts.Organisation", on_delete=models.CASCADE, related_name="throughput_figures"
    )
    entry = models.ForeignKey(
        "hardware_catalog.CatalogEntry",
        on_delete=models.CASCADE,
        related_name="throughput_figures",
    )
    metric = models.CharField(max_length=15, choices=Metric.choices)
    dtype = models.CharField(max_length=20, blank=True)
    m = models.BigIntegerField(default=0)
    n = models.BigIntegerField(default=0)
    k = models.BigIntegerField(default=0)
    value = models.FloatField()
    low = models.FloatField()
    high = models.FloatField()
    unit = models.CharField(max_length=10)
    runs = models.JSONField(default=list)
    method_version = models.CharField(max_length=45)
    measured_at = models.DateTimeField()
    created_at = models.DateTimeField(default=timezone.now)
    current = models.BooleanField(default=True)

    class Meta:
        ordering = ["metric", "dtype", "m", "n", "k"]
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "entry", "metric", "dtype", "m", "n", "k"],
                condition=models.Q(current=True),
                name="one_current_figure",
            ),
            models.CheckConstraint(
                condition=models.Q(metric__in=[str(value) for value in Metric.values]),
                name="figure_metric_known",
            ),
            models.CheckConstraint(
                condition=models.Q(low__lte=models.F("value"), high__gte=models.F("value")),
                name="figure_within_range",
            ),
            models.CheckConstraint(condition=models.Q(value__gt=0), name="figure_positive"),
        ]
        indexes = [
            models.Index(fields=["organisation", "entry", "current"], name="figure_of_entry")
        ]

    def __str__(self) -> str:
        return f"{self.get_metric_display()} {self.value:g} {self.unit}"
