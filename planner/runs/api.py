"""A run under /api/v1/: its answer, or how far it is."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers, status
from rest_framework.response import Response

from planner.models import BackgroundRun


class BackgroundRunSerializer(serializers.Serializer[BackgroundRun]):
    """How far a run is."""

    state = serializers.ChoiceField(choices=BackgroundRun.State.choices)
    done = serializers.IntegerField(source="done_count")
    total = serializers.IntegerField(source="total_count")
    share_fraction = serializers.FloatField()
    note = serializers.CharField()
    remaining_s = serializers.FloatField(allow_null=True)
    problems = serializers.JSONField(source="errors")


ANSWERS: dict[int, Any] = {
    200: OpenApiTypes.OBJECT,
    202: OpenApiResponse(
        BackgroundRunSerializer, description="A worker is at it, or it was cancelled."
    ),
    400: OpenApiResponse(OpenApiTypes.OBJECT, description="Problem document."),
    404: OpenApiResponse(OpenApiTypes.OBJECT, description="Problem document."),
    422: OpenApiResponse(OpenApiTypes.OBJECT, description="Problem document."),
}


def run_answer(run: BackgroundRun) -> Response:
    """Return the result of a run that is done; else, with 202, how far it is."""
    if run.state == "done":
        return Response(run.result)
    return Response(BackgroundRunSerializer(run).data, status=status.HTTP_202_ACCEPTED)
