"""Training: step time, days and servers (P11, F1.8)."""

from __future__ import annotations

import dataclasses
import math

import pytest

from tco.inputs import Figure, Status, Training, Workload
from tco.performance import size_fleet
from tco.performance.memory import parameters
from tco.performance.training import step_seconds
from tests.engine.performance.catalog_rows import (
    H100,
    LLAMA_8B,
    LLAMA_70B,
    fleet,
    published,
    workload,
)


def train(
    shape=LLAMA_8B,
    *,
    tokens=1e12,
    batch=4e6,
    runs=2.0,
    mfu=0.4,
    deadline=None,
    growth=0.0,
    lost=0,
    dtype="bf16",
    failures=0.0,
    **given,
) -> Workload:
    """Return a training workload."""
    run = Training(
        tokens=published(tokens, "tokens"),
        global_batch_tokens=published(batch, "tokens"),
        sequence_tokens=8192,
        runs_per_year=runs,
        mfu_fraction=None if mfu is None else published(mfu, "fraction"),
        deadline_days=deadline,
        failures_per_device_year=None if failures is None else published(failures, "1/year"),
        checkpoint_s=given.pop("checkpoint_s", 60.0 if failures != 0 else 0.0),
        **given,
    )
    base = workload(shape, targets=(), growth=growth, lost=lost, weight_dtype=dtype)
    return dataclasses.replace(base, kind="training", training=run)


def size(work, *, horizon_months=36, **given):
    """Size a fleet of 8xH100 servers for the runs."""
    return size_fleet(fleet(work, **given), horizon_months=horizon_months)


def test_step_time_of_a_published_run():
    """405 G parameters, 16 M tokens a step, 16,384 devices at 400 TFLOP/s each: 5.9 s."""
    assert step_seconds(405e9, 16e6, 16384, 1000.0, 0.4) == pytest.approx(
        6 * 405e9 * 16e6 / (16384 * 400e12)
    )
    assert step_seconds(405e9, 16e6, 16384, 1000.0, 0.4) == pytest.approx(5.93, abs=0.005)


def test_days_of_one_run_by_hand():
    """8.03 G parameters on 1 T tokens over 16 devices at 40 % of 989.4 TFLOP/s."""
    result = size(train(), count=2)
    flops = 6 * parameters(LLAMA_8B).total * 1e12
    assert result.training_days == pytest.approx(flops / (16 * 989.4e12 * 0.4) / 86400)
    assert result.training_days == pytest.approx(88.0, abs=0.2)


def test_servers_fit_the_runs_of_a_year():
    """Two runs a year: the least servers whose busy days are within 365."""
    result = size(train())
    assert result.feasible
    assert result.binds == "runs per year"
    assert 2 * result.training_days <= 365
    device_days = 6 * parameters(LLAMA_8B).total * 1e12 / (989.4e12 * 0.4) / 86400
    assert result.servers == math.ceil(2 * device_days / 365 / 8)


def test_a_deadline_binds():
    """Ten days a run take more servers than the year does."""
    result = size(train(deadline=10.0))
    assert result.feasible
    assert result.binds == "deadline"
    assert result.training_days <= 10
    assert result.servers > size(train()).servers


def test_memory_binds_for_a_large_model_on_few_tokens():
    """70.55 G x 16 bytes are 1,129 GB; 58.8 of each 72 usable GB are left for them: 20 devices."""
    result = size(train(LLAMA_70B, tokens=1e9, runs=1.0))
    assert result.binds == "memory"
    assert result.servers == 3
    state = sum(line.gb_per_device for line in result.memory if line.label != "activations")
    assert state * result.device_count == pytest.approx(parameters(LLAMA_70B).total * 16 / 1e9)
    assert sum(line.gb_per_device for line in result.memory) <= 0.9 * 80


def test_a_model_that_does_not_fit_is_said():
    """One server for the 70B: GB missing, and the devices that would do."""
    result = size(train(LLAMA_70B, tokens=1e9), count=1)
    assert not result.feasible
    assert result.binds.startswith("memory:")
    assert "devices or more" in result.binds


def test_too_few_servers_miss_the_year():
    """One server does two runs of 176 days a year, not three, and none in 100 days."""
    result = size(train(), count=1)
    assert result.training_days == pytest.approx(176.0, abs=0.4)
    assert result.feasible
    assert not size(train(runs=3.0), count=1).feasible
    assert size(train(runs=3.0), count=1).binds.startswith("runs per year")
    assert size(train(runs=1.0, deadline=100.0), count=1).binds.startswith("deadline")


def test_a_batch_too_small_for_the_fleet():
    """Two sequences a step cannot keep a hundred servers busy."""
    result = size(train(batch=16384.0), count=100)
    assert not result.feasible
    assert result.binds.startswith("batch:")


def test_without_a_given_efficiency_the_step_is_computed():
    """The fastest plan that fits, its step time with an interval, and the MFU that follows."""
    result = size(train(mfu=None), count=2)
    terms = {term.name: term for term in result.terms}
    mfu = terms["model flops utilisation"]
    assert 0.3 < mfu.value < 0.5
    assert "recompute" in mfu.source
    assert terms["step time, low"].value < terms["step time"].value
    assert terms["step time"].value < terms["step time, high"].value
    assert "recompute" in result.parallel
    assert "training runs" in result.evidence
    given = size(train(mfu=0.4), count=2)
    assert given.training_days == pytest.approx(result.training_days * mfu.value / 0.4, rel=1e-6)


def test_growth_of_runs_adds_servers():
    """50 % more runs a year: servers grow, none are given back."""
    months = size(train(growth=0.5)).servers_by_month
    assert list(months) == sorted(months)
    assert months[-1] > size(train()).servers


def test_spares_are_added_and_not_counted_on():
    """One server may be lost: one more is bought, and the days are those without it."""
    plain, spare = size(train()), size(train(lost=1))
    assert spare.servers == plain.servers + 1
    assert spare.training_days == pytest.approx(plain.training_days)


def test_busy_share_of_the_year():
    """Hours: busy for runs x days / 365 at the model flops utilisation."""
    result = size(train(), count=4)
    hour = result.hours[7]
    assert hour.busy_fraction == pytest.approx(2 * result.training_days / 365)
    assert hour.compute_fraction == pytest.approx(0.4)
    assert hour.servers_on == 4


def test_zero_servers_are_zeros():
    """count = 0 gives zeros and says that the runs have no servers."""
    result = size(train(), count=0)
    assert (result.feasible, result.servers, result.training_days) == (False, 0, None)
    assert result.binds == "no servers for the runs"
    assert size(train(runs=0.0)).feasible


def test_a_cap_stretches_the_run():
    """80 % of the speed takes 1.25 times the days."""
    given = fleet(train(), count=4)
    full = size_fleet(given, horizon_months=12)
    capped = size_fleet(given, horizon_months=12, throughput_fraction=0.8)
    assert capped.training_days == pytest.approx(full.training_days / 0.8)


def test_the_hours_mode_sets_the_year():
    """In 720 mode a year has 360 days: the busy share is 365/360 of that in 730 mode."""
    given = fleet(train(), count=4)
    short = size_fleet(given, horizon_months=12, hours="720").hours[0].busy_fraction
    long = size_fleet(given, horizon_months=12).hours[0].busy_fraction
    assert short / long == pytest.approx(365 / 360)


def test_missing_pieces_are_named():
    """No model, no rate, no tokens: infeasible with the reason, nothing raised."""
    assert "model" in size(dataclasses.replace(train(), model=None)).binds
    bare = dataclasses.replace(H100, peak_tflops=())
    assert size(train(), device=bare).binds.startswith("dtype:")
    assert size(train(tokens=0.0)).binds == "no tokens to train on"
    zero = dataclasses.replace(
        train().training, mfu_fraction=Figure(0.0, "fraction", Status.ASSUMED, "test")
    )
    assert size(dataclasses.replace(train(), training=zero)).binds.startswith("mfu")


def term_of(result, name):
    """Return a named term's value."""
    return next(term.value for term in result.terms if term.name == name)


def test_failures_stretch_the_run():
    """Left out, the published rate counts: 64 devices stop every 791 h, 0.7 % of the time goes."""
    calm, real = size(train(), count=8), size(train(failures=None), count=8)
    goodput = term_of(real, "goodput")
    assert real.training_days == pytest.approx(calm.training_days / goodput)
    between = 8760 / (64 * 0.173)
    delta, restart = 1 / 60, 10 / 60
    tau = math.sqrt(2 * delta * between)
    factor = between * math.exp(restart / between) * math.expm1((tau + delta) / between) / tau
    assert 1 / goodput == pytest.approx(factor)
    assert 0.99 < goodput < 0.995


def test_checkpoints_slower_than_failures_are_said():
    """A checkpoint of a day on a thousand devices: nothing would get done; the mend is named."""
    slow = train(failures=10.0, checkpoint_s=86400.0)
    result = size(slow, count=128)
    assert not result.feasible
    assert result.binds.startswith("failures:")
    assert "faster" in result.binds


def test_a_plan_that_does_not_fit_names_the_smallest_change():
    """No recompute and 16 sequences at once on 80 GB: refused with what would help."""
    work = train(mfu=None, recompute="none", micro_batch_sequences=16)
    result = size(work, count=1)
    assert not result.feasible
    assert result.binds.startswith("memory:")
    assert "micro-batch of 1" in result.binds


def test_a_computed_step_says_what_it_rests_on():
    """Step time with its interval, utilisation, scaling, network share, goodput (P11, P13.3)."""
    result = size(train(mfu=None, failures=None), count=8)
    step = term_of(result, "step time")
    assert term_of(result, "step time, low") < step < term_of(result, "step time, high")
    assert 0.3 < term_of(result, "model flops utilisation") < 0.6
    assert 0.5 < term_of(result, "scaling efficiency") <= 1.0
    assert 0 <= term_of(result, "exposed network, of the step") < 0.5
    assert {line.label for line in result.memory} >= {"weights", "gradients", "optimiser"}


def test_a_slow_loader_sets_the_days():
    """10,000 tokens a second a server: 8 servers read 1 T tokens in 145 days, and it is said."""
    slow = train(mfu=None, loader_tokens_per_s=published(10e3, "token/s"))
    result = size(slow, count=8)
    assert result.training_days == pytest.approx(1e12 / 80e3 / 86400)
    assert term_of(result, "waits for the data loader") > 0.5
