"""Fit the serving model to a folder of measured rows and write the tables that ship.

    python -m scripts.calibrate DIR

DIR holds UNIFIED*.csv files of the schema in docs/methodology/performance.md. The rows themselves
are not kept: the tables hold fitted factors, tails and intervals, by what was left out of the fit.
"""

from __future__ import annotations

import sys
from pathlib import Path

from hardware_catalog.seed.reader import rows as seed_rows
from hardware_catalog.seed.to_engine import SeedCatalog
from tco.evidence.aliases import aliases_of
from tco.evidence.calibrate import calibrate, write_table
from tco.evidence.resolve import drop_below_floor, resolve, resolved_only
from tco.evidence.rows import read_runs

ROOT = Path(__file__).resolve().parent.parent
FACTORS = ROOT / "tco/performance/tables/serving_factors.csv"
RESIDUALS = ROOT / "tco/performance/tables/serving_residuals.csv"


def main(folder: str) -> None:
    """Read, fit, write."""
    found, _ = drop_below_floor(
        resolve(
            read_runs(folder),
            SeedCatalog(),
            aliases_of(seed_rows("device_aliases"), seed_rows("model_aliases")),
        )
    )
    runs = resolved_only(found)
    factors, residuals = calibrate(runs, progress=lambda text: print(text, flush=True))
    about = [
        f"Fitted by scripts/calibrate.py to {len(runs)} measured serving runs of "
        f"{len({run.run.source for run in runs})} public sources,",
        f"{len({run.device.key for run in runs})} devices, "
        f"{len({run.model.key for run in runs})} models (docs/accuracy.md names them).",
        "fold: what was left out of the fit; all: nothing.",
    ]
    write_table(
        FACTORS,
        [*about, "log_value: natural logarithm of a share, a ratio, or a cost in the named unit."],
        ("fold", "scope", "whose", "factor", "log_value"),
        factors,
    )
    write_table(
        RESIDUALS,
        [
            *about,
            "Logarithms of measured over predicted. tail: median of the rows the fit saw, for "
            "percentiles; low, high: 80 % of unseen rows.",
        ],
        ("fold", "metric", "kind", "in_flight", "tail_log", "low_log", "high_log", "rows"),
        residuals,
    )


if __name__ == "__main__":
    main(sys.argv[1])
