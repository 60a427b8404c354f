"""The estimate of a stranger: an answer while typing, a wrong value told where it stands."""

from __future__ import annotations

import pytest
from django.core.management import call_command


@pytest.fixture
def catalog_site(live_server):
    """The shared catalog, no account."""
    call_command("load_seed_catalog", verbosity=0)
    return live_server


def test_a_wrong_value_is_told_at_its_field_and_the_old_answer_goes(catalog_site, watched):
    """422 is swapped in: error beside the field, no answer to another question left standing."""
    page = watched
    page.set_default_timeout(15_000)
    page.goto(catalog_site.url)
    page.locator("#answer .verdict").wait_for()
    field = page.get_by_label("Requests a minute at peak")
    field.fill("-5")
    field.press("Tab")
    page.locator("#requests_per_minute-error", has_text="-5").wait_for()
    assert page.locator("#answer .verdict").count() == 0
    assert field.input_value() == "-5"

    field.fill("1,200")
    field.press("Tab")
    page.locator("#answer .verdict").wait_for()
    assert page.locator("#requests_per_minute-error").inner_text() == ""
    assert "requests_per_minute=1%2C200" in page.url or "1200" in page.url
    assert not page.outside


def test_every_model_and_region_offered_is_answered(catalog_site, watched, client):
    """No choice of the lists leads to a refusal."""
    watched.goto(catalog_site.url)
    regions = watched.locator("#list-region option").evaluate_all("o => o.map(x => x.value)")
    models = watched.locator("#list-model option").evaluate_all("o => o.map(x => x.value)")
    assert len(regions) >= 40
    assert len(models) >= 15
    for query in [{"region": name} for name in regions[::7]] + [{"model": m} for m in models[::4]]:
        assert client.get("/", query).status_code == 200, query


def test_one_time_link_leads_on_to_what_was_wanted(catalog_site, watched, ada):
    """A stranger opens the estimate as a scenario; the link does not lose it."""
    from accounts.services import sign_in_link_create

    page = watched
    page.set_default_timeout(15_000)
    page.goto(f"{catalog_site.url}/?requests_per_minute=777")
    page.get_by_role("link", name="Open as a scenario").click()
    page.wait_for_url("**/accounts/sign-in/**")
    _, secret = sign_in_link_create(user=ada)
    page.goto(f"{catalog_site.url}/accounts/link/{secret}/")
    page.locator("main button[type=submit]").click()
    page.wait_for_url("**/scenarios/new/**")
    assert page.get_by_label("Requests per minute at peak").first.input_value().startswith("777")
