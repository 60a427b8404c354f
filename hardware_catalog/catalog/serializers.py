"""Entries of the catalog as JSON."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from hardware_catalog.catalog.entry_input import BY_HAND, EntryInput, FigureInput, PriceInput
from hardware_catalog.models import CatalogEntry, Change
from hardware_catalog.models.as_record import as_record
from hardware_catalog.seed.kinds import all_kinds
from hardware_catalog.seed.status import STATUSES
from hardware_catalog.strict_serializer import StrictFloatField, StrictSerializer

STATUS_HELP = f"{', '.join(BY_HAND)}. Needed with a source; assumed without one."


class FigureSerializer(serializers.Serializer[Any]):
    """A figure with its pedigree."""

    name = serializers.CharField()
    value = serializers.FloatField()
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    unit = serializers.CharField()
    status = serializers.ChoiceField(choices=STATUSES)
    verified = serializers.BooleanField()
    source = serializers.CharField()  # type: ignore[assignment]
    as_of = serializers.CharField()
    evidence = serializers.CharField()


class PriceSerializer(serializers.Serializer[Any]):
    """A dated price with its pedigree."""

    series = serializers.CharField()
    low = serializers.FloatField(allow_null=True)
    mid = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    unit = serializers.CharField()
    status = serializers.ChoiceField(choices=STATUSES)
    verified = serializers.BooleanField()
    source = serializers.CharField()  # type: ignore[assignment]
    price_date = serializers.CharField()
    evidence = serializers.CharField()
    quote_reference = serializers.CharField()


class EntrySerializer(serializers.ModelSerializer[CatalogEntry]):
    """An entry with its current figures and prices."""

    shared = serializers.BooleanField(help_text="Seen by everybody; False: your own.")
    attributes = serializers.DictField(child=serializers.CharField())
    figures = serializers.SerializerMethodField()
    prices = serializers.SerializerMethodField()

    class Meta:
        model = CatalogEntry
        fields = [
            "id",
            "kind",
            "key",
            "name",
            "vendor",
            "shared",
            "pending",
            "archived",
            "attributes",
            "release_date",
            "end_of_sale",
            "end_of_support",
            "figures",
            "prices",
            "created_at",
            "updated_at",
        ]

    @extend_schema_field(FigureSerializer(many=True))
    def get_figures(self, entry: CatalogEntry) -> list[Any]:
        """Return the current figures."""
        return list(FigureSerializer(as_record(entry).figures.values(), many=True).data)

    @extend_schema_field(PriceSerializer(many=True))
    def get_prices(self, entry: CatalogEntry) -> list[Any]:
        """Return the current prices, oldest first."""
        return list(PriceSerializer(as_record(entry).prices, many=True).data)


class ChangeSerializer(serializers.ModelSerializer[Change]):
    """One row of the history."""

    before = serializers.DictField()
    after = serializers.DictField()

    class Meta:
        model = Change
        fields = ["id", "by", "at", "message", "before", "after"]


class FigureWriteSerializer(StrictSerializer):
    """A figure to set. Without a source it is assumed."""

    value = StrictFloatField()
    low = StrictFloatField(required=False, allow_null=True)
    high = StrictFloatField(required=False, allow_null=True)
    status = serializers.CharField(required=False, allow_blank=True, help_text=STATUS_HELP)
    source = serializers.CharField(required=False, allow_blank=True, max_length=500)  # type: ignore[assignment]
    as_of = serializers.CharField(required=False, allow_blank=True, max_length=10)


class PriceWriteSerializer(StrictSerializer):
    """A dated price to add. Without a source it is assumed."""

    series = serializers.CharField(max_length=60)
    low = StrictFloatField(required=False, allow_null=True)
    mid = StrictFloatField(required=False, allow_null=True)
    high = StrictFloatField(required=False, allow_null=True)
    status = serializers.CharField(required=False, allow_blank=True, help_text=STATUS_HELP)
    source = serializers.CharField(required=False, allow_blank=True, max_length=500)  # type: ignore[assignment]
    price_date = serializers.CharField(required=False, allow_blank=True, max_length=10)
    quote_reference = serializers.CharField(required=False, allow_blank=True, max_length=100)


class EntryChangeSerializer(StrictSerializer):
    """What to change of an entry; what is not named stays. A figure of null is taken away."""

    name = serializers.CharField(max_length=200, required=False)
    vendor = serializers.CharField(max_length=100, required=False, allow_blank=True)
    attributes = serializers.DictField(
        child=serializers.CharField(allow_blank=True, max_length=2000), required=False
    )
    figures = serializers.DictField(child=FigureWriteSerializer(allow_null=True), required=False)
    prices = PriceWriteSerializer(many=True, required=False)
    release_date = serializers.CharField(max_length=10, required=False, allow_blank=True)
    end_of_sale = serializers.CharField(max_length=10, required=False, allow_blank=True)
    end_of_support = serializers.CharField(max_length=10, required=False, allow_blank=True)
    message = serializers.CharField(max_length=400, required=False, allow_blank=True)

    def to_input(self) -> EntryInput:
        """Return what was sent, for the service."""
        data = self.validated_data
        return EntryInput(
            name=data.get("name"),
            vendor=data.get("vendor"),
            attributes=data.get("attributes", {}),
            figures={
                name: None if one is None else FigureInput(**one)
                for name, one in data.get("figures", {}).items()
            },
            prices=[PriceInput(**one) for one in data.get("prices", [])],
            release_date=data.get("release_date"),
            end_of_sale=data.get("end_of_sale"),
            end_of_support=data.get("end_of_support"),
        )


class EntryCreateSerializer(EntryChangeSerializer):
    """A new own entry."""

    kind = serializers.ChoiceField(
        choices=[kind for kind, spec in all_kinds().items() if spec.addable]
    )
    key = serializers.RegexField(
        r"^[A-Za-z0-9][A-Za-z0-9._/-]*$",
        max_length=200,
        required=False,
        help_text="Name in scenario documents; made from vendor and name if left out.",
    )
    name = serializers.CharField(max_length=200)
