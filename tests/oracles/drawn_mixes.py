"""Small random problems of the optimiser, and every mix of them tried (oracle)."""

from __future__ import annotations

import itertools
import math

import numpy as np

from tco.optimise.problem import OWNED, RENTED, Column, Demand, Limit, Once, OneOf, Problem, Step
from tco.optimise.violations import violations

MOST = 4  # machines of a column that has a lock


def drawn(seed: int) -> Problem:
    """Return a problem of three to five columns with every kind of rule in it."""
    rng = np.random.default_rng(seed)
    size, demands = int(rng.integers(3, 6)), int(rng.integers(1, 3))
    columns = tuple(
        Column(
            f"c{place}",
            workload="w",
            vendor="AB"[place % 2],
            tenure=OWNED if place % 3 else RENTED,
            latency_ms=float(rng.integers(100, 104)),
            fewest=int(rng.random() < 0.1),
            most=MOST if rng.random() < 0.5 else None,
        )
        for place in range(size)
    )
    serves = rng.integers(0, 6, (demands, size)).astype(float)
    serves[:, 0] = np.maximum(serves[:, 0], 1.0)
    kilowatts = rng.integers(2, 7, size).astype(float)
    limits = [Limit("hall", "kW", kilowatts, float(rng.integers(6, 22)), "sites[0].hall_kw")]
    if rng.random() < 0.4:
        use = np.where(np.arange(size) % 2 == 0, 0.4, -0.6)
        limits.append(Limit("vendor A", "servers", use, 0.0, share=True))
    return Problem(
        columns,
        {"usd": rng.integers(3, 20, size).astype(float), "carbon_kg": kilowatts * 7.0},
        tuple(
            Demand(f"d{place}", float(rng.integers(2, 12)), "req/s", int(rng.random() < 0.3))
            for place in range(demands)
        ),
        serves,
        tuple(limits),
        (Step("racks", "racks", np.full(size, 0.4), 4.0, int(rng.integers(2, 6))),),
        (Once("port", (1, 2), 5.0),) if rng.random() < 0.5 else (),
        (OneOf("answers alike", ((0,), (1,)), ("x", "y")),) if rng.random() < 0.4 else (),
        {"usd": "USD", "carbon_kg": "kg"},
        serves * rng.choice([0.25, 0.5, 1.0], size) if rng.random() < 0.5 else None,
    )


def every_mix(problem: Problem) -> list[tuple[int, ...]]:
    """Return all mixes within the locks that break nothing."""
    kilowatts = problem.limits[0]
    ranges = [
        range(
            column.fewest,
            1 + (int(kilowatts.most_units // use) if column.most is None else column.most),
        )
        for column, use in zip(problem.columns, kilowatts.use, strict=True)
    ]
    return [mix for mix in itertools.product(*ranges) if not violations(problem, mix)]


def cheapest(problem: Problem, objective: str = "usd") -> float:
    """Return the least cost over every mix; infinite where there is none."""
    return min((problem.totals(mix)[objective] for mix in every_mix(problem)), default=math.inf)
