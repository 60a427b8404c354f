"""Forms of own entries: beside each field what is wrong, and nothing lost."""

from __future__ import annotations

import pytest
from django.urls import reverse

from hardware_catalog.catalog.entry_input import EntryInput, FigureInput, PriceInput
from hardware_catalog.catalog.services import Author, entry_revise, price_add
from hardware_catalog.models import CatalogEntry, Change
from hardware_catalog.models.as_record import as_record
from hardware_catalog.to_engine import DatabaseCatalog
from tests.hardware_catalog.catalog.test_pages import ADA, make, page

pytestmark = pytest.mark.django_db


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
    "key",
    [
        "h100-sxm",
        "t4",
        "gaudi3",
        "nvidia-dgx-h100",
        "supermicro-sys-821ge-tnhr",
        "US-VA",
        "aws-p5-48xlarge-us-east-1",
        "crah-hot-cold-aisle-containment",
        "48u-eia-310-rack",
        "orv3-hpr-mgx-power-shelf-6-x-5-5-kw",
        "415-v-3ph-60-a",
    ],
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


OTHERS = {
    "rack": {"name": "Deep rack", "figure-rack_units": "52", "figure-static_load_kg": "1800"},
    "feed": {
        "name": "240 V 3ph 40 A",
        "text-voltage_reference": "LN",
        "figure-voltage_v": "240",
        "figure-phases": "3",
        "figure-breaker_a": "40",
    },
    "cooling": {
        "name": "Cold plates",
        "text-cooling_kind": "direct_to_chip",
        "figure-max_kw_per_rack": "150",
    },
    "region": {
        "name": "Hall 7",
        "vendor": "IS",
        "figure-energy_usd_per_kwh_industrial": "0.05",
        "text-electricity_includes_demand_charge": "yes",
    },
    "server": {
        "name": "Box",
        "vendor": "ACME",
        "text-device_keys": "h100-sxm",
        "text-cooling_kind": "liquid",
        "figure-accelerator_slots": "4",
    },
    "cloud_offer": {
        "name": "x.large north",
        "vendor": "Cloudy",
        "text-instance_type": "x.large",
        "text-device_key": "t4",
        "figure-device_count": "2",
        "price-on_demand_usd_per_hour-mid": "3.5",
    },
}


@pytest.mark.parametrize("kind", list(OTHERS))
def test_own_entries_of_other_kinds_reach_the_engine(ada_client, shelf, demo_organisation, kind):
    """A rack, a feed, a cooling design, a region, a server, an offer: added, then found."""
    url = reverse("hardware_catalog:entry_new", args=[kind])
    for name in [one for one in OTHERS[kind] if one.startswith("figure-")][:1]:
        without = {key: value for key, value in OTHERS[kind].items() if key != name}
        if kind != "region":
            assert "is missing" in str(ada_client.post(url, without).context["form"].errors[name])
    assert ada_client.post(url, OTHERS[kind]).status_code == 302
    entry = CatalogEntry.objects.get(organisation=demo_organisation)
    catalog = DatabaseCatalog(demo_organisation)
    found = getattr(catalog, {"cloud_offer": "offer"}.get(kind, kind))(entry.key)
    expected = {
        "rack": lambda: (found.rack_units, found.static_load_kg.value) == (52, 1800),
        "feed": lambda: (
            (found.voltage_v, found.phases, found.breaker_a, found.voltage_reference)
            == (240, 3, 40, "LN")
        ),
        "cooling": lambda: (found.kind, found.max_kw_per_rack.value) == ("direct_to_chip", 150),
        "region": lambda: (
            (found.country, found.energy_usd_per_kwh.value, found.demand_included)
            == ("IS", 0.05, True)
        ),
        "server": lambda: (
            (found.device.key, found.device_count, found.cooling) == ("h100-sxm", 4, "liquid")
        ),
        "cloud_offer": lambda: (
            (found.device.key, found.device_count) == ("t4", 2)
            and found.on_demand_usd_per_hour.value == 3.5
        ),
    }
    assert expected[kind](), found
