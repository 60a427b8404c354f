"""`tco sweep`: summary, table, JSON, files; what cannot be swept is exit code 2."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from cli.main import main

CHAT = str(Path(__file__).resolve().parents[2] / "examples" / "chat.yaml")
AXES = ["--axis", "sites[0].pue=1.1:1.5:5", "--axis", "sites[0].energy_usd_per_kwh=0.05,0.15"]


def test_the_summary_and_the_file_say_the_same(tmp_path, capsys):
    """Ten points: how often each option is the cheapest."""
    out = tmp_path / "points.parquet"
    assert main(["sweep", CHAT, *AXES, "--out", str(out)]) == 0
    text = capsys.readouterr().out
    assert text.startswith("10 points, by columns")
    table = pd.read_parquet(out)
    assert main(["sweep", CHAT, *AXES, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    for key, share in found["cheapest_fraction"].items():
        assert share == (table["cheapest"] == key).mean()
    assert main(["sweep", CHAT, *AXES, "--exact", "--json"]) == 0
    exact = json.loads(capsys.readouterr().out)
    assert exact["by_columns"] is False
    assert abs(exact["best"]["tco_usd"] / found["best"]["tco_usd"] - 1) < 1e-9


def test_bad_axes_are_named_all_at_once(capsys, tmp_path):
    """Exit code 2."""
    assert main(["sweep", CHAT, "--axis", "x", "--axis", "sites[0].pue=2:1:3"]) == 2
    err = capsys.readouterr().err
    assert "cannot be read" in err
    assert "is no range" in err
    assert main(["sweep", CHAT, *AXES, "--out", str(tmp_path / "points.xls")]) == 2
