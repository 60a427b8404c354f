"""Measured watts, joules and wall power beside what the model says of them (P14, P16)."""

from __future__ import annotations

import dataclasses

import pytest

from hardware_catalog.seed.reader import rows as seed_rows
from hardware_catalog.seed.to_engine import SeedCatalog
from tco.evidence.aliases import aliases_of
from tco.evidence.power import BOARD_W, JOULES, power_metrics, power_rows, shares_at, wall_watts
from tco.evidence.resolve import resolve
from tco.evidence.rows import read_runs
from tco.evidence.run import Predicted, ResolvedRun
from tco.power.shares import Shares
from tests.engine.evidence.measured_folder import row, write

CATALOG = SeedCatalog()
ALIASES = aliases_of(seed_rows("device_aliases"), seed_rows("model_aliases"))
LOAD = {"load_kind": "static_max_num_seqs", "load_value": "64"}


def resolved(tmp_path, **changes) -> ResolvedRun:
    """A run of 64 sequences with some cells changed."""
    runs = read_runs(write(tmp_path, [row(**{**LOAD, **changes})]))
    (one,) = resolve(runs, CATALOG, ALIASES)
    assert isinstance(one, ResolvedRun), one
    return one


def test_watts_and_joules_at_a_throughput(tmp_path):
    """1,500 tokens/s on an H100: watts between decode and cap; joules are watts over tokens."""
    one = resolved(tmp_path)
    shares = shares_at(one, 1_500.0)
    assert isinstance(shares, Shares)
    said = power_metrics(one, shares, output_tokens_per_s=1_500.0)
    assert 300 < said[BOARD_W].low < said[BOARD_W].value < said[BOARD_W].high <= 700
    assert said[JOULES].value == pytest.approx(said[BOARD_W].value / 1_500)
    assert said[JOULES].high == pytest.approx(said[BOARD_W].high / 1_500)
    half = power_metrics(one, shares, busy_fraction=0.5)
    assert half[BOARD_W].value == pytest.approx((said[BOARD_W].value + 70) / 2)
    assert JOULES not in half


def test_a_device_is_scored_without_its_own_rows(tmp_path):
    """H100 watts differ by fold: the device's rows, the model's rows, or none left out."""
    one = resolved(tmp_path)
    shares = Shares(0.1, 0.4)
    by_device = power_metrics(one, shares, fold="device")[BOARD_W]
    by_model = power_metrics(one, shares, fold="model")[BOARD_W]
    assert by_device.value != pytest.approx(by_model.value, rel=1e-4)
    assert by_device.evidence == "calibrated family"
    assert by_model.evidence == "calibrated device"


def test_an_unmeasured_device_has_a_wider_interval_and_another_vendors_the_widest(tmp_path):
    """H200 has no rows, MI300X not even a relative with rows."""
    widths = []
    for device, evidence in (
        ("h100-sxm", "calibrated family"),
        ("h200-sxm", "family"),
        ("mi300x", "data sheet"),
    ):
        said = power_metrics(resolved(tmp_path, device_key=device), Shares(0.05, 0.3))[BOARD_W]
        assert said.evidence == evidence
        widths.append(said.high / said.low)
    assert widths[2] > 1.3 * widths[1] > 1.0


def test_unknown_concurrency_is_said(tmp_path):
    """An offline run states no requests in flight: a reason, not a guess."""
    one = resolved(tmp_path, load_kind="offline", load_value="")
    assert "not stated" in shares_at(one, 1_500.0)


def test_rows_of_a_folder(tmp_path):
    """Board watts with throughput beside, from another source, and without any; wall watts."""
    rate = {"metric": "output_tok_s_per_gpu", "value": "1500", "unit": "tok/s/GPU"}
    watts = {"metric": "gpu_board_power_w", "value": "400", "unit": "W"}
    rows = [
        row(row_id="1", **{**LOAD, **watts}),
        row(row_id="2", **{**LOAD, **rate}),
        row(row_id="3", run_id="m2", source="watts only", **{**LOAD, **watts, "load_value": "64"}),
        row(row_id="4", run_id="m3", **{**LOAD, **watts, "load_value": "16"}),
        row(
            row_id="5",
            run_id="m4",
            model="bert-99",
            gpus="8",
            note="x_TRT_MaxQ",
            load_kind="offline",
            load_value=None,
            metric="system_wall_power_w",
            value="4600",
            unit="W",
        ),
    ]
    found = power_rows(CATALOG, ALIASES)(write(tmp_path, rows), "device")
    by_run = {one.run_id: one for one in found}
    assert len(found) == 4
    assert by_run["m1"].predicted == pytest.approx(by_run["m2"].predicted)
    assert by_run["m1"].low < 400 < by_run["m1"].high
    assert by_run["m3"].predicted is None
    assert "no measured throughput" in by_run["m3"].reason
    assert by_run["m4"].metric == "system_wall_power_w"
    assert 3_500 < by_run["m4"].predicted < 6_000


def test_wall_power_of_a_saturated_server():
    """8 x B200: 10.4 kW measured; the fit that never saw it is within a fifth; capped is less."""
    device = CATALOG.device("b200")
    full, capped = wall_watts(device, 8), wall_watts(device, 8, capped=True)
    assert isinstance(full, Predicted)
    assert full.value == pytest.approx(10_400, rel=0.2)
    assert capped.value < 0.75 * full.value
    board = Predicted(500.0, 400.0, 600.0, "test")
    half = wall_watts(device, 8, boards=board)
    assert full.value - half.value == pytest.approx(8 * (950 - 500) / 0.94)
    unknown = wall_watts(dataclasses.replace(device, board_w=None), 8)
    assert "not known" in unknown
