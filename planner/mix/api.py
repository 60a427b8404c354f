"""The optimiser under /api/v1/."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from planner.access import api_organisation
from planner.mix.asking import mix_known, mix_run
from planner.mix.forms import DEFAULT_SECONDS
from planner.mix.services import BEST, FRONT, OBJECTIVES, SECONDS, WHY_NOT, Kind
from planner.models import ScenarioRevision
from planner.runs.api import ANSWERS, BackgroundRunSerializer, run_answer
from planner.runs.services import run_cancel
from planner.scenarios.selectors import revision_get, scenario_get

PARAMETERS = [
    OpenApiParameter("objective", str, enum=list(OBJECTIVES), description="default: scenario's"),
    OpenApiParameter("seconds", int, description=f"one of {', '.join(map(str, SECONDS))}"),
]
OPTION = OpenApiParameter("option", str, required=True, description="key of the option")
CANCELLED = {200: BackgroundRunSerializer, 204: None, 400: ANSWERS[400], 404: ANSWERS[404]}


class MixSerializer(serializers.Serializer[dict[str, Any]]):
    """What to minimise, and how long to look."""

    objective = serializers.ChoiceField(choices=list(OBJECTIVES), required=False)
    seconds = serializers.ChoiceField(choices=SECONDS, default=DEFAULT_SECONDS)


class WhyNotSerializer(MixSerializer):
    """And which option to look at."""

    option = serializers.CharField(max_length=100)


class _Mix(APIView):
    kind: Kind
    asks: type[MixSerializer] = MixSerializer

    def _asked(self, request: Request, pk: int) -> tuple[ScenarioRevision, dict[str, Any]]:
        scenario = scenario_get(organisation=api_organisation(request), pk=pk)
        given = self.asks(data=request.query_params)
        given.is_valid(raise_exception=True)
        revision = revision_get(scenario=scenario)
        section = revision.document.get("optimise") or {}
        question = {"objective": section.get("objective", "usd"), **given.validated_data}
        return revision, question

    def _answer(self, request: Request, pk: int) -> Response:
        revision, question = self._asked(request, pk)
        return run_answer(mix_run(revision=revision, kind=self.kind, question=question))

    def _cancelled(self, request: Request, pk: int) -> Response:
        revision, question = self._asked(request, pk)
        run = mix_known(revision=revision, kind=self.kind, question=question)
        if run is None:
            return Response(status=204)
        return Response(BackgroundRunSerializer(run_cancel(run=run)).data)


class ScenarioOptimise(_Mix):
    """The best mix of a scenario's fleets."""

    kind = BEST

    @extend_schema(
        operation_id="scenarios_optimise",
        summary="Find the best mix of a scenario's fleets",
        parameters=PARAMETERS,
        responses=ANSWERS,
    )
    def get(self, request: Request, pk: int) -> Response:
        """Answer the mix, its bound and gap, what binds, rivals; 202 while a worker is at it."""
        return self._answer(request, pk)

    @extend_schema(
        operation_id="scenarios_optimise_cancel",
        summary="Cancel the search",
        parameters=PARAMETERS,
        responses=CANCELLED,
    )
    def delete(self, request: Request, pk: int) -> Response:
        """Stop a search that waits or works; 204 where there is none."""
        return self._cancelled(request, pk)


class ScenarioTradeOffs(_Mix):
    """Mixes of which none is better in everything."""

    kind = FRONT

    @extend_schema(
        operation_id="scenarios_trade_offs",
        summary="Find the mixes that no other one beats in cost, carbon, power and latency",
        parameters=PARAMETERS,
        responses=ANSWERS,
    )
    def get(self, request: Request, pk: int) -> Response:
        """Answer the front, cheapest first; 202 while a worker is at it."""
        return self._answer(request, pk)

    @extend_schema(
        operation_id="scenarios_trade_offs_cancel",
        summary="Cancel the search of the front",
        parameters=PARAMETERS,
        responses=CANCELLED,
    )
    def delete(self, request: Request, pk: int) -> Response:
        """Stop a search that waits or works; 204 where there is none."""
        return self._cancelled(request, pk)


class ScenarioWhyNot(_Mix):
    """One option in place of the best mix."""

    kind = WHY_NOT
    asks = WhyNotSerializer

    @extend_schema(
        operation_id="scenarios_why_not",
        summary="What an option alone takes in place of the best mix, and for what",
        parameters=[*PARAMETERS, OPTION],
        responses=ANSWERS,
    )
    def get(self, request: Request, pk: int) -> Response:
        """Answer its mix, what it takes more, by class of cost; or what would make it possible."""
        return self._answer(request, pk)
