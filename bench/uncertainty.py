"""10,000 draws of a scenario of eight fleets over 60 months, against one draw at a time."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402 -- the path is set above

from hardware_catalog.seed.to_engine import SeedCatalog  # noqa: E402
from tco.document import parse, resolve  # noqa: E402
from tco.inputs import ScenarioInputs  # noqa: E402
from tco.projection import option_cases  # noqa: E402
from tco.uncertainty.assess import assess  # noqa: E402
from tco.uncertainty.drivers import find_drivers  # noqa: E402
from tco.uncertainty.evaluate import Evaluator, base_row  # noqa: E402


def eight_fleets() -> ScenarioInputs:
    """The chat example, each of its four options serving the load with two fleets of a half."""
    text = (ROOT / "examples" / "chat.yaml").read_text(encoding="utf-8")
    inputs = resolve(parse(text), SeedCatalog())
    options = tuple(
        replace(
            option,
            fleets=tuple(
                replace(fleet, key=f"{fleet.key}-{half}", share_fraction=fleet.share_fraction / 2)
                for fleet in option.fleets
                for half in "ab"
            ),
        )
        for option in inputs.options
    )
    return replace(inputs, options=options)


def main() -> None:
    """Print the seconds and the ratio."""
    inputs = eight_fleets()
    cases = option_cases(inputs)
    assess(inputs, draws=100)
    start = time.perf_counter()
    found = assess(inputs, draws=10_000)
    whole = time.perf_counter() - start
    drivers, _ = find_drivers(cases, inputs.finance)
    evaluator = Evaluator(cases, drivers)
    row = base_row(drivers)
    start = time.perf_counter()
    for _ in range(50):
        evaluator.at(row)
    one = (time.perf_counter() - start) / 50
    rows = np.repeat(row, 10_000, axis=0)
    start = time.perf_counter()
    evaluator.at(rows)
    drawn = time.perf_counter() - start
    fleets = sum(len(case.fleets) for case in cases)
    print(
        f"{found.draws:,} draws, {cases[0].calendar.months} months, {fleets} fleets, "
        f"{len(drivers)} uncertain inputs: {whole:.2f} s with sizing, swings and switching values "
        f"(target 2 s); ledgers alone {drawn:.2f} s, {one * 10_000 / drawn:,.0f} x one at a time"
    )


if __name__ == "__main__":
    main()
