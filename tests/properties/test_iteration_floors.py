"""No iteration beats the bare hardware, whatever the device and the model (P0.1, P0.4)."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.inputs import Parallel
from tco.performance.degrees import degrees_problem
from tco.performance.iteration import IterationModel, iteration_model

CATALOG = SeedCatalog()
DEVICES = [
    device
    for device in (CATALOG.device(key) for key in CATALOG.records("device"))
    if device is not None and device.memory_bandwidth_gb_s is not None and device.peak_tflops
]
MODELS = [
    model
    for model in (CATALOG.model(key) for key in CATALOG.records("language_model"))
    if model is not None and model.supported and model.kind == "decoder"
]

cases = st.tuples(
    st.sampled_from(DEVICES),
    st.sampled_from(MODELS),
    st.sampled_from([Parallel(1), Parallel(2), Parallel(8), Parallel(4, 2), Parallel(1, 1, 8, 8)]),
    st.sampled_from(["bf16", "fp8", "int4", "nvfp4"]),
)


def built(device, model, parallel, dtype) -> IterationModel:
    """Return the iteration model, or leave the case out."""
    if model.experts is None and parallel.expert > 1:
        parallel = Parallel(parallel.tensor, parallel.pipeline, 1, parallel.attention_data)
    assume(not degrees_problem(model, parallel))
    found = iteration_model(model, device, parallel, weight_dtype=dtype, kv_dtype="bf16")
    assume(not isinstance(found, str))
    return found


@settings(max_examples=150, deadline=None, derandomize=True)
@given(case=cases, context=st.floats(1, 100_000), prompt=st.floats(1, 20_000))
def test_steps_stay_above_their_floors(case, context, prompt):
    """A decode step reads its weights and cache; a prefill makes its flops at the dense peak."""
    model = built(*case)
    one = np.array([1.0])
    step = float(model.seconds(0.0, 0.0, one, context)[0])
    assert step > model.decode_floor_s(context)
    whole = float(model.seconds(prompt, 0.0, one * 0, 0.0)[0])
    assert whole > model.prefill_floor_s(prompt)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(case=cases, rows=st.integers(1, 500), more=st.integers(1, 500))
def test_more_sequences_and_more_context_take_longer(case, rows, more):
    """Time rises with sequences and does not fall with context."""
    model = built(*case)
    few, many = model.seconds(0.0, 0.0, np.array([float(rows), float(rows + more)]), 1000.0)
    assert many > few
    longer = model.seconds(0.0, 0.0, np.array([float(rows)]), 2000.0)
    assert float(longer[0]) >= few


@settings(max_examples=100, deadline=None, derandomize=True)
@given(case=cases, rows=st.integers(1, 256), prompt=st.integers(0, 4096))
def test_the_table_agrees_with_the_model(case, rows, prompt):
    """The table that the simulator reads says what the model says, within 3 %.

    The table counts the head for as many rows as may sample; a prompt samples one.
    """
    model = built(*case)
    table = model.table(kv_tokens=1e9, max_sequences=256, max_batched_tokens=8192)
    said = float(table.seconds(prompt, prompt * prompt / 2, rows, rows * 700.0))
    exact = float(model.seconds(prompt, 0.0, np.array([float(rows)]), 700.0)[0])
    assert abs(said / exact - 1) < 0.03
