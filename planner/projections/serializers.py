"""Projections as the API shows them."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from planner.models import Projection


@extend_schema_field(OpenApiTypes.OBJECT)
class ResultField(serializers.JSONField):
    """The projection exactly as `tco project --json` prints it."""


class ProjectionSerializer(serializers.ModelSerializer[Projection]):
    """A projection in a list."""

    scenario = serializers.IntegerField(source="revision.scenario_id", read_only=True)
    revision_number = serializers.IntegerField(source="revision.number", read_only=True)

    class Meta:
        model = Projection
        fields = [
            "id",
            "scenario",
            "revision_number",
            "input_hash",
            "engine_version",
            "created_at",
            "adopted_at",
        ]
        read_only_fields = fields


class ProjectionDetailSerializer(ProjectionSerializer):
    """A projection with its result."""

    result = ResultField(read_only=True)

    class Meta(ProjectionSerializer.Meta):
        fields = [*ProjectionSerializer.Meta.fields, "result"]
        read_only_fields = fields
