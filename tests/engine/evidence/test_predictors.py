"""Watts and joules join the serving predictions at the predicted throughput."""

from __future__ import annotations

import pytest

from tco.evidence import predictors
from tco.evidence.resolve import resolve
from tco.evidence.rows import read_runs
from tco.evidence.run import Predicted
from tests.engine.evidence.measured_folder import row, write
from tests.engine.evidence.test_resolve import ALIASES, SeedCatalog

SPEED = Predicted(900.0, 700.0, 1200.0, "fit without it")


@pytest.fixture
def answers(tmp_path, monkeypatch):
    """Answers of three runs: watts and joules measured, neither measured, no answer."""
    watts = {"metric": "gpu_board_power_w", "unit": "W", "value": "500"}
    joules = {"metric": "j_per_output_token_gpu", "unit": "J", "value": "0.6"}
    rows = [row(run_id="a", **watts), row(run_id="a", **joules), row(run_id="b")]
    rows.append(row(run_id="c", **watts))

    def serving(runs, leave_out):
        assert leave_out == "device"
        return [{"output_tok_s_per_gpu": SPEED}, {"output_tok_s_per_gpu": SPEED}, "no answer"]

    monkeypatch.setattr(predictors, "predict_runs", serving)
    found = resolve(read_runs(write(tmp_path, rows)), SeedCatalog(), ALIASES)
    return predictors.predict_with_power(found, "device")


def test_watts_only_where_they_are_asked(answers):
    """A run that was not metered gets none; a refused run stays refused."""
    assert set(answers[0]) == {
        "output_tok_s_per_gpu",
        "gpu_board_power_w",
        "j_per_output_token_gpu",
    }
    assert set(answers[1]) == {"output_tok_s_per_gpu"}
    assert answers[2] == "no answer"


def test_joules_are_watts_over_the_predicted_throughput(answers):
    """Between the idle watts and the board power, over 900 tokens/s."""
    watts = answers[0]["gpu_board_power_w"]
    joules = answers[0]["j_per_output_token_gpu"]
    assert 70 < watts.value <= 700
    assert joules.value == pytest.approx(watts.value / 900)


def test_joules_are_no_surer_than_the_throughput(answers):
    """A faster server needs less energy a token: the low end holds at least that much."""
    joules = answers[0]["j_per_output_token_gpu"]
    assert joules.low <= joules.value * 900 / 1200 * 1.0001
    assert joules.high >= joules.value * 900 / 700 * 0.9999
