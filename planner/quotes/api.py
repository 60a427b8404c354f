"""Quotes levelled to equal scope under /api/v1/."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from hardware_catalog.strict_serializer import StrictSerializer
from planner.access import api_organisation
from planner.quotes.services import MOST, quotes_levelled

PROBLEM = OpenApiResponse(OpenApiTypes.OBJECT, description="Problem document.")


class QuoteSerializer(StrictSerializer):
    """One vendor's table."""

    vendor = serializers.CharField(max_length=100)
    csv = serializers.CharField(trim_whitespace=False, max_length=1_000_000)


class QuotesSerializer(StrictSerializer):
    """The tables, and what they are compared in."""

    quotes = serializers.ListField(child=QuoteSerializer(), min_length=2, max_length=MOST)
    scope = serializers.CharField(
        trim_whitespace=False, max_length=1_000_000, required=False, allow_blank=True, default=""
    )
    currency = serializers.CharField(max_length=3, default="USD")
    on = serializers.CharField(max_length=10, required=False, allow_blank=True, default="")
    rates = serializers.ListField(
        child=serializers.CharField(max_length=30), max_length=50, default=list
    )


class QuotesLevelled(APIView):
    """Vendor quotes on one bill of materials."""

    @extend_schema(
        operation_id="quotes_level",
        summary="Level vendor quotes to equal scope and rank them",
        request=QuotesSerializer,
        responses={200: OpenApiTypes.OBJECT, 400: PROBLEM, 422: PROBLEM},
    )
    def post(self, request: Request) -> Response:
        """Answer the ranking, what each vendor leaves out, and what would flip it."""
        sent = QuotesSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        data = sent.validated_data
        found = quotes_levelled(
            organisation=api_organisation(request),
            tables=[(one["vendor"], one["csv"]) for one in data["quotes"]],
            scope=data["scope"],
            currency=data["currency"],
            day=data["on"],
            rates=data["rates"],
        )
        return Response(found.to_dict())
