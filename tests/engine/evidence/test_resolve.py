"""Names, degrees, dtypes and lengths of measured runs."""

from __future__ import annotations

import dataclasses

import pytest

from hardware_catalog.seed.reader import rows as seed_rows
from hardware_catalog.seed.to_engine import SeedCatalog
from tco.evidence.aliases import aliases_of
from tco.evidence.resolve import (
    Unresolved,
    drop_below_floor,
    resolve,
    weight_read_floor_ms,
)
from tco.evidence.rows import read_runs
from tests.engine.evidence.measured_folder import row, write

ALIASES = aliases_of(seed_rows("device_aliases"), seed_rows("model_aliases"))


@pytest.fixture
def one(tmp_path):
    """The resolved run of a row with some cells changed."""

    def build(catalog=None, **changes):
        runs = read_runs(write(tmp_path, [row(**changes)]))
        assert runs
        return resolve(runs, catalog or SeedCatalog(), ALIASES)[0]

    return build


def test_a_stated_run_is_taken_as_it_is(one):
    """Nothing is filled in where the row says everything."""
    found = one(tp="2", gpus="4", precision="fp8")
    assert (found.device.key, found.model.key) == ("h100-sxm", "meta-llama/Llama-3.1-8B")
    assert found.parallel.label == "t2"  # the other two devices are a replica
    assert (found.weight_dtype, found.kv_dtype, found.filled) == ("fp8", "bf16", ())


@pytest.mark.parametrize(
    ("measured", "source", "device"),
    [
        ("h200", "bench", "h200-sxm"),
        ("a100-sxm", "bench", "a100-sxm-80"),
        ("a100-sxm", "argonne_llm_inference_bench", "a100-sxm-40"),
        ("mi300x", "bench", "mi300x"),
    ],
)
def test_devices_through_the_alias_table(one, measured, source, device):
    """The default, another card for a source that had it, or the catalog's own key."""
    assert one(device_key=measured, source=source, precision="bf16").device.key == device


@pytest.mark.parametrize(
    ("measured", "model"),
    [
        ("llama2-70b-99.9", "meta-llama/Llama-2-70b"),
        ("llama3.1-405b", "meta-llama/Llama-3.1-405B"),
        ("meta-llama/Llama-3.3-70B-Instruct", "meta-llama/Llama-3.1-70B"),
        ("RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic", "meta-llama/Llama-3.1-70B"),
        ("Qwen/Qwen3-32B-FP8", "Qwen/Qwen3-32B"),
    ],
)
def test_models_through_the_alias_table_or_their_spelling(one, measured, model):
    """MLPerf names and checkpoints of the same architecture."""
    assert one(model=measured, gpus="8", tp="8", precision="fp8").model.key == model


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"device_key": "h900"}, "device h900 is not in the catalog"),
        ({"device_key": "rx6900xt"}, "consumer card"),
        ({"model": "Qwen/Qwen3-33B"}, "model Qwen/Qwen3-33B is not in the catalog"),
        ({"model": "rnnt"}, "speech recognition"),
        ({"model": "bert-99"}, "another kind of work"),
        ({"precision": "fp5"}, "fp5 is not a known dtype"),
        ({"gpus": "3", "tp": "2"}, "3 devices are not a multiple of tensor degree 2"),
        ({"gpus": "3", "tp": "3"}, "does not divide the 32 heads"),
        ({"input_tokens": ""}, "the input length is not given and no rule fills it"),
        ({"output_tokens": ""}, "the output length is not given and no rule fills it"),
    ],
)
def test_a_run_that_cannot_be_predicted_has_a_reason(one, changes, reason):
    """An unknown name is never another one's figure (P0.5)."""
    found = one(**changes)
    assert isinstance(found, Unresolved)
    assert reason in found.reason


def test_input_length_by_task_of_mlenergy_rows(one):
    """The first word of the note names the task; the rule is named."""
    found = one(input_tokens="", source="mlenergy_llm", note="gpqa max_num_seqs=8")
    assert (found.input_tokens, found.filled) == (250, ("input_tokens",))


def test_mlperf_rows_get_the_smallest_tensor_degree_that_fits(one):
    """69 GB in fp8 fill more than four fifths of one 80 GB card; fp4 on 180 GB fits one."""
    common = {"model": "llama2-70b-99", "source": "mlperf_inference", "gpus": "8", "tp": ""}
    common |= {"load_kind": "offline", "load_value": "", "metric": "output_tok_s_per_gpu"}
    common |= {"unit": "tok/s/GPU"}
    hopper = one(**common, precision="fp8")
    assert (hopper.parallel.tensor, hopper.filled) == (2, ("tensor_parallel",))
    assert hopper.kv_dtype == "fp8"
    blackwell = one(**common, precision="", device_key="b200")
    assert (blackwell.parallel.tensor, blackwell.weight_dtype) == (1, "fp4")
    assert set(blackwell.filled) == {"tensor_parallel", "precision"}
    too_large = one(**{**common, "model": "llama3.1-405b"}, precision="bf16")
    assert "GB of weights do not fit 8 x 64 GB" in too_large.reason


@pytest.mark.parametrize(
    ("tp", "dp", "ep", "label", "filled"),
    [
        ("8", "1", "8", "t8 e8", ()),
        ("1", "8", "8", "t1 dp8 e8", ()),
        ("4", "", "8", "t4 dp2 e8", ()),
        ("1", "1", "8", "t8 e8", ("tensor_parallel",)),
        ("8", "1", "", "t8", ()),
    ],
)
def test_degrees_of_a_mixture_of_experts_on_eight_devices(one, tp, dp, ep, label, filled):
    """Attention repeats where experts span more devices than the tensor group."""
    found = one(model="deepseek-ai/DeepSeek-R1", gpus="8", tp=tp, dp=dp, ep=ep, precision="fp8")
    assert (found.parallel.label, found.parallel.devices, found.filled) == (label, 8, filled)


def test_an_own_catalog_entry_is_found_under_the_measured_key(one):
    """A device of the user's own needs no alias."""

    class Own(SeedCatalog):
        def device(self, key):
            base = super().device("h100-sxm")
            return dataclasses.replace(base, key="x1") if key == "x1" else super().device(key)

    assert one(Own(), device_key="x1").device.key == "x1"


def test_a_value_below_the_weight_read_floor_is_taken_out_and_named(tmp_path):
    """8.03 G less 0.53 G of input embedding, 2 bytes, at 3,350 GB/s: 4.48 ms a token at least."""
    rows = [
        row(run_id="fast", value="4.3"),
        row(run_id="fast", metric="e2e_mean", value=str(256 * 4.3)),
        row(run_id="fast", metric="output_tok_s_per_gpu", value="100", unit="tok/s/GPU"),
        row(run_id="good", value="4.6"),
    ]
    found = resolve(read_runs(write(tmp_path, rows)), SeedCatalog(), ALIASES)
    floor = weight_read_floor_ms(found[0])
    assert floor == pytest.approx((8.030 - 0.525) * 2 / 3350 * 1e3, rel=0.002)
    kept, dropped = drop_below_floor(found)
    assert [(one.run.run_id, one.metric) for one in dropped] == [
        ("fast", "tpot_mean"),
        ("fast", "e2e_mean"),
    ]
    assert dropped[1].floor_ms == pytest.approx(256 * floor)
    assert [sorted(one.run.measured) for one in kept] == [["output_tok_s_per_gpu"], ["tpot_mean"]]
