"""Draws: one column of uniform numbers for each driver, then its own spread (F21.2)."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import special

from tco.errors import InputError
from tco.uncertainty.drivers import Driver

FloatArray = NDArray[np.float64]
CORRELATIONS = "correlations"  # field of what is wrong with them
SHAPES = ("pert", "triangular", "uniform", "lognormal", "empirical")
_TEN_PERCENT = 1.2815515594600038  # standard deviations between the median and the 90 % point
Correlations = Mapping[tuple[str, str], float]  # by the labels of two drivers: rank correlation


def uniforms(
    drivers: Sequence[Driver], draws: int, seed: int, correlations: Correlations | None = None
) -> FloatArray:
    """Return uniform numbers, shape (draws, drivers), with the wanted rank correlations.

    Each driver has a stream of its own, named by what it is: another driver more or less moves
    none of the others' draws (F23.10). Correlation is that of a Gaussian copula, whose linear one
    is 2 sin(pi r / 6) for a rank correlation r.

    Raises
    ------
    InputError
        A name that is not a driver's, a correlation outside -1..1, a set that cannot hold at once.
    """
    columns = [_stream(driver, seed).random(draws) for driver in drivers]
    found = np.column_stack(columns) if columns else np.zeros((draws, 0))
    if not correlations:
        return found
    lower = _root(_matrix([driver.label for driver in drivers], correlations))
    normal = special.ndtri(np.clip(found, 1e-12, 1 - 1e-12))
    return np.asarray(special.ndtr(normal @ lower.T))


def merged(first: Correlations, second: Correlations | None) -> dict[tuple[str, str], float]:
    """Both sets; where both speak of a pair the second counts, whichever way round it is named.

    Examples
    --------
    >>> merged({("a", "b"): 0.5, ("a", "c"): 0.1}, {("b", "a"): -0.2})
    {('a', 'c'): 0.1, ('b', 'a'): -0.2}
    """
    over = dict(second or {})
    kept = {pair: rank for pair, rank in first.items()
            if pair not in over and pair[::-1] not in over}  # fmt: skip
    return kept | over


def _root(matrix: FloatArray) -> FloatArray:
    """L with L L' = matrix.

    Raises
    ------
    InputError
        The matrix is not positive semidefinite: the mend says how much smaller would do.
    """
    try:
        return np.asarray(np.linalg.cholesky(matrix))
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(matrix)
    if values[0] > -1e-9:  # two inputs that go wholly together
        return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))
    fits = next(share for share in np.arange(0.99, 0.0, -0.01) if _holds(matrix, float(share)))
    raise InputError(
        CORRELATIONS,
        "these rank correlations cannot hold at once: their matrix is not positive definite",
        f"leave one out, or multiply each by {fits:g} or less",
    )


def _stream(driver: Driver, seed: int) -> np.random.Generator:
    name = hashlib.sha256(driver.identity.encode()).digest()
    return np.random.default_rng([seed, int.from_bytes(name[:8], "big")])


def _holds(matrix: FloatArray, share: float) -> bool:
    """Whether the same rank correlations hold at once when each is a share of what it is."""
    ranks = np.arcsin(np.clip(matrix / 2.0, -0.5, 0.5)) * 6.0 / np.pi
    smaller = 2.0 * np.sin(np.pi * ranks * share / 6.0)
    np.fill_diagonal(smaller, 1.0)
    return bool(np.linalg.eigvalsh(smaller)[0] > 0.0)


def _matrix(labels: Sequence[str], correlations: Correlations) -> FloatArray:
    place = {label: index for index, label in enumerate(labels)}
    matrix = np.eye(len(labels))
    for pair, rank in correlations.items():
        for label in pair:
            if label not in place:
                raise _no_driver(label, labels)
        if not -1.0 <= rank <= 1.0:
            raise InputError(CORRELATIONS, f"{rank} is outside -1..1", "enter -1 to 1")
        one, other = place[pair[0]], place[pair[1]]
        if one == other:
            message = f"{pair[0]!r} is correlated with itself"
            raise InputError(CORRELATIONS, message, "name two inputs")
        matrix[one, other] = matrix[other, one] = 2.0 * np.sin(np.pi * rank / 6.0)
    return matrix


def _no_driver(label: str, labels: Sequence[str]) -> InputError:
    """What to say of an input that nothing is drawn of: it has no range, or is called otherwise."""
    near = difflib.get_close_matches(label, labels, n=3, cutoff=0.5)
    if near:
        mend = f"did you mean {' or '.join(repr(name) for name in near)}?"
    else:
        mend = "give it a low and a high end"
        mend += f", or name one that has them: {'; '.join(labels)}" if labels else ""
    return InputError(CORRELATIONS, f"{label!r} has no range, or is no input", mend)


def spread(driver: Driver, uniform: FloatArray) -> FloatArray:
    """Return the values of a driver at probabilities `uniform`, inside its physical limits.

    Examples
    --------
    >>> from tco.inputs import Status
    >>> d = Driver("x", "USD", 10.0, 5.0, 20.0, "uniform", Status.ASSUMED, "s")
    >>> spread(d, np.array([0.0, 0.5, 1.0])).tolist()
    [5.0, 12.5, 20.0]

    Raises
    ------
    InputError
        A shape that is not known, or one that its numbers cannot have.
    """
    low, high, mode = driver.low, driver.high, driver.value
    if driver.shape == "empirical":
        return _clipped(driver, _empirical(driver, uniform))
    if driver.shape == "lognormal":
        return _clipped(driver, _lognormal(driver, uniform))
    if high <= low:
        return np.full(uniform.shape, mode)
    if driver.shape == "uniform":
        return _clipped(driver, low + (high - low) * uniform)
    if driver.shape == "triangular":
        return _clipped(driver, _triangular(low, mode, high, uniform))
    if driver.shape == "pert":
        a, b = 1 + 4 * (mode - low) / (high - low), 1 + 4 * (high - mode) / (high - low)
        return _clipped(driver, low + (high - low) * special.betaincinv(a, b, uniform))
    raise InputError(driver.label, f"{driver.shape!r} is no spread", f"use {', '.join(SHAPES)}")


def _triangular(low: float, mode: float, high: float, uniform: FloatArray) -> FloatArray:
    edge = (mode - low) / (high - low)
    rising = low + np.sqrt(uniform * (high - low) * (mode - low))
    falling = high - np.sqrt((1 - uniform) * (high - low) * (high - mode))
    return np.where(uniform < edge, rising, falling)


def _lognormal(driver: Driver, uniform: FloatArray) -> FloatArray:
    """Median at the value, 10 % below low and 10 % above high: two halves of their own width."""
    if not 0 < driver.low <= driver.value <= driver.high:
        raise InputError(
            driver.label,
            f"{driver.low:g}, {driver.value:g}, {driver.high:g} is no lognormal range",
            "enter 0 < low <= value <= high, or another shape",
        )
    below = np.log(driver.value / driver.low) / _TEN_PERCENT
    above = np.log(driver.high / driver.value) / _TEN_PERCENT
    normal = special.ndtri(np.clip(uniform, 1e-12, 1 - 1e-12))
    return np.asarray(driver.value * np.exp(normal * np.where(normal < 0, below, above)))


def _empirical(driver: Driver, uniform: FloatArray) -> FloatArray:
    if len(driver.samples) < 2:
        raise InputError(driver.label, f"{len(driver.samples)} samples", "enter two or more")
    ordered = np.sort(np.asarray(driver.samples, dtype=np.float64))
    return np.asarray(np.interp(uniform, np.linspace(0.0, 1.0, ordered.size), ordered))


def _clipped(driver: Driver, values: FloatArray) -> FloatArray:
    """Shares stay in 0..1, and nothing that is positive turns negative (F21.1)."""
    if driver.unit in ("fraction", "ratio") and driver.low >= 0.0 and driver.high <= 1.0:
        return np.minimum(np.maximum(values, 0.0), 1.0)
    return np.asarray(np.maximum(values, 0.0)) if driver.low >= 0.0 else values
