"""`tco defaults`: the whole table, as text and as JSON."""

from __future__ import annotations

import json

from cli.main import main
from tco.defaults import defaults


def test_every_default_is_printed(capsys):
    """Value with unit, range, status, basis and source, one line each."""
    assert main(["defaults"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[2:]] == list(defaults())
    row = next(line for line in lines if line.startswith("failures.part_share_fraction"))
    assert "0.65 fraction" in row
    assert "0.6 to 0.7" in row
    assert "sourced" in row
    assert row.rstrip().endswith("(2026-03)")


def test_json_has_every_column(capsys):
    """Numbers as numbers, a missing end as null."""
    assert main(["defaults", "--json"]) == 0
    rows = {row["key"]: row for row in json.loads(capsys.readouterr().out)}
    assert list(rows) == list(defaults())
    pue = rows["site.pue"]
    assert (pue["value"], pue["unit"], pue["low"], pue["as_of"]) == (1.54, "ratio", None, "2025-07")
    assert rows["site.slot_w"]["basis"] == "planning"
