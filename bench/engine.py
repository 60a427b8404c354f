"""How long the engine takes, as a ratio to a plain numpy ledger of the same size.

    python bench/engine.py

Ratios in one run, never a gate: absolute times vary from machine to machine.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from hardware_catalog.seed.to_engine import SeedCatalog  # noqa: E402 -- the path is set above
from tco.document import parse, resolve  # noqa: E402
from tco.projection import project  # noqa: E402

REPEATS = 15


def median_ms(work: Callable[[], object]) -> float:
    """Median of the repeats, in ms."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def main() -> None:
    """Print a row for each example."""
    catalog = SeedCatalog()
    print(f"{'example':20} {'resolve':>10} {'project':>10} {'ledger alone':>13} {'ratio':>8}")
    for path in sorted((ROOT / "examples").glob("*.yaml")):
        document = parse(path.read_text(encoding="utf-8"))
        inputs = resolve(document, catalog)
        result = project(inputs)
        lines = [line for option in result.options for line in option.ledger.lines]
        amounts = np.array([line.start_usd for line in lines] + [line.end_usd for line in lines])
        factors = 1.0 / (1.0 + 0.008) ** np.arange(amounts.shape[1])
        base = median_ms(lambda a=amounts, f=factors: (a * f).sum(axis=1).cumsum())  # type: ignore[misc]
        resolving = median_ms(lambda d=document: resolve(d, catalog))  # type: ignore[misc]
        projecting = median_ms(lambda i=inputs: project(i))  # type: ignore[misc]
        print(
            f"{path.name:20} {resolving:7.2f} ms {projecting:7.2f} ms {base:10.4f} ms "
            f"{projecting / base:8.0f}"
        )


if __name__ == "__main__":
    main()
