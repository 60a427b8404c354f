"""Projections under /api/v1/."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from planner.access import api_organisation
from planner.models import Projection
from planner.projections.selectors import projection_get, projection_list
from planner.projections.serializers import ProjectionDetailSerializer, ProjectionSerializer
from planner.projections.services import projection_recalculate
from planner.scenarios.selectors import revision_get, scenario_get

MISSING = OpenApiResponse(OpenApiTypes.OBJECT, description="Problem document: no such object.")
INVALID = OpenApiResponse(
    OpenApiTypes.OBJECT,
    description="Problem document: what the scenario names and the catalog no longer has.",
)


class ProjectionList(generics.ListAPIView[Projection]):
    """Projections of the organisation."""

    serializer_class = ProjectionSerializer
    filter_backends = ()
    queryset = Projection.objects.none()

    def get_queryset(self) -> QuerySet[Projection]:
        """Projections, newest first."""
        return projection_list(organisation=api_organisation(self.request))

    @extend_schema(summary="List projections")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Answer a page of projections without their results."""
        return super().get(request, *args, **kwargs)


class ProjectionDetail(APIView):
    """One projection."""

    @extend_schema(
        operation_id="projections_get",
        summary="Get a projection",
        responses={200: ProjectionDetailSerializer, 404: MISSING},
    )
    def get(self, request: Request, pk: int) -> Response:
        """Answer the stored result; it never changes."""
        projection = projection_get(organisation=api_organisation(request), pk=pk)
        return Response(ProjectionDetailSerializer(projection).data)


class ScenarioProjection(APIView):
    """The projection of a scenario's newest revision."""

    @extend_schema(
        operation_id="scenarios_project",
        summary="Project a scenario with the figures of today",
        request=None,
        responses={
            200: ProjectionDetailSerializer,
            201: ProjectionDetailSerializer,
            404: MISSING,
            422: INVALID,
        },
    )
    def post(self, request: Request, pk: int) -> Response:
        """Answer 201 for a new result, 200 where these inputs were projected already."""
        scenario = scenario_get(organisation=api_organisation(request), pk=pk)
        before = set(
            Projection.objects.filter(revision__scenario=scenario).values_list("pk", flat=True)
        )
        projection = projection_recalculate(revision=revision_get(scenario=scenario))
        code = status.HTTP_200_OK if projection.pk in before else status.HTTP_201_CREATED
        return Response(ProjectionDetailSerializer(projection).data, status=code)
