"""The price book under /api/v1/price-book/."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

from django.http import Http404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from hardware_catalog.catalog.api import REFUSED, author_of, organisation_of_caller
from hardware_catalog.models import Agreement
from hardware_catalog.price_book.selectors import agreements
from hardware_catalog.price_book.services import (
    agreement_add,
    agreement_withdraw,
    price_book_import,
)
from hardware_catalog.strict_serializer import StrictSerializer
from tco.document.price_book import CODES, COMMITMENTS, KINDS, AgreedPrice


class AgreementSerializer(serializers.ModelSerializer[Agreement]):
    """An entry of the price book."""

    class Meta:
        model = Agreement
        fields = (
            *("id", "kind", "key", "device", "commitment", "price", "currency"),
            *("discount_fraction", "supplier", "reference", "valid_from", "valid_to"),
            *("minimum_quantity", "note", "by_name", "at", "withdrawn_at", "withdrawn_by_name"),
        )


class AgreementWriteSerializer(StrictSerializer):
    """A new entry: a net price or a discount."""

    kind = serializers.ChoiceField(choices=list(KINDS))
    key = serializers.CharField(max_length=200)
    device = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")
    commitment = serializers.ChoiceField(
        choices=COMMITMENTS, required=False, allow_blank=True, default=""
    )
    price = serializers.DecimalField(
        max_digits=20,
        decimal_places=8,
        required=False,
        allow_null=True,
        default=None,
        min_value=Decimal("0.0001"),
        help_text="Net, per server or per instance-hour.",
    )
    currency = serializers.ChoiceField(choices=CODES, default="USD")
    discount_fraction = serializers.DecimalField(
        max_digits=12,
        decimal_places=10,
        required=False,
        allow_null=True,
        default=None,
        min_value=Decimal("0.0001"),
        max_value=Decimal("0.9999"),
    )
    supplier = serializers.CharField(max_length=200)
    reference = serializers.CharField(max_length=200)
    valid_from = serializers.DateField()
    valid_to = serializers.DateField()
    minimum_quantity = serializers.IntegerField(
        min_value=1, max_value=10**6, required=False, allow_null=True, default=None
    )
    note = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")

    def entry(self) -> AgreedPrice:
        """Return the valid data as an entry."""
        given: dict[str, Any] = dict(self.validated_data)
        if given["kind"] == "offer" and not given["commitment"]:
            given["commitment"] = COMMITMENTS[0]
        for name in ("valid_from", "valid_to"):
            day: dt.date = given[name]
            given[name] = day.isoformat()
        return AgreedPrice(**given)


class PriceBookTableSerializer(StrictSerializer):
    """A table of entries."""

    csv = serializers.CharField(
        trim_whitespace=False,
        max_length=5_000_000,
        help_text="kind, key, price or discount_fraction, supplier, reference, valid_from, "
        "valid_to; device, commitment, currency, minimum_quantity, note.",
    )
    dry_run = serializers.BooleanField(default=False)


def _writer(request: Request) -> dict[str, Any]:
    user = request.user if isinstance(request.user, User) else None
    return {"by": user, "by_name": author_of(request).label}


class PriceBook(APIView):
    """What was agreed with suppliers, over list prices."""

    @extend_schema(
        operation_id="price_book_list",
        summary="List the price book",
        responses=AgreementSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """Answer every entry, withdrawn ones too."""
        found = agreements(organisation=organisation_of_caller(request))
        return Response(AgreementSerializer(found, many=True).data)

    @extend_schema(
        operation_id="price_book_add",
        summary="Add an entry",
        request=AgreementWriteSerializer,
        responses={201: AgreementSerializer, 400: REFUSED, 422: REFUSED},
    )
    def post(self, request: Request) -> Response:
        """Add a price or a discount with its quote; it may not overlap with another one."""
        sent = AgreementWriteSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        made = agreement_add(
            organisation=organisation_of_caller(request), entry=sent.entry(), **_writer(request)
        )
        return Response(AgreementSerializer(made).data, status=status.HTTP_201_CREATED)


class PriceBookEntry(APIView):
    """One entry."""

    @extend_schema(
        operation_id="price_book_withdraw",
        summary="Withdraw an entry",
        responses={200: AgreementSerializer, 404: REFUSED},
    )
    def delete(self, request: Request, pk: int) -> Response:
        """Take it out of use; it stays in the book."""
        try:
            found = agreement_withdraw(
                organisation=organisation_of_caller(request), pk=pk, **_writer(request)
            )
        except Agreement.DoesNotExist as error:
            raise Http404 from error
        return Response(AgreementSerializer(found).data)


class PriceBookTable(APIView):
    """The price book as a table."""

    @extend_schema(
        operation_id="price_book_import",
        summary="Take in a table of entries",
        request=PriceBookTableSerializer,
        responses={201: OpenApiTypes.OBJECT, 200: OpenApiTypes.OBJECT, 422: REFUSED},
    )
    def post(self, request: Request) -> Response:
        """Take it in whole, or say every error; `dry_run` says what it would do."""
        sent = PriceBookTableSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        dry = sent.validated_data["dry_run"]
        found = price_book_import(
            organisation=organisation_of_caller(request),
            text=sent.validated_data["csv"],
            dry_run=dry,
            **_writer(request),
        )
        answer = {"added": found.added, "known": found.known, "dry_run": dry}
        return Response(answer, status=status.HTTP_200_OK if dry else status.HTTP_201_CREATED)
