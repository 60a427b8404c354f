"""Quotes as a page and by API: the command line's ranking, errors by table and row."""

from __future__ import annotations

import json
from pathlib import Path

from django.urls import reverse

QUOTES = Path(__file__).resolve().parents[2] / "examples" / "quotes"
NAMES = ("north", "south", "east")


def texts():
    """The shipped quotes."""
    return {name: (QUOTES / f"{name}.csv").read_text(encoding="utf-8") for name in NAMES}


def test_page_api_and_command_line_agree(ada_client, seed_catalog, capsys):
    """One service: the same totals to the cent."""
    from cli.main import main

    files = [str(QUOTES / f"{name}.csv") for name in NAMES]
    assert main(["quotes", *files, "--rate", "EUR=1.1", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    body = {
        "quotes": [{"vendor": name, "csv": text} for name, text in texts().items()],
        "rates": ["EUR=1.1"],
    }
    answer = ada_client.post(reverse("api_quotes"), body, content_type="application/json")
    assert answer.status_code == 200, answer.content
    assert answer.json() == printed
    form = {"rates": "EUR=1.1", "currency": "USD"}
    for number, (name, text) in enumerate(texts().items(), 1):
        form |= {f"name-{number}": name, f"text-{number}": text}
    page = ada_client.post(reverse("planner:quotes"), form).content.decode()
    best = printed["quotes"][0]
    assert f"{best['vendor']} is the cheapest at equal scope" in page
    assert f"{float(best['levelled_usd']):,.2f}" in page
    assert "What would flip it" in page


def test_bad_tables_keep_what_was_typed(ada_client, seed_catalog):
    """Every error with its table and row; the text stays in its field."""
    form = {"name-1": "Acme", "text-1": "item,quantity\nservers,-4", "text-2": "nonsense"}
    page = ada_client.post(reverse("planner:quotes"), form)
    assert page.status_code == 422
    words = page.content.decode()
    assert "Acme: row 2, quantity" in words
    assert "servers,-4" in words
    one = ada_client.post(reverse("planner:quotes"), {"text-1": texts()["north"]})
    assert "send two to 6" in one.content.decode()
    assert ada_client.get(reverse("planner:quotes")).status_code == 200
