"""Packing 10,000 servers of six kinds into a hall of 3,300 racks, free and under shared limits.

    python bench/packing.py

The time of a plain loop over the same racks and kinds stands beside it: ratios in one run, never a
gate.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tco.facility.hall.first_fit import Demand, first_fit  # noqa: E402
from tco.facility.hall.kinds import Kind, RackClass  # noqa: E402
from tco.facility.hall.state import Hall, Shared  # noqa: E402
from tco.inputs import Feed, assumed  # noqa: E402

REPEATS = 5
COUNTS = (2000, 1500, 3000, 1000, 1500, 1000)
AIR_RACKS, LIQUID_RACKS, RACKS_A_ROW = 2600, 700, 33


def median_s(work: Callable[[], object]) -> float:
    """Median seconds of the repeats."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def hall(shared: tuple[Shared, ...]) -> Hall:
    """Racks of 34.5 kW by air and of 69 kW with cold plates."""
    feed = Feed(
        "f",
        "F",
        415.0,
        "LL",
        3,
        60.0,
        assumed(0.8, "fraction", "NEC"),
        assumed(1.0, "fraction", ""),
    )
    air = RackClass("air", "air", 96, feed, 34.5, 34.5, 40.0, None, 0.0, 1300.0, 150.0, 1400.0, 64)
    liquid = RackClass(
        "liquid", "liquid", 96, feed, 69.0, 69.0, 140.0, 20.0, 140.0, 1300.0, 150.0, 1400.0, 64
    )
    return Hall.of([air, liquid], [0] * AIR_RACKS + [1] * LIQUID_RACKS, shared)


def demands() -> list[Demand]:
    """Six kinds, 10,000 servers."""
    kinds = (
        Kind("h100", "8 x H100", 16, 10.2, 130.0, 8, supplies=6),
        Kind("l4", "L4", 4, 1.2, 30.0, 2, supplies=2),
        Kind("cpu", "CPU", 2, 0.6, 18.0, 2, supplies=2),
        Kind("b200", "8 x B200", 20, 14.3, 142.0, 8, supplies=6),
        Kind("liquid", "8 x B200, cold plates", 8, 12.0, 90.0, 8, 0.85, 4),
        Kind("storage", "storage", 8, 1.5, 60.0, 2, supplies=2),
    )
    return [Demand(kind, count) for kind, count in zip(kinds, COUNTS, strict=True)]


def main() -> None:
    """Print seconds, racks and ratios."""
    every = AIR_RACKS + LIQUID_RACKS
    rows = tuple(
        Shared(f"row {row}", "kW", "power", 1100.0, dict.fromkeys(range(row, row + 33), 1.0))
        for row in range(0, every, RACKS_A_ROW)
    )
    ups = Shared("UPS", "kW", "power", 65_000.0, dict.fromkeys(range(every), 1.0))
    plain = median_s(lambda: [rack * 1.0 for _ in COUNTS for rack in range(every)])
    for name, shared in (("racks alone", ()), ("rows and UPS", (ups, *rows))):
        empty = hall(shared)
        found = first_fit(empty, demands())
        seconds = median_s(lambda empty=empty: first_fit(empty, demands()))
        print(
            f"{name}: {len(found.placed):,} placed, {sum(found.unplaced.values())} left,"
            f" {found.racks_used:,} racks (at least {found.bound:,}), {seconds:.2f} s,"
            f" {seconds / plain:,.0f} x a plain loop"
        )


if __name__ == "__main__":
    main()
