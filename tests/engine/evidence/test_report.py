"""The accuracy report: coverage, folds, overload and targets on a folder written by hand."""

from __future__ import annotations

import json

import pytest

from tco.evidence.accuracy import Predictors, accuracy
from tco.evidence.record import ScoreRow
from tco.evidence.run import Predicted
from tco.evidence.sections import headline, sections
from tests.engine.evidence.measured_folder import row, write
from tests.engine.evidence.naive import roofline, staged_roofline
from tests.engine.evidence.test_resolve import ALIASES, SeedCatalog
from tests.engine.evidence.test_sim2real import ACTUALS, LENGTHS, PEERS

TEN_PER_CENT = 1.1


def exact(factor):
    """A predictor that knows the answer and is off by `factor`; it notes what was left out."""

    def predict(runs, leave_out):
        predict.asked.append(leave_out)
        return [
            {
                name: Predicted(v.value * factor, v.value, v.value * factor * 1.2, "made up")
                for name, v in one.run.measured.items()
            }
            for one in runs
        ]

    predict.asked = []
    return predict


@pytest.fixture
def folder(tmp_path):
    """Two devices, one overloaded run, an unknown device, a bad row."""
    speed = {"metric": "output_tok_s_per_gpu", "unit": "tok/s/GPU"}
    rows = [
        row(run_id="a"),
        row(run_id="a", **speed, value="800"),
        row(run_id="b", device_key="b200", value="5.5"),
        row(run_id="b", device_key="b200", **speed, value="1400"),
        row(run_id="c", metric="ttft_mean", value="9000", load_value="512"),
        row(run_id="d", device_key="h900", stratum="unseen"),
        row(run_id="e", value="slow"),
        row(run_id="f", input_tokens="", source="mlenergy_llm", note="gpqa", value="8"),
    ]
    return write(tmp_path, rows)


def report_of(folder, predictor, folds=("device",), **more):
    """The report with the seed catalog."""
    predictors = Predictors(predictor, **more)
    return accuracy(folder, SeedCatalog(), ALIASES, predictors, folds, date="2026-12-01")


def test_every_row_is_somewhere(folder):
    """8 rows: 1 unreadable, 1 of an overloaded run, 1 without an answer, 5 answered."""
    report = report_of(folder, exact(TEN_PER_CENT))
    coverage = report["folds"]["device"]["coverage"]
    assert report["made"]["rows"] == 8
    assert report["refused"]["bad_rows"] == 1
    assert (coverage["rows"], coverage["answered"], coverage["overloaded_rows"]) == (6, 5, 1)
    assert coverage["reasons"] == [
        {"reason": "device h900 is not in the catalog", "rows": 1, "runs": 1}
    ]
    assert coverage["filled"] == [{"rule": "input_tokens", "rows": 1}]


def test_a_predictor_ten_per_cent_off_scores_ten_per_cent(folder):
    """Everywhere but in the column that counts the unanswered row."""
    fold = report_of(folder, exact(TEN_PER_CENT))["folds"]["device"]
    metrics = {one["metric"]: one for one in fold["metrics"]}
    tpot = metrics["tpot_mean"]
    assert (tpot["rows"], tpot["answered"]) == (4, 3)
    assert tpot["median"] == pytest.approx(0.1)
    # cells: h100, b200 and the mlenergy source at 10 %, h900 at 100 %
    assert tpot["cell_median_all"] == pytest.approx((3 * 0.1 + 1.0) / 4)
    assert metrics["output_tok_s_per_gpu"]["median"] == pytest.approx(0.1)
    strata = {one["group"]: one for one in fold["strata"]}
    assert strata["seen"]["median"] == pytest.approx(0.1)
    assert (strata["unseen"]["median"], strata["unseen"]["median_all"]) == (None, 1.0)
    assert fold["order"]["throughput"]["tau"] == 1.0
    assert fold["intervals"][0]["covered"] == 1.0
    assert fold["filled"][0]["rows"] == 1


def test_each_fold_asks_the_predictor_what_to_leave_out(folder):
    """And has its own tables."""
    predictor = exact(1.0)
    report = report_of(folder, predictor, ("device", "model"))
    assert predictor.asked == ["device", "model"]
    assert list(report["folds"]) == ["device", "model"]


def test_overloaded_runs_are_called_so_and_not_scored(folder):
    """The run of 9 s: called by its predicted time, by the text, or missed."""

    def texts(runs, leave_out):
        return ["overloaded: arrivals outrun service" for _ in runs]

    called = report_of(folder, exact(1.0))["folds"]["device"]["overload"]
    assert (called["overloaded"], called["called"], called["false_alarms"]) == (1, 1, 0)
    missed = report_of(folder, exact(0.5))["folds"]["device"]["overload"]
    assert missed["share_called"] == 0.0
    all_called = report_of(folder, texts)["folds"]["device"]["overload"]
    assert (all_called["share_called"], all_called["false_alarms"]) == (1.0, 3)


def test_a_predictor_that_forgets_runs_is_refused(folder):
    """Silently shifted answers would score other runs."""
    with pytest.raises(ValueError, match="0 predictions for 4 runs"):
        report_of(folder, lambda runs, leave_out: [])


def test_the_study_stands_beside_its_peers(folder):
    """Whole runs of ours and the peers on exactly those rows."""
    (folder / "vllm_sim2real_actuals.csv").write_text(ACTUALS)
    (folder / "vllm_h100_ground_truth_blis.csv").write_text(LENGTHS)
    (folder / "peers_sim2real_predictions.csv").write_text(PEERS)
    report = report_of(folder, roofline, staged=staged_roofline)
    study = report["folds"]["device"]["sim2real"]
    ours = {
        (one["set"], one["metric"]): one for one in study["ours"] if one["scope"] == "whole runs"
    }
    assert ours["one", "e2e_mean"]["rows"] == 1
    assert study["doubted"] == ["z-talk-lite"]
    assert ours["two", "e2e_mean"]["median_sure"] is None
    peers = {(one["simulator"], one["scope"]): one["median"] for one in study["peers_same_rows"]}
    assert peers == {
        ("blis", "whole runs"): pytest.approx(0.1),
        ("blis", "stages"): pytest.approx(1.0),
        ("vidur", "whole runs"): pytest.approx(0.5),
    }


def test_other_work_joins_the_report(folder):
    """Score rows of training and power, from their own models."""

    def steps(place, fold):
        assert place == folder
        return [
            ScoreRow("llm-foundry", "a100", "mpt-7b", "step_time_s", 10.0, 10.5, fold=fold),
            ScoreRow("zeus", "v100", "bert", "gpu_board_power_w", 200.0, 230.0, fold=fold),
        ]

    report = report_of(folder, exact(1.0), others=(steps,))
    found = {one["key"]: one for one in report["targets"] if one["fold"] == "device"}
    assert found["training"]["value"] == pytest.approx(0.05)
    assert found["power alone"]["value"] == pytest.approx(0.15)
    assert found["power"]["value"] is None  # of serving: no such row in this folder
    assert {one["metric"] for one in report["folds"]["device"]["other"]} == {
        "step_time_s",
        "gpu_board_power_w",
    }


def test_targets_are_held_against_the_figures(folder):
    """12 % off meets 15 % for the token time; the share in the interval has two ends."""
    report = report_of(folder, exact(1.12))
    table = {row[0]: row for row in headline(report).rows}
    assert table["Time per output token"][2:5] == ("12.0 %", "at most 15.0 %", "yes")
    assert table["80 % interval holds the value"][2:5] == ("100 %", "75.0 to 85.0 %", "no")
    assert table["Rows predicted"][2:5] == ("83.3 %", "at least 85.0 %", "no")
    assert table["Training step time"][2] == "–"


def test_the_report_is_json_and_every_table_is_even(folder):
    """No NaN, and as many cells in a row as in the head."""
    report = report_of(folder, roofline)
    assert json.loads(json.dumps(report, allow_nan=False)) == report
    for section in sections(report):
        assert {len(row) for row in section.rows} == {len(section.head)}, section.key


def test_wall_power_of_its_own_model_fills_in(folder):
    """A row without an answer takes it; board power at a measured throughput stays apart."""
    watts = {"metric": "system_wall_power_w", "unit": "W", "value": "5000"}
    board = {"metric": "gpu_board_power_w", "unit": "W", "value": "600"}
    write(folder, [row(run_id="g", **watts), row(run_id="g", **board)], name="UNIFIED_power.csv")

    def power(place, fold):
        return [
            ScoreRow("bench", "h100-sxm", "m", metric, measured, measured * 1.2, run_id="g")
            for metric, measured in (("system_wall_power_w", 5000.0), ("gpu_board_power_w", 600.0))
        ]

    def silent(runs, leave_out):
        return [{} for _ in runs]

    fold = report_of(folder, silent, others=(power,))["folds"]["device"]
    metrics = {one["metric"]: one for one in fold["metrics"]}
    assert metrics["system_wall_power_w"]["median"] == pytest.approx(0.2)
    assert metrics["gpu_board_power_w"]["answered"] == 0
