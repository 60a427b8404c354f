"""The configuration search and the closed form, each against doing the same one at a time."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402 -- the path is set above

from hardware_catalog.seed.to_engine import SeedCatalog  # noqa: E402
from tco.inputs import LatencyTarget  # noqa: E402
from tco.performance.replica import ReplicaSpec, build_replica, capacity  # noqa: E402
from tco.performance.serving import evaluate  # noqa: E402
from tco.search.enumerate import configurations  # noqa: E402
from tco.search.evaluate import SHARES, fitting, loads  # noqa: E402
from tco.search.rank import search, spec_of  # noqa: E402
from tco.search.request import Request  # noqa: E402

TARGETS = (LatencyTarget("ttft", 95, 1000), LatencyTarget("tpot", 95, 50))


def asked() -> Request:
    """Llama-3.1-70B on one server of eight H100."""
    catalog = SeedCatalog()
    model, device = catalog.model("meta-llama/Llama-3.1-70B"), catalog.device("h100-sxm")
    assert model is not None
    assert device is not None
    return Request(model, device, 8, 1000, 250, targets=TARGETS, usd_per_hour=24.0)


def main() -> None:
    """Print the counts, the seconds and the ratios."""
    request = asked()
    search(request)
    build_replica.cache_clear()
    capacity.cache_clear()
    start = time.perf_counter()
    result = search(request)
    whole = time.perf_counter() - start
    tried, _ = configurations(request)
    alone = [each for each in tried if not each.prefill_workers][::12]
    build_replica.cache_clear()
    capacity.cache_clear()
    start = time.perf_counter()
    for each in alone:
        capacity(spec_of(request, each), (), TARGETS)
    one = (time.perf_counter() - start) / len(alone)
    print(
        f"search: {result.tried} configurations in {whole:.3f} s (target 0.5 s), "
        f"{one * result.tried / whole:,.0f} x sizing them one at a time"
    )
    kept, plans, _ = fitting(request, [each for each in tried if not each.prefill_workers])
    start = time.perf_counter()
    for _ in range(5):
        loads(request, kept, plans)
    means = 5 * len(kept) * len(SHARES) / (time.perf_counter() - start)
    replica = build_replica(
        ReplicaSpec(request.model, request.device, 8, "bf16", "bf16", 1000, 250), ()
    )
    assert replica.times is not None
    rates = np.linspace(0.05, 0.9, 400) * replica.times.saturation_per_s
    start = time.perf_counter()
    for _ in range(5):
        evaluate(replica.times, rates)
    points = 5 * len(rates) / (time.perf_counter() - start)
    start = time.perf_counter()
    for rate in rates[::20]:
        evaluate(replica.times, np.array([rate]))
    single = len(rates[::20]) / (time.perf_counter() - start)
    print(
        f"closed form: {means:,.0f} (configuration, load) points a second with means (target "
        f"20,000), {points:,.0f} with every percentile, {points / single:,.0f} x one load at a time"
    )
    start = time.perf_counter()
    subprocess.run(
        [
            str(Path(sys.executable).parent / "tco"),
            *("serve-configs", "--point", str(ROOT / "examples/search/llama70b_h100.yaml")),
        ],
        check=True,
        capture_output=True,
    )
    cold = time.perf_counter() - start
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import numpy, scipy.special"], check=True)
    bare = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"one point from a cold start: {cold:.2f} s (target 1 s), {cold / bare:.1f} x importing "
        f"numpy and scipy.special; peak memory of this process {peak:,.0f} MiB (target 300 MB)"
    )


if __name__ == "__main__":
    main()
