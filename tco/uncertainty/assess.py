"""What ranges of inputs make of the options: spreads, chances, swings, switching values (F21)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from tco.cost.ledger import OptionCase
from tco.errors import InputError
from tco.inputs import BASE, ScenarioInputs, Status, plain
from tco.projection import option_cases
from tco.results.currency import in_currency
from tco.uncertainty.drivers import Driver, find_drivers
from tco.uncertainty.evaluate import Evaluator, Ticked, base_row
from tco.uncertainty.priced import is_priced
from tco.uncertainty.sampling import Correlations, merged, spread, uniforms
from tco.uncertainty.switching import GRID, Switch, switches

FloatArray = NDArray[np.float64]
DRAWS, SEED = 10_000, 1
MOST_DRAWS = 200_000
TOP = 10  # swings shown, the widest first


@dataclass(frozen=True, slots=True)
class Step:
    """How far an assessment is: draws priced, and its share of all the work."""

    done_draws: int
    draws: int
    share_fraction: float  # draws, then swings and switching values


Progress = Callable[[Step], None]


@dataclass(frozen=True, slots=True)
class Spread:
    """Total cost of one option, present value, in USD."""

    option: str
    name: str
    base_usd: float
    p10_usd: float
    p50_usd: float
    p90_usd: float
    mean_usd: float
    standard_error_usd: float  # of the mean
    best_fraction: float  # of the draws in which no option costs less
    regret_usd: float  # mean of what it costs more than the best of each draw


@dataclass(frozen=True, slots=True)
class Duel:
    """Two options on the same draws."""

    a: str
    b: str
    a_cheaper_fraction: float
    standard_error_fraction: float
    p10_usd: float  # of cost of a less cost of b
    p50_usd: float
    p90_usd: float
    sentence: str
    draws: int = 0


@dataclass(frozen=True, slots=True)
class Swing:
    """One input at the ends of its range, the others at their own values."""

    label: str
    unit: str
    low: float
    value: float
    high: float
    at_low_usd: float
    at_high_usd: float
    rank_correlation: float  # of its draws with the cost, all drawn together
    status: Status

    @property
    def width_usd(self) -> float:
        """How far it moves the cost."""
        return abs(self.at_high_usd - self.at_low_usd)


@dataclass(frozen=True, slots=True)
class Assessment:
    """Everything F21 asks of one scenario."""

    draws: int
    seed: int
    options: tuple[Spread, ...]
    duels: tuple[Duel, ...]
    swings: dict[str, tuple[Swing, ...]]  # by option, the widest first
    switches: tuple[Switch, ...]
    drivers: tuple[Driver, ...]
    not_carried: tuple[str, ...]  # ranged inputs whose effect on cost is not followed
    left_out: tuple[str, ...]  # options without a price or a size
    currency: str = BASE  # the unit of account: every amount is in it (F0.6)

    def to_dict(self) -> dict[str, Any]:
        """As JSON values with a stable order."""
        found: dict[str, Any] = plain(self)
        return found


def assess(
    inputs: ScenarioInputs,
    *,
    draws: int = DRAWS,
    seed: int = SEED,
    correlations: Correlations | None = None,
    progress: Progress = lambda step: None,
) -> Assessment:
    """Draw every uncertain input and price all options on the same draws (F21.1 to F21.5).

    Parameters
    ----------
    inputs
        A resolved scenario.
    draws, seed
        Number of draws and the seed: the same give the same bytes.
    correlations
        Rank correlations by the labels of two drivers, in place of those of the scenario for the
        same pair.
    progress
        Called after each thousand draws with the step reached; what it raises stops the work.

    Raises
    ------
    InputError
        Draws outside 100..200,000, correlations that cannot be, a range that cannot be priced.
    """
    if not 100 <= draws <= MOST_DRAWS:
        raise InputError("draws", f"{draws} is outside 100..{MOST_DRAWS:,}", "enter 10000")
    every = option_cases(inputs)
    cases = tuple(case for case in every if is_priced(case))
    drivers, not_carried = find_drivers(cases, inputs.finance)
    evaluator = Evaluator(cases, drivers)
    meter = _Meter(progress, draws, len(drivers))
    meter.ticked(0)
    known = {(one.first, one.second): one.rank_correlation for one in inputs.correlations}
    uniform = uniforms(drivers, draws, seed, merged(known, correlations))
    values = np.column_stack(
        [spread(driver, uniform[:, place]) for place, driver in enumerate(drivers)]
        or [np.zeros((draws, 0))]
    )
    base = evaluator.at(base_row(drivers)).present_usd[:, 0]
    cost = evaluator.at(values, meter.ticked).present_usd
    meter.drawn()
    ends = _ends(evaluator, meter.ticked)
    turning = switches(evaluator, meter.ticked)
    names = [case.option.name for case in cases]
    ranks = _rank_correlations(values, cost)
    found = Assessment(
        draws=draws,
        seed=seed,
        options=_spreads(cases, base, cost),
        duels=duels(names, cost),
        swings={
            case.option.key: _swings(drivers, ends[place], ranks[place])
            for place, case in enumerate(cases)
        },
        switches=turning,
        drivers=drivers,
        not_carried=not_carried,
        left_out=tuple(case.option.name for case in every if case not in cases),
    )
    return _named(found, inputs.finance.currency, names)


def _named(found: Assessment, currency: str, names: Sequence[str]) -> Assessment:
    """The reporting currency in every unit and sentence."""
    if currency == BASE:
        return found

    def unit(part: Any) -> Any:
        return replace(part, unit=in_currency(part.unit, currency))

    return replace(
        found,
        currency=currency,
        duels=tuple(
            replace(duel, sentence=in_currency(duel.sentence, currency, names))
            for duel in found.duels
        ),
        swings={key: tuple(map(unit, swings)) for key, swings in found.swings.items()},
        switches=tuple(map(unit, found.switches)),
        drivers=tuple(map(unit, found.drivers)),
    )


class _Meter:
    """Counts rows of driver values against those planned."""

    def __init__(self, progress: Progress, draws: int, drivers: int) -> None:
        self._progress, self._draws, self._all_drawn = progress, draws, False
        self._rows, self._planned = 0, draws + drivers * (2 + GRID)

    def ticked(self, rows: int) -> None:
        """Tell how far it is."""
        self._rows += rows
        done = self._draws if self._all_drawn else min(self._rows, self._draws)
        self._progress(Step(done, self._draws, min(self._rows / self._planned, 0.99)))

    def drawn(self) -> None:
        """All draws are priced."""
        self._all_drawn = True


def _spreads(cases: Sequence[OptionCase], base: FloatArray, cost: FloatArray) -> tuple[Spread, ...]:
    if not cases:
        return ()
    least = cost.min(axis=0)
    found = []
    for case, own, values in zip(cases, base, cost, strict=True):
        p10, p50, p90 = np.quantile(values, (0.1, 0.5, 0.9))
        found.append(
            Spread(
                case.option.key,
                case.option.name,
                float(own),
                float(p10),
                float(p50),
                float(p90),
                float(values.mean()),
                float(values.std(ddof=1) / math.sqrt(values.size)),
                float(np.mean(values <= least)),
                float(np.mean(values - least)),
            )
        )
    return tuple(found)


def duels(names: Sequence[str], cost: FloatArray) -> tuple[Duel, ...]:
    """Every pair of options on the same draws; `cost` has shape (options, draws), in USD."""
    return tuple(
        _duel(names[a], names[b], cost[a], cost[b]) for a, b in combinations(range(len(names)), 2)
    )


def _duel(a: str, b: str, cost_a: FloatArray, cost_b: FloatArray) -> Duel:
    less = float(np.mean(cost_a < cost_b))
    p10, p50, p90 = (float(value) for value in np.quantile(cost_a - cost_b, (0.1, 0.5, 0.9)))
    first, second, share, gap = (a, b, less, -p50) if p50 <= 0 else (b, a, 1 - less, p50)
    return Duel(
        a,
        b,
        less,
        math.sqrt(less * (1 - less) / cost_a.size),
        p10,
        p50,
        p90,
        f"{first} costs less than {second} in {share_text(share)} of the draws;"
        f" in the middle one by {gap:,.0f} USD.",
        cost_a.size,
    )


def share_text(share: float) -> str:
    """A share of the draws in words; only a share of all is called all.

    Examples
    --------
    >>> share_text(0.531), share_text(0.9996), share_text(1.0), share_text(0.0002)
    ('53 %', 'over 99 %', 'all', 'under 1 %')
    """
    if share in (0.0, 1.0):
        return "all" if share else "none"
    if not 0.005 <= share < 0.995:
        return "over 99 %" if share > 0.5 else "under 1 %"
    return f"{share:.0%}".replace("%", " %")


def _ends(evaluator: Evaluator, ticked: Ticked) -> FloatArray:
    """Cost at the low and high end of each driver, shape (options, drivers, 2)."""
    count = len(evaluator.drivers)
    rows = np.repeat(base_row(evaluator.drivers), 2 * count, axis=0)
    for place, driver in enumerate(evaluator.drivers):
        rows[2 * place, place], rows[2 * place + 1, place] = driver.low, driver.high
    if not count:
        return np.zeros((len(evaluator.cases), 0, 2))
    return evaluator.at(rows, ticked).present_usd.reshape(len(evaluator.cases), count, 2)


def _swings(drivers: Sequence[Driver], ends: FloatArray, ranks: FloatArray) -> tuple[Swing, ...]:
    found = [
        Swing(
            driver.label,
            driver.unit,
            driver.low,
            driver.value,
            driver.high,
            float(ends[place, 0]),
            float(ends[place, 1]),
            float(ranks[place]),
            driver.status,
        )
        for place, driver in enumerate(drivers)
    ]
    moving = [swing for swing in found if swing.width_usd > 0]
    return tuple(sorted(moving, key=lambda swing: (-swing.width_usd, swing.label)))


def _rank_correlations(values: FloatArray, cost: FloatArray) -> FloatArray:
    """Spearman's correlation of each option's cost with each driver, shape (options, drivers)."""
    if not values.shape[1] or not cost.shape[0]:
        return np.zeros((cost.shape[0], values.shape[1]))
    ranks = [rankdata(column) for column in (*values.T, *cost)]
    centred = np.array([rank - rank.mean() for rank in ranks])
    size = np.sqrt(np.sum(centred**2, axis=1))
    scaled = centred / np.where(size > 0, size, 1.0)[:, None]
    count = values.shape[1]
    return np.asarray(scaled[count:] @ scaled[:count].T)
