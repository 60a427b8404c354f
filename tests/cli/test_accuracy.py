"""`tco accuracy`: a folder scored, own devices and models, what is wrong said plainly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import cli.accuracy_run
from cli.main import main
from tco.evidence.accuracy import Predictors
from tests.data.clean_bench_run import clean_document
from tests.engine.evidence.measured_folder import row, write
from tests.engine.evidence.naive import roofline

SPEED = {"metric": "output_tok_s_per_gpu", "unit": "tok/s/GPU"}
OWN = """
catalog:
  devices:
    - key: x1
      name: Box X1
      memory_gb: 96
      memory_bandwidth_gb_s: 4000
      peak_tflops: {bf16: 500}
      board_w: 600
  models:
    - key: acme/small-3b
      layers: 28
      hidden: 3072
      heads: 24
      kv_heads: 8
      head_dim: 128
      feed_forward: 8192
      vocabulary: 128256
      max_context_tokens: 8192
      parameters_g: 3.6
"""


@pytest.fixture
def naive(monkeypatch):
    """The engine's predictors replaced by a naive roofline, and what was left out noted."""
    asked = []

    def predictor(runs, leave_out):
        asked.append((leave_out, [one.device.key for one in runs]))
        return roofline(runs, leave_out)

    monkeypatch.setattr(cli.accuracy_run, "_standard", lambda *_: Predictors(predictor))
    return asked


@pytest.fixture
def folder(tmp_path):
    """Rows of a known device, and of a device and a model nobody has heard of."""
    place = tmp_path / "rows"
    place.mkdir()
    rows = [
        row(run_id="a"),
        row(run_id="a", **SPEED, value="700"),
        row(run_id="b", device_key="x1", value="8"),
        row(run_id="c", model="acme/small-3b", value="4"),
    ]
    return write(place, rows)


def test_table_and_json_say_the_same(capsys, naive, folder):
    """Two of four rows are predicted; both name the reasons."""
    assert main(["accuracy", str(folder)]) == 0
    text = capsys.readouterr().out
    assert "4 measured values of 3 runs" in text
    assert "device x1 is not in the catalog" in text
    assert main(["accuracy", str(folder), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    coverage = report["folds"]["device"]["coverage"]
    assert (coverage["answered"], coverage["rows"]) == (2, 4)
    assert f"{coverage['share']:.1%}".replace("%", " %") in text
    assert naive[0][0] == "device"


def test_leave_out_may_be_repeated(capsys, naive, folder):
    """Each fold is asked for once, in order."""
    arguments = ["--leave-out", "model", "--leave-out", "source", "--leave-out", "model"]
    assert main(["accuracy", str(folder), *arguments, "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)["folds"]) == ["model", "source"]
    assert [fold for fold, _ in naive] == ["model", "source"]


def test_own_entries_make_unknown_rows_answerable(capsys, naive, folder, tmp_path):
    """The catalog part of a scenario document, whole or alone."""
    own = tmp_path / "own.yaml"
    for text in (OWN, OWN.replace("catalog:\n", "").replace("\n  ", "\n")):
        own.write_text(text)
        assert main(["accuracy", str(folder), "--catalog", str(own), "--json"]) == 0
        coverage = json.loads(capsys.readouterr().out)["folds"]["device"]["coverage"]
        assert (coverage["answered"], coverage["rows"]) == (4, 4)


def test_a_micro_benchmark_stands_for_a_device(capsys, naive, folder, tmp_path):
    """A run of the agent brings bandwidth and products; the key says what the rows call it."""
    document = clean_document(device_model="Box X1", gflops_fp32=9000.0, membw_gb_s=400.0)
    path = tmp_path / "run.json"
    path.write_text(json.dumps(document))
    assert main(["accuracy", str(folder), "--benchmark", f"x1={path}", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    reasons = [one["reason"] for one in report["folds"]["device"]["coverage"]["reasons"]]
    assert not any("x1 is not in the catalog" in reason for reason in reasons)
    assert naive[0][1] == ["h100-sxm", "x1"]  # bf16 runs at the fp32 rate that was measured


def test_the_report_is_written_where_asked(capsys, naive, folder, tmp_path):
    """The file holds what --json prints."""
    out = tmp_path / "accuracy.json"
    assert main(["accuracy", str(folder), "--json", "--out", str(out)]) == 0
    assert json.loads(out.read_text()) == json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "there is no such folder"),
        (["--leave-out", "device"], "name the folder with the measured rows"),
        (["rows", "--catalog", "nowhere.yaml"], "cannot be read"),
        (["rows", "--catalog", "empty.yaml"], "has no catalog entries"),
        (["rows", "--catalog", "bad.yaml"], "catalog.devices[0]"),
        (["rows", "--benchmark", "x1=nowhere.json"], "cannot be read"),
        (["rows", "--benchmark", "bad.yaml"], "is not JSON"),
        (["rows", "--benchmark", "list.json"], "is no bench-run document"),
        (["rows", "--out", "no/such/folder.json"], "cannot be written"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(
    capsys, naive, folder, tmp_path, monkeypatch, arguments, said
):
    """Exit code 2, the file or field, what is wrong; no traceback."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.yaml").write_text("catalog: {}\n")
    (tmp_path / "bad.yaml").write_text("catalog: {devices: [{key: x1, memory_gb: -5}]}\n")
    (tmp_path / "list.json").write_text("{}")
    assert main(["accuracy", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_bad_rows_are_listed_with_their_line(capsys, naive, folder):
    """File, line, field, value and reason."""
    write(folder, [row(run_id="z", value="n/a")], name="UNIFIED_more.csv")
    assert main(["accuracy", str(folder)]) == 0
    assert "UNIFIED_more.csv:2 value 'n/a': not a number" in capsys.readouterr().out


def test_without_a_folder_the_published_figures(capsys):
    """docs/accuracy.md is what the command prints from the shipped file."""
    assert main(["accuracy", "--markdown"]) == 0
    page = Path(__file__).resolve().parents[2] / "docs" / "accuracy.md"
    assert capsys.readouterr().out == page.read_text(encoding="utf-8")
    assert main(["accuracy", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["made"]["rows"] > 10_000
    assert set(report["folds"]) >= {"device", "model"}
