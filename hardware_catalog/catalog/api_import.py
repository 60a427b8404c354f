"""Import of a model under /api/v1/catalog/models/import/."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from hardware_catalog.catalog.api import REFUSED, author_of, organisation_of_caller
from hardware_catalog.catalog.model_import import NAME_MOST, model_import
from hardware_catalog.catalog.serializers import EntrySerializer
from hardware_catalog.models import CatalogEntry
from hardware_catalog.strict_serializer import StrictSerializer


class ModelImportSerializer(StrictSerializer):
    """A model hub's config.json with the name to keep it under."""

    name = serializers.CharField(
        max_length=NAME_MOST, help_text="Name in scenario documents, such as vendor/model."
    )
    config = serializers.DictField(help_text="The config.json, as it is on the hub.")
    source = serializers.CharField(  # type: ignore[assignment]
        max_length=500,
        required=False,
        allow_blank=True,
        help_text="Where the file comes from; kept as the source of every figure.",
    )
    message = serializers.CharField(max_length=400, required=False, allow_blank=True)


class ModelImport(generics.GenericAPIView[CatalogEntry]):
    """A config.json."""

    serializer_class = EntrySerializer
    queryset = CatalogEntry.objects.none()
    filter_backends: list[Any] = []

    @extend_schema(
        summary="Import a model's config.json",
        description=(
            "Keeps the model as an own entry that scenarios find by its name. An own one of the "
            "same name is brought to the file; a name of the shared catalog is refused. Errors "
            "name the key of the config that is missing or wrong."
        ),
        request=ModelImportSerializer,
        responses={201: EntrySerializer, 422: REFUSED},
    )
    def post(self, request: Request) -> Response:
        """Import."""
        sent = ModelImportSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        data = sent.validated_data
        entry = model_import(
            organisation=organisation_of_caller(request),
            config=data["config"],
            name=data["name"],
            author=author_of(request),
            source=data.get("source", ""),
            message=data.get("message", ""),
        )
        return Response(EntrySerializer(entry).data, status=201)
