"""The price book in database, pages and API: whole tables, no overlap, nothing changed."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from hardware_catalog.models import Agreement
from hardware_catalog.price_book.selectors import as_csv
from hardware_catalog.price_book.services import price_book_import
from tco.errors import InputErrors

H100 = "supermicro-sys-821ge-tnhr"
TABLE = (
    "kind;key;price;currency;supplier;reference;valid_from;valid_to\n"
    f"server;{H100};210.000,50;USD;Acme;Q-17;2026-10-01;2027-12-31\n"
    "offer;aws-p5-48xlarge-us-east-1;30,5;USD;AWS;EDP-3;2026-10-01;2027-12-31\n"
)
ENTRY = {
    "kind": "server",
    "key": H100,
    "price": "199000",
    "currency": "USD",
    "supplier": "Acme",
    "reference": "Q-18",
    "valid_from": "2026-10-01",
    "valid_to": "2027-12-31",
}


@pytest.fixture
def booked(seed_catalog, demo_organisation, ada):
    """The two entries of the table."""
    price_book_import(organisation=demo_organisation, text=TABLE, by=ada)
    return Agreement.objects.filter(organisation=demo_organisation)


def test_a_table_twice_adds_once_and_its_download_is_the_same(booked, demo_organisation, ada):
    """Import, export, import: nothing changes."""
    assert booked.count() == 2
    again = price_book_import(organisation=demo_organisation, text=TABLE, by=ada)
    assert (again.added, again.known) == (0, 2)
    exported = as_csv(organisation=demo_organisation)
    back = price_book_import(organisation=demo_organisation, text=exported, by=ada)
    assert (back.added, back.known) == (0, 2)
    assert as_csv(organisation=demo_organisation) == exported


def test_nothing_is_taken_by_halves(booked, demo_organisation):
    """Unknown keys and overlaps, all at once, with row and column."""
    table = TABLE.replace("Q-17", "Q-19").replace("aws-p5-48xlarge-us", "aws-p5-48xlarg-us")
    with pytest.raises(InputErrors) as caught:
        price_book_import(organisation=demo_organisation, text=table)
    fields = {one.field: one for one in caught.value.errors}
    assert set(fields) == {"row 2, valid_from", "row 3, key"}
    assert "Q-17" in fields["row 2, valid_from"].message
    assert "did you mean" in fields["row 3, key"].mend
    assert booked.count() == 2


def test_entries_never_change(booked):
    """Only the withdrawal is written after the insert."""
    entry = booked.first()
    entry.price = 1
    with pytest.raises(ValidationError):
        entry.save()


def test_the_pages_list_add_try_and_refuse(booked, ada_client):
    """Errors beside their fields, nothing lost; a try changes nothing."""
    page = ada_client.get(reverse("hardware_catalog:price_book")).content.decode()
    assert "210,000.50 USD per server" in page
    assert "30.50 USD per instance-hour" in page
    new = reverse("hardware_catalog:price_book_new")
    form = {**ENTRY, "discount_percent": "", "minimum_quantity": "", "note": "", "device": ""}
    refused = ada_client.post(new, {**form, "commitment": ""})
    assert refused.status_code == 422
    assert "Overlaps with quote Q-17" in refused.content.decode()
    assert 'value="199000"' in refused.content.decode()
    table = reverse("hardware_catalog:price_book_table")
    other = TABLE.replace("2026-10-01;2027-12-31", "2028-01-01;2028-12-31")
    tried = ada_client.post(table, {"text": other, "action": "try"})
    assert "2 would be added" in tried.content.decode()
    assert booked.count() == 2
    assert ada_client.post(table, {"text": other, "action": "take"}).status_code == 302
    assert booked.count() == 4
    broken = ada_client.post(table, {"text": "kind,key\nserver", "action": "take"})
    assert broken.status_code == 422
    assert "is missing" in broken.content.decode()


def test_the_api_lists_adds_imports_and_withdraws(booked, ada_client):
    """The same services; a dry run answers 200 and stores nothing."""
    url = reverse("api_price_book")
    assert len(ada_client.get(url).json()) == 2
    overlap = ada_client.post(url, ENTRY, content_type="application/json")
    assert overlap.status_code == 422, overlap.content
    later = {**ENTRY, "valid_from": "2028-01-01", "valid_to": "2028-06-30"}
    made = ada_client.post(url, later, content_type="application/json")
    assert made.status_code == 201, made.content
    both = {**later, "discount_fraction": "0.1"}
    assert ada_client.post(url, both, content_type="application/json").status_code == 422
    table = reverse("api_price_book_table")
    dry = ada_client.post(table, {"csv": TABLE, "dry_run": True}, content_type="application/json")
    assert dry.status_code == 200
    assert dry.json() == {"added": 0, "known": 2, "dry_run": True}
    entry = reverse("api_price_book_entry", args=[made.json()["id"]])
    gone = ada_client.delete(entry)
    assert gone.json()["withdrawn_at"]


def test_an_empty_book_says_what_to_enter(seed_catalog, ada_client):
    """The empty state."""
    page = ada_client.get(reverse("hardware_catalog:price_book")).content.decode()
    assert "Nothing agreed yet" in page
