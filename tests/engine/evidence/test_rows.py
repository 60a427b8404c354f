"""Rows of the UNIFIED schema: what is read, what is refused and why."""

from __future__ import annotations

import pytest

from tco.errors import InputError
from tco.evidence.rows import read_folder, read_runs
from tests.engine.evidence.measured_folder import COLUMNS, row, write


def test_rows_of_one_run_id_become_one_run(tmp_path):
    """Two files of the folder, one run: its values by metric, its settings once."""
    write(tmp_path, [row(row_id="r1"), row(row_id="r2", metric="ttft_mean", value="42")])
    speed = row(metric="output_tok_s_per_gpu", value="800", unit="tok/s/GPU", row_id="r3")
    write(tmp_path, [speed, row(run_id="m2", load_value="16")], name="UNIFIED_throughput.csv")
    first, second = read_runs(tmp_path)
    assert (first.run_id, second.run_id) == ("m1", "m2")
    assert {name: one.value for name, one in first.measured.items()} == {
        "tpot_mean": 9.5,
        "ttft_mean": 42.0,
        "output_tok_s_per_gpu": 800.0,
    }
    assert first.measured["ttft_mean"].row_id == "r2"
    assert (first.devices, first.tensor_parallel, first.expert_parallel) == (1, 1, None)
    assert (first.input_tokens, first.load_value, second.load_value) == (1024.0, 8.0, 16.0)


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        ({"value": "fast"}, "value", "not a number"),
        ({"value": "nan"}, "value", "not a finite number"),
        ({"value": "-3"}, "value", "negative"),
        ({"value": "0"}, "value", "zero is not a measurement"),
        ({"value": ""}, "value", "missing"),
        ({"model": ""}, "model", "missing"),
        ({"device_key": " "}, "device_key", "missing"),
        ({"metric": "happiness"}, "metric", "unknown metric"),
        ({"metric": ""}, "metric", "missing"),
        ({"unit": "W"}, "unit", "tpot_mean is in ms"),
        ({"load_kind": "bursts"}, "load_kind", "unknown load kind"),
        ({"load_value": ""}, "load_value", "closed needs one above zero"),
        ({"load_value": "-8"}, "load_value", "negative"),
        ({"gpus": "1.5"}, "gpus", "not a whole number of one or more"),
        ({"gpus": "", "tp": ""}, "gpus", "neither devices nor tensor degree are given"),
        ({"input_tokens": "long"}, "input_tokens", "not a number"),
        ({"overloaded": "perhaps"}, "overloaded", "neither yes nor empty"),
    ],
)
def test_a_bad_row_is_counted_with_line_field_and_reason(tmp_path, changes, field, reason):
    """The good row beside it is read all the same."""
    found = read_folder(write(tmp_path, [row(run_id="m0"), row(**changes)]))
    assert [run.run_id for run in found.runs] == ["m0"]
    assert (found.rows, found.bad_rows) == (2, 1)
    bad = found.bad[0]
    assert (bad.file, bad.line, bad.field, bad.reason) == ("UNIFIED_latency.csv", 3, field, reason)


def test_rows_of_a_run_that_contradict_each_other(tmp_path):
    """Another precision, or the same metric twice: the later row is refused."""
    rows = [row(), row(metric="ttft_mean", precision="fp8"), row(value="9.9")]
    found = read_folder(write(tmp_path, rows))
    assert [(bad.field, bad.reason) for bad in found.bad] == [
        ("precision", "other rows of run m1 say otherwise"),
        ("metric", "the run has this metric already"),
    ]
    assert found.runs[0].measured["tpot_mean"].value == 9.5


def test_only_five_columns_are_required(tmp_path):
    """Without ids, units and degrees, runs are told apart by their settings."""
    columns = ["device_key", "model", "load_kind", "load_value", "tp", "metric", "value"]
    rows = [row(), row(metric="ttft_p50", value="80"), row(load_value="32")]
    first, second = read_runs(write(tmp_path, rows, columns=columns))
    assert sorted(first.measured) == ["tpot_mean", "ttft_p50"]
    assert first.measured["ttft_p50"].unit == "ms"
    assert (first.stratum, first.source) == ("not stated", "not stated")
    assert (first.devices, first.input_tokens, second.load_value) == (1, None, 32.0)
    assert first.run_id != second.run_id


def test_a_file_without_a_required_column_counts_all_its_rows(tmp_path):
    """No row is dropped in silence."""
    columns = [name for name in COLUMNS if name != "load_kind"]
    found = read_folder(write(tmp_path, [row(), row(run_id="m2")], columns=columns))
    assert not found.runs
    assert (found.rows, found.bad_rows) == (2, 2)
    assert found.bad[0].field == "load_kind"


def test_seconds_and_kilowatts_become_the_units_of_the_metric(tmp_path):
    """0.0095 s is 9.5 ms, 0.6 kW is 600 W."""
    watts = row(metric="gpu_board_power_w", value="0.6", unit="kW")
    (run,) = read_runs(write(tmp_path, [row(value="0.0095", unit="s"), watts]))
    assert run.measured["tpot_mean"].value == pytest.approx(9.5)
    assert run.measured["gpu_board_power_w"].value == pytest.approx(600)


def test_a_run_is_overloaded_by_its_mark_or_its_own_first_token(tmp_path):
    """Over 5 s of mean or median time to first token; a slow 99th percentile alone is not."""
    rows = [
        row(run_id="marked", overloaded="yes"),
        row(run_id="slow", metric="ttft_mean", value="5001"),
        row(run_id="middle", metric="ttft_p50", value="6", unit="s"),
        row(run_id="tail", metric="ttft_p99", value="9000"),
        row(run_id="good", metric="ttft_mean", value="5000"),
    ]
    found = {run.run_id: run.overloaded for run in read_runs(write(tmp_path, rows))}
    assert found == {"marked": True, "slow": True, "middle": True, "tail": False, "good": False}


def test_same_run_id_of_two_sources_is_two_runs(tmp_path):
    """Ids are only unique within a source."""
    rows = [row(), row(source="other", load_value="64")]
    assert len(read_runs(write(tmp_path, rows))) == 2


def test_folders_that_cannot_be_used_say_why(tmp_path):
    """Missing, a file, empty, without a file of the schema, not UTF-8."""
    with pytest.raises(InputError, match="there is no such folder"):
        read_folder(tmp_path / "nowhere")
    with pytest.raises(InputError, match="is empty"):
        read_folder(tmp_path)
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(InputError, match=r"holds 1 files but no UNIFIED\*\.csv"):
        read_folder(tmp_path)
    with pytest.raises(InputError, match="is a file"):
        read_folder(tmp_path / "notes.txt")
    (tmp_path / "UNIFIED_x.csv").write_bytes(b"device_key,model\n\xff\xfe,x\n")
    with pytest.raises(InputError, match="is not UTF-8"):
        read_folder(tmp_path)


def test_a_row_with_too_many_cells_is_refused(tmp_path):
    """A comma in a name would shift every cell after it."""
    write(tmp_path, [row()])
    path = tmp_path / "UNIFIED_latency.csv"
    path.write_text(path.read_text() + "," * 30 + "\n")
    found = read_folder(tmp_path)
    assert len(found.runs) == 1
    assert found.bad[0].reason == "the row has more cells than the header"
