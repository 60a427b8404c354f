"""The catalog under /api/v1/catalog/."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import exceptions, generics
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import ApiToken, Organisation
from accounts.permissions import request_organisation
from hardware_catalog.catalog.filters import ApiFilter
from hardware_catalog.catalog.selectors import entry_get, entry_list, history
from hardware_catalog.catalog.serializers import (
    ChangeSerializer,
    EntryChangeSerializer,
    EntryCreateSerializer,
    EntrySerializer,
)
from hardware_catalog.catalog.services import Author, entry_create, entry_revise
from hardware_catalog.models import CatalogEntry, Change
from hardware_catalog.models.as_record import with_current
from hardware_catalog.seed.kinds import all_kinds
from tco.errors import InputError, InputErrors

REFUSED = OpenApiResponse(
    OpenApiTypes.OBJECT, description="Problem document: each field with its value and the mend."
)


def organisation_of_caller(request: Request) -> Organisation:
    """Return the organisation of a caller; one without is refused."""
    organisation = request_organisation(request)
    if organisation is None:
        raise exceptions.PermissionDenied("You belong to no organisation.")
    return organisation


def author_of(request: Request) -> Author:
    """Return who the history names: a person, or the token."""
    if isinstance(request.auth, ApiToken):
        return Author(label=f"Token {request.auth.label}"[:100])
    return Author.of(request.user)


class CatalogList(generics.ListAPIView[CatalogEntry]):
    """Entries that the organisation sees: shared ones and its own."""

    serializer_class = EntrySerializer
    filterset_class = ApiFilter
    queryset = CatalogEntry.objects.none()

    def get_queryset(self) -> QuerySet[CatalogEntry]:
        """Return the entries with their current figures and prices."""
        organisation = organisation_of_caller(self.request)
        return with_current(entry_list(organisation=organisation).order_by("kind", "key", "pk"))

    @extend_schema(summary="List the catalog")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List."""
        return super().get(request, *args, **kwargs)

    @extend_schema(
        summary="Add an own entry",
        description=(
            "A figure without a source is assumed. The status measured comes from trusted "
            "benchmark runs only."
        ),
        request=EntryCreateSerializer,
        responses={201: EntrySerializer, 422: REFUSED},
    )
    def post(self, request: Request) -> Response:
        """Add."""
        sent = EntryCreateSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        organisation = organisation_of_caller(request)
        entry = entry_create(
            organisation=organisation,
            spec=all_kinds()[sent.validated_data["kind"]],
            given=sent.to_input(),
            author=author_of(request),
            message=sent.validated_data.get("message", ""),
            key=sent.validated_data.get("key", ""),
        )
        return Response(EntrySerializer(entry).data, status=201)


class CatalogDetail(generics.GenericAPIView[CatalogEntry]):
    """One entry."""

    serializer_class = EntrySerializer
    queryset = CatalogEntry.objects.none()

    @extend_schema(summary="One entry with all figures")
    def get(self, request: Request, pk: int) -> Response:
        """Show."""
        entry = entry_get(organisation=organisation_of_caller(request), pk=pk)
        return Response(EntrySerializer(entry).data)

    @extend_schema(
        summary="Change an entry",
        description=(
            "Only what is named changes; a figure of null is taken away, prices are added. A "
            "shared entry stays as it is: the answer is then your own copy, with an id of its own."
        ),
        request=EntryChangeSerializer,
        responses={200: EntrySerializer, 422: REFUSED},
    )
    def patch(self, request: Request, pk: int) -> Response:
        """Change."""
        organisation = organisation_of_caller(request)
        entry = entry_get(organisation=organisation, pk=pk)
        if not entry.spec.addable:
            error = InputError(
                "kind", f"{entry.spec.plural} cannot be changed", "set values in the scenario"
            )
            raise InputErrors((error,))
        sent = EntryChangeSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        kept = entry_revise(
            organisation=organisation,
            entry=entry,
            given=sent.to_input(),
            author=author_of(request),
            message=sent.validated_data.get("message", ""),
        )
        return Response(EntrySerializer(kept).data)


class CatalogHistory(generics.ListAPIView[Change]):
    """Changes of an entry, newest first."""

    serializer_class = ChangeSerializer
    filter_backends: list[Any] = []
    queryset = Change.objects.none()

    def get_queryset(self) -> QuerySet[Change]:
        """Return the changes of an entry that the organisation sees."""
        if getattr(self, "swagger_fake_view", False):
            return Change.objects.none()
        entry = entry_get(organisation=organisation_of_caller(self.request), pk=self.kwargs["pk"])
        return history(entry=entry)

    @extend_schema(summary="History of an entry")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List."""
        return super().get(request, *args, **kwargs)
