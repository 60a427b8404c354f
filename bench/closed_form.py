"""Points of the closed form a second, many at once against one at a time.

    python bench/closed_form.py

Ratios in one run, never a gate: absolute times vary from machine to machine. One core: BLAS runs on
one thread.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from hardware_catalog.seed.to_engine import SeedCatalog  # noqa: E402
from tco.inputs import Device, LanguageModel, Parallel  # noqa: E402
from tco.performance.factors import SHIPPED, resolve, shipped_factors, subject  # noqa: E402
from tco.performance.memory import memory_plan  # noqa: E402
from tco.performance.rates import replica_rates  # noqa: E402
from tco.performance.replica import ReplicaSpec, build_replica  # noqa: E402
from tco.performance.serving import evaluate  # noqa: E402
from tco.performance.steady import Batch, open_loop, saturated  # noqa: E402
from tco.performance.step import shares, step_arrays  # noqa: E402
from tco.performance.work import WIDE, work_of  # noqa: E402

INPUT, OUTPUT = 1000.0, 250.0
LOADS = np.linspace(0.05, 0.9, 40)
REPEATS = 7


def median_s(work: Callable[[], object]) -> float:
    """Median seconds of the repeats."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def batch_of(model: LanguageModel, device: Device, repeats: int) -> tuple[Batch, np.ndarray]:
    """Configurations of a 70B on 2 to 8 devices, each `repeats` times, and their room."""
    works, rates, rooms = [], [], []
    for tensor, pipeline in ((2, 1), (4, 1), (8, 1), (2, 2), (4, 2), (1, 4), (2, 4)):
        for weight in ("fp8", "int4"):
            for cache in ("bf16", "fp8"):
                parallel = Parallel(tensor, pipeline)
                work = work_of(model, parallel, weight_dtype=weight, kv_dtype=cache)
                dtypes = tuple(sorted({one.dtype for one in work.products} | {WIDE}))
                rate = replica_rates(device, parallel, dtypes)
                assert not isinstance(rate, str), rate
                assert device.memory_gb is not None
                plan = memory_plan(
                    model,
                    memory_gb=device.memory_gb.value,
                    parallel=parallel,
                    weight_dtype=weight,
                    kv_dtype=cache,
                    sequence_tokens=INPUT + OUTPUT,
                )
                works += [work] * repeats
                rates += [rate] * repeats
                rooms += [max(plan.kv_tokens or 0.0, 2 * (INPUT + OUTPUT))] * repeats
    arrays = step_arrays(works, rates)
    at = shares(arrays, resolve(shipped_factors()[SHIPPED], [subject(device)] * len(works)))
    size = len(works)
    batch = Batch(
        arrays=arrays,
        at=at,
        input_tokens=np.full(size, INPUT),
        output_tokens=np.full(size, OUTPUT),
        kv_tokens=np.array(rooms),
        max_sequences=np.full(size, 256.0),
        cached_tokens=np.zeros(size),
    )
    full = saturated(batch, batch.room())
    return batch, full.output_tokens_per_s / OUTPUT


def main() -> None:
    """Print points a second and the ratios."""
    catalog = SeedCatalog()
    model, device = catalog.model("meta-llama/Llama-3.1-70B"), catalog.device("h100-sxm")
    assert model is not None
    assert device is not None
    batch, limit = batch_of(model, device, len(LOADS))
    rates = limit * np.tile(LOADS, len(limit) // len(LOADS))
    many = len(rates) / median_s(lambda: open_loop(batch, rates))
    single, few = batch_of(model, device, 1)
    alone = len(few) / median_s(lambda: open_loop(single, 0.5 * few))
    print(
        f"means of the steady state: {many:,.0f} (configuration, load) points a second, "
        f"{len(rates):,} at once (target 20,000); {many / alone:.1f} x one load a configuration"
    )
    replica = build_replica(ReplicaSpec(model, device, 8, "bf16", "bf16", INPUT, OUTPUT), ())
    assert replica.times is not None
    times = replica.times
    loads = np.linspace(0.05, 0.9, 400) * times.saturation_per_s
    every = len(loads) / median_s(lambda: evaluate(times, loads))
    tails = len(loads) / median_s(lambda: evaluate(times, loads, (95.0,), ("ttft", "tpot")))
    one = 1 / median_s(lambda: evaluate(times, loads[200:201]))
    print(
        f"with percentiles, one replica of {times.slots} slots: {every:,.0f} points a second with "
        f"12 percentiles, {tails:,.0f} with the 95th of TTFT and TPOT; {every / one:.1f} x one at "
        f"a time"
    )


if __name__ == "__main__":
    main()
