"""The accuracy page: the shipped report, to the last digit, for everybody."""

from __future__ import annotations

import html
import re

import pytest

from cli.accuracy_text import accuracy_markdown
from hardware_catalog.accuracy import views
from hardware_catalog.accuracy.page import accuracy_page
from tco.evidence.accuracy import Predictors, accuracy
from tco.evidence.sections import sections
from tests.engine.evidence.measured_folder import row, write
from tests.engine.evidence.naive import roofline
from tests.engine.evidence.test_resolve import ALIASES, SeedCatalog

ADDRESS = "/measurements/accuracy/"
SPEED = {"metric": "output_tok_s_per_gpu", "unit": "tok/s/GPU"}


@pytest.fixture
def report(tmp_path):
    """A small report: two devices, two folds, one row without an answer."""
    rows = [
        row(run_id="a"),
        row(run_id="a", **SPEED, value="700"),
        row(run_id="b", device_key="b200", value="5"),
        row(run_id="b", device_key="b200", **SPEED, value="1500"),
        row(run_id="c", device_key="h900<b>"),
    ]
    folds = ("device", "model")
    predictors = Predictors(roofline)
    write(tmp_path, rows)
    return accuracy(tmp_path, SeedCatalog(), ALIASES, predictors, folds, date="2026-12-01")


@pytest.fixture
def answer(client, report, monkeypatch):
    """The page of that report, asked by a stranger."""
    monkeypatch.setattr(views, "shipped_report", lambda: report)
    found = client.get(ADDRESS)
    assert found.status_code == 200
    return found.content.decode()


def _text(page):
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page)))


def _cells(page):
    found = re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", page, re.DOTALL)
    return [html.unescape(cell).strip() for cell in found]


def test_every_cell_of_the_report_is_on_the_page_and_in_the_docs(answer, report):
    """The same words and digits, from the same file."""
    shown = {cell.lower() for cell in _cells(answer)}
    docs = accuracy_markdown(report)
    for section in sections(report):
        for cells in section.rows:
            for cell in cells:
                assert cell.lower() in shown, (section.key, cell)
                assert cell.replace("|", "\\|") in docs, (section.key, cell)


def test_headlines_say_value_target_and_what_the_public_reaches(answer, report):
    """A reached target and a missed one are words, not colours alone."""
    text = _text(answer)
    cards = accuracy_page(report).cards
    assert {card.label for card in cards} >= {"Time per output token", "Order of devices"}
    for card in cards:
        word = "target reached" if card.reached else "target missed"
        assert f"{card.label} {card.value} {card.meaning}" in text
        assert f"{word} {card.goal}" in text
    assert "4 of 5 measured values are predicted" in text
    assert "device h900<b> is not in the catalog" in text
    assert "h900<b>" not in answer


def test_a_figure_that_was_not_scored_has_no_card(report):
    """No training rows in the folder: no headline of zero."""
    labels = {card.label for card in accuracy_page(report).cards}
    assert "Training step time" not in labels
    assert "Board power" not in labels


def test_a_second_fold_is_folded_away(answer):
    """Its tables are there, behind a word."""
    assert "Show the" in answer
    assert "Model left out" in _text(answer)


def test_only_get(client, db):
    """Nothing can be written here."""
    assert client.post(ADDRESS).status_code == 405


def test_the_shipped_report_is_shown(client, db):
    """Without any measured rows at hand."""
    text = _text(client.get(ADDRESS).content.decode())
    made = views.shipped_report()["made"]
    assert f"{made['date']}, engine {made['engine']}: {made['rows']:,} measured values" in text
    assert "Public simulators on the same study" in text
