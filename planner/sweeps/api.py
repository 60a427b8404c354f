"""Sweeps of a scenario under /api/v1/."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from hardware_catalog.strict_serializer import StrictSerializer
from planner.access import api_organisation
from planner.models import Sweep
from planner.scenarios.selectors import revision_get, scenario_get
from planner.sweeps.selectors import how_far, sweep_list
from planner.sweeps.services import sweep_ask, sweep_cancel
from planner.sweeps.tasks import sweep_wake

PROBLEM = OpenApiResponse(OpenApiTypes.OBJECT, description="Problem document.")


class SweepAskSerializer(StrictSerializer):
    """The axes of a grid."""

    axes = serializers.ListField(
        child=serializers.CharField(max_length=100_000),
        min_length=1,
        max_length=8,
        help_text="PATH=low:high:steps, PATH=log:low:high:steps or PATH=a,b,c",
    )


class SweepSerializer(serializers.Serializer[Sweep]):
    """How far a sweep is, and what it found."""

    id = serializers.IntegerField()
    state = serializers.ChoiceField(choices=Sweep.State.choices)
    points = serializers.IntegerField()
    by_columns = serializers.BooleanField()
    why_whole = serializers.CharField()
    summary = serializers.JSONField(allow_null=True)
    error = serializers.CharField()


def _plain(sweep: Sweep) -> dict[str, Any]:
    far = how_far(sweep)
    return {
        **SweepSerializer(sweep).data,
        "done_points": far.done,
        "share_fraction": far.share_fraction,
        "remaining_s": far.remaining_s,
    }


class ScenarioSweeps(APIView):
    """Sweeps of one scenario."""

    @extend_schema(
        operation_id="scenarios_sweeps",
        summary="List the sweeps of a scenario",
        responses=SweepSerializer(many=True),
    )
    def get(self, request: Request, pk: int) -> Response:
        """Answer the newest first."""
        scenario = scenario_get(organisation=api_organisation(request), pk=pk)
        return Response([_plain(one) for one in sweep_list(scenario=scenario)[:100]])

    @extend_schema(
        operation_id="scenarios_sweep",
        summary="Sweep inputs over a grid",
        request=SweepAskSerializer,
        responses={200: SweepSerializer, 202: SweepSerializer, 400: PROBLEM, 422: PROBLEM},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Price every option at every point; 202 while workers are at it."""
        scenario = scenario_get(organisation=api_organisation(request), pk=pk)
        sent = SweepAskSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        sweep = sweep_ask(
            revision=revision_get(scenario=scenario), texts=sent.validated_data["axes"]
        )
        sweep_wake(sweep)
        going = sweep.state == Sweep.State.RUNNING
        code = status.HTTP_202_ACCEPTED if going else status.HTTP_200_OK
        return Response(_plain(sweep), status=code)


class ScenarioSweep(APIView):
    """One sweep."""

    @extend_schema(
        operation_id="scenarios_sweep_get",
        summary="How far a sweep is, and what it found",
        responses={200: SweepSerializer, 404: PROBLEM},
    )
    def get(self, request: Request, pk: int, sweep: int) -> Response:
        """Answer its state and, when it is done, its summary."""
        return Response(_plain(self._sweep(request, pk, sweep)))

    @extend_schema(
        operation_id="scenarios_sweep_cancel",
        summary="Cancel a sweep",
        responses={200: SweepSerializer, 404: PROBLEM},
    )
    def delete(self, request: Request, pk: int, sweep: int) -> Response:
        """End it if it runs; what is priced stays."""
        return Response(_plain(sweep_cancel(sweep=self._sweep(request, pk, sweep))))

    @staticmethod
    def _sweep(request: Request, pk: int, sweep: int) -> Sweep:
        scenario = scenario_get(organisation=api_organisation(request), pk=pk)
        return get_object_or_404(sweep_list(scenario=scenario), pk=sweep)
