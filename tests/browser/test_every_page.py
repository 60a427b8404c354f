"""Every page, light and dark, wide and narrow: no error, no outside host, nothing for axe."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.core.management import call_command

from tests.browser.pages import UNUSABLE_ESTIMATE, page_addresses, page_routes
from tests.data.clean_bench_run import clean_document

RULES = {
    "runOnly": {
        "type": "tag",
        "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    },
    "resultTypes": ["violations"],
}


@pytest.fixture
def filled_site(live_server, ada, demo_organisation, settings):
    """Catalog, five examples, one measured device."""
    from accounts.services import token_create
    from hardware_catalog.benchmarks.services import benchmark_run_record
    from planner.models import Scenario
    from planner.scenarios.selectors import revision_get
    from planner.sweeps.services import sweep_ask

    call_command("load_seed_catalog", verbosity=0)
    token, _ = token_create(organisation=demo_organisation, label="test", scope="upload", by=ada)
    document = clean_document()
    record(benchmark_run_record, demo_organisation, token, document)
    call_command("refresh_pending", verbosity=0)
    call_command("load_examples", organisation=demo_organisation.name, by=ada.email, verbosity=0)
    first = Scenario.objects.order_by("pk").first()
    axes = ["sites[0].pue=1.2:1.5:4", "sites[0].energy_usd_per_kwh=0.05:0.2:4"]
    sweep_ask(revision=revision_get(scenario=first), texts=axes)
    return live_server


def record(service, organisation, token, document):
    """Store a document as the API does."""
    from tco_agent.document import to_bytes

    return service(
        organisation=organisation, token=token, raw=to_bytes(document), document=document
    )


def _problems(page, url, theme):
    """Everything wrong with one page."""
    page.console_errors.clear()
    page.outside.clear()
    answer = page.goto(url)
    page.wait_for_load_state("networkidle")
    found = []
    if answer.status >= 400 and not (url.endswith(UNUSABLE_ESTIMATE) and answer.status == 422):
        found.append(f"status {answer.status}")
    found += [f"console: {text}" for text in page.console_errors if "422" not in text]
    found += [f"asks {address}" for address in page.outside]
    for violation in Axe().run(page, options=RULES).response["violations"]:
        node = violation["nodes"][0]
        found.append(f"axe {violation['id']} ({len(violation['nodes'])}x): {node['html'][:160]}")
    if page.evaluate("document.documentElement.getAttribute('data-theme')") != theme:
        found.append(f"is not {theme}")
    return found


def test_every_route_is_visited(filled_site):
    """A new page joins the tour or says why not."""
    assert sorted(page_addresses()) == page_routes()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pages_are_clean(filled_site, signed_in, theme):
    """Status, console, other hosts, axe: nothing on any page."""
    signed_in.emulate_media(color_scheme=theme)
    wrong = {}
    for addresses in page_addresses().values():
        for address in addresses:
            found = _problems(signed_in, filled_site.url + address, theme)
            if found:
                wrong[address] = found
    assert not wrong, "\n".join(f"{a}: {p}" for a, ps in wrong.items() for p in ps)


def test_strangers_see_clean_pages(filled_site, watched):
    """The estimate and the sign-in answer without an account."""
    for address in ("/", "/accounts/sign-in/", "/no-such-page/"):
        found = _problems(watched, filled_site.url + address, "light")
        if address == "/no-such-page/":
            found = [f for f in found if "404" not in f]
        assert not found, (address, found)


def test_no_page_scrolls_sideways_on_a_phone(filled_site, signed_in):
    """At 390 px the page is as wide as the screen; wide tables scroll inside themselves."""
    signed_in.set_viewport_size({"width": 390, "height": 844})
    wide = {}
    for addresses in page_addresses().values():
        signed_in.goto(filled_site.url + addresses[0])
        width = signed_in.evaluate("document.documentElement.scrollWidth")
        if width > 390:
            wide[addresses[0]] = width
    assert not wide, wide


def test_swagger_is_served_locally(filled_site, signed_in):
    """The API's page works under the content-security policy."""
    signed_in.goto(f"{filled_site.url}/api/v1/docs/")
    signed_in.wait_for_selector(".opblock", timeout=20_000)
    assert not signed_in.outside
    assert not signed_in.console_errors
