"""Requests that a quota or a rate limit leaves unserved, and what they are worth (F13.8, F1.4)."""

from __future__ import annotations

import numpy as np

from tco.cost.case import FleetCase, computed
from tco.cost.columns import mean
from tco.cost.finance import FloatArray
from tco.results import LedgerLine, Term
from tco.units import HOURS_PER_DAY, SECONDS_PER_HOUR

_MINUTE_S = 60.0


def unserved_requests(case: FleetCase) -> FloatArray | None:
    """Requests of each month beyond the limit; None without one.

    Instances carry the load in proportion: with half of those that an hour asks for, half of its
    requests.
    """
    fleet = case.fleet
    quota = fleet.rental.quota_instances if fleet.rental is not None else None
    limit = fleet.api.requests_per_minute_limit if fleet.api is not None else None
    if fleet.workload.kind == "training" or (quota is None and limit is None):
        return None
    shape = fleet.workload.daily_shape or (1.0,) * int(HOURS_PER_DAY)
    most = max(shape)
    seconds = case.calendar.hours * SECONDS_PER_HOUR / len(shape)
    total: FloatArray = np.zeros(case.months)
    for share in shape:
        rate = requests_per_s(case, share)
        if limit is not None:
            left = np.maximum(rate - limit / _MINUTE_S, 0.0)
        else:
            wanted = case.servers * (share / most)
            lost = np.maximum(wanted - float(quota or 0), 0.0) / np.maximum(wanted, 1e-300)
            left = rate * lost
        total = total + left * seconds
    return total


def requests_per_s(case: FleetCase, share: float) -> FloatArray:
    """Requests a second of each month in an hour with this share of the peak (F1.1)."""
    fleet = case.fleet
    live = np.arange(case.months) >= fleet.start_month
    peak = fleet.workload.peak_requests_per_s.value * fleet.share_fraction
    rate: FloatArray = peak * share * case.growth * live
    return rate


def unserved(case: FleetCase) -> LedgerLine | None:
    """Unserved requests x what each is worth (F13.8)."""
    left = unserved_requests(case)
    if left is None or not np.any(left):
        return None
    terms = case.fleet.rental or case.fleet.api
    value = terms.value_usd_per_request if terms is not None else None
    count = computed(
        "unserved requests",
        mean(np.sum(left, axis=-1)),
        "requests",
        case.result.status,
        "hours of the day against the limit (F1.4)",
    )
    return case.line(
        "unserved",
        "Unserved requests",
        "cloud",
        end=None if value is None else left * case.amount(value),
        formula="requests beyond the limit x value of a request",
        reference="F13.8",
        terms=(count,) if value is None else (count, Term.of("value of a request", value)),
        missing="what an unserved request is worth is not given" if value is None else "",
    )
