"""How fast a mix is proven: 200 configurations x 3 sites x 5 workloads x 3 phases, own or rent."""

from __future__ import annotations

import itertools
import time
from dataclasses import replace

import numpy as np

from tco.optimise.dominance import undominated
from tco.optimise.highs import PROVEN_FRACTION, Progress
from tco.optimise.problem import OWNED, RENTED, Column, Demand, Limit, Problem
from tco.optimise.solve import solve

DEVICES, SETTINGS, SITES, WORKLOADS, PHASES = 20, 10, 3, 5, 3


def large(seed: int, size: float = 1.0) -> Problem:
    """Twenty servers in ten settings: price and watts are the server's, speed the setting's."""
    rng = np.random.default_rng(seed)
    watts_kw = rng.uniform(3, 14, DEVICES)
    price_usd = 25e3 * watts_kw * rng.lognormal(0, 0.25, DEVICES)
    makers = rng.integers(0, 4, DEVICES)
    speed = (
        10
        * rng.lognormal(0, 0.5, (DEVICES, 1, WORKLOADS))
        * rng.lognormal(-0.3, 0.3, (DEVICES, SETTINGS, WORKLOADS))
    )
    speed[rng.random(speed.shape) < 0.2] = 0.0  # does not fit, or misses the target
    tariff = rng.uniform(0.05, 0.15, SITES)
    need = np.outer(rng.uniform(200, 800, WORKLOADS), [1, 1.6, 2.3]) * size
    columns, usd, kw, budget, capacity = [], [], [], [], []
    spans = (range(DEVICES), range(SETTINGS), range(SITES), range(WORKLOADS), range(PHASES))
    for device, setting, site, work, phase in itertools.product(*spans):
        each = speed[device, setting, work]
        years = 1.5 * (PHASES - phase)
        bought = price_usd[device] * 0.85**phase
        for tenure in (OWNED, RENTED):
            own = tenure == OWNED
            columns.append(
                Column(
                    f"d{device} s{setting}", f"site{site}", f"w{work}", tenure, phase,
                    f"maker{makers[device]}", most=None if each else 0,
                )
            )  # fmt: skip
            energy = watts_kw[device] * tariff[site] * 8760 * 1.3 * years
            usd.append(bought + energy if own else price_usd[device] * 0.55 * 0.9**phase)
            kw.append(watts_kw[device] * 1.3 if own else 0.0)
            budget.append(bought if own else 0.0)
            capacity.append(
                [each if (q >= phase if own else q == phase) else 0.0 for q in range(PHASES)]
            )
    return _rows(columns, np.array(usd), np.array(kw), np.array(budget), np.array(capacity), need)


def _rows(columns, usd, kw, budget, capacity, need) -> Problem:
    work, site = (np.array([getattr(c, name) for c in columns]) for name in ("workload", "site"))
    phase, maker = (np.array([getattr(c, name) for c in columns]) for name in ("phase", "vendor"))
    scale = need.sum() / 12_000
    demands, serves, limits = [], [], []
    for w, q in itertools.product(range(WORKLOADS), range(PHASES)):
        demands.append(Demand(f"w{w} in phase {q}", float(need[w, q]), "req/s"))
        serves.append(np.where(work == f"w{w}", capacity[:, q], 0.0))
    for s, q in itertools.product(range(SITES), range(PHASES)):
        use = np.where((site == f"site{s}") & (phase <= q), kw, 0.0)
        limits.append(Limit(f"hall {s} in phase {q}", "kW", use, (1200, 2100, 2400)[q] * scale))
    for q in range(PHASES):
        use = np.where(phase == q, budget, 0.0)
        limits.append(Limit(f"budget of phase {q}", "USD", use, (9e7, 7e7, 7e7)[q] * scale))
    for m in range(4):
        use = np.where(maker == f"maker{m}", 0.3, -0.7)
        limits.append(Limit(f"share of maker{m}", "servers", use, 0.0, share=True))
    return Problem(tuple(columns), {"usd": usd}, tuple(demands), np.array(serves), tuple(limits))


def tight(problem: Problem) -> Problem:
    """Every limit at 92 % of what the cheapest mix without it would take: many of them bind."""
    free = solve(replace(problem, limits=()), seconds=20.0)
    counts = np.array(free.counts)
    limits = tuple(
        one if one.share else replace(one, most_units=max(0.92 * float(one.use @ counts), 500.0))
        for one in problem.limits
    )
    return replace(problem, limits=limits)


def main() -> None:
    """Print sizes, times to 0.2 % and to proof, and the ratio that leaving beaten ones out buys."""
    for seed in range(6):
        problem = large(seed) if seed < 4 else tight(large(seed))
        began = time.perf_counter()
        kept = undominated(problem, problem.cost["usd"])
        left_s = time.perf_counter() - began
        steps: list[Progress] = []
        found = solve(problem, seconds=60.0, report=steps.append)
        near = [s.seconds for s in steps if s.gap_fraction is not None and s.gap_fraction <= 0.002]
        first = min([*near, found.seconds])
        gap = found.gap_fraction or 0.0
        proof = (
            f"proven after {found.seconds:.1f} s (target 60)"
            if gap <= PROVEN_FRACTION
            else f"{gap:.4%} left after {found.seconds:.0f} s (target 0)"
        )
        bind = ", limits at 92 %" if seed >= 4 else ""
        print(
            f"{problem.size:,} whole numbers{bind}, {len(kept):,} after those beaten in everything"
            f" ({left_s:.2f} s): gap of 0.2 % after {first:.1f} s (target 10), {proof}"
        )
    times = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        whole = large(seed, 0.5)
        few = np.sort(rng.choice(whole.size, 500, replace=False))
        small = Problem(
            tuple(whole.columns[i] for i in few), {"usd": whole.cost["usd"][few]},
            whole.demands, whole.serves[:, few],
        )  # fmt: skip
        times.append(solve(small, seconds=10.0).seconds)
    print(f"500 whole numbers: median {np.median(times):.2f} s, worst of 20 {max(times):.2f} s (1)")


if __name__ == "__main__":
    main()
