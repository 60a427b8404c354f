"""Uncertainty of a scenario under /api/v1/."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from planner.access import api_organisation
from planner.scenarios.selectors import revision_get, scenario_get
from planner.uncertainty.services import assessment_run
from tco.uncertainty.assess import DRAWS, MOST_DRAWS, SEED


class DrawsSerializer(serializers.Serializer[dict[str, int]]):
    """How many draws, from which seed."""

    draws = serializers.IntegerField(min_value=100, max_value=MOST_DRAWS, default=DRAWS)
    seed = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=SEED)


class ScenarioUncertainty(APIView):
    """What the ranges of a scenario make of its options."""

    @extend_schema(
        operation_id="scenarios_uncertainty",
        summary="Assess a scenario under its ranges",
        parameters=[
            OpenApiParameter("draws", int, description=f"100 to {MOST_DRAWS:,}; default {DRAWS:,}"),
            OpenApiParameter("seed", int, description=f"default {SEED}"),
        ],
        responses={
            200: OpenApiTypes.OBJECT,
            400: OpenApiResponse(OpenApiTypes.OBJECT, description="Problem document."),
            404: OpenApiResponse(OpenApiTypes.OBJECT, description="Problem document."),
        },
    )
    def get(self, request: Request, pk: int) -> Response:
        """Answer spreads, chances, swings and switching values; the same seed gives the same."""
        scenario = scenario_get(organisation=api_organisation(request), pk=pk)
        asked = DrawsSerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        found = assessment_run(revision=revision_get(scenario=scenario), **asked.validated_data)
        return Response(found.to_dict())
