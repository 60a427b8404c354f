"""The page of worked examples: all figures of all examples, and what differs is said."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from planner.reconcile.page import page_of
from tco.examples.example import shipped_examples
from tco.examples.run import run_examples


def test_every_example_stands_on_the_page(client):
    """Title, formula, source and figures of each, once; no sign-in, no database."""
    page = client.get("/reconcile/")
    text = page.content.decode()
    assert page.status_code == 200
    assert "38 of 38" in text
    assert text.count(">agrees<") == text.count("<article") == 38
    for one in shipped_examples():
        assert text.count(f'id="{one.id}"') == 1
    assert "Published" in text
    assert "88,241,057" in text


def test_figures_difference_and_tolerance():
    """Published 11.9, ours 11.88367: 0.137 % less, within 0.2 %."""
    page = page_of(run_examples(shipped_examples()))
    cards = {card.id: card for topic in page.topics for card in topic.cards}
    row = cards["WE01"].rows[1]
    assert (row.published, row.ours) == (["11.9"], ["11.88367"])
    assert (row.difference, row.tolerance, row.unit) == ("-0.137 %", "0.2 %", "month")
    share = next(row for row in cards["WE09"].rows if row.name == "Share servers")
    assert (share.difference, share.tolerance) == ("-0.00412", "±0.006")
    assert page.figures == sum(len(card.rows) for card in cards.values())


def test_a_figure_that_is_too_far_is_marked(client, monkeypatch):
    """In words and not by colour alone; the count says one fewer."""
    first, *rest = shipped_examples()
    name, expected = next(iter(first.expected.items()))
    wrong = {**first.expected, name: replace(expected, value=expected.value * 1.1)}
    page = page_of(run_examples([replace(first, expected=wrong), *rest]))
    monkeypatch.setattr("planner.reconcile.views.reconcile_page", lambda: page)
    text = client.get("/reconcile/").content.decode()
    assert "37 of 38" in text
    assert text.count("</svg>differs<") == 1
    assert text.count("</svg>too far<") == 1
    assert "37 passed, 1 failed: WE01" in text


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_it_is_only_read(client, method):
    """Nothing to write there."""
    assert getattr(client, method)("/reconcile/").status_code == 405


def test_the_footer_leads_there(client):
    """From any page, beside the accuracy page."""
    footer = client.get("/reconcile/").content.decode().split("<footer")[1]
    assert re.search(r'href="/measurements/accuracy/".*href="/reconcile/"', footer, re.DOTALL)
