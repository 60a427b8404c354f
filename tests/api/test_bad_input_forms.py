"""Junk in a form: 422, each value still there as it was typed, nothing stored."""

from __future__ import annotations

import pytest

from tests.api.knocks import ENTRY_FORM
from tests.planner.posted import posted_form


@pytest.mark.parametrize(
    ("name", "junk"),
    [
        ("sites[0].slot_w", "-5 kW"),
        ("sites[0].pue", "NaN"),
        ("finance.horizon_months", "1e308"),
        ("options[0].fleets[0].count", "0"),
        ("options[0].fleets[0].server", "Deep Thought"),
        ("workloads[0].input_tokens", "[]"),
        ("workloads[0].requests_per_minute", "Infinity"),
        ("name", ""),
    ],
)
def test_junk_in_the_builder_comes_back_with_everything_typed(world, nothing_stored, name, junk):
    """422, the junk and all the rest still in the form; new and edit alike."""
    client = world.client("architect")
    edit = f"/scenarios/{world.mine.scenario.pk}/edit/"
    # the state of the page, and the source of a number that is no longer the source's
    aside = {"document", "csrfmiddlewaretoken", "base_number", f"{name}.source", f"{name}.status"}
    for url in (edit, "/scenarios/new/"):
        form = posted_form(client.get(edit).content.decode())
        typed = {**form, name: [junk], "finance.discount_rate_fraction": ["0.123"]}
        response = client.post(url, typed)
        assert response.status_code == 422, (url, response.status_code)
        again = posted_form(response.content.decode())
        for field, value in typed.items():
            if field == name and junk == "1e308":
                assert float(again[field][0]) == 1e308
            elif field not in aside:
                assert again[field] == value, field


def test_junk_in_the_catalog_form_comes_back_with_everything_typed(world, nothing_stored):
    """422 with the values as typed."""
    client = world.client("architect")
    form = ENTRY_FORM | {"figure-tdp_w": "-3", "price-price_usd-mid": "many"}
    response = client.post("/catalog/device/new/", form)
    assert response.status_code == 422
    html = response.content.decode()
    assert 'value="-3"' in html
    assert 'value="many"' in html
    assert 'value="MI300U"' in html


@pytest.mark.parametrize(
    "text", ["", "{", "a: &a [*a]", "!!python/object:os.system x", "[1, 2]", "name: 1\nname: 2"]
)
def test_junk_in_an_imported_file_is_a_422_that_keeps_the_text(world, nothing_stored, text):
    """The pasted text stays in the box, with what is wrong above it."""
    client = world.client("architect")
    response = client.post("/scenarios/import/", {"text": text})
    assert response.status_code == 422
    assert response.context["text"] == text
    assert response.context["errors"]


@pytest.mark.parametrize("url", ["/scenarios/new/", "/scenarios/import/", "/catalog/device/new/"])
def test_a_form_of_5_mb_is_refused_in_words(world, nothing_stored, url):
    """400, a page that says what to do, no bare error."""
    response = world.client("architect").post(url, {"text": "a" * 5_000_001})
    assert response.status_code == 400
    assert "larger than the site takes" in response.content.decode()


def test_a_search_for_what_no_text_can_hold_finds_nothing(world):
    """A null in a search is no fault of the server: the list is empty."""
    client = world.client("architect")
    assert world.mine.scenario.name not in client.get("/scenarios/?q=%00").content.decode()
    assert client.get("/api/v1/scenarios/?search=%00").json()["results"] == []
    assert client.get("/api/v1/scenarios/?search=Chat").json()["count"] == 1
