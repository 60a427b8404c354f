"""The typical days of a workload in owned servers, and what is beyond them (F14)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tco.cost.case import FleetCase
from tco.cost.finance import FloatArray, end_factors
from tco.performance.growth import YEAR_MONTHS, growth_factors, servers_for
from tco.results import CountRule
from tco.units import HOURS_PER_DAY

FULL = 1e-9  # as in the sizing: the last bit opens no server


def continuous_optimum(
    wanted: FloatArray, weights: FloatArray, threshold_fraction: float | None
) -> float:
    """Least q with P(d > q) <= c_fixed / (c_cloud - c_var) (F14.2).

    Parameters
    ----------
    wanted, weights
        Servers asked for in each hour, not rounded, and what the hour counts.
    threshold_fraction
        The right side; None where renting is never dearer: nothing is owned.

    Examples
    --------
    >>> day = np.array([1.0, 2.0, 3.0, 4.0])
    >>> [continuous_optimum(day, np.ones(4), share) for share in (0.0, 0.3, 0.5, 1.0, None)]
    [4.0, 3.0, 2.0, 0.0, 0.0]
    """
    if threshold_fraction is None or threshold_fraction >= 1.0 or not wanted.size:
        return 0.0
    for level in (0.0, *np.unique(wanted)):
        beyond = float(weights[wanted > level + FULL].sum() / weights.sum())
        if beyond <= threshold_fraction + FULL:
            return float(level)
    return float(wanted.max())


@dataclass(frozen=True, slots=True)
class Beyond:
    """What is left for the rented side, by year and hour of the day."""

    instances: FloatArray
    share_fraction: float  # of the requests of the horizon
    share_by_year: FloatArray


@dataclass(frozen=True, slots=True)
class Days:
    """The typical day of each year of the horizon, as multiples of the peak of month 0."""

    loads: FloatArray  # year x hour
    active: FloatArray  # by month: 1 from go-live on
    year_of: tuple[int, ...]  # by month
    own_rule: CountRule
    rent_rule: CountRule
    wanted: FloatArray  # owned servers of each month and hour in one row, not rounded
    weights: FloatArray  # discounted hours of the same

    @classmethod
    def of(cls, own: FleetCase, own_rule: CountRule, rent_rule: CountRule) -> Days:
        """Days of a sized fleet."""
        work, months = own.fleet.workload, own.months
        factors = np.array(growth_factors(work.growth_fraction_per_year.value, months))
        shape = np.array(work.daily_shape or (1.0,) * int(HOURS_PER_DAY))
        loads = factors[:, None] * shape[None, :]
        active = (np.arange(months) >= own.fleet.start_month).astype(np.float64)
        year_of = tuple(month // YEAR_MONTHS for month in range(months))
        wanted = np.where(
            loads > 0,
            (own_rule.month_0_replicas * loads + own_rule.spare_replicas)
            / own_rule.replicas_per_server,
            0.0,
        )
        discounted = active * own.calendar.hours
        discounted = discounted * end_factors(own.calendar.rate_fraction, months)
        by_month = wanted[list(year_of)]
        weights = np.broadcast_to(discounted[:, None], by_month.shape)
        return cls(
            loads, active, year_of, own_rule, rent_rule, by_month.ravel(), weights.ravel().copy()
        )

    def held(self, owned_servers: int) -> float:
        """Load that so many owned servers carry with their spares (the sizing rule, inverted)."""
        rule = self.own_rule
        replicas = owned_servers * rule.replicas_per_server - rule.spare_replicas
        return max(0.0, float(replicas)) / rule.month_0_replicas

    def beyond(self, owned_servers: int) -> Beyond:
        """Instances for what the owned servers do not carry."""
        left = np.maximum(self.loads - self.held(owned_servers), 0.0)
        left = np.where(left * self.own_rule.month_0_replicas > FULL, left, 0.0)
        instances = servers_for(self.rent_rule, left)
        of_year = np.bincount(self.year_of, weights=self.active, minlength=len(self.loads))
        total = float(self.loads.sum(axis=1) @ of_year)
        return Beyond(
            instances,
            float(left.sum(axis=1) @ of_year) / total if total else 0.0,
            left.sum(axis=1) / np.maximum(self.loads.sum(axis=1), 1e-300),
        )
