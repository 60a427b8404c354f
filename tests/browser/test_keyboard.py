"""Create, compare, export without a mouse (U20)."""

from __future__ import annotations

import re

import pytest
from django.core.management import call_command

ACTIVE = """() => {
  const e = document.activeElement;
  if (!e || e === document.body) return '';
  const label = e.labels && e.labels.length ? e.labels[0].innerText : '';
  return (label + ' ' + (e.getAttribute('aria-label') || '') + ' ' + e.innerText).trim();
}"""
# An element with the focus shows it: an outline, on itself or on the frame around an input.
VISIBLE = """() => {
  const e = document.activeElement;
  const frame = e.closest('.field-input') || e;
  const style = getComputedStyle(frame);
  return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
}"""


@pytest.fixture
def example_site(live_server, ada, demo_organisation):
    """Catalog and examples."""
    call_command("load_seed_catalog", verbosity=0)
    call_command("load_examples", organisation=demo_organisation.name, by=ada.email, verbosity=0)
    return live_server


def reach(page, pattern, limit=400):
    """Press Tab until the focus is on something whose name matches, and is seen there."""
    for _ in range(limit):
        page.keyboard.press("Tab")
        if re.search(pattern, page.evaluate(ACTIVE)):
            assert page.evaluate(VISIBLE), f"the focus is not seen on {pattern}"
            return
    raise AssertionError(f"Tab never reaches {pattern}")


def test_create_compare_export_by_keyboard(example_site, signed_in):
    """The whole task with Tab, Enter, arrows and letters."""
    page = signed_in
    page.goto(f"{example_site.url}/home/")
    page.keyboard.press("Tab")
    assert "Skip" in page.evaluate(ACTIVE)

    reach(page, r"^New scenario")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/scenarios/new/"))
    reach(page, r"^Name")
    page.keyboard.press("Control+a")
    page.keyboard.type("Made by keyboard")
    reach(page, r"^Save")
    page.keyboard.press("Enter")
    page.wait_for_selector("#verdict")
    assert "Made by keyboard" in page.locator("h1").inner_text()
    projection = page.url

    reach(page, r"^Compare$")  # the page's own; the navigation's has the same name
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/compare/"))
    reach(page, r"Scenario A")
    page.keyboard.press("ArrowDown")
    reach(page, r"Scenario B")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    reach(page, r"^Compare$")
    page.keyboard.press("Enter")
    page.wait_for_selector("h2:has-text('Results')")

    page.goto(projection)
    reach(page, r"^Workbook")
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.suggested_filename.endswith(".xlsx")
    assert not page.console_errors


def test_preview_follows_typing_and_stores_nothing(example_site, signed_in):
    """A keystroke changes the preview; a wrong value is told at its field; nothing is saved."""
    from planner.models import ScenarioRevision

    page = signed_in
    page.goto(f"{example_site.url}/scenarios/new/")
    page.wait_for_load_state("networkidle")
    revisions = ScenarioRevision.objects.count()
    aside = page.locator("aside")
    before = aside.inner_text()
    field = page.get_by_label("Requests per minute at peak").first
    field.fill("6000")
    page.wait_for_function(
        "before => document.querySelector('aside').innerText !== before", arg=before
    )
    field.fill("-5")
    page.locator(".field-error", has_text=re.compile("-5")).first.wait_for()
    assert field.input_value() == "-5"
    assert ScenarioRevision.objects.count() == revisions
