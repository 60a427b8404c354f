"""Work served within its targets, by month: the denominator of unit costs (F19.6)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tco.cost.case import FleetCase
from tco.cost.finance import FloatArray
from tco.cost.late import lost_share
from tco.cost.unserved import unserved_requests
from tco.inputs import Status, weakest
from tco.results import LoadPoint, TargetResult, Term
from tco.units import HOURS_PER_DAY, SECONDS_PER_HOUR


@dataclass(frozen=True, slots=True)
class Served:
    """Requests of one fleet in each month."""

    offered: FloatArray
    within_targets: FloatArray
    status: Status
    terms: tuple[Term, ...]

    @property
    def share(self) -> float:
        """Share of the offered requests served within their targets; 1 without load."""
        total = float(np.sum(self.offered))
        return float(np.sum(self.within_targets)) / total if total else 1.0


def served(case: FleetCase) -> Served | None:
    """Requests offered and served within targets (F1.4, F19.6); None for training.

    Every hour of the typical day whose load is no more than the largest load that holds every
    target counts in full; the others do not count at all.
    """
    load = case.fleet.workload
    if load.kind == "training":
        return None
    share = case.fleet.share_fraction
    shape = load.daily_shape or (1.0,) * int(HOURS_PER_DAY)
    by_hour = np.array(shape) * load.peak_requests_per_s.value * share
    active = (np.arange(case.months) >= case.fleet.start_month).astype(np.float64)
    per_day = by_hour[:, None] * (case.growth * active)[None, :]  # hour x month, per second
    seconds = case.calendar.hours * SECONDS_PER_HOUR / HOURS_PER_DAY
    offered = per_day.sum(axis=0) * seconds
    result = case.result
    if result.feasible and case.fleet.count is None:
        within = offered.copy()
    else:
        limit = highest_load_per_server(case)
        room = limit * case.servers * (1.0 + 1e-9) if math.isfinite(limit) else case.servers * 1e300
        within = np.where(per_day <= room[None, :], per_day, 0.0).sum(axis=0) * seconds
    left = unserved_requests(case)
    if left is not None:
        within = np.maximum(within - left, 0.0)
    within = within * (1.0 - lost_share(case))  # what comes late serves nobody (F5.5)
    figures = [load.peak_requests_per_s, load.input_tokens, load.output_tokens]
    status = weakest([result.status, *(figure.status for figure in figures)])
    terms = (
        Term.of(f"{load.name}: peak rate", load.peak_requests_per_s),
        Term(
            f"{load.name}: mean of the daily shape",
            math.fsum(shape) / len(shape),
            "fraction",
            Status.ASSUMED,
            "workload.daily_shape",
        ),
        Term(f"{load.name}: share of this fleet", share, "fraction", Status.ASSUMED, "fleet"),
        Term.of(f"{load.name}: growth a year", load.growth_fraction_per_year),
    )
    return Served(offered, within, status, terms)


def highest_load_per_server(case: FleetCase) -> float:
    """Largest load of one server [req/s] at which every target holds; 0 when none does."""
    result = case.result
    if result.servers <= 0:
        return 0.0
    points = [*result.curve, *([result.at_peak] if result.at_peak else [])]
    holding = [p.requests_per_s for p in points if not p.saturated and _holds(p, result.targets)]
    return max(holding, default=0.0) / result.servers


def _holds(point: LoadPoint, targets: tuple[TargetResult, ...]) -> bool:
    for target in targets:
        predicted = latency_ms(point, target.metric, target.percentile)
        if predicted is None or predicted > target.limit_ms * (1.0 + 1e-9):
            return False
    return True


def in_flight(requests_per_s: float, latency_s: float) -> float:
    """Mean number of requests in the system, L = lambda x W (F1.5, Little).

    Also the busy seconds per second that they stand for.

    Examples
    --------
    >>> in_flight(10_000, 0.0005)
    5.0
    """
    return requests_per_s * latency_s


def latency_ms(point: LoadPoint, metric: str, percentile: float) -> float | None:
    """Latency of a point by metric and percentile, None where the model gives none."""
    table = {"ttft": point.ttft_ms, "tpot": point.tpot_ms, "e2e": point.e2e_ms}.get(metric, {})
    value = table.get(f"p{percentile:g}")
    return value if value is not None and math.isfinite(value) else None
