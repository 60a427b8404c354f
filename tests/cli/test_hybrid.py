"""`tco hybrid`: the curve as a table and as JSON, and what cannot be shared."""

from __future__ import annotations

import json
from pathlib import Path

from cli.main import main

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_the_example_owns_the_base(capsys):
    """The optimum is marked in the table, and the JSON has the whole curve."""
    assert main(["hybrid", str(EXAMPLES / "hybrid.yaml")]) == 0
    out = capsys.readouterr().out
    assert "own 5, rent up to 9" in out
    assert "\n5 * " in out
    assert main(["hybrid", str(EXAMPLES / "hybrid.yaml"), "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert [point["owned_servers"] for point in found["curve"]] == list(range(15))
    assert found["optimum"]["owned_servers"] == 5
    assert found["optimum"]["total_usd"] == min(point["total_usd"] for point in found["curve"])


def test_residency_keeps_the_peak_at_home(capsys, tmp_path):
    """Work that must stay in Germany does not burst to Virginia; nor may it be owned there."""
    text = (EXAMPLES / "hybrid.yaml").read_text(encoding="utf-8")
    file = tmp_path / "stay.yaml"
    file.write_text(text.replace("residency: [US]", "residency: [DE]"), encoding="utf-8")
    assert main(["hybrid", str(file)]) == 0
    out = capsys.readouterr().out
    assert "Nothing may be rented for the peak" in out
    assert "must stay in DE" in out


def test_a_scenario_without_a_pair_says_so(capsys):
    """Only owned fleets: exit code 2 and the mend."""
    assert main(["hybrid", str(EXAMPLES / "old_hall.yaml")]) == 2
    assert "add an option that rents" in capsys.readouterr().err
