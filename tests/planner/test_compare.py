"""Scenarios side by side: what differs in the assumptions first, then every result."""

from __future__ import annotations

import copy

import pytest

from planner.comparison.selectors import compare
from planner.scenarios.services import scenario_create, scenario_duplicate, scenario_revise


@pytest.fixture
def colder(chat, ada):
    """The chat scenario with a better PUE and a shorter horizon."""
    twin = scenario_duplicate(scenario=chat, by=ada)
    document = copy.deepcopy(twin.revisions.get().document)
    document["sites"][0]["pue"] = 1.1
    scenario_revise(scenario=twin, document=document, base_number=1, by=ada)
    return twin


def test_differences_stand_against_the_first_column(chat, colder):
    """Delta and relative change are those of the two figures, by hand."""
    found = compare(organisation=chat.organisation, scenarios=[chat, colder])
    assert [row.label for row in found.assumptions] == ["Colocation in Ashburn › PUE"]
    assert found.assumptions[0].values[1] == "1.1"
    options = len(chat.revisions.get().document["options"])
    assert len(found.columns) == 2 * options
    row = next(row for row in found.rows if row.label == "Facility average")
    base = found.columns[0].kpis["average_kw"]["value"]
    other = found.columns[options].kpis["average_kw"]["value"]
    assert other < base
    assert row.cells[options].change_fraction == pytest.approx(other / base - 1)
    assert row.cells[options].delta.startswith("-")
    assert row.cells[0].delta == ""
    assert row.differs


def test_equal_scenarios_have_no_assumption_that_differs(chat, ada):
    """A copy differs in nothing but its name."""
    found = compare(
        organisation=chat.organisation, scenarios=[chat, scenario_duplicate(scenario=chat)]
    )
    assert found.assumptions == ()


def test_the_page_shows_both(chat, colder, ada_client):
    """Assumptions come before results; with one scenario there are none to show."""
    url = f"/compare/?a={chat.pk}&b={colder.pk}"
    html = ada_client.get(url).content.decode()
    assert html.index("Assumptions that differ") < html.index('id="results"')
    assert "Colocation in Ashburn › PUE" in html
    one = f"/compare/?a={chat.pk}"
    alone = ada_client.get(one).content.decode()
    assert "Assumptions that differ" not in alone


def test_rows_that_say_the_same_can_be_left_out(seed_catalog, demo_organisation, ada_client):
    """Two equal scenarios of one option have results, and none of them differs."""
    from tests.planner.conftest import example

    document = example("chat")
    document["options"] = document["options"][:1]
    one, two = (
        scenario_create(organisation=demo_organisation, document={**document, "name": name})
        for name in ("One", "Two")
    )
    url = f"/compare/?a={one.pk}&b={two.pk}"
    everything = ada_client.get(url).content.decode()
    differing = ada_client.get(f"{url}&only=differences").content.decode()
    assert "Facility peak" in everything
    assert "Facility peak" not in differing


def test_six_scenarios_fit_and_a_seventh_letter_is_ignored(chat, ada, ada_client):
    """a to f are compared; the same scenario twice stands once."""
    copies = [scenario_duplicate(scenario=chat, by=ada) for _ in range(5)]
    query = "&".join(
        f"{letter}={s.pk}" for letter, s in zip("abcdef", [chat, *copies], strict=True)
    )
    html = ada_client.get(f"/compare/?{query}&g={chat.pk}").content.decode()
    assert html.count("Scenario F") == 1
    assert "Scenario G" not in html
    twice = ada_client.get(f"/compare/?a={chat.pk}&b={chat.pk}").content.decode()
    assert "Assumptions that differ" not in twice


def test_nonsense_in_the_address_is_not_found(chat, ada_client, eve_client):
    """No such scenario, no number, another tenant's: 404 all alike."""
    assert ada_client.get("/compare/?a=999999").status_code == 404
    assert ada_client.get("/compare/?a=x").status_code == 404
    assert eve_client.get(f"/compare/?a={chat.pk}").status_code == 404


def test_a_scenario_that_cannot_be_projected_is_named(
    seed_catalog, demo_organisation, ada, ada_client, chat
):
    """The others are still compared."""
    from hardware_catalog.models import CatalogEntry
    from tests.planner.conftest import example

    old = scenario_create(organisation=demo_organisation, document=example("old_hall"), by=ada)
    server = old.revisions.get().document["options"][0]["fleets"][0]["server"]
    for entry in CatalogEntry.objects.filter(kind="server"):
        if entry.key == server:
            entry.archived = True
            entry.save()
    found = compare(organisation=demo_organisation, scenarios=[chat, old])
    if found.broken:
        assert found.broken == (old,)
        assert found.scenarios == (chat,)
    html = ada_client.get(f"/compare/?a={chat.pk}&b={old.pk}").content.decode()
    assert "Results" in html


def test_what_is_left_out_equals_its_default(chat, ada):
    """A default written out and another source for the same number are no differences."""
    twin = scenario_duplicate(scenario=chat, by=ada)
    document = copy.deepcopy(twin.revisions.get().document)
    del document["finance"]["monthly_rate"]
    document["finance"]["discount_rate_fraction"] = {
        "value": 0.10,
        "status": "published",
        "source": "the treasurer",
    }
    document["options"][0]["fleets"][0]["server"] = "nvidia-dgx-h100"
    scenario_revise(scenario=twin, document=document, base_number=1, by=ada)
    found = compare(organisation=chat.organisation, scenarios=[chat, twin])
    (row,) = found.assumptions
    assert row.label.endswith("Server")
    assert row.values == ("Supermicro SYS-821GE-TNHR", "NVIDIA DGX H100")


def test_the_comparison_says_its_take_away(chat, ada_client, demo_organisation, chat_document):
    """One scenario: its options; two: every option of both, with the scenario's name."""
    from django.urls import reverse

    from planner.scenarios.services import scenario_create

    url = reverse("planner:compare")
    text = ada_client.get(url, {"a": chat.pk}).content.decode()
    assert 'id="takeaway">Own 8xMI300X costs' in text
    chat_document["name"] = "Dear power"
    chat_document["sites"][0]["energy_usd_per_kwh"] = 0.3
    other = scenario_create(organisation=demo_organisation, document=chat_document)
    text = ada_client.get(url, {"a": chat.pk, "b": other.pk}).content.decode()
    assert "Own 8xMI300X (Chat: owned against rented) costs" in text
    assert "over 60 months" in text


def test_the_way_to_another_option_adds_up_to_its_total(chat, ada_client):
    """Each class of cost once; what one adds and another saves leads to the total on the page."""
    page = ada_client.get("/compare/", {"a": chat.pk})
    ways = page.context["comparison"].ways
    assert [way.to for way in ways] == ["Own 8xMI300X", "Own 8xGaudi 3", "Rent p5.48xlarge"]
    kpis = {one.option_name: one.kpis["tco_usd"]["value"] for one in
            page.context["comparison"].columns}  # fmt: skip
    for way in ways:
        assert way.total.before_usd == pytest.approx(kpis[way.base], rel=1e-9)
        assert way.total.after_usd == pytest.approx(kpis[way.to], rel=1e-9)
        reached = way.total.before_usd + sum(step.change_usd for step in way.total.steps)
        assert reached == pytest.approx(way.total.after_usd, abs=0.01)
    assert "What makes the difference" in page.content.decode()


def test_no_sentence_of_today_stands_beside_results_of_before(chat, ada_client, ada):
    """A price agreed since: the page says to recalculate, and says no more than it knows."""
    from hardware_catalog.price_book.services import price_book_import
    from tests.hardware_catalog.price_book.test_price_book import TABLE

    before = ada_client.get("/compare/", {"a": chat.pk})
    assert before.context["comparison"].takeaway
    price_book_import(organisation=chat.organisation, text=TABLE, by=ada)
    after = ada_client.get("/compare/", {"a": chat.pk})
    assert after.context["comparison"].takeaway == ""
    assert "have moved since these results" in after.content.decode()
    ada_client.post(f"/scenarios/{chat.pk}/recalculate/")
    again = ada_client.get("/compare/", {"a": chat.pk})
    assert again.context["comparison"].takeaway
    assert not again.context["comparison"].stale
