"""A million candidate mixes: full cost by columns, beside one projection at a time.

A mix is one option at one point of the grid. `make bench` prints mixes per second, their ratio,
the time for a million and the memory; target: a million under 60 s on 2 cores in under 1 GB, and
100 times one at a time.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from hardware_catalog.seed.to_engine import SeedCatalog  # noqa: E402
from tco.document import parse, resolve  # noqa: E402
from tco.projection import project  # noqa: E402
from tco.sweep.axes import read_axis  # noqa: E402
from tco.sweep.run import Sweep  # noqa: E402
from tco.sweep.table import blocks  # noqa: E402

AXES = (
    "options[h100].fleets[h100].purchase.server_usd=200000:300000:50",
    "options[mi300x].fleets[mi300x].purchase.server_usd=150000:250000:50",
    "sites[0].energy_usd_per_kwh=0.04:0.2:10",
    "finance.discount_rate_fraction=0.02:0.14:10",
)
MIXES = 1_000_000
BLOCK = 50_000


def main() -> int:
    """Print the figures."""
    document = parse((ROOT / "examples" / "chat.yaml").read_text(encoding="utf-8"))
    catalog = SeedCatalog()
    began = time.perf_counter()
    sweep = Sweep(document, catalog, tuple(map(read_axis, AXES)))
    assert sweep.by_columns, sweep.why_whole
    prepared = time.perf_counter() - began
    began = time.perf_counter()
    mixes = 0
    for first, last in blocks(sweep.size, BLOCK):
        mixes += sweep.cost(first, last).size
    took = time.perf_counter() - began
    assert mixes >= MIXES
    began = time.perf_counter()
    repeats = 20
    for point in range(repeats):
        project(resolve(sweep.document_at(point * 97), catalog))
    alone = (time.perf_counter() - began) / repeats / len(sweep.options)
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rate, one = mixes / took, 1.0 / alone
    print(f"{mixes:,} mixes in {took:.1f} s after {prepared:.1f} s of preparation")
    print(f"{rate:,.0f} mixes/s by columns, {one:,.0f} one at a time: ratio {rate / one:,.0f}")
    print(f"a million in {MIXES / rate + prepared:.1f} s on one core, {peak_mb:,.0f} MB at most")
    return 0


if __name__ == "__main__":
    sys.exit(main())
