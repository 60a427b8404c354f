"""`tco goal-seek`: the answer in a sentence, as JSON, and what cannot be asked."""

from __future__ import annotations

import json
from pathlib import Path

from cli.main import main

CHAT = str(Path(__file__).resolve().parents[2] / "examples" / "chat.yaml")
PRICE = "options[mi300x].fleets[mi300x].purchase.server_usd"


def test_the_answer_stands_first_and_json_has_all(capsys):
    """A sentence, a table of the curve, the same value in JSON."""
    command = ["goal-seek", CHAT, "--vary", PRICE, "--target", "equal:p5", "--option", "mi300x"]
    assert main(command) == 0
    text = capsys.readouterr().out
    assert text.startswith("Own 8xMI300X and Rent p5.48xlarge have the same")
    assert main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (answer,) = found["answers"]
    assert f"{answer['at']:,.0f}"[:5] in text
    assert found["never"] is False
    assert found["unit"] == "USD/server"


def test_never_is_said(capsys):
    """Exit code 0: it is an answer."""
    command = ["goal-seek", CHAT, "--vary", "sites[0].pue", "--target", "tco_usd=1"]
    assert main([*command, "--option", "h100", "--from", "1", "--to", "2", "--points", "9"]) == 0
    assert capsys.readouterr().out.startswith("Never: with PUE from 1 to 2 (now 1.3) total cost")


def test_what_cannot_be_asked_is_exit_code_2(capsys):
    """The path with the near name."""
    command = ["goal-seek", CHAT, "--vary", "sites[0].pu", "--target", "tco_usd=1"]
    assert main([*command, "--option", "h100"]) == 2
    assert "did you mean 'pue'" in capsys.readouterr().err
