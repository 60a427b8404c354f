"""Models that answer in one pass: measured batches, their reach, and the queue in front (P10)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from tco.inputs import BatchService, LatencyTarget
from tco.performance.batch_inference import (
    DISTANCES,
    SPREAD,
    BatchCurve,
    NoRows,
    affine_batch,
    batch_curve,
)
from tco.performance.batch_tables import batch_models, batch_rows, saturated_rows
from tco.performance.batch_transfer import family_ratio, rates, sheet_ratio, sheets
from tco.performance.sizing import size_fleet
from tco.simulate.dynamic_batching import poisson_arrivals, simulate_batches
from tests.engine.performance.catalog_rows import CPU, H100, LLAMA_8B, MI300X, fleet, workload

RESNET, SDXL = "resnet50-v1.5", "stabilityai/stable-diffusion-xl-base-1.0"
SD35 = "stabilityai/stable-diffusion-3.5-large"
MI325X = replace(MI300X, key="mi325x", name="MI325X")


def curve(model, device=H100, dtype="int8", devices=1) -> BatchCurve:
    """The curve, which must be there."""
    found = batch_curve(model, device, dtype, devices)
    assert isinstance(found, BatchCurve), found
    return found


def batch_fleet(model=RESNET, *, rate=100_000.0, limit_ms=15.0, batch=None, dtype="int8", **more):
    """A fleet of H100 servers for a model that answers in one pass."""
    shape = replace(LLAMA_8B, key=model, name=model, supported=False)
    targets = (LatencyTarget("e2e", 99, limit_ms),) if limit_ms else ()
    work = replace(
        workload(shape, requests_per_s=rate, targets=targets, weight_dtype=dtype),
        kind="batch_inference",
        batch=batch or BatchService(),
    )
    return fleet(work, **more)


def test_measured_batches_are_given_back_and_held_outside():
    """Stable Diffusion 3.5 on an H100: 6.56 s alone, 49.1 s for eight; rate held beyond 16."""
    found = curve(SD35, dtype="bf16")
    seconds = found.seconds(32)
    assert seconds[1] == pytest.approx(6.55811)
    assert seconds[8] == pytest.approx(49.0811)
    assert seconds[4] < seconds[6] < seconds[8]
    between = math.exp(
        math.log(24.513) + math.log(6 / 4) / math.log(2) * math.log(49.0811 / 24.513)
    )
    assert seconds[6] == pytest.approx(between)
    assert seconds[32] == pytest.approx(2 * seconds[16])
    assert found.in_range(16)
    assert not found.in_range(17)
    assert found.board_w == pytest.approx(660.6)


def test_a_server_run_is_found_again_by_simulation():
    """The fixed time of a batch is what makes the row's own Server run show its p99."""
    row = next(
        r for r in saturated_rows() if (r.model, r.device, r.round) == (RESNET, "h100-sxm", "v4.1")
    )
    fixed, each, _ = affine_batch(row)
    assert each == pytest.approx(1 / 88461.9)
    arrivals = poisson_arrivals(77529.9, 400_000, seed=77)
    sizes = np.arange(4_001)
    run = simulate_batches(arrivals, fixed + each * sizes, batch_limit=4_000)
    assert 1e3 * run.percentile_s(99) == pytest.approx(13.25, rel=0.12)
    # by hand: cycles of T = a / (1 - load / rate), a wait of up to two of them
    assert fixed == pytest.approx((1 - 77529.9 / 88461.9) * 13.2543e-3 / 2, rel=0.25)


def test_whisper_counts_clips_in_every_round():
    """Round v5.1 is scored in tokens; both rounds give about 90 clips a second and B200."""
    found = {
        r.round: r.offline_per_s
        for r in saturated_rows()
        if (r.model, r.device) == ("openai/whisper-large-v3", "b200")
    }
    assert found["v5.1"] == pytest.approx(found["v6.0"], rel=0.15)


@pytest.mark.parametrize("model", ["meta-llama/Llama-3.1-8B", "Llama-3.1-70B"])
def test_a_language_model_is_never_sized_from_another_kind_of_work(model):
    """No row of an image classifier stands for it: refused, with what may be chosen."""
    found = batch_curve(model, H100, "int8")
    assert isinstance(found, NoRows)
    assert "another kind of work" in found.reason
    result = size_fleet(batch_fleet(model), horizon_months=12)
    assert not result.feasible
    assert result.servers == 0
    assert "another kind of work" in result.binds


def test_serving_a_language_model_reads_no_batch_row(monkeypatch):
    """Its size is the same with the tables of ResNet and the others emptied."""
    before = size_fleet(fleet(workload(LLAMA_8B)), horizon_months=12)
    for name in ("saturated_rows", "batch_rows"):
        monkeypatch.setattr(f"tco.performance.batch_inference.{name}", lambda: ())
        monkeypatch.setattr(f"tco.performance.batch_transfer.{name}", lambda: ())
    assert size_fleet(fleet(workload(LLAMA_8B)), horizon_months=12) == before


def test_rows_are_carried_only_within_their_kind():
    """SD 3.5 reaches the MI325X by the SDXL rows of both; ResNet has no such pair there."""
    carried = curve(SD35, MI325X, "bf16")
    assert DISTANCES[carried.distance] == "same model, devices of one kind of work"
    assert "1 other image diffusion model" in carried.source
    sdxl = {r.device: r.offline_per_s for r in saturated_rows() if r.model == SDXL}
    ratio = sdxl["mi325x"] / sdxl["h100-sxm"]
    assert carried.rate_per_s(8) == pytest.approx(curve(SD35, dtype="bf16").rate_per_s(8) * ratio)
    far = curve(RESNET, MI325X)
    assert far.distance == 3
    assert far.spread > carried.spread > curve(RESNET).spread
    assert carried.status.rank > curve(SD35, dtype="bf16").status.rank


def test_a_processor_gets_no_row_of_a_gpu():
    """No processor ran Stable Diffusion 3.5: refused, not scaled."""
    desk = replace(CPU, peak_tflops=(("bf16", CPU.peak_tflops[0][1]),))
    found = batch_curve(SD35, desk, "bf16")
    assert isinstance(found, NoRows)
    assert "was not measured on Desk CPU" in found.reason


def test_intervals_hold_the_errors_with_devices_left_out():
    """Every device with rows predicted from another: 80 % lie within the stated factors."""
    family, sheet = [], []
    for model in batch_models():
        known = rates(model)
        for (wanted, precision), right in known.items():
            for (other, same), value in known.items():
                if other == wanted or same != precision:
                    continue
                ratio, models = family_ratio(model, other, wanted)
                if models:
                    family.append(abs(math.log(ratio * value / right)))
                a, b = sheets().get(other), sheets().get(wanted)
                if a and b and a.kind == b.kind:
                    guess = sheet_ratio(a, b, precision) * value
                    sheet.append(abs(math.log(guess / right)))
    assert len(family) > 100
    assert math.exp(np.quantile(family, 0.8)) < SPREAD[2]
    assert math.exp(np.quantile(sheet, 0.8)) < SPREAD[3]
    assert np.median(family) < np.median(sheet)


def test_another_precision_is_said():
    """ResNet was measured in int8 only: bf16 uses it and widens the interval."""
    assert curve(RESNET, dtype="int8").distance == 0
    assert curve(RESNET, dtype="bf16").distance == 1


def test_a_fleet_holds_its_percentile_and_no_smaller_one_does():
    """2 M images a second within 15 ms: least servers; one fewer does not carry it."""
    work = batch_fleet(rate=2_000_000.0)
    result = size_fleet(work, horizon_months=12)
    assert result.feasible
    assert result.targets[0].predicted_ms <= 15.0
    # at most the saturated rate of all devices
    assert result.servers >= 2_000_000 / (8 * 88461.9)
    fewer = size_fleet(replace(work, count=result.servers - 1), horizon_months=12)
    assert not fewer.feasible


def test_a_tighter_limit_needs_more_servers_and_a_batch_of_one_most():
    """Latency is bought with smaller batches."""
    wide = size_fleet(batch_fleet(rate=2e6, limit_ms=50.0), horizon_months=12)
    tight = size_fleet(batch_fleet(rate=2e6, limit_ms=4.0), horizon_months=12)
    alone = size_fleet(
        batch_fleet(rate=2e6, limit_ms=50.0, batch=BatchService(batch_limit=1)), horizon_months=12
    )
    assert wide.servers < tight.servers < alone.servers


def test_offline_only_rows_judge_no_latency():
    """Whisper has a rate and no latency: without a target it is sized, with one refused."""
    whisper = "openai/whisper-large-v3"
    device = replace(H100, key="b200", name="B200")
    sized = size_fleet(
        batch_fleet(whisper, rate=1000.0, limit_ms=None, dtype="fp16", device=device),
        horizon_months=12,
    )
    assert sized.servers == math.ceil(1000 / 0.97 / 90.6776 / 8)
    judged = size_fleet(
        batch_fleet(whisper, rate=1000.0, dtype="fp16", device=device), horizon_months=12
    )
    assert not judged.feasible
    assert "only the rate" in judged.binds


def test_a_limit_that_no_load_holds_is_said():
    """Stable Diffusion 3.5 takes 6.6 s alone: one second is refused at any size."""
    result = size_fleet(batch_fleet(SD35, rate=10, limit_ms=1000, dtype="bf16"), horizon_months=12)
    assert not result.feasible
    assert "not held at any load" in result.binds


def test_devices_work_together_only_where_measured():
    """ML.ENERGY measured 1, 2, 4 and 8; three are refused by name."""
    four = curve(SD35, dtype="bf16", devices=4)
    assert four.seconds(1)[1] < curve(SD35, dtype="bf16").seconds(1)[1] / 2
    assert isinstance(batch_curve(SD35, H100, "bf16", 3), NoRows)
    bad = size_fleet(
        batch_fleet(SD35, rate=1, dtype="bf16", limit_ms=None, batch=BatchService(devices=3)),
        horizon_months=12,
    )
    assert "does not divide" in bad.binds


def test_every_row_names_a_known_model():
    """The three tables agree."""
    named = {row.model for row in saturated_rows()} | {row.model for row in batch_rows()}
    assert named == set(batch_models())
