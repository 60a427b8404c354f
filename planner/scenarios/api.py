"""Scenarios under /api/v1/: one document in, one revision out."""

from __future__ import annotations

import re
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from planner.access import api_organisation
from planner.models import Scenario, ScenarioRevision
from planner.scenarios.api_errors import PreconditionRequired, StaleProblem
from planner.scenarios.errors import StaleRevision
from planner.scenarios.exchange import in_order
from planner.scenarios.selectors import revision_get, revision_list, scenario_get, scenario_list
from planner.scenarios.serializers import (
    RevisionDetailSerializer,
    RevisionSerializer,
    ScenarioDetailSerializer,
    ScenarioSerializer,
    ScenarioWriteSerializer,
)
from planner.scenarios.services import (
    scenario_archive,
    scenario_create,
    scenario_duplicate,
    scenario_revise,
)
from tco.document.schema import json_schema

IF_MATCH = OpenApiParameter(
    "If-Match",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    required=True,
    description="ETag of the revision that was changed.",
)
PROBLEMS = {
    404: OpenApiResponse(OpenApiTypes.OBJECT, description="Problem document: no such scenario."),
    422: OpenApiResponse(
        OpenApiTypes.OBJECT,
        description="Problem document: every field that cannot be used, with its mend.",
    ),
}
STALE = {
    412: OpenApiResponse(
        OpenApiTypes.OBJECT, description="Problem document: what was saved in between."
    ),
    428: OpenApiResponse(OpenApiTypes.OBJECT, description="Problem document: If-Match is missing."),
}
_ETAG = re.compile(r'(?:W/)?"r(\d{1,9})-[0-9a-f]{16}"')


def etag(revision: ScenarioRevision) -> str:
    """Return the ETag of a revision: its number and the start of its hash."""
    return f'"r{revision.number}-{revision.document_hash[:16]}"'


def base_number(request: Request, scenario: Scenario) -> int:
    """Return the revision number that If-Match names.

    Raises
    ------
    PreconditionRequired
        Without the header.
    StaleProblem
        If the header names no revision of this scenario.
    """
    header = request.headers.get("If-Match", "").strip()
    if not header:
        raise PreconditionRequired
    if header == "*":
        return scenario.revision_number
    found = _ETAG.fullmatch(header)
    number = int(found[1]) if found else 0
    known = scenario.revisions.filter(number=number).first() if number else None
    if known is None or etag(known) != header.removeprefix("W/"):
        raise StaleProblem(StaleRevision(number, scenario.revision_number, ()))
    return number


def _person(request: Request) -> User | None:
    return request.user if isinstance(request.user, User) else None


def _detail(scenario: Scenario, code: int = status.HTTP_200_OK) -> Response:
    revision = revision_get(scenario=scenario)
    revision.document = in_order(revision.document)
    data = ScenarioDetailSerializer(scenario, context={"revision": revision}).data
    return Response(data, status=code, headers={"ETag": etag(revision)})


class ScenarioList(generics.ListAPIView[Scenario]):
    """List scenarios, or make one out of a document."""

    serializer_class = ScenarioSerializer
    filter_backends = ()
    queryset = Scenario.objects.none()

    def get_queryset(self) -> QuerySet[Scenario]:
        """Scenarios of the caller's organisation, newest first."""
        query = self.request.query_params
        return scenario_list(
            organisation=api_organisation(self.request),
            archived=query.get("archived") == "true",
            search=query.get("search", "")[:100],
        )

    @extend_schema(
        summary="List scenarios",
        parameters=[
            OpenApiParameter("search", OpenApiTypes.STR, description="Part of the name."),
            OpenApiParameter("archived", OpenApiTypes.BOOL, description="Archived ones instead."),
        ],
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Answer a page of scenarios."""
        return super().get(request, *args, **kwargs)

    @extend_schema(
        summary="Create a scenario",
        request=ScenarioWriteSerializer,
        responses={201: ScenarioDetailSerializer, 422: PROBLEMS[422]},
    )
    def post(self, request: Request) -> Response:
        """Store the document as revision 1 of a new scenario."""
        organisation = api_organisation(request)
        data = ScenarioWriteSerializer(data=request.data)
        data.is_valid(raise_exception=True)
        scenario = scenario_create(
            organisation=organisation,
            document=data.validated_data["document"],
            by=_person(request),
            message=data.validated_data["message"],
        )
        return _detail(scenario, status.HTTP_201_CREATED)


class ScenarioDetail(APIView):
    """One scenario."""

    @extend_schema(
        operation_id="scenarios_get",
        summary="Get a scenario with its document",
        responses={200: ScenarioDetailSerializer, 404: PROBLEMS[404]},
    )
    def get(self, request: Request, pk: int) -> Response:
        """Answer the newest revision; its ETag is what an update needs."""
        return _detail(scenario_get(organisation=api_organisation(request), pk=pk))

    @extend_schema(
        operation_id="scenarios_update",
        summary="Save a new revision",
        parameters=[IF_MATCH],
        request=ScenarioWriteSerializer,
        responses={200: ScenarioDetailSerializer, **PROBLEMS, **STALE},
    )
    def put(self, request: Request, pk: int) -> Response:
        """Store the document as the next revision; the same document again stores nothing."""
        scenario = scenario_get(organisation=api_organisation(request), pk=pk)
        number = base_number(request, scenario)
        data = ScenarioWriteSerializer(data=request.data)
        data.is_valid(raise_exception=True)
        try:
            scenario_revise(
                scenario=scenario,
                document=data.validated_data["document"],
                base_number=number,
                by=_person(request),
                message=data.validated_data["message"],
            )
        except StaleRevision as stale:
            raise StaleProblem(stale) from stale
        return _detail(scenario)

    @extend_schema(
        operation_id="scenarios_archive",
        summary="Archive a scenario",
        responses={204: None, 404: PROBLEMS[404]},
    )
    def delete(self, request: Request, pk: int) -> Response:
        """Take it off the lists; nothing is destroyed."""
        scenario = scenario_get(organisation=api_organisation(request), pk=pk)
        scenario_archive(scenario=scenario)
        return Response(status=status.HTTP_204_NO_CONTENT)


class ScenarioDuplicate(APIView):
    """A copy of a scenario."""

    @extend_schema(
        operation_id="scenarios_duplicate",
        summary="Duplicate a scenario as a whole",
        request=None,
        responses={201: ScenarioDetailSerializer, **PROBLEMS},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Store a copy under the name "Copy of …"."""
        scenario = scenario_get(organisation=api_organisation(request), pk=pk)
        copy = scenario_duplicate(scenario=scenario, by=_person(request))
        return _detail(copy, status.HTTP_201_CREATED)


class RevisionList(generics.ListAPIView[ScenarioRevision]):
    """Revisions of a scenario."""

    serializer_class = RevisionSerializer
    filter_backends = ()
    queryset = ScenarioRevision.objects.none()

    def get_queryset(self) -> QuerySet[ScenarioRevision]:
        """Revisions, newest first."""
        if getattr(self, "swagger_fake_view", False):
            return self.queryset
        scenario = scenario_get(
            organisation=api_organisation(self.request), pk=int(self.kwargs["pk"])
        )
        return revision_list(scenario=scenario)

    @extend_schema(operation_id="scenarios_revisions_list", summary="List revisions")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Answer a page of revisions."""
        return super().get(request, *args, **kwargs)


class RevisionDetail(APIView):
    """One revision."""

    @extend_schema(
        operation_id="scenarios_revisions_get",
        summary="Get a revision with its document",
        responses={200: RevisionDetailSerializer, 404: PROBLEMS[404]},
    )
    def get(self, request: Request, pk: int, number: int) -> Response:
        """Answer the revision; it never changes."""
        scenario = scenario_get(organisation=api_organisation(request), pk=pk)
        revision = revision_get(scenario=scenario, number=number)
        revision.document = in_order(revision.document)
        data = RevisionDetailSerializer(revision).data
        return Response(data, headers={"ETag": etag(revision)})


class ScenarioSchema(APIView):
    """The form of a scenario document."""

    @extend_schema(
        operation_id="scenario_schema",
        summary="JSON Schema of a scenario document",
        responses={200: OpenApiTypes.OBJECT},
    )
    def get(self, request: Request) -> Response:
        """Answer the schema, draft 2020-12."""
        return Response(json_schema())
