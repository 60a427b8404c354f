"""`tco quotes`: the levelled ranking in text and JSON, bad input by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.main import main

QUOTES = Path(__file__).resolve().parents[2] / "examples" / "quotes"
FILES = [str(QUOTES / f"{name}.csv") for name in ("north", "south", "east")]


def test_the_shipped_quotes_are_levelled(capsys):
    """Omissions named, the ended quote told, the rate that flips it said."""
    assert main(["quotes", *FILES, "--rate", "EUR=1.1", "--on", "2026-12-01"]) == 0
    out = capsys.readouterr().out
    assert "is cheapest at equal scope" in out
    assert "optics: not quoted: mean of the others' prices" in out
    assert "support_years: 8 missing, at the vendor's own price" in out
    assert "south: the quote ended on 2026-11-30" in out
    assert "What would flip it" in out


def test_json_holds_the_same(capsys):
    """Servers of south: 4 x 178,500 EUR at 1.1 are 785,400 USD."""
    assert main(["quotes", *FILES, "--rate", "EUR=1.1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    south = next(one for one in found["quotes"] if one["vendor"] == "south")
    assert south["cells"][0]["levelled_usd"] == "785400.00"
    assert found["not_asked"] == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--currency", "EURO"], "did you mean 'EUR'"),
        (["--currency", "CHF"], "CHF has no exchange rate"),
        (["--rate", "EUR=-1"], "cannot be read"),
        (["--rate", "EUR=nan"], "cannot be read"),
        (["--on", "soon"], "is not a date"),
    ],
)
def test_bad_options_are_named(capsys, arguments, words):
    """Exit code 2 and the mend."""
    assert main(["quotes", *FILES, *arguments]) == 2
    assert words in capsys.readouterr().err


def test_one_quote_cannot_be_compared(capsys):
    """Two or more."""
    assert main(["quotes", FILES[0]]) == 2
    assert "two or more" in capsys.readouterr().err
