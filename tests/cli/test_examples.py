"""`tco examples`: lines, exit codes, JSON."""

from __future__ import annotations

import json
from importlib import resources

import pytest

from cli.main import main

SHIPPED = resources.files("tco.examples").joinpath("tables/worked_examples.json").read_text("utf-8")


def run(capsys, *arguments):
    """Return exit code, output and errors of the command."""
    code = main(["examples", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def written(tmp_path, change):
    """A file of the shipped examples with one thing changed."""
    document = json.loads(SHIPPED)
    change({one["id"]: one for one in document["examples"]})
    path = tmp_path / "examples.json"
    path.write_text(json.dumps(document))
    return str(path)


def test_the_examples_of_the_project(capsys):
    """Every one with its title, formula, figures, tolerance and source; the closing line."""
    code, text, said = run(capsys)
    assert (code, said) == (0, "")
    assert text.splitlines()[-1] == "38 passed, 0 failed"
    one = text.split("\nWE20  ")[1].split("\n\n")[0]
    assert "[F4.2,F4.3]" in one
    row = next(line for line in one.splitlines() if line.startswith("energy"))
    assert row.split() == ["energy", "911,040", "911,040", "USD/yr", "6", "digits", "ok"]
    assert one.splitlines()[-1].startswith("source: NREL PySAM")


def test_a_file_of_ones_own(capsys, tmp_path):
    """The same examples from a file, as text and as JSON."""
    path = written(tmp_path, lambda examples: None)
    assert run(capsys, path)[:2] == run(capsys)[:2]
    code, text, _ = run(capsys, path, "--json")
    found = json.loads(text)
    assert code == 0
    assert found["summary"] == "38 passed, 0 failed"
    assert found["passed"] == len(found["examples"]) == 38
    (check,) = [c for c in found["examples"][2]["checks"] if c["name"] == "cost"]
    assert check["ok"] is True
    assert check["ours"] == pytest.approx(39.3e6 / 8 * 98.32)
    assert check["tolerance"] == {"rel": 0.001}


def test_a_wrong_figure_and_an_unknown_formula(capsys, tmp_path):
    """Exit code 1; the closing line names both."""

    def change(examples):
        examples["WE31"]["expected"]["utilization_percent"]["value"] = 28.0
        examples["WE38"]["formula"] = "F77"

    code, text, said = run(capsys, written(tmp_path, change))
    assert (code, said) == (1, "")
    assert text.splitlines()[-1] == "36 passed, 1 failed: WE31; 1 not dispatched: WE38"
    assert "no formula here gives extra_in_flight" in text
    row = next(line for line in text.splitlines() if line.startswith("utilization_percent"))
    assert row.endswith("failed")


def test_an_unusable_input_does_not_hide_the_others(capsys, tmp_path):
    """Exit code 2, the error with its mend on standard error, the other 37 on standard output."""

    def change(examples):
        examples["WE01"]["inputs"]["cloud_rate"]["unit"] = "USD/month"

    code, text, said = run(capsys, written(tmp_path, change))
    assert code == 2
    assert said == "examples[WE01].inputs.cloud_rate: is in USD/month; give it in USD/h\n"
    assert text.splitlines()[-1] == "37 passed, 0 failed; 1 unusable: WE01"


def test_what_is_no_file_of_examples(capsys, tmp_path):
    """Exit code 2 and one line."""
    path = tmp_path / "other.json"
    path.write_text('{"name": "a scenario"}')
    assert run(capsys, str(path)) == (
        2,
        "",
        "examples: is not a list with examples in it; start with examples: [\n",
    )
    code, text, said = run(capsys, str(tmp_path / "none.json"))
    assert (code, text) == (2, "")
    assert "cannot be read" in said
