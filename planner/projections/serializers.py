"""Projections as the API shows them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from planner.decisions.selectors import decision_entries
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
    decisions = serializers.SerializerMethodField(help_text="The decision log of the scenario.")

    class Meta(ProjectionSerializer.Meta):
        fields = [*ProjectionSerializer.Meta.fields, "result", "decisions"]
        read_only_fields = fields

    @extend_schema_field({"type": "array", "items": {"type": "object"}})
    def get_decisions(self, projection: Projection) -> list[dict[str, Any]]:
        """Return every entry, newest first."""
        return decision_entries(scenario=projection.revision.scenario)
