"""A report in euro names euro: no sheet, page or log still says USD for an amount (UP27, U8)."""

from __future__ import annotations

import io
import re
from pathlib import Path

import openpyxl
import pytest
from django.urls import reverse

from planner.decisions.services import Choice, decision_record
from planner.projections.services import projection_get_or_run
from planner.reports.services import report_workbook
from planner.scenarios.selectors import revision_get
from planner.scenarios.services import scenario_create
from tco.document import parse

pytestmark = pytest.mark.django_db

EURO = Path(__file__).resolve().parents[3] / "examples" / "euro.yaml"
# An amount, a head or a unit in dollars; sources and rates may name the dollar.
LABEL = re.compile(r"^USD|[0-9kM] USD\b|, USD$|\[USD\]")


@pytest.fixture
def projected(seed_catalog, demo_organisation, ada):
    """The example in euro, projected and decided about."""
    scenario = scenario_create(
        organisation=demo_organisation, document=parse(EURO.read_text()), by=ada, message="new"
    )
    found = projection_get_or_run(revision=revision_get(scenario=scenario))
    decision_record(scenario=scenario, choice=Choice("h100", "cheaper"), by=ada)
    return found


def test_no_label_of_the_workbook_says_usd(projected):
    """Summary, ledger, accounting, uncertainty, decisions: every label and unit is EUR."""
    book = openpyxl.load_workbook(io.BytesIO(report_workbook(projection=projected).content))
    wrong, euro = [], 0
    for sheet in book:
        for row in sheet.iter_rows():
            for cell in row:
                text = cell.value if isinstance(cell.value, str) else ""
                euro += "EUR" in text
                if LABEL.search(text) and "converted from" not in text:
                    wrong.append((sheet.title, cell.coordinate, text))
    assert wrong == []
    assert euro > 20


def test_the_pages_say_euro_and_show_the_rates(client, projected, ada):
    """Verdict, cards, ledger with originals, and the decision log."""
    client.force_login(ada)
    scenario = projected.revision.scenario
    page = client.get(reverse("planner:scenario_detail", args=[scenario.pk])).content.decode()
    assert "All amounts in Euro (EUR)" in page
    assert "1 GBP = 1.18 EUR of 2026-12-01" in page
    assert "560 k USD at 0.909, later by table" in page
    assert "M USD" not in page
    log = client.get(reverse("planner:scenario_decisions", args=[scenario.pk])).content.decode()
    assert "M EUR" in log
    assert "USD" not in log
