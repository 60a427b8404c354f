"""What stands in a scenario's hall under /api/v1/."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from hardware_catalog.strict_serializer import StrictSerializer
from planner.access import api_organisation
from planner.halls.inventory import inventory_files, inventory_import
from planner.scenarios.selectors import scenario_get
from tco.document.inventory.exchange import FILES

PROBLEM = OpenApiResponse(OpenApiTypes.OBJECT, description="Problem document.")


class InventorySerializer(StrictSerializer):
    """Files of a hall as they are exported elsewhere."""

    site = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")
    racks = serializers.CharField(
        required=False, trim_whitespace=False, max_length=5_000_000, help_text="CSV of NetBox."
    )
    devices = serializers.CharField(
        required=False, trim_whitespace=False, max_length=5_000_000, help_text="CSV of NetBox."
    )
    nodes = serializers.CharField(
        required=False,
        trim_whitespace=False,
        max_length=20_000_000,
        help_text="kubectl get nodes -o json",
    )
    dry_run = serializers.BooleanField(default=False)


class AskedSerializer(serializers.Serializer[dict[str, str]]):
    """Which hall, whose plan."""

    site = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")
    option = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")


class ScenarioInventory(APIView):
    """Racks, devices and nodes of a hall."""

    @extend_schema(
        operation_id="scenarios_inventory",
        summary="Files of a hall: what stands, and the plan of an option",
        parameters=[
            OpenApiParameter("site", str, description="Key; default the first with a hall."),
            OpenApiParameter("option", str, description="Key; default the first."),
        ],
        responses={200: OpenApiTypes.OBJECT, 404: PROBLEM, 422: PROBLEM},
    )
    def get(self, request: Request, pk: int) -> Response:
        """Answer racks.csv, devices.csv and node_pools.json, and the planned ones beside them."""
        scenario = scenario_get(organisation=api_organisation(request), pk=pk)
        asked = AskedSerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        return Response(inventory_files(scenario=scenario, **asked.validated_data))

    @extend_schema(
        operation_id="scenarios_inventory_import",
        summary="Take in what stands",
        request=InventorySerializer,
        responses={200: OpenApiTypes.OBJECT, 201: OpenApiTypes.OBJECT, 422: PROBLEM},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Store a revision with what the files say, or say every error; `dry_run` only tries."""
        scenario = scenario_get(organisation=api_organisation(request), pk=pk)
        sent = InventorySerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        data = sent.validated_data
        found = inventory_import(
            scenario=scenario,
            site=data["site"],
            files={name: data[name] for name in FILES if name in data},
            by=request.user if isinstance(request.user, User) else None,
            dry_run=data["dry_run"],
        )
        answer = {
            "racks": found.racks,
            "devices": found.devices,
            "pools": found.pools,
            "changed": found.changed,
            "revision": found.revision,
        }
        made = found.changed and not data["dry_run"]
        return Response(answer, status=status.HTTP_201_CREATED if made else status.HTTP_200_OK)
