"""Take-away and uncertainty in the workbook: the numbers of page and command line."""

from __future__ import annotations

import io

import openpyxl
import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from planner.reports.workbook import build_workbook
from tco.document import parse, resolve
from tco.projection import project
from tco.uncertainty.assess import assess
from tco.uncertainty.takeaway import takeaway
from tests.planner.conftest import EXAMPLES
from tests.planner.reports.workbook_cases import MOMENT


@pytest.fixture(scope="module")
def chat():
    """Inputs, projection and assessment of the chat example."""
    text = (EXAMPLES / "chat.yaml").read_text(encoding="utf-8")
    inputs = resolve(parse(text), SeedCatalog())
    return inputs, project(inputs), assess(inputs, draws=500)


def sheets(projection, **more):
    """The workbook, read again."""
    content = build_workbook(projection.to_dict(), facts={}, generated_at=MOMENT, **more)
    return openpyxl.load_workbook(io.BytesIO(content))


def test_the_summary_says_the_take_away(chat):
    """The sentence of the one function."""
    inputs, projection, drawn = chat
    sentence = takeaway(inputs, projection, drawn.duels).sentence
    assert sheets(projection, takeaway=sentence)["Summary"]["A5"].value == f"Take-away: {sentence}"


def test_the_sheet_has_every_number(chat):
    """Percentiles, standard error, chances, swings, switching values, seed and draws."""
    _, projection, drawn = chat
    sheet = sheets(projection, uncertainty=drawn)["Uncertainty"]
    rows = [[cell.value for cell in row] for row in sheet.iter_rows()]
    assert "500 draws, seed 1" in sheet["A2"].value
    first = drawn.options[0]
    row = next(
        row for row in rows if row[0] == first.name and row[2] == pytest.approx(first.p10_usd)
    )
    assert row[3:7] == pytest.approx(
        [first.p50_usd, first.p90_usd, first.mean_usd, first.standard_error_usd]
    )
    duel = drawn.duels[0]
    row = next(row for row in rows if row[:2] == [duel.a, duel.b])
    assert row[2:4] == pytest.approx([duel.a_cheaper_fraction, duel.standard_error_fraction])
    swing = drawn.swings[first.option][0]
    assert any(row[0] == swing.label and row[5] == pytest.approx(swing.at_low_usd) for row in rows)
    switch = drawn.switches[0]
    assert any(row[0] == switch.label and row[3] == pytest.approx(switch.switch_at) for row in rows)


def test_what_is_not_there_is_said(chat):
    """A reason in place of numbers; without one, no sheet."""
    _, projection, _ = chat
    assert sheets(projection, uncertainty="Not drawn yet.")["Uncertainty"]["A2"].value == (
        "Not drawn yet."
    )
    assert "Uncertainty" not in sheets(projection).sheetnames


def test_the_download_holds_both(client, chat_scenario_download):
    """As a person gets it from the page."""
    book = openpyxl.load_workbook(io.BytesIO(chat_scenario_download))
    assert book["Summary"]["A5"].value.startswith("Take-away: Own 8xMI300X costs")
    assert "10,000 draws, seed 1" in book["Uncertainty"]["A2"].value


@pytest.fixture
def chat_scenario_download(seed_catalog, demo_organisation, ada, ada_client):
    """The workbook of the chat example through the site."""
    from django.urls import reverse

    from planner.models import Projection
    from planner.scenarios.services import scenario_create
    from tests.planner.conftest import example

    made = scenario_create(organisation=demo_organisation, document=example("chat"), by=ada)
    ada_client.get(reverse("planner:scenario_detail", args=[made.pk]))
    projection = Projection.objects.get(revision__scenario=made)
    return ada_client.get(reverse("planner:workbook", args=[projection.pk])).content
