"""The configuration search against trying every configuration alone, and one cold answer.

    python bench/search.py

Ratios in one run, never a gate: absolute times vary from machine to machine. One core: BLAS runs on
one thread.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported

import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from hardware_catalog.seed.to_engine import SeedCatalog  # noqa: E402
from tco.inputs import LatencyTarget  # noqa: E402
from tco.performance.replica import build_replica, capacity  # noqa: E402
from tco.search.enumerate import configurations  # noqa: E402
from tco.search.rank import point, search, spec_of  # noqa: E402
from tco.search.request import Request  # noqa: E402

EXAMPLE = ROOT / "examples/search/llama70b_h100.yaml"
TARGETS = (LatencyTarget("ttft", 95, 1000), LatencyTarget("tpot", 95, 50))
REPEATS = 7


def asked() -> Request:
    """Llama-3.1-70B on one server of eight H100."""
    catalog = SeedCatalog()
    model, device = catalog.model("meta-llama/Llama-3.1-70B"), catalog.device("h100-sxm")
    assert model is not None
    assert device is not None
    return Request(model, device, 8, 1000, 250, targets=TARGETS, usd_per_hour=24.0)


def cold_s(command: list[str]) -> float:
    """Median seconds of a command from its start to its end."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    """Print the counts, the seconds and the ratios."""
    request = asked()
    search(request)  # tables of the package are read once
    walls, works = [], []
    for _ in range(REPEATS):
        wall, work = time.perf_counter(), time.process_time()
        result = search(request)
        walls.append(time.perf_counter() - wall)
        works.append(time.process_time() - work)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    whole = statistics.median(walls)
    tried, _ = configurations(request)
    alone = [each for each in tried if not each.prefill_workers][::12]
    start = time.perf_counter()
    for each in alone:
        point(request, each)
    one = (time.perf_counter() - start) / len(alone)
    build_replica.cache_clear()
    capacity.cache_clear()
    start = time.perf_counter()
    for each in alone:
        capacity(spec_of(request, each), (), TARGETS)
    sizing = (time.perf_counter() - start) / len(alone)
    print(
        f"search: {result.tried} configurations in {whole:.3f} s, {statistics.median(works):.3f} s "
        f"of one core (target 0.5 s, at least 400); {one * result.tried / whole:.1f} x faster than "
        f"each alone with `point`, {sizing * result.tried / whole:.1f} x than with the sizing"
    )
    print(f"peak memory {peak:,.0f} MB (target 300 MB)")
    tco = str(Path(sys.executable).parent / "tco")
    cold = cold_s([tco, "serve-configs", "--point", str(EXAMPLE)])
    bare = cold_s([sys.executable, "-c", "import numpy, scipy.special"])
    print(
        f"one point from a cold start: {cold:.2f} s (target 1 s), {cold / bare:.1f} x importing "
        f"numpy and scipy.special"
    )


if __name__ == "__main__":
    main()
