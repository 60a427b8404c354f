"""The event simulator against stepping through every iteration, in the same run."""

from __future__ import annotations

import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from hardware_catalog.seed.to_engine import SeedCatalog  # noqa: E402 -- the path is set above
from tco.performance.replica import ReplicaSpec, build_replica  # noqa: E402
from tco.simulate.arrivals import poisson  # noqa: E402
from tco.simulate.replica import Requests, simulate  # noqa: E402
from tco.simulate.step_table import StepTable  # noqa: E402
from tests.oracles.plain_replica import plain  # noqa: E402

REQUESTS, INPUT, OUTPUT, LOAD = 10_000, 1024, 256, 0.8
FEWER = 500  # stepped one iteration at a time


def stepped(table: StepTable, requests: Requests) -> float:
    """Seconds a request of the same loop without jumps: each iteration asks the table."""
    start = time.perf_counter()
    plain(table, requests)  # type: ignore[no-untyped-call]
    return (time.perf_counter() - start) / len(requests.arrival_s)


def main() -> None:
    """Print seconds of 10,000 requests and the ratio."""
    catalog = SeedCatalog()
    model, device = catalog.model("meta-llama/Llama-3.1-70B"), catalog.device("h100-sxm")
    assert model is not None
    assert device is not None
    replica = build_replica(ReplicaSpec(model, device, 8, "bf16", "bf16", INPUT, OUTPUT), (8,))
    table = replica.step_table()
    assert replica.times is not None
    rate = LOAD * replica.times.saturation_per_s

    def drawn(count: int) -> Requests:
        return Requests(poisson(rate, count, 1).tolist(), [INPUT] * count, [OUTPUT] * count)

    best = min(_timed(table, drawn(REQUESTS)) for _ in range(3))
    each = stepped(table, drawn(FEWER))
    print(
        f"simulator: {REQUESTS:,} requests of {INPUT:,} in / {OUTPUT} out at {LOAD:.0%} load in "
        f"{best:.3f} s (target 0.3 s); {each * REQUESTS / best:,.0f} x a loop that steps through "
        "every iteration"
    )


def _timed(table: StepTable, requests: Requests) -> float:
    start = time.perf_counter()
    simulate(table, requests)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
