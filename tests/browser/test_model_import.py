"""A config.json becomes an own model without a mouse; preview and errors are clean pages."""

from __future__ import annotations

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.core.management import call_command

from tests.browser.test_every_page import RULES
from tests.browser.test_keyboard import reach
from tests.engine.document.test_huggingface import DEEPSEEK


def _clean(page):
    """Nothing for axe, nothing beside the page on a phone, in both themes."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = Axe().run(page, options=RULES).response["violations"]
        assert not found, [(one["id"], one["nodes"][0]["html"][:160]) for one in found]
    size = page.viewport_size
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size(size)


@pytest.mark.django_db(transaction=True)
def test_import_by_keyboard(live_server, signed_in):
    """Paste, be told the key, mend it, see what it says, save, find it in the list."""
    call_command("load_seed_catalog", verbosity=0)
    page = signed_in
    page.set_default_timeout(15_000)
    page.goto(f"{live_server.url}/catalog/language_model/")
    reach(page, "Import a config.json")
    page.keyboard.press("Enter")
    page.wait_for_url("**/language_model/import/")
    reach(page, "Name in scenarios")
    page.keyboard.type("acme/r1")
    reach(page, "Or paste its text")
    wrong = {key: value for key, value in DEEPSEEK.items() if key != "vocab_size"}
    page.keyboard.insert_text(json.dumps(wrong))
    reach(page, "Show what it says")
    page.keyboard.press("Enter")
    page.locator("#id_text_error", has_text="vocab_size is missing").wait_for()
    _clean(page)

    reach(page, "Or paste its text")
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.insert_text(json.dumps(DEEPSEEK))
    reach(page, "Show what it says")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="acme/r1").wait_for()
    _clean(page)

    reach(page, "Save to your catalog")
    page.keyboard.press("Enter")
    page.get_by_text("acme/r1 is in your catalog.").wait_for()
    page.goto(f"{live_server.url}/catalog/language_model/?search=acme")
    page.get_by_role("link", name="acme/r1").wait_for()
    assert not page.outside
    assert not [error for error in page.console_errors if "422" not in error]
