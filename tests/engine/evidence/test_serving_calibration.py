"""The fit of serving factors: recovers what made the rows, forgets what is left out (P13)."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.evidence.folds import fold_of, folds_of, known_fold
from tco.evidence.run import MeasuredValue, ResolvedRun, Run
from tco.evidence.serving_fit import PRIOR, fit, parameter_keys, predicted, prior_of
from tco.evidence.serving_groups import groups, shared_prefix_tokens, stack_of, vintage_of
from tco.inputs import Parallel
from tco.performance.factors import resolve, subject
from tco.performance.residuals import Interval, class_of, family_of, interval, interval_for

CATALOG = SeedCatalog()
MODELS = [CATALOG.model(key) for key in ("meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.1-70B")]
DEVICES = [CATALOG.device(key) for key in ("h100-sxm", "b200", "mi300x")]


def run(device, model, load, *, tensor=8, kind="closed", source="anything", note="", engine="vLLM"):
    """Return a resolved run without measured values."""
    bare = Run(
        f"{device.key}-{model.key}-{load}-{kind}",
        "seen",
        source,
        device.key,
        tensor,
        tensor,
        1,
        1,
        model.key,
        "bf16",
        False,
        engine,
        1024.0,
        256.0,
        kind,
        float(load),
        None,
        None,
        False,
        note,
    )
    return ResolvedRun(bare, device, model, Parallel(tensor=tensor), "bf16", "bf16", 1024.0, 256.0)


def measured(runs, values, slow=None):
    """Return the runs with token times made by the model under `values`."""
    found, refused = groups(runs)
    assert not refused
    made = list(runs)
    for group in found:
        times = predicted(group, values).tpot
        for row, place in enumerate(group.index):
            one = runs[place]
            factor = slow if slow and one.device.key == "mi300x" else 1.0
            value = MeasuredValue(float(times[row]) * 1e3 * factor, "ms", "r")
            filled = dataclasses.replace(one.run, measured={"tpot_mean": value})
            made[place] = dataclasses.replace(one, run=filled)
    return made


def truth():
    """Factors away from their priors."""
    values = {("all", "", name): centre for name, (centre, _) in PRIOR.items()}
    values[("all", "", "layer_us")] = math.log(60.0)
    values[("all", "", "memory")] = -0.15
    return values


RUNS = [run(d, m, load) for d in DEVICES for m in MODELS for load in (1, 4, 16, 64, 128)]


def test_the_fit_reproduces_rows_that_the_model_made():
    """Token times of slower layers and less bandwidth come back within 3 %: priors hold some."""
    runs = measured(RUNS, truth())
    found, _ = groups(runs)
    values = fit(found, runs, evaluations=25)
    for group in found:
        made = [runs[place].run.measured["tpot_mean"].value for place in group.index]
        ratio = predicted(group, values).tpot * 1e3 / np.array(made)
        assert np.abs(ratio - 1).max() < 0.03


def test_a_device_left_out_has_no_factor_of_its_own():
    """Without a device's rows its factors are not fitted: it takes its family's."""
    runs = measured(RUNS, truth(), slow=1.4)
    found, _ = groups(runs)
    values = fit(found, runs, leave_out=lambda one: one.device.key == "mi300x", evaluations=6)
    assert ("device", "mi300x", "device") not in values
    assert ("device", "b200", "device") in values
    everything = fit(found, runs, evaluations=12)
    slow, quick = (
        float(resolve(everything, [subject(device)])["device"][0])
        for device in (DEVICES[2], DEVICES[0])
    )
    assert slow - quick > 0.15  # 1.4 times, most of it


def test_rows_of_overloaded_runs_are_not_fitted():
    """A run that could not be sustained moves nothing."""
    runs = measured(RUNS, truth())
    wrong = dataclasses.replace(
        runs[0].run, overloaded=True, measured={"tpot_mean": MeasuredValue(9e5, "ms", "r")}
    )
    spoiled = [dataclasses.replace(runs[0], run=wrong), *runs[1:]]
    kept, _ = groups(runs[1:])
    other, _ = groups(spoiled)
    first, second = fit(kept, runs[1:], evaluations=4), fit(other, spoiled, evaluations=4)
    assert {k: round(v, 6) for k, v in first.items()} == {k: round(v, 6) for k, v in second.items()}


def test_nothing_left_is_said():
    """A fit without runs is an error, not an empty table."""
    found, _ = groups(RUNS)
    with pytest.raises(ValueError, match="no run is left"):
        fit(found, RUNS, leave_out=lambda one: True)


def test_every_factor_has_a_prior():
    """Factors of every scope have a centre and a positive width."""
    found, _ = groups(RUNS)
    for key in parameter_keys(found):
        centre, width = prior_of(key)
        assert math.isfinite(centre)
        assert width > 0


def test_stacks_and_half_years():
    """The engine, who tuned it, and the half-year of a dated note."""
    tuned = run(DEVICES[0], MODELS[0], 4, source="inferencex_dsr1_api", engine="sglang")
    assert stack_of("inferencex_dsr1_api", "sglang 0.5") == "sglang-tuned"
    assert stack_of("argonne_llm_inference_bench", "vLLM") == "vllm-2024"
    assert vintage_of(tuned.run) == ""
    dated = dataclasses.replace(tuned.run, note="daily 2026-03-24")
    assert vintage_of(dated) == "sglang-tuned 2026H1"


def test_prompts_found_in_the_cache_are_not_processed():
    """The shared prefix of a note is taken off the prompt: first tokens come sooner."""
    plain = run(DEVICES[0], MODELS[0], 4, kind="open_constant_rps")
    shared = run(
        DEVICES[0], MODELS[0], 4, kind="open_constant_rps", note="general; shared prefix 500 tok"
    )
    assert shared_prefix_tokens(shared.run) == 500
    found, _ = groups([plain, shared])
    times = predicted(found[0], truth()).ttft
    assert times[1] < times[0]


def test_folds_keep_variants_together():
    """PCIe and SXM boards of one device are one fold; a device never seen takes the shipped fit."""
    pcie = dataclasses.replace(DEVICES[0], key="h100-pcie")
    both = [run(DEVICES[0], MODELS[0], 1), run(pcie, MODELS[0], 1)]
    assert {fold_of(one, "device") for one in both} == {"device:h100"}
    assert folds_of(both, "model") == {"model:meta-llama/Llama-3.1-8B": frozenset({0, 1})}
    assert known_fold("device:new", {"all": 0}) == "all"


def test_intervals_weigh_each_group_by_the_root_of_its_rows():
    """A hundred rows of one device and a hundred of four: the four together weigh twice as much."""
    even = np.linspace(-0.2, 0.2, 101)
    assert interval(list(even), ["a"] * 101) == pytest.approx((-0.16, 0.16), abs=0.005)
    spread = [*[0.05] * 100, *[0.5] * 100]
    names = [*["a"] * 100, *[f"b{i % 4}" for i in range(100)]]
    assert interval(spread, names)[1] == 0.5
    low, high = interval([0.0] * 50, ["a"] * 50)
    assert (low, high) == (-0.03, 0.03)
    assert interval([], []) == (-0.7, 0.7)


def test_a_class_without_rows_takes_a_wider_one():
    """Family and kind of load first, then the family, then all."""
    table = {("ttft", ""): Interval(-0.2, 0.3, 40), ("", ""): Interval(-0.5, 0.5, 99)}
    assert interval_for(family_of("ttft_p99", "closed"), table).high == 0.3
    assert interval_for(family_of("e2e_mean", "closed"), table).high == 0.5
    assert class_of("ttft_mean", "closed", 9.0) == ("ttft_mean", "closed", "some")
