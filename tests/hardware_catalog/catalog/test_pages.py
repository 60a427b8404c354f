"""Pages of the catalog: what they show, what they refuse, what they keep."""

from __future__ import annotations

import csv
import io

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from hardware_catalog.catalog.entry_input import EntryInput, FigureInput
from hardware_catalog.catalog.services import Author, entry_create
from hardware_catalog.models import CatalogEntry
from hardware_catalog.seed.kinds import all_kinds
from tests.hardware_catalog.catalog.conftest import put

pytestmark = pytest.mark.django_db
ADA = Author(label="ada")


def page(client, name, *args, status=200, **query):
    """Return the text of a page."""
    response = client.get(reverse(f"hardware_catalog:{name}", args=args), query)
    assert response.status_code == status
    return response.content.decode()


def make(organisation, name="MI300U", **figures):
    return entry_create(
        organisation=organisation,
        spec=all_kinds()["device"],
        given=EntryInput(
            name=name,
            vendor="AMD",
            attributes={"device_kind": "gpu"},
            figures={one: FigureInput(value) for one, value in figures.items()},
        ),
        author=ADA,
    )


@pytest.fixture
def seed_factor(db):
    """A cost factor of the shared catalog."""
    key = "colo-wholesale-colocation-asking-rate-250-500-kw-ex-power-us-primary-markets-2024-12"
    return put("cost_factor", key)[key]


def test_strangers_sign_in_first(client, shelf):
    """Every page of the catalog leads to sign-in."""
    for name, args in (("catalog", []), ("kind", ["device"]), ("entry", [shelf["t4"].pk])):
        response = client.get(reverse(f"hardware_catalog:{name}", args=args))
        assert response.status_code == 302
        assert "sign-in" in response["Location"] or "sign_in" in response["Location"]


def test_the_front_of_the_catalog(ada_client, shelf, pending_device):
    """All kinds with their numbers, and what waits for a person."""
    text = page(ada_client, "catalog")
    for spec in all_kinds().values():
        assert spec.plural in text
    assert "NPU 9" in text
    assert reverse("hardware_catalog:entry_confirm", args=[pending_device.pk]) in text


@pytest.mark.parametrize("kind", list(all_kinds()))
def test_every_kind_has_a_list(ada_client, kind):
    """Also when there is nothing in it: then the page says what would fill it."""
    assert "Nothing here yet" in page(ada_client, "kind", kind)


def test_every_page_of_the_whole_catalog_opens(ada_client, seed_catalog):
    """A list and an entry of each kind, with real data."""
    for kind, spec in all_kinds().items():
        assert spec.plural in page(ada_client, "kind", kind)
        entry = CatalogEntry.objects.filter(kind=kind).order_by("-pk").first()
        text = page(ada_client, "entry", entry.pk)
        assert "History" in text
        assert "Loaded from the seed files" in text


def test_unknown_kinds_and_entries_are_404(ada_client, shelf):
    """Nothing else."""
    page(ada_client, "kind", "teapot", status=404)
    page(ada_client, "entry", 10**9, status=404)


def test_foreign_entries_are_404_everywhere(eve_client, ada_client, demo_organisation):
    """Reading and writing alike; nothing changes."""
    entry = make(demo_organisation, tdp_w=1000)
    for name in ("entry", "entry_edit", "entry_price", "entry_confirm"):
        page(eve_client, name, entry.pk, status=404)
    for name in ("entry_edit", "entry_price", "entry_confirm", "entry_archive"):
        url = reverse(f"hardware_catalog:{name}", args=[entry.pk])
        assert eve_client.post(url, {"name": "stolen"}).status_code == 404
    assert "MI300U" not in page(eve_client, "kind", "device")
    assert "MI300U" in page(ada_client, "kind", "device")
    entry.refresh_from_db()
    assert (entry.name, entry.archived) == ("MI300U", False)


def test_finance_reads_and_does_not_write(fin, shelf):
    """Pages open without buttons; forms are refused."""
    client = Client()
    client.force_login(fin)
    assert "Add your own" not in page(client, "kind", "device")
    assert "Edit" not in page(client, "entry", shelf["t4"].pk)
    page(client, "entry_new", "device", status=403)
    page(client, "entry_edit", shelf["t4"].pk, status=403)


def test_an_entry_shows_value_unit_status_source_date_and_evidence(ada_client, shelf):
    """Everything of a figure, and unverified in words."""
    text = page(ada_client, "entry", shelf["h100-sxm"].pk)
    for shown in ("989.4", "TFLOP/s", "published", "2026-08-22", "secondary", "ml-engineering"):
        assert shown in text
    assert "25,000" in text
    assert "30,000" in text
    assert "40,000" in text
    assert "2022-10-01" in text
    assert "Attestation" in text
    assert "CUDA" in text
    assert "measured" in text
    mi325x = page(ada_client, "entry", shelf["mi325x"].pk)
    assert "No price is known" in mi325x
    t4 = page(ada_client, "entry", shelf["t4"].pk)
    assert "unverified" in t4
    assert "the document was not opened again" in t4


def test_units_stand_with_their_numbers(ada_client, shelf, seed_factor):
    """In the head where all rows share one, in the cell where each has its own; also in the CSV."""
    devices = page(ada_client, "kind", "device")
    assert devices.count("TFLOP/s") == 2
    factors = page(ada_client, "kind", "cost_factor")
    assert "USD per kW-month" in factors
    url = reverse("hardware_catalog:kind_csv", args=["cost_factor"])
    body = b"".join(ada_client.get(url).streaming_content).decode()
    row = next(csv.DictReader(io.StringIO(body)))
    assert (row["value"], row["value unit"]) == ("184.06", "USD per kW-month")


def test_a_model_the_engine_cannot_size_says_so(ada_client, seed_catalog):
    """And offers no scenario with it."""
    whisper = CatalogEntry.objects.get(key="openai/whisper-large-v3", kind="language_model")
    text = page(ada_client, "entry", whisper.pk)
    assert "not sized from its shape: no language model" in text
    assert "Use in a scenario" not in text


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"search": "h100"}, {"h100-sxm"}),
        ({"search": "HOPPER"}, {"h100-sxm"}),
        ({"search": "nvidia turing"}, {"t4"}),
        ({"search": "%%"}, set()),
        ({"vendor": "AMD"}, {"mi325x"}),
        ({"status": "measured"}, {"h100-sxm", "gaudi3", "mi325x"}),
        ({"has_price": "yes"}, {"h100-sxm", "gaudi3"}),
        ({"has_price": "no"}, {"mi325x", "t4"}),
        ({"own": "own"}, set()),
        ({"vendor": "NVIDIA", "has_price": "no"}, {"t4"}),
    ],
)
def test_filters(ada_client, shelf, query, found):
    """Search looks at name, vendor, key and texts; filters add up."""
    response = ada_client.get(reverse("hardware_catalog:kind", args=["device"]), query)
    assert {entry.key for entry, _ in response.context["rows"]} == found
    if not found:
        assert "Nothing fits" in response.content.decode()


def test_a_list_asks_as_much_for_60_rows_as_for_10(ada_client, demo_organisation):
    """The number of queries does not grow with the rows."""

    def queries():
        with CaptureQueriesContext(
            connection,
        ) as caught:
            page(ada_client, "kind", "device")
        return len(caught)

    for number in range(10):
        make(demo_organisation, name=f"Chip {number}", tdp_w=100 + number)
    ten = queries()
    for number in range(10, 60):
        make(demo_organisation, name=f"Chip {number}", tdp_w=100 + number)
    assert queries() == ten
    assert "Page 1 of 2" in page(ada_client, "kind", "device")
    assert "Chip 59" in page(ada_client, "kind", "device") + page(
        ada_client, "kind", "device", page=2
    )


def test_the_csv_holds_the_filtered_list(ada_client, shelf, demo_organisation):
    """Units in the head, status beside each number, and no cell that is a formula."""
    make(demo_organisation, name="=HYPERLINK(1)", tdp_w=1000)
    url = reverse("hardware_catalog:kind_csv", args=["device"])
    response = ada_client.get(url)
    assert response["Content-Type"].startswith("text/csv")
    body = b"".join(response.streaming_content).decode()
    table = list(csv.DictReader(io.StringIO(body)))
    assert len(table) == 5
    h100 = next(row for row in table if row["key"] == "h100-sxm")
    assert h100["memory_gb [GB]"] == "80.0"
    assert h100["memory_gb status"] == "published"
    assert (h100["price_usd [USD]"], h100["price_usd low"]) == ("30000.0", "25000.0")
    assert next(row for row in table if row["key"] == "mi325x")["price_usd [USD]"] == ""
    assert not [cell for row in table for cell in row.values() if cell[:1] in ("=", "+", "@")]
    assert any(row["name"] == "'=HYPERLINK(1)" for row in table)
    only = b"".join(ada_client.get(url, {"search": "t4"}).streaming_content).decode()
    assert len(only.strip().splitlines()) == 2


def test_confirming_an_uploaded_device(ada_client, pending_device):
    """By POST, under a name that a person gives."""
    url = reverse("hardware_catalog:entry_confirm", args=[pending_device.pk])
    assert "NPU 9" in ada_client.get(url).content.decode()
    refused = ada_client.post(url, {"name": "", "vendor": "ACME"})
    assert refused.status_code == 422
    pending_device.refresh_from_db()
    assert pending_device.pending
    text = ada_client.post(url, {"name": "NPU 9 card", "vendor": "ACME"}, follow=True)
    assert "is confirmed" in text.content.decode()
    pending_device.refresh_from_db()
    assert (pending_device.name, pending_device.pending) == ("NPU 9 card", False)
    assert ada_client.get(url).status_code == 302


def test_archiving(ada_client, shelf, demo_organisation):
    """Own entries go and come back; shared ones cannot; GET does nothing."""
    entry = make(demo_organisation)
    url = reverse("hardware_catalog:entry_archive", args=[entry.pk])
    assert ada_client.get(url).status_code == 405
    assert "scenarios no longer find" in ada_client.post(url, follow=True).content.decode()
    assert "MI300U" not in page(ada_client, "kind", "device")
    assert "MI300U" in page(ada_client, "kind", "device", archived="yes")
    ada_client.post(url, {"archived": "no"})
    assert "MI300U" in page(ada_client, "kind", "device")
    shared = reverse("hardware_catalog:entry_archive", args=[shelf["t4"].pk])
    assert ada_client.post(shared).status_code == 403


@pytest.mark.parametrize("kind", [kind for kind, spec in all_kinds().items() if spec.addable])
def test_forms_have_a_label_for_every_input(ada_client, kind):
    """And an unknown kind of entry cannot be added."""
    response = ada_client.get(reverse("hardware_catalog:entry_new", args=[kind]))
    text = response.content.decode()
    for field in response.context["form"]:
        if not field.is_hidden:
            assert f'for="{field.id_for_label}' in text or "<legend>" in text, field.name
    page(ada_client, "entry_new", "spot", status=403)


def test_names_are_escaped(ada_client, demo_organisation):
    """A name is text, never markup."""
    entry = make(demo_organisation, name="<script>alert(1)</script>")
    for text in (page(ada_client, "entry", entry.pk), page(ada_client, "kind", "device")):
        assert "<script>alert(1)" not in text
