"""Uncertainty of a scenario under /api/v1/."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from planner.access import api_organisation
from planner.models import ScenarioRevision
from planner.runs.api import ANSWERS, BackgroundRunSerializer, run_answer
from planner.runs.services import run_cancel
from planner.scenarios.selectors import revision_get, scenario_get
from planner.uncertainty.asking import assessment_known, assessment_run
from tco.uncertainty.assess import DRAWS, MOST_DRAWS, SEED

PARAMETERS = [
    OpenApiParameter("draws", int, description=f"100 to {MOST_DRAWS:,}; default {DRAWS:,}"),
    OpenApiParameter("seed", int, description=f"default {SEED}"),
]


class DrawsSerializer(serializers.Serializer[dict[str, int]]):
    """How many draws, from which seed."""

    draws = serializers.IntegerField(min_value=100, max_value=MOST_DRAWS, default=DRAWS)
    seed = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=SEED)


class ScenarioUncertainty(APIView):
    """What the ranges of a scenario make of its options."""

    @extend_schema(
        operation_id="scenarios_uncertainty",
        summary="Assess a scenario under its ranges",
        parameters=PARAMETERS,
        responses=ANSWERS,
    )
    def get(self, request: Request, pk: int) -> Response:
        """Answer spreads, chances, swings and switching values; the same seed gives the same.

        What takes more than a second is drawn by a worker: 202 says how far it is; ask again.
        """
        revision, asked = self._asked(request, pk)
        return run_answer(assessment_run(revision=revision, **asked))

    @extend_schema(
        operation_id="scenarios_uncertainty_again",
        summary="Draw again what was cancelled or has failed",
        request=None,
        parameters=PARAMETERS,
        responses=ANSWERS,
    )
    def post(self, request: Request, pk: int) -> Response:
        """Start the run again; one that works or is done stays as it is."""
        revision, asked = self._asked(request, pk)
        return run_answer(assessment_run(revision=revision, **asked, again=True))

    @extend_schema(
        operation_id="scenarios_uncertainty_cancel",
        summary="Cancel the drawing",
        parameters=PARAMETERS,
        responses={200: BackgroundRunSerializer, 204: None, 400: ANSWERS[400], 404: ANSWERS[404]},
    )
    def delete(self, request: Request, pk: int) -> Response:
        """Stop a run that waits or works; 204 where there is none."""
        revision, asked = self._asked(request, pk)
        run = assessment_known(revision=revision, **asked)
        if run is None:
            return Response(status=204)
        return Response(BackgroundRunSerializer(run_cancel(run=run)).data)

    @staticmethod
    def _asked(request: Request, pk: int) -> tuple[ScenarioRevision, dict[str, Any]]:
        scenario = scenario_get(organisation=api_organisation(request), pk=pk)
        asked = DrawsSerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        return revision_get(scenario=scenario), asked.validated_data
