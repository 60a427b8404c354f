"""Memory falls with narrower dtypes and more devices, rises with context; never below its parts."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tco.inputs import Parallel
from tco.performance.kv_cache import kv_cache
from tco.performance.memory import memory_plan
from tco.performance.parameters import parameters
from tests.engine.performance.architecture_rows import ALL
from tests.engine.performance.catalog_rows import LLAMA_70B, QWEN_32B

SHAPES = st.sampled_from((*ALL, LLAMA_70B, QWEN_32B))
WEIGHTS = ("mxfp4", "nvfp4", "fp8", "bf16", "fp32")  # from narrow to wide
CACHES = ("int4", "fp8", "int8", "bf16", "fp32")
CONTEXT = st.integers(1, 131_072)
TENSOR = st.sampled_from((1, 2, 4, 8))


def plan(shape, *, t=1, weight="bf16", kv="bf16", tokens=1024, parallel=None):
    """Return a plan on a device large enough for all."""
    return memory_plan(
        shape,
        memory_gb=10_000.0,
        weight_dtype=weight,
        kv_dtype=kv,
        sequence_tokens=tokens,
        parallel=parallel or Parallel(tensor=t),
    )


@settings(max_examples=60, deadline=None)
@given(shape=SHAPES, t=TENSOR, context=CONTEXT, more=st.integers(0, 50_000))
def test_the_cache_grows_with_the_context_and_falls_with_devices(shape, t, context, more):
    """Never less for a longer context; never more for more devices; in whole blocks."""
    cache = kv_cache(shape, "bf16", Parallel(tensor=t))
    held = float(cache.bytes(context))
    assert float(cache.bytes(context + more)) >= held
    assert float(kv_cache(shape, "bf16", Parallel(tensor=2 * t)).bytes(context)) <= held
    assert held >= float(cache.full_token_bytes) * context


@settings(max_examples=60, deadline=None)
@given(shape=SHAPES, t=TENSOR, step=st.integers(0, 3), context=CONTEXT)
def test_wider_formats_hold_more(shape, t, step, context):
    """Weights and cache do not shrink when the format widens by one step."""
    narrow = plan(shape, t=t, weight=WEIGHTS[step], kv=CACHES[step], tokens=context)
    wide = plan(shape, t=t, weight=WEIGHTS[step + 1], kv=CACHES[step + 1], tokens=context)
    assert narrow.weight_bytes <= wide.weight_bytes
    assert narrow.sequence_bytes <= wide.sequence_bytes


@settings(max_examples=60, deadline=None)
@given(shape=SHAPES, t=TENSOR, p=st.integers(1, 4), weight=st.sampled_from(WEIGHTS))
def test_devices_together_hold_at_least_the_model(shape, t, p, weight):
    """Split over any devices the parts are not less than the whole; one holds not more than one."""
    parallel = Parallel(tensor=t, pipeline=p)
    spread, alone = plan(shape, weight=weight, parallel=parallel), plan(shape, weight=weight)
    assert spread.weight_bytes * parallel.devices >= alone.weight_bytes * (1 - 1e-9)
    assert spread.weight_bytes <= alone.weight_bytes * (1 + 1e-9)
    least = parameters(shape).total * 0.5
    assert alone.weight_bytes >= least


@settings(max_examples=60, deadline=None)
@given(shape=SHAPES, t=TENSOR, memory=st.floats(1, 2000), context=CONTEXT)
def test_what_fits_is_at_least_weights_and_cache(shape, t, memory, context):
    """No plan that fits holds less than its weights and its sequences; room and lack agree."""
    made = memory_plan(
        shape,
        memory_gb=memory,
        weight_dtype="fp8",
        kv_dtype="fp8",
        sequence_tokens=context,
        tensor_parallel=t,
    )
    cached = made.sequences * made.sequence_bytes
    if made.missing_gb == 0:
        assert made.weight_bytes + made.fixed_bytes + cached <= made.usable_bytes * (1 + 1e-9)
        assert made.sequences >= 2
    else:
        assert made.sequences < 2
