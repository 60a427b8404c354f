"""Pages of the catalog: what they show, what they refuse, what they keep."""

from __future__ import annotations

import csv
import io

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from hardware_catalog.catalog.entry_input import EntryInput, FigureInput, PriceInput
from hardware_catalog.catalog.services import Author, entry_create, entry_revise, price_add
from hardware_catalog.models import CatalogEntry, Change
from hardware_catalog.models.as_record import as_record
from hardware_catalog.seed.kinds import all_kinds

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


def test_a_model_the_engine_cannot_size_says_so(ada_client, seed_catalog):
    """And offers no scenario with it."""
    mixtral = CatalogEntry.objects.get(key="mistralai/Mixtral-8x7B-v0.1", kind="language_model")
    text = page(ada_client, "entry", mixtral.pk)
    assert "cannot size this model yet" in text
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


FORM = {
    "name": "MI300U",
    "vendor": "AMD",
    "text-device_kind": "gpu",
    "text-features": ["secure_boot", "attestation"],
    "figure-memory_gb": "256",
    "figure-tdp_w": "1000",
    "price-price_usd-mid": "18000",
    "message": "for the study of next year",
}


def test_adding_an_own_device(ada_client, ada, demo_organisation):
    """The form's values arrive with unit, as assumed, in the history under the person's name."""
    response = ada_client.post(reverse("hardware_catalog:entry_new", args=["device"]), FORM)
    entry = CatalogEntry.objects.get(organisation=demo_organisation)
    assert response.status_code == 302
    assert response["Location"] == reverse("hardware_catalog:entry", args=[entry.pk])
    record = as_record(entry)
    assert (record.figures["memory_gb"].value, record.figures["memory_gb"].unit) == (256, "GB")
    assert record.text("features") == "secure_boot;attestation"
    assert record.price("price_usd").mid == 18_000
    assert {one.status for one in record.figures.values()} == {"assumed"}
    change = entry.changes.get()
    assert (change.who, change.message) == (ada, "for the study of next year")
    text = page(ada_client, "entry", entry.pk)
    assert "MI300U is in your catalog." in text
    assert "assumed" in text


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("figure-tdp_w", "-3", "-3 W is below 0: enter 0 or more"),
        ("figure-tdp_w", "NaN", "NaN is not a number"),
        ("figure-tdp_w", "1e308", "is above 100000: enter 100000 or less"),
        ("figure-tdp_w", "inf", "inf is not a number"),
        ("figure-tdp_w", "many", "many is not a number"),
        ("figure-scaleup_domain_size", "1.5", "1.5 is not whole: enter a whole number"),
        ("price-price_usd-mid", "-1", "-1 USD is below 0"),
        ("name", "", "The name is missing"),
        ("text-device_kind", "", "Type is missing"),
        ("end_of_support", "soon", "is not a date"),
        ("as_of", "May", "is not a date"),
    ],
)
def test_a_refused_form_says_why_beside_the_field_and_keeps_everything(
    ada_client, demo_organisation, field, value, said
):
    """422, the message at its field, all other values still there, nothing stored."""
    response = ada_client.post(
        reverse("hardware_catalog:entry_new", args=["device"]), FORM | {field: value}
    )
    assert response.status_code == 422
    form = response.context["form"]
    assert said.lower() in " ".join(form.errors[field]).lower()
    text = response.content.decode()
    for kept in ("256", "18000", "for the study of next year"):
        assert f'value="{kept}"' in text or kept in (FORM.get(field), value)
    if value:
        assert f'value="{value}"' in text
    assert not CatalogEntry.objects.filter(organisation=demo_organisation).exists()
    assert not Change.objects.exists()


def test_a_status_needs_a_source_and_a_source_a_status(ada_client, demo_organisation):
    """One sentence beside the field that is missing, however many figures it concerns."""
    url = reverse("hardware_catalog:entry_new", args=["device"])
    without_source = ada_client.post(url, FORM | {"status": "published"})
    assert without_source.status_code == 422
    assert without_source.context["form"].errors["source"] == [
        "A published figure has no source: name the source, or use assumed."
    ]
    without_status = ada_client.post(url, FORM | {"source": "sheet 7"})
    assert len(without_status.context["form"].errors["status"]) == 1
    assert 'value="sheet 7"' in without_status.content.decode()
    assert not CatalogEntry.objects.filter(organisation=demo_organisation).exists()


def test_measured_cannot_be_chosen(ada_client, demo_organisation):
    """It is no choice of the form, and a forged one is refused."""
    url = reverse("hardware_catalog:entry_new", args=["device"])
    assert 'value="measured"' not in ada_client.get(url).content.decode()
    response = ada_client.post(url, FORM | {"source": "my desk", "status": "measured"})
    assert response.status_code == 422
    assert "status" in response.context["form"].errors


def edit_data(client, entry):
    """Return what a browser would post for an unchanged edit form."""
    form = client.get(reverse("hardware_catalog:entry_edit", args=[entry.pk])).context["form"]
    data = {}
    for field in form:
        value = field.value()
        if value is not None:
            data[field.html_name] = value
    return data


@pytest.mark.parametrize(
    "key", ["h100-sxm", "t4", "gaudi3", "nvidia-dgx-h100", "supermicro-sys-821ge-tnhr", "US-VA"]
)
def test_saving_an_unchanged_form_changes_nothing(ada_client, shelf, demo_organisation, key):
    """No copy, no history, no figure: the form holds every value in full."""
    entry = shelf[key]
    url = reverse("hardware_catalog:entry_edit", args=[entry.pk])
    response = ada_client.post(url, edit_data(ada_client, entry))
    assert response.status_code == 302
    assert not CatalogEntry.objects.filter(organisation=demo_organisation).exists()


def test_editing_a_shared_device_makes_a_copy_in_words(ada_client, shelf, demo_organisation):
    """The page says so before and after; only the changed figure loses its source."""
    entry = shelf["h100-sxm"]
    url = reverse("hardware_catalog:entry_edit", args=[entry.pk])
    assert "Saving makes your own copy" in ada_client.get(url).content.decode()
    data = edit_data(ada_client, entry) | {
        "figure-tdp_w": "650",
        "source": "rack audit",
        "status": "estimated",
        "as_of": "2026-11",
    }
    response = ada_client.post(url, data, follow=True)
    own = CatalogEntry.objects.get(organisation=demo_organisation)
    assert response.redirect_chain[-1][0] == reverse("hardware_catalog:entry", args=[own.pk])
    assert "your own copy" in response.content.decode()
    figures = as_record(own).figures
    assert (figures["tdp_w"].value, figures["tdp_w"].source) == (650, "rack audit")
    assert figures["memory_gb"] == as_record(entry).figures["memory_gb"]
    assert "700 W" in response.content.decode()
    shared = page(ada_client, "entry", entry.pk)
    assert "stands in place of this shared entry" in shared


def test_a_source_can_be_given_to_all_figures(ada_client, demo_organisation):
    """Later found data sheet: values stay, status rises."""
    entry = make(demo_organisation, tdp_w=1000, memory_gb=256)
    data = edit_data(ada_client, entry) | {
        "source": "data sheet 7",
        "status": "published",
        "applies_to": "all",
    }
    ada_client.post(reverse("hardware_catalog:entry_edit", args=[entry.pk]), data)
    figures = as_record(CatalogEntry.objects.get(pk=entry.pk)).figures
    assert {(one.status, one.source) for one in figures.values()} == {("published", "data sheet 7")}


def test_two_people_editing_do_not_overwrite_each_other(ada_client, demo_organisation):
    """The later one is told, keeps what was typed, and may save again."""
    entry = make(demo_organisation, tdp_w=1000)
    data = edit_data(ada_client, entry) | {"figure-tdp_w": "900"}
    entry_revise(
        organisation=demo_organisation,
        entry=entry,
        given=EntryInput(figures={"tdp_w": FigureInput(950)}),
        author=Author(label="bob"),
    )
    url = reverse("hardware_catalog:entry_edit", args=[entry.pk])
    refused = ada_client.post(url, data)
    assert refused.status_code == 422
    assert "Somebody changed this entry" in refused.content.decode()
    assert 'value="900"' in refused.content.decode()
    version = refused.context["form"]["version"].value()
    assert ada_client.post(url, data | {"version": version}).status_code == 302
    assert as_record(CatalogEntry.objects.get(pk=entry.pk)).figures["tdp_w"].value == 900


def test_adding_a_price(ada_client, shelf, demo_organisation):
    """A quote for a shared server goes into an own copy; a negative one is refused."""
    server = shelf["nvidia-dgx-h100"]
    url = reverse("hardware_catalog:entry_price", args=[server.pk])
    assert "your own copy" in ada_client.get(url).content.decode()
    data = {"series": "price_usd", "mid": "-5", "source": "quote", "status": "published"}
    refused = ada_client.post(url, data)
    assert refused.status_code == 422
    assert "below 0" in refused.context["form"].errors["mid"][0]
    good = data | {"mid": "310000", "as_of": "2026-11-30", "quote_reference": "Q-4711"}
    text = ada_client.post(url, good, follow=True).content.decode()
    own = CatalogEntry.objects.get(organisation=demo_organisation)
    assert as_record(own).price("price_usd").mid == 310_000
    assert "310,000" in text
    assert "Q-4711" in text


def test_replaced_prices_stay_on_the_page(ada_client, demo_organisation):
    """Marked as replaced."""
    entry = make(demo_organisation)
    for mid in (20_000, 19_000):
        price_add(
            organisation=demo_organisation,
            entry=entry,
            given=PriceInput("price_usd", mid=mid, price_date="2026-11"),
            author=ADA,
        )
    text = page(ada_client, "entry", entry.pk)
    assert "20,000" in text
    assert "19,000" in text
    assert "replaced" in text


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
