"""Runs and figures as the API writes them."""

from __future__ import annotations

from rest_framework import serializers

from hardware_catalog.models import BenchmarkRun, Measurement, RunDevice, ThroughputFigure


class FlagSerializer(serializers.Serializer):  # type: ignore[type-arg]
    """One reason for doubt."""

    code = serializers.CharField()
    verdict = serializers.CharField()
    text = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    threshold = serializers.FloatField(allow_null=True)


class UploadAnswerSerializer(serializers.Serializer):  # type: ignore[type-arg]
    """What an accepted upload is answered with."""

    run_id = serializers.UUIDField()
    url = serializers.URLField(help_text="Page of the run.")
    verdict = serializers.CharField()
    flags = FlagSerializer(many=True, help_text="Of the run as a whole.")


class RunDeviceSerializer(serializers.ModelSerializer[RunDevice]):
    """A device of a run and the catalog entry it was recognised as."""

    catalog_key = serializers.CharField(source="entry.key", default=None, allow_null=True)
    catalog_name = serializers.CharField(source="entry.name", default=None, allow_null=True)
    pending = serializers.BooleanField(source="entry.pending", default=False)

    class Meta:
        model = RunDevice
        fields = [
            "key",
            "kind",
            "vendor",
            "model",
            "driver",
            "memory_bytes",
            "cores",
            "catalog_key",
            "catalog_name",
            "pending",
        ]


class MeasurementSerializer(serializers.ModelSerializer[Measurement]):
    """One result; low and high are the 95 % interval within the run."""

    device = serializers.CharField(source="device.key")
    flags = FlagSerializer(many=True)

    class Meta:
        model = Measurement
        fields = [
            "benchmark",
            "device",
            "params",
            "status",
            "reason",
            "metric",
            "dtype",
            "value",
            "low",
            "high",
            "unit",
            "median_ns",
            "samples_total",
            "verdict",
            "flags",
            "usable",
        ]


class RunSerializer(serializers.ModelSerializer[BenchmarkRun]):
    """A run in a list."""

    devices = RunDeviceSerializer(many=True)
    flags = FlagSerializer(many=True)

    class Meta:
        model = BenchmarkRun
        fields = [
            "run_id",
            "profile",
            "agent_version",
            "machine_label",
            "started_at",
            "finished_at",
            "received_at",
            "duration_s",
            "verdict",
            "flags",
            "devices",
        ]


class RunDetailSerializer(RunSerializer):
    """A run with its measurements and its environment."""

    measurements = MeasurementSerializer(many=True)
    environment = serializers.DictField()
    host = serializers.DictField()

    class Meta(RunSerializer.Meta):
        fields = [*RunSerializer.Meta.fields, "environment", "host", "measurements"]


class ThroughputFigureSerializer(serializers.ModelSerializer[ThroughputFigure]):
    """A measured rate of a device with its range over runs."""

    device = serializers.CharField(source="entry.key")
    runs = serializers.ListField(child=serializers.UUIDField())

    class Meta:
        model = ThroughputFigure
        fields = [
            "device",
            "metric",
            "dtype",
            "m",
            "n",
            "k",
            "value",
            "low",
            "high",
            "unit",
            "runs",
            "method_version",
            "measured_at",
            "created_at",
            "current",
        ]
