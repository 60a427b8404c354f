"""The decision log of a scenario under /api/v1/."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import ApiToken, User
from hardware_catalog.strict_serializer import StrictSerializer
from planner.access import api_organisation
from planner.decisions.selectors import decision_entries, entry_of
from planner.decisions.services import Choice, decision_record
from planner.scenarios.selectors import scenario_get

PROBLEM = OpenApiResponse(OpenApiTypes.OBJECT, description="Problem document.")


class DecisionWriteSerializer(StrictSerializer):
    """What a decision says."""

    chosen = serializers.CharField(max_length=200, help_text="Key of the option chosen.")
    reason = serializers.CharField(allow_blank=True, default="", help_text="Why. Must be given.")
    decided_by = serializers.CharField(
        max_length=200, allow_blank=True, default="", help_text="Who decided. Left out: the caller."
    )
    decided_on = serializers.DateField(
        default=None, allow_null=True, help_text="The day. Left out: today."
    )
    rejected = serializers.DictField(
        child=serializers.CharField(allow_blank=True),
        default=dict,
        help_text="Why not, by key of an option that was not chosen.",
    )
    corrects = serializers.IntegerField(
        default=None,
        allow_null=True,
        min_value=1,
        max_value=2**31 - 1,
        help_text="Number of the entry that this one corrects.",
    )


class DecisionList(APIView):
    """The decision log of a scenario: read it, or add to it. Nothing in it is ever changed."""

    @extend_schema(
        operation_id="scenarios_decisions",
        summary="Read the decision log",
        responses={200: OpenApiTypes.OBJECT, 404: PROBLEM},
    )
    def get(self, request: Request, pk: int) -> Response:
        """Answer every entry, newest first, with the figures of its time."""
        scenario = scenario_get(organisation=api_organisation(request), pk=pk)
        return Response({"decisions": decision_entries(scenario=scenario)})

    @extend_schema(
        operation_id="scenarios_decide",
        summary="Add a decision",
        request=DecisionWriteSerializer,
        responses={201: OpenApiTypes.OBJECT, 400: PROBLEM, 404: PROBLEM, 422: PROBLEM},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Record it about the projection that the newest revision shows."""
        scenario = scenario_get(organisation=api_organisation(request), pk=pk)
        data = DecisionWriteSerializer(data=request.data)
        data.is_valid(raise_exception=True)
        found: dict[str, Any] = data.validated_data
        person = request.user if isinstance(request.user, User) else None
        token = request.auth if isinstance(request.auth, ApiToken) else None
        decision = decision_record(
            scenario=scenario,
            choice=Choice(**found),
            by=person,
            by_name=f"token {token.label}" if token is not None else "",
        )
        return Response(entry_of(decision), status=status.HTTP_201_CREATED)
