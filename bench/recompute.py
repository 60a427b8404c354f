"""Recompute of a plan of 5 years, 3 sites and 8 fleets after one edit, on one core.

    python bench/recompute.py

Each edit changes one figure of the document and projects it whole: names resolved, fleets sized,
powered and packed, ledgers, results, accounts, checks, thresholds. Beside it stands the same
without money: sizing, power and racks. Times are those of the processor, so that what else runs on
the machine counts little. Ratios in one run, never a gate; the target of 50 ms is printed with the
verdict.
"""

from __future__ import annotations

import copy
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy: one core
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.preview import document  # noqa: E402 -- the path is set above
from hardware_catalog.seed.to_engine import SeedCatalog  # noqa: E402
from tco.cost.case import Calendar  # noqa: E402
from tco.document import resolve  # noqa: E402
from tco.facility.packing import rack_layout  # noqa: E402
from tco.facility.slots import slot_fit  # noqa: E402
from tco.inputs import ScenarioInputs  # noqa: E402
from tco.performance.sizing import size_fleet  # noqa: E402
from tco.power.server_power import fleet_power  # noqa: E402
from tco.projection import project  # noqa: E402

REPEATS, WARM_UP = 30, 3
TARGET_MS = 50.0
Edit = Callable[[dict[str, Any], int], None]


def a_price(given: dict[str, Any], number: int) -> None:
    """One server price."""
    fleet = given["options"][0]["fleets"][0]
    fleet.setdefault("purchase", {})["server_usd"] = 300_000 + number


def the_power_price(given: dict[str, Any], number: int) -> None:
    """Electricity of one site."""
    given["sites"][0]["energy_usd_per_kwh"] = 0.08 + number / 10_000


def the_discount_rate(given: dict[str, Any], number: int) -> None:
    """The rate of the whole scenario."""
    given["finance"]["discount_rate_fraction"] = 0.05 + number / 100_000


def the_demand(given: dict[str, Any], number: int) -> None:
    """Requests of one workload: its fleets are sized anew."""
    given["workloads"][0]["requests_per_minute"] = 9000 + number


EDITS: tuple[Edit, ...] = (a_price, the_power_price, the_discount_rate, the_demand)


def without_money(inputs: ScenarioInputs) -> None:
    """Everything before the ledger: slots, counts, watts, racks."""
    calendar = Calendar.of(inputs.finance)
    for option in inputs.options:
        for fleet in option.fleets:
            share = 1.0
            if fleet.server is not None and fleet.site is not None:
                slot = slot_fit(fleet.server, fleet.site.slot_w)
                share = slot.throughput_fraction if slot.fits else 1.0
            result = size_fleet(
                fleet,
                horizon_months=calendar.months,
                hours=calendar.finance.hours_mode,
                throughput_fraction=share,
            )
            power = fleet_power(fleet, result, hours_per_year=calendar.hours_per_year)
            if power is not None:
                rack_layout(fleet, result, server_provisioned_kw=power.server_provisioned_kw)


def times_ms(edit: Edit, work: Callable[[dict[str, Any]], None], first: int) -> list[float]:
    """One time for each edit, every one to a value not seen before."""
    found = []
    for number in range(REPEATS + WARM_UP):
        given = copy.deepcopy(document())
        given["finance"]["horizon_months"] = 60
        edit(given, first + number)
        start = time.process_time()
        work(given)
        if number >= WARM_UP:
            found.append(1e3 * (time.process_time() - start))
    return found


def main() -> None:
    """Print a row for each edit and the verdict on the target."""
    catalog = SeedCatalog()
    print(f"{'edit':20} {'p50':>8} {'p95':>8} {'no money':>9} {'ratio':>6}")
    worst = 0.0
    for edit in EDITS:
        whole = times_ms(edit, lambda given: project(resolve(given, catalog)) and None, 1)
        bare = times_ms(edit, lambda given: without_money(resolve(given, catalog)), 1001)
        middle, base = statistics.median(whole), statistics.median(bare)
        late = sorted(whole)[int(0.95 * len(whole))]
        worst = max(worst, middle)
        name = edit.__name__.replace("_", " ")
        print(f"{name:20} {middle:5.1f} ms {late:5.1f} ms {base:6.1f} ms {middle / base:6.1f}")
    verdict = "within" if worst <= TARGET_MS else "above"
    print(f"5 years, 3 sites, 8 fleets: {worst:.1f} ms at most, {verdict} the target of 50 ms")


if __name__ == "__main__":
    main()
