"""`tco refresh`: two options of the chat example, one of which stands there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.main import main

CHAT = str(Path(__file__).resolve().parents[2] / "examples" / "chat.yaml")


def test_it_says_when_and_what_would_change_it(capsys):
    """A head, a table by month, three sentences."""
    assert main(["refresh", CHAT, "--keep", "h100", "--replace", "mi300x"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("Own 8xH100 against Own 8xMI300X: ")
    for word in ("present cost", "old energy", "new price", "throughput", "power price"):
        assert word in text


def test_the_best_month_is_the_cheapest(capsys):
    """61 plans for 60 months, each the sum of its parts."""
    worth = ["--resale-now-usd", "5000000", "--json"]
    assert main(["refresh", CHAT, "--keep", "h100", "--replace", "mi300x", *worth]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["plans"]) == 61
    for plan in found["plans"]:
        assert sum(plan["parts_usd"].values()) == pytest.approx(plan["total_usd"])
    cheapest = min(found["plans"], key=lambda plan: plan["total_usd"])
    assert found["best_month"] == cheapest["month"] == 0
    assert found["switching"]["resale_now_usd"] < 5_000_000


def test_the_same_servers_are_never_worth_replacing(capsys):
    """Keeping wins, and no price of power makes like beat like."""
    assert main(["refresh", CHAT, "--keep", "h100", "--replace", "h100", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["best_month"] is None
    assert found["switching"]["power_price_factor"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--keep", "h100", "--replace", "nobody"], "no option has this key"),
        (["--keep", "h100", "--replace", "p5"], "rents"),
        (["--keep", "h100", "--replace", "mi300x", "--book-usd", "-1"], "is not 0 or more"),
    ],
)
def test_what_cannot_be_compared_is_named(capsys, arguments, message):
    """Exit code 2 and a sentence."""
    assert main(["refresh", CHAT, *arguments]) == 2
    assert message in capsys.readouterr().err
