"""Firmness of a scenario's choice under /api/v1/."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from planner.access import api_organisation
from planner.firmness.asking import firmness_run
from planner.runs.api import ANSWERS, run_answer
from planner.scenarios.selectors import revision_get, scenario_get


class ScenarioFirmness(APIView):
    """How near another choice is, and which figure is worth knowing better."""

    @extend_schema(
        operation_id="scenarios_firmness",
        summary="How firm the choice of the cheapest option is",
        responses=ANSWERS,
    )
    def get(self, request: Request, pk: int) -> Response:
        """Answer the smallest joint turn and the worth of knowing each input; 202 meanwhile."""
        scenario = scenario_get(organisation=api_organisation(request), pk=pk)
        return run_answer(firmness_run(revision=revision_get(scenario=scenario)))
