"""The price book in a projection."""

from __future__ import annotations

from django.urls import reverse

from hardware_catalog.models import Agreement
from hardware_catalog.price_book.services import price_book_import
from planner.projections.services import projection_get_or_run, projection_recalculate
from planner.scenarios.selectors import revision_get
from tests.hardware_catalog.price_book.test_price_book import TABLE


def costs_of(projection):
    """Total cost of each option."""
    return {key: kpis["tco_usd"]["value"] for key, kpis in projection.result["kpis"].items()}


def test_the_projection_takes_the_price_and_drops_it(chat, demo_organisation, ada, ada_client):
    """Another input hash, another cost; the old projection stays as it was."""
    price_book_import(organisation=demo_organisation, text=TABLE, by=ada)
    first = projection_get_or_run(revision=revision_get(scenario=chat))
    costs = costs_of(first)
    assert "Q-17 of Acme" in str(first.result["provenance"])
    entry = Agreement.objects.get(reference="Q-17")
    url = reverse("hardware_catalog:price_book_withdraw", args=[entry.pk])
    assert ada_client.post(url).status_code == 302
    page = ada_client.get(reverse("planner:scenario_detail", args=[chat.pk])).content.decode()
    assert "quote Q-17 of Acme" in page  # old beside new
    second = projection_recalculate(revision=revision_get(scenario=chat))
    assert second.input_hash != first.input_hash
    after = costs_of(second)
    assert after["h100"] != costs["h100"]
    assert after["mi300x"] == costs["mi300x"]
    page = ada_client.get(reverse("hardware_catalog:price_book")).content.decode()
    assert "withdrawn" in page
    assert "by ada" in page.lower()
