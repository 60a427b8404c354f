"""`tco serve-configs`: the ranking, one point, bad files (P6.5)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.main import main

FILE = "examples/search/llama70b_h100.yaml"


def run(capsys, *arguments):
    """Return exit code, output and errors of the command."""
    code = main(["serve-configs", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_ranking_is_printed_with_what_excluded_the_rest(capsys):
    """Hundreds tried; copies times devices; asked and carried; a reason with its example."""
    code, text, _ = run(capsys, FILE, "--top", "5")
    assert code == 0
    assert "configurations" in text
    assert "= 3 x 4" in text or " x 2" in text
    assert "asked 40.00 requests/s" in text
    assert "excluded by memory" in text


def test_json_and_text_agree(capsys):
    """The same best configuration in both."""
    _, said, _ = run(capsys, FILE, "--json")
    found = json.loads(said)
    assert found["tried"] >= 400
    _, text, _ = run(capsys, FILE, "--top", "1")
    assert found["found"][0]["label"] in text


def test_one_point_is_answered_alone(capsys):
    """The configuration that the file names."""
    code, text, _ = run(capsys, FILE, "--point")
    assert code == 0
    assert "t2 fp8/fp8 batch 256" in text


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ("model: nobody", "model"),
        ("server: nobody", "server"),
        ("targts: []", "targts"),
        ("weight_dtypes: [fp7]", "weight_dtypes"),
        ("input_tokens: many", "input_tokens"),
        ("targets: [{metric: ttft}]", "targets[0]"),
    ],
)
def test_bad_files_name_the_field(capsys, tmp_path, changed, field):
    """Exit code 2 with the field and the mend."""
    key = changed.split(":")[0]
    text = Path(FILE).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith(f"{key}:")]
    if key == "targets":
        lines = [line for line in lines if "metric" not in line]
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("\n".join([*lines, changed]) + "\n", encoding="utf-8")
    code, _, said = run(capsys, str(wrong))
    assert code == 2
    assert field in said
