"""Bills of a scenario under /api/v1/."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import ApiToken, User
from hardware_catalog.strict_serializer import StrictSerializer
from planner.access import api_organisation
from planner.actuals.selectors import actuals
from planner.actuals.services import bills_import
from planner.scenarios.selectors import scenario_get

PROBLEM = OpenApiResponse(OpenApiTypes.OBJECT, description="Problem document.")
LARGEST_NUMBER = 2**31 - 1


class BillsWriteSerializer(StrictSerializer):
    """A table of bills."""

    csv = serializers.CharField(
        trim_whitespace=False,
        max_length=5_000_000,
        help_text="month, line, amount, currency, reference; fleet, quantity, planned_quantity, "
        "rate, note. Comma, semicolon or tab; decimal point or comma.",
    )


class PlanSerializer(serializers.Serializer[dict[str, object]]):
    """Which plan the bills are held against."""

    revision = serializers.IntegerField(
        min_value=1, max_value=LARGEST_NUMBER, required=False, default=None
    )
    option = serializers.CharField(max_length=200, required=False, default="")


class ScenarioActuals(APIView):
    """Bills against the plan: budget, actual, re-forecast, and why they differ."""

    @extend_schema(
        operation_id="scenarios_actuals",
        summary="Compare bills with a plan",
        parameters=[
            OpenApiParameter("revision", int, description="The plan; default the first projected."),
            OpenApiParameter("option", str, description="Key of its option; default the best."),
        ],
        responses={200: OpenApiTypes.OBJECT, 404: PROBLEM, 422: PROBLEM},
    )
    def get(self, request: Request, pk: int) -> Response:
        """Answer the variance by line, split exactly; empty without a bill."""
        scenario = scenario_get(organisation=api_organisation(request), pk=pk)
        asked = PlanSerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        found = actuals(scenario=scenario, **asked.validated_data)
        return Response(found.to_dict() if found is not None else {"rows": []})

    @extend_schema(
        operation_id="scenarios_bill",
        summary="Take in a table of bills",
        request=BillsWriteSerializer,
        responses={201: OpenApiTypes.OBJECT, 400: PROBLEM, 404: PROBLEM, 422: PROBLEM},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Take it in whole, each reference once; the same table again adds nothing."""
        scenario = scenario_get(organisation=api_organisation(request), pk=pk)
        data = BillsWriteSerializer(data=request.data)
        data.is_valid(raise_exception=True)
        token = request.auth if isinstance(request.auth, ApiToken) else None
        found = bills_import(
            scenario=scenario,
            text=data.validated_data["csv"],
            by=request.user if isinstance(request.user, User) else None,
            by_name=f"token {token.label}" if token is not None else "",
        )
        answer = {"added": found.added, "known": found.known}
        return Response(answer, status=status.HTTP_201_CREATED)
