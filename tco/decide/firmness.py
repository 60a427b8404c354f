"""How firm a choice is: the nearest joint turn, and what to measure next (F21)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import qmc

from tco.cost.ledger import OptionCase
from tco.decide.information import worth_of_knowing
from tco.decide.turn import MOST, Turn, nearest_turn
from tco.errors import InputError
from tco.inputs import BASE, ScenarioInputs, Status, plain
from tco.projection import option_cases
from tco.results.currency import in_currency
from tco.uncertainty.drivers import Driver, find_drivers
from tco.uncertainty.evaluate import Evaluator, base_row
from tco.uncertainty.priced import is_priced
from tco.uncertainty.sampling import spread, uniforms

FloatArray = NDArray[np.float64]
Progress = Callable[[int, int], None]
LEAST_USD = 0.01  # what is worth less is worth nothing
DRAWS, SEED = 4096, 1  # a power of two: the draws fill the space evenly
_DECILE = 1.2815515594600038  # standard deviations from the middle to the 90 % point
# Spread between runs on one device, as a share of what is measured, where its own is not known.
RUN_SPREAD = {"cpu": 0.10}
RUN_SPREAD_OTHERS = 0.03
RUN_SPREAD_SOURCE = "planning figure: 3 % between runs on an accelerator, 10 % on a shared CPU host"


@dataclass(frozen=True, slots=True)
class Change:
    """One input's part in a turn.

    Parameters
    ----------
    moved_ranges
        How far from its own value: 1 is the end of its range; negative towards the low end.
    """

    label: str
    unit: str
    value: float
    at: float
    moved_ranges: float
    status: Status


@dataclass(frozen=True, slots=True)
class Flip:
    """The smallest joint change found that makes another option the cheapest."""

    to: str
    distance_ranges: float
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Knowing:
    """What it is worth to know one input before the choice.

    Parameters
    ----------
    exact_usd
        Knowing it exactly saves so much on average.
    measured_usd
        Measuring it with the agent's own spread between runs saves so much; None where the agent
        does not measure it.
    kind
        ``measure`` | ``quote`` | ``traffic`` | ``source``: how it can be known better.
    device
        Key of the device to measure.
    """

    label: str
    unit: str
    status: Status
    source: str
    low: float
    high: float
    exact_usd: float
    measured_usd: float | None
    kind: str
    device: str = ""


@dataclass(frozen=True, slots=True)
class Firmness:
    """How firm the choice of the cheapest option is.

    Parameters
    ----------
    margin_usd
        What the nearest rival costs more, every input at its own value.
    flip
        None: no joint change within `looked_ranges` turns the choice.
    perfect_usd
        What knowing every input at once would save on average: nothing is worth more.
    left_out
        Options without a price or a size: the choice says nothing of them.
    """

    chosen: str
    rival: str
    margin_usd: float
    flip: Flip | None
    looked_ranges: float
    knowing: tuple[Knowing, ...]
    perfect_usd: float
    draws: int
    seed: int
    currency: str = BASE
    left_out: tuple[str, ...] = ()
    inputs: int = 0  # that have a range

    @property
    def sentence(self) -> str:
        """The answer."""
        code = self.currency
        if not self.rival:
            return f"{self.chosen} is the only option that can be priced."
        if not self.inputs:
            return (
                f"{self.chosen} is the cheapest by {self.margin_usd:,.0f} {code}; no input has a"
                " range, so nothing says how firm that is."
            )
        if self.flip is None:
            return (
                f"{self.chosen} stays the cheapest whatever the inputs do within"
                f" {self.looked_ranges:g} times their ranges."
            )
        first = self.flip.changes[:2]
        parts = " and ".join(f"{one.label} at {one.at:.3g} {one.unit}" for one in first)
        more = len(self.flip.changes) - len(first)
        also = f" and {more} smaller change{'s' if more > 1 else ''}" if more else ""
        said = f"{self.flip.to} becomes the cheapest at {parts}{also}"
        far = f"{self.flip.distance_ranges:.2g} of a range away in all"
        best = self.knowing[0] if self.knowing else None
        worth = (
            f"; knowing {best.label} first is worth up to {best.exact_usd:,.0f} {code}"
            if best is not None
            else ""
        )
        return f"{said}, {far}{worth}."

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        found: dict[str, Any] = plain(self)
        return {**found, "sentence": self.sentence}


def firmness(
    inputs: ScenarioInputs,
    *,
    draws: int = DRAWS,
    seed: int = SEED,
    progress: Progress = lambda done, total: None,
) -> Firmness:
    """Return how near another choice is, and which input is worth knowing better.

    Parameters
    ----------
    draws
        A power of two from 256 to 65,536.
    progress
        Called with (rows priced, rows expected); what it raises stops the work.

    Raises
    ------
    InputError
        No option has a price and a size; draws that are no power of two.
    """
    if draws not in {2**power for power in range(8, 17)}:
        raise InputError("draws", f"{draws} is no power of two", "enter 4096")
    every = option_cases(inputs)
    cases = tuple(case for case in every if is_priced(case))
    if not cases:
        raise InputError("options", "none has every price and a size", "complete one")
    drivers, _ = find_drivers(cases, inputs.finance)
    evaluator = Evaluator(cases, drivers)
    base = evaluator.at(base_row(drivers)).present_usd[:, 0]
    best = int(base.argmin())
    names = [case.option.name for case in cases]
    left_out = tuple(case.option.name for case in every if case not in cases)
    found = Firmness(
        names[best], "", 0.0, None, MOST, (), 0.0, draws, seed, inputs.finance.currency, left_out
    )
    if len(cases) < 2:
        return found
    others = [place for place in range(len(cases)) if place != best]
    rival = min(others, key=lambda place: base[place])
    margin = float(base[rival] - base[best])
    found = replace(found, rival=names[rival], margin_usd=margin, inputs=len(drivers))
    meter = _Meter(progress, draws)
    turn = nearest_turn(_margin(evaluator, best, meter), len(drivers), seed=seed)
    if turn is not None:
        found = replace(found, flip=_flip(evaluator, names, best, turn))
    if not drivers:
        return found
    knowing, perfect = _knowing(inputs, evaluator, cases, draws, seed, meter)
    return _named(replace(found, knowing=knowing, perfect_usd=perfect))


class _Meter:
    """Rows priced against those expected: the draws, and about as many for the turn."""

    def __init__(self, progress: Progress, draws: int) -> None:
        self._progress, self._rows, self._expected = progress, 0, 5 * draws

    def ticked(self, rows: int) -> None:
        """Tell how far it is."""
        self._rows += rows
        self._progress(min(self._rows, self._expected - 1), self._expected)


def _margin(evaluator: Evaluator, best: int, meter: _Meter) -> Callable[[FloatArray], FloatArray]:
    def margin(parts: FloatArray) -> FloatArray:
        cost = evaluator.at(_values(evaluator.drivers, parts), meter.ticked).present_usd
        rivals = np.delete(cost, best, axis=0).min(axis=0)
        return np.asarray(rivals - cost[best])

    return margin


def _values(drivers: tuple[Driver, ...], parts: FloatArray) -> FloatArray:
    """Inputs at so many of their own ranges from their values, inside physical limits."""
    return np.column_stack(
        [_value(driver, parts[:, place]) for place, driver in enumerate(drivers)]
        or [np.zeros((len(parts), 0))]
    )


def _value(driver: Driver, part: FloatArray) -> FloatArray:
    """One input; speeds and other lognormal ones move by factors.

    Examples
    --------
    >>> d = Driver("x", "USD", 10.0, 5.0, 30.0, "pert", Status.ASSUMED, "s")
    >>> _value(d, np.array([-1.0, 0.0, 0.5, 2.0, -4.0])).tolist()
    [5.0, 10.0, 20.0, 50.0, 0.0]
    """
    low, value, high = driver.low, driver.value, driver.high
    if driver.shape == "lognormal":
        above = (high / value) ** np.maximum(part, 0.0)
        return np.asarray(value * above * (low / value) ** np.maximum(-part, 0.0))
    moved = value + np.where(part > 0, (high - value) * part, (value - low) * part)
    if low >= 0.0:
        moved = np.maximum(moved, 0.0)
    if driver.unit in ("fraction", "ratio") and low >= 0.0 and high <= 1.0:
        moved = np.minimum(moved, high + 0.9 * (1.0 - high))  # a share of 1 may be none
    elif driver.unit == "1/yr":
        moved = np.maximum(moved, min(low, -0.9))
    return np.asarray(moved)


def _flip(evaluator: Evaluator, names: list[str], best: int, turn: Turn) -> Flip:
    drivers = evaluator.drivers
    at = _values(drivers, turn.parts[None, :])
    cost = evaluator.at(at).present_usd[:, 0]
    to = int(np.where(np.arange(cost.size) == best, np.inf, cost).argmin())
    order = np.argsort(-np.abs(turn.parts))
    changes = tuple(
        Change(
            drivers[place].label,
            drivers[place].unit,
            drivers[place].value,
            float(at[0, place]),
            float(turn.parts[place]),
            drivers[place].status,
        )
        for place in order
        if at[0, place] != drivers[place].value
    )
    return Flip(names[to], turn.distance_ranges, changes)


def _knowing(
    inputs: ScenarioInputs,
    evaluator: Evaluator,
    cases: tuple[OptionCase, ...],
    draws: int,
    seed: int,
    meter: _Meter,
) -> tuple[tuple[Knowing, ...], float]:
    drivers = evaluator.drivers
    pairs = {(one.first, one.second): one.rank_correlation for one in inputs.correlations}
    if pairs:
        uniform = uniforms(drivers, draws, seed, pairs)
    else:
        uniform = qmc.Sobol(len(drivers), seed=seed).random(draws)
        uniform = np.clip(uniform, 1e-9, 1 - 1e-9)
    values = np.column_stack(
        [spread(driver, uniform[:, place]) for place, driver in enumerate(drivers)]
    )
    cost = evaluator.at(values, meter.ticked).present_usd
    devices = _devices(cases)
    found = worth_of_knowing(
        cost,
        uniform,
        [lambda at, driver=driver: spread(driver, at) for driver in drivers],  # type: ignore[misc]
        independent=not pairs,
        error_fractions=[_error(driver, devices) for driver in drivers],
    )
    rows = []
    for place, driver in enumerate(drivers):
        if found.each[place] < LEAST_USD:
            continue
        key, _ = devices.get(driver.label, ("", ""))
        measured = driver.figure is None
        rows.append(
            Knowing(
                label=driver.label,
                unit=driver.unit,
                status=driver.status,
                source=driver.source,
                low=driver.low,
                high=driver.high,
                exact_usd=float(found.each[place]),
                measured_usd=float(found.measured[place]) if measured else None,
                kind=_kind(driver),
                device=key,
            )
        )
    return tuple(sorted(rows, key=lambda row: -row.exact_usd)), found.perfect_units


def _devices(cases: tuple[OptionCase, ...]) -> dict[str, tuple[str, str]]:
    """Key and kind of the device that each speed is of, by the label of the input."""
    found = {}
    for case in cases:
        for fleet in case.fleets:
            machine = fleet.fleet.server or fleet.fleet.offer
            if machine is not None:
                device = machine.device
                found[f"Speed of {device.name}"] = (device.key, device.kind)
    return found


def _error(driver: Driver, devices: dict[str, tuple[str, str]]) -> float:
    """Standard error of a run over the input's own standard deviation; 0: not measured by us."""
    if driver.figure is not None or not 0 < driver.low < driver.high:
        return 0.0
    own = math.log(driver.high / driver.low) / (2 * _DECILE)
    _, kind = devices.get(driver.label, ("", ""))
    return RUN_SPREAD.get(kind, RUN_SPREAD_OTHERS) / own


def _kind(driver: Driver) -> str:
    if driver.figure is None:
        return "measure"
    if driver.field in ("peak_requests_per_s", "growth_fraction_per_year"):
        return "traffic"
    return "quote" if "USD" in driver.unit else "source"


def _named(found: Firmness) -> Firmness:
    """The reporting currency in every unit."""
    code = found.currency
    flip = found.flip

    def unit(part: Any) -> Any:
        return replace(part, unit=in_currency(part.unit, code))

    return replace(
        found,
        knowing=tuple(map(unit, found.knowing)),
        flip=None if flip is None else replace(flip, changes=tuple(map(unit, flip.changes))),
    )
