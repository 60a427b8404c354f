"""Fit the serving model to a folder of measured rows and write the tables that ship.

    python -m scripts.calibrate DIR              about 10 minutes
    python -m scripts.calibrate DIR --intervals  keeps the factors, half a minute

DIR holds UNIFIED*.csv files of the schema in docs/methodology/performance.md. The rows themselves
are not kept: the tables hold fitted factors, tails and intervals, by what was left out of the fit.
"""

from __future__ import annotations

import sys
from pathlib import Path

from hardware_catalog.seed.reader import rows as seed_rows
from hardware_catalog.seed.to_engine import SeedCatalog
from tco.evidence.aliases import aliases_of
from tco.evidence.calibrate import calibrate, residual_rows, write_table
from tco.evidence.resolve import drop_below_floor, resolve, resolved_only
from tco.evidence.rows import read_runs
from tco.performance.factors import shipped_factors

ROOT = Path(__file__).resolve().parent.parent
TABLES = ROOT / "tco/performance/tables"


def main(folder: str, *, refit: bool) -> None:
    """Read, fit, write."""
    aliases = aliases_of(seed_rows("device_aliases"), seed_rows("model_aliases"))
    found, _ = drop_below_floor(resolve(read_runs(folder), SeedCatalog(), aliases))
    runs = resolved_only(found)
    about = [
        f"Fitted by scripts/calibrate.py to {len(runs)} measured serving runs of "
        f"{len({run.run.source for run in runs})} public sources,",
        f"{len({run.device.key for run in runs})} devices, "
        f"{len({run.model.key for run in runs})} models (docs/accuracy.md names them).",
        "fold: what was left out of the fit; all: nothing.",
    ]
    if refit:
        factors, values = calibrate(runs, progress=lambda text: print(text, flush=True))
        write_table(
            TABLES / "serving_factors.csv",
            [*about, "log_value: natural logarithm of a share, ratio, or cost in the named unit."],
            ("fold", "scope", "whose", "factor", "log_value"),
            factors,
        )
    else:
        values = dict(shipped_factors())
    tails, intervals = residual_rows(runs, values)
    write_table(
        TABLES / "serving_tails.csv",
        [*about, "tail_log: median log of measured over predicted mean, of rows the fit saw."],
        ("fold", "metric", "kind", "in_flight", "tail_log"),
        tails,
    )
    write_table(
        TABLES / "serving_intervals.csv",
        [*about, "low_log, high_log: 80 % of log measured over predicted, of rows no fit saw."],
        ("fold", "family", "kind", "low_log", "high_log", "rows"),
        intervals,
    )


if __name__ == "__main__":
    main(sys.argv[1], refit="--intervals" not in sys.argv)
