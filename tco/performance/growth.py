"""Demand by year and machines by month (F1.1, P8)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tco.inputs import Fleet
from tco.results import CountRule

YEAR_MONTHS = 12
MOST_SERVERS = 10_000_000  # beyond this the demand is a slip of the pen
MOST_REQUESTS_PER_S = 1e12
TOO_MANY = f"demand: more than {MOST_SERVERS:,} servers; check the request rate and its growth"


def whole_servers(wanted: float, per_server: int = 1, spare: int = 0) -> int:
    """Return the servers that hold `wanted` replicas and `spare` more, at most MOST_SERVERS + 1.

    Examples
    --------
    >>> whole_servers(8.2, 4, 1), whole_servers(float("inf"))
    (3, 10000001)
    """
    if not wanted / per_server < MOST_SERVERS:
        return MOST_SERVERS + 1
    replicas = math.ceil(wanted - 1e-9) + spare
    return min(math.ceil(replicas / per_server), MOST_SERVERS + 1)


def count_rule(
    fleet: Fleet, design_per_s: float, each_per_s: float, per_server: int = 1
) -> CountRule | None:
    """Return how machines follow the demand; None where they do not (P8).

    Parameters
    ----------
    design_per_s, each_per_s
        Requests per second that month 0 is planned for, and that one replica carries.
    """
    if fleet.count is not None or each_per_s <= 0:
        return None
    wanted = max(design_per_s, 0.0) / each_per_s
    return CountRule(wanted, per_server, fleet.workload.replicas_lost)


def servers_for(rule: CountRule, factor: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the machines for multiples of the demand of month 0; `whole_servers` for arrays.

    Examples
    --------
    >>> servers_for(CountRule(8.2, 4, 1), np.array([0.0, 1.0, 2.0])).tolist()
    [0.0, 3.0, 5.0]
    """
    replicas = np.ceil(rule.month_0_replicas * factor - 1e-9) + rule.spare_replicas
    count = np.ceil(replicas / rule.replicas_per_server)
    return np.where(factor * rule.month_0_replicas > 0, np.minimum(count, MOST_SERVERS), 0.0)


def growth_factors(growth_fraction_per_year: float, horizon_months: int) -> tuple[float, ...]:
    """Return the peak demand of each 12-month period over that of month 0.

    A period is sized for its busiest end: its last month with growth, its first with decline.

    Examples
    --------
    >>> [round(factor, 4) for factor in growth_factors(0.1, 30)]
    [1.1, 1.21, 1.2691]
    >>> growth_factors(-0.5, 24)
    (1.0, 0.5)
    """
    factors = []
    for start in range(0, max(horizon_months, 1), YEAR_MONTHS):
        end = min(start + YEAR_MONTHS, max(horizon_months, 1))
        at = end if growth_fraction_per_year > 0 else start
        try:
            factors.append(max(1 + growth_fraction_per_year, 0.0) ** (at / YEAR_MONTHS))
        except OverflowError:
            factors.append(MOST_REQUESTS_PER_S)
    return tuple(factors)


def servers_by_month(
    needed: Callable[[float], int],
    factors: tuple[float, ...],
    *,
    horizon_months: int,
    start_month: int,
    keep: bool,
) -> tuple[int, ...]:
    """Return machines in each month: none before go-live, bought ones never given back.

    Parameters
    ----------
    needed
        Machines for a multiple of the demand of month 0.
    keep
        True for owned machines.
    """
    months: list[int] = []
    most = 0
    by_year = [needed(factor) for factor in factors]
    for month in range(horizon_months):
        if month < start_month:
            months.append(0)
            continue
        count = by_year[math.floor(month / YEAR_MONTHS)]
        most = max(most, count) if keep else count
        months.append(most)
    return tuple(months)
