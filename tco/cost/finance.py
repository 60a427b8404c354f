"""Time value of money (F0.1, F0.3, F12.2 to F12.5)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tco.errors import InputError
from tco.units import MONTHS_PER_YEAR

FloatArray = NDArray[np.float64]

RATE_MODES = ("effective", "nominal")


def monthly_rate_fraction(annual_fraction: float, mode: str = "effective") -> float:
    """Monthly rate of an annual one (F0.3).

    Parameters
    ----------
    annual_fraction
        Rate per year [1/yr], above -1.
    mode
        ``effective``: (1 + r)^(1/12) - 1, for discounting. ``nominal``: r / 12, as loans quote it.

    Examples
    --------
    >>> round(monthly_rate_fraction(0.10), 8), round(monthly_rate_fraction(0.075, "nominal"), 6)
    (0.00797414, 0.00625)
    """
    if np.any(np.less_equal(annual_fraction, -1.0)):
        raise InputError(
            "finance.discount_rate_fraction", f"{annual_fraction} is not above -1", "enter 0 to 1"
        )
    if mode == "effective":
        rate: float = (1.0 + annual_fraction) ** (1.0 / MONTHS_PER_YEAR) - 1.0
        return rate
    if mode == "nominal":
        return annual_fraction / MONTHS_PER_YEAR
    raise InputError(
        "finance.monthly_rate", f"{mode!r} is not known", f"use one of {', '.join(RATE_MODES)}"
    )


@lru_cache(maxsize=64)
def _factors(rate_fraction: float, months: int, first: int) -> FloatArray:
    factors = (1.0 + rate_fraction) ** -np.arange(first, first + months, dtype=np.float64)
    factors.flags.writeable = False
    return factors


def start_factors(monthly_fraction: float, months: int) -> FloatArray:
    """Discount factors of flows at the start of each month, (1 + r_m)^-m (F0.1)."""
    return _factors(monthly_fraction, months, 0)


def end_factors(monthly_fraction: float, months: int) -> FloatArray:
    """Discount factors of flows at the end of each month, (1 + r_m)^-(m+1) (F0.1)."""
    return _factors(monthly_fraction, months, 1)


def present_value_usd(
    start_usd: Sequence[float], end_usd: Sequence[float], monthly_fraction: float
) -> float:
    """Value at month 0 of flows at month starts and month ends, summed exactly (F0.1).

    Examples
    --------
    >>> rate = monthly_rate_fraction(0.10)
    >>> round(present_value_usd((0.0,) * 60, (100_000.0,) * 60, rate))
    4753850
    """
    months = len(start_usd)
    value = 0.0
    # most lines have one empty side: looking is cheaper than multiplying
    for flows, factors in ((start_usd, start_factors), (end_usd, end_factors)):
        if any(flows):
            value += math.fsum((np.asarray(flows) * factors(monthly_fraction, months)).tolist())
    return value


def npv(rate_fraction: float, flows: Sequence[float]) -> float:
    """Net present value, the first flow undiscounted (F12.3).

    Spreadsheets' ``NPV()`` discounts the first flow too: theirs is this one over 1 + r.

    Examples
    --------
    >>> round(npv(0.08, [-40000, 5000, 8000, 12000, 30000]), 5)
    3065.22267
    """
    if rate_fraction <= -1.0:
        raise InputError("rate_fraction", f"{rate_fraction} is not above -1", "enter 0 to 1")
    return math.fsum(flow / (1.0 + rate_fraction) ** t for t, flow in enumerate(flows))


def irr(flows: Sequence[float]) -> tuple[float, ...]:
    """All internal rates of return above -1, ascending; empty when there is none (F12.3).

    Roots of the polynomial in x = 1 / (1 + r). Flows that change sign more than once may have
    several, and then none of them ranks anything: the net present value decides.

    Examples
    --------
    >>> [round(rate, 6) for rate in irr([-100, 39, 59, 55, 20])]
    [0.280948]
    >>> irr([100, 50])
    ()
    >>> [round(rate, 6) for rate in irr([-100, 230, -132])]
    [0.1, 0.2]
    """
    ascending = np.trim_zeros(np.asarray(flows, dtype=np.float64), "b")
    if ascending.size < 2 or not (np.any(ascending > 0) and np.any(ascending < 0)):
        return ()
    scale = float(np.max(np.abs(ascending)))
    rates: list[float] = []
    for root in np.roots(ascending[::-1] / scale):
        if root.real <= 0.0 or abs(root.imag) > 1e-6 * abs(root):
            continue
        rate = _polished_root(1.0 / float(root.real) - 1.0, ascending / scale)
        if rate is not None and not any(abs(rate - known) < 1e-7 for known in rates):
            rates.append(rate)
    return tuple(sorted(rates))


def _polished_root(rate: float, flows: FloatArray) -> float | None:
    """Newton steps from a root of the companion matrix; None when it is no root after all."""
    exponents = np.arange(flows.size)
    for _ in range(30):
        powers = (1.0 + rate) ** -exponents
        slope = float(np.sum(-exponents * flows * powers)) / (1.0 + rate)
        if slope == 0.0:
            break
        step = float(np.sum(flows * powers)) / slope
        if rate - step <= -1.0:
            return None
        rate -= step
        if abs(step) < 1e-14 * (1.0 + abs(rate)):
            break
    value = abs(float(np.sum(flows * (1.0 + rate) ** -exponents)))
    return rate if value < 1e-8 * max(1.0, (1.0 + rate) ** -1.0) else None


def crf(rate_fraction: float, periods: float) -> float:
    """Capital recovery factor r / (1 - (1 + r)^-n) [1/period] (F12.2).

    r = 0 gives 1/n, n infinite gives max(r, 0); n <= 0 is an error.

    Examples
    --------
    >>> round(crf(0.10, 5), 6), crf(0.0, 4), crf(0.07, math.inf)
    (0.263797, 0.25, 0.07)
    """
    if not periods > 0:
        raise InputError("periods", f"{periods} is not above 0", "enter a life above 0")
    if math.isinf(periods):
        return max(rate_fraction, 0.0)
    if rate_fraction == 0.0:
        return 1.0 / periods
    # expm1 and log1p keep the digits that 1 - (1 + r)^-n loses at small r
    return rate_fraction / -math.expm1(-periods * math.log1p(rate_fraction))


def payment(principal_usd: float, rate_fraction: float, periods: float) -> float:
    """Level payment that repays a loan, positive for a positive principal (F12.2).

    Examples
    --------
    >>> round(payment(200_000, 0.075 / 12, 180), 4)
    1854.0247
    """
    return principal_usd * crf(rate_fraction, periods)


def loan_interest_usd(principal_usd: float, rate_fraction: float, periods: float) -> float:
    """Interest over the life of a level loan, n x payment - principal (F12.2).

    Examples
    --------
    >>> round(loan_interest_usd(200_000, 0.075 / 12, 180), 2)
    133724.45
    """
    return periods * payment(principal_usd, rate_fraction, periods) - principal_usd


def growing_annuity_factor(
    escalation_fraction: float, discount_fraction: float, periods: int
) -> float:
    """Sum of ((1 + e) / (1 + d))^t for t = 1..n; e = d gives n (F12.5).

    Examples
    --------
    >>> round(growing_annuity_factor(0.026, 0.081, 20), 6)
    12.089798
    >>> growing_annuity_factor(0.05, 0.05, 7)
    7.0
    """
    ratio = (1.0 + escalation_fraction) / (1.0 + discount_fraction)
    return math.fsum(ratio**t for t in range(1, periods + 1))


def equivalent_monthly_cost_usd(npv_usd: float, monthly_fraction: float, months: int) -> float:
    """Level month-end cost of the same present value, NPV x r_m / (1 - (1 + r_m)^-n) (F12.4).

    Examples
    --------
    >>> rate = monthly_rate_fraction(0.10)
    >>> round(equivalent_monthly_cost_usd(4_753_850.21, rate, 60), 1)
    100000.0
    """
    return npv_usd * crf(monthly_fraction, months)


def real_rate_fraction(nominal_fraction: float, inflation_fraction: float) -> float:
    """Real rate r of 1 + r_nominal = (1 + r)(1 + i) (F0.5).

    Examples
    --------
    >>> round(real_rate_fraction(0.1024, 0.04), 6)
    0.06
    """
    return (1.0 + nominal_fraction) / (1.0 + inflation_fraction) - 1.0


def payback_month(flows_usd: Sequence[float], monthly_fraction: float = 0.0) -> int | None:
    """First month whose cumulative (discounted) flow is not negative; None: never (F12.3).

    Examples
    --------
    >>> payback_month([-100.0, 40.0, 40.0, 40.0]), payback_month([-100.0, 40.0])
    (3, None)
    """
    total = np.cumsum(np.asarray(flows_usd) * start_factors(monthly_fraction, len(flows_usd)))
    reached = np.flatnonzero(total >= -1e-9)
    return int(reached[0]) if reached.size else None
