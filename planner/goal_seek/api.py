"""Goal seek on a scenario under /api/v1/."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from planner.access import api_organisation
from planner.goal_seek.asking import goal_seek_run
from planner.runs.api import ANSWERS, run_answer
from planner.scenarios.selectors import revision_get, scenario_get


class SeekSerializer(serializers.Serializer[dict[str, object]]):
    """One input and what is wanted."""

    vary = serializers.CharField(max_length=300)
    target = serializers.CharField(max_length=200)
    option = serializers.CharField(max_length=100, default="", allow_blank=True)
    low = serializers.FloatField(default=None, allow_null=True)
    high = serializers.FloatField(default=None, allow_null=True)


class ScenarioGoalSeek(APIView):
    """Every value of one input at which a result is what is wanted."""

    @extend_schema(
        operation_id="scenarios_goal_seek",
        summary="Find the values of an input at which a result is what is wanted",
        parameters=[
            OpenApiParameter("vary", str, required=True, description="path of the input"),
            OpenApiParameter(
                "target", str, required=True, description="tco_usd=12e6, or equal:KEY of an option"
            ),
            OpenApiParameter("option", str, description="key of the option whose result it is"),
            OpenApiParameter("low", float, description="from, in the unit of the input"),
            OpenApiParameter("high", float, description="to, in the unit of the input"),
        ],
        responses=ANSWERS,
    )
    def get(self, request: Request, pk: int) -> Response:
        """Answer crossings, jumps, gaps and the curve; 202 while a worker is at it."""
        scenario = scenario_get(organisation=api_organisation(request), pk=pk)
        asked = SeekSerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        question = dict(asked.validated_data)
        return run_answer(
            goal_seek_run(revision=revision_get(scenario=scenario), question=question)
        )
