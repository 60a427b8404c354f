"""What the database itself refuses, whoever writes."""

from __future__ import annotations

import math

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, transaction

from hardware_catalog.models import CatalogEntry, Figure, Price

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "bad",
    [
        {"value": math.nan},
        {"value": math.inf},
        {"value": 5, "low": 6},
        {"value": 5, "high": 4},
        {"value": 5, "low": math.nan},
        {"value": 5, "status": "certain"},
    ],
)
def test_the_database_refuses_bad_figures(shelf, bad):
    """Whoever writes past the services meets the constraints."""
    row = {"name": "x", "unit": "W", "status": "assumed", "source": "test"} | bad
    with pytest.raises(IntegrityError), transaction.atomic():
        Figure.objects.create(entry=shelf["t4"], **row)


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"mid": -1},
        {"low": 2, "mid": 1},
        {"mid": 3, "high": 2},
        {"low": 3, "high": 2},
        {"mid": 1, "status": "certain"},
    ],
)
def test_the_database_refuses_bad_prices(shelf, bad):
    """None at all, negative, not a number, out of order, unknown status."""
    row = {"series": "x", "unit": "USD", "status": "assumed", "source": "test"} | bad
    with pytest.raises(IntegrityError), transaction.atomic():
        Price.objects.bulk_create([Price(entry=shelf["t4"], **row)])


def test_the_database_refuses_a_price_that_is_no_number(shelf):
    """NaN passes `>= 0` in PostgreSQL; the upper bound keeps it out, also in plain SQL."""
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("update hardware_catalog_price set mid = 'NaN'")


def test_the_database_keeps_keys_unique_also_for_shared_entries(shelf):
    """No organisation counts as one value."""
    with pytest.raises(IntegrityError), transaction.atomic():
        CatalogEntry.objects.create(kind="device", key="t4", name="again")
    with pytest.raises(IntegrityError), transaction.atomic():
        CatalogEntry.objects.create(kind="teapot", key="x", name="x")
    with pytest.raises(ValidationError):
        CatalogEntry(kind="device", key="t4", name="again").full_clean()


def test_one_figure_is_current(shelf):
    """Two current rows of one name are refused."""
    with pytest.raises(IntegrityError), transaction.atomic():
        Figure.objects.create(
            entry=shelf["t4"], name="tdp_w", value=1, unit="W", status="assumed", source="x"
        )
