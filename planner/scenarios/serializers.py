"""Scenarios and revisions as the API shows them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from hardware_catalog.strict_serializer import StrictSerializer
from planner.models import Scenario, ScenarioRevision


@extend_schema_field(OpenApiTypes.OBJECT)
class DocumentField(serializers.JSONField):
    """A scenario document; its form is at /api/v1/scenario-schema/."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Accept mappings only: the checks of the document say the rest."""
        value = super().to_internal_value(data)
        if not isinstance(value, dict):
            raise serializers.ValidationError("The document is not a mapping.")
        return value


class ScenarioSerializer(serializers.ModelSerializer[Scenario]):
    """A scenario in a list."""

    class Meta:
        model = Scenario
        fields = [
            "id",
            "name",
            "description",
            "revision_number",
            "copy_of",
            "archived",
            "created_at",
            "revised_at",
        ]
        read_only_fields = fields


class RevisionSerializer(serializers.ModelSerializer[ScenarioRevision]):
    """A revision in a list."""

    class Meta:
        model = ScenarioRevision
        fields = ["number", "document_hash", "message", "at"]
        read_only_fields = fields


class RevisionDetailSerializer(RevisionSerializer):
    """A revision with its document."""

    document = DocumentField(read_only=True)

    class Meta(RevisionSerializer.Meta):
        fields = [*RevisionSerializer.Meta.fields, "document"]
        read_only_fields = fields


class ScenarioDetailSerializer(ScenarioSerializer):
    """A scenario with its newest revision."""

    revision = serializers.SerializerMethodField()

    class Meta(ScenarioSerializer.Meta):
        fields = [*ScenarioSerializer.Meta.fields, "revision"]
        read_only_fields = fields

    @extend_schema_field(RevisionDetailSerializer)
    def get_revision(self, scenario: Scenario) -> dict[str, Any]:
        """Return the revision that the view looked up."""
        return dict(RevisionDetailSerializer(self.context["revision"]).data)


class ScenarioWriteSerializer(StrictSerializer):
    """What creates or changes a scenario."""

    document = DocumentField()
    message = serializers.CharField(max_length=300, required=False, allow_blank=True, default="")
