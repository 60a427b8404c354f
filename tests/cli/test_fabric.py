"""`tco fabric`: the bill of materials in text and JSON."""

from __future__ import annotations

import json
from pathlib import Path

from cli.main import main

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def run(capsys, *arguments):
    """Exit code and standard output of one command."""
    code = main([str(argument) for argument in arguments])
    return code, capsys.readouterr().out


def test_the_bill_by_tier(capsys):
    """32 leaves and 16 spines, 2,224 modules, what they draw and cost; store and cooling below."""
    code, text = run(capsys, "fabric", EXAMPLES / "liquid_cluster.yaml")
    assert code == 0
    lines = [" ".join(line.split()) for line in text.splitlines()]
    for line in (
        "leaf 32 1,824",
        "spine 16 1,024",
        "optical modules 2,224",
        "power 73.66 kW",
        "switches, USD 1,728,000",
        "its time 9.41 s",
        "coolant distribution units 4",
    ):
        assert line in lines, line


def test_the_same_as_json(capsys):
    """JSON holds what the projection holds."""
    code, text = run(capsys, "fabric", EXAMPLES / "liquid_cluster.yaml", "--json")
    assert code == 0
    options = json.loads(text)["options"]
    assert options["lean"]["fabrics"][0]["tiers"][1]["switches"] == 8
    assert options["rails"]["cooling"][0]["chillers"] == 2


def test_a_scenario_without_any_says_so(capsys):
    """No networks, no store, no plant: one sentence."""
    code, text = run(capsys, "fabric", EXAMPLES / "chat.yaml")
    assert code == 0
    assert text.startswith("no fleet names fabrics")
