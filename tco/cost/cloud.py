"""Lines of rented machines: instances, egress, support (F13.1, F13.4, F13.6)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tco.cost.billing import billed_hours_per_day
from tco.cost.case import FleetCase, computed
from tco.cost.columns import mean, summed
from tco.cost.finance import FloatArray
from tco.inputs import CloudOffer, Figure, Rental, Status
from tco.results import LedgerLine, Term
from tco.units import HOURS_PER_DAY

_NO_TERMS = Rental()


def rental_of(case: FleetCase) -> Rental:
    """Terms of the rental; the defaults where the scenario gives none."""
    return case.fleet.rental or _NO_TERMS


def hourly_rate(case: FleetCase) -> Figure | None:
    """Rate of one instance: the scenario's own, else the offer's for its commitment."""
    rental, offer = rental_of(case), case.fleet.offer
    if rental.usd_per_hour is not None:
        return rental.usd_per_hour
    return offer.rate(rental.commitment) if offer else None


def on_fraction(case: FleetCase) -> float:
    """Mean share of the rented instances that are switched on, or billed, over the typical day.

    1 unless scaling is hourly; reserved instances are paid for every hour, used or not (F13.2).
    """
    rental = rental_of(case)
    hours = case.result.hours
    if rental.scaling != "hourly" or rental.commitment.startswith("reserved") or not hours:
        return 1.0
    most = max(hour.servers_on for hour in hours)
    if not most:
        return 0.0
    if not (rental.warm_up_hours or rental.billing_minimum_hours or rental.billing_increment_hours):
        return math.fsum(hour.servers_on for hour in hours) / (len(hours) * most)
    return billed_by_day(rental, [hour.servers_on for hour in hours]) / (HOURS_PER_DAY * most)


def billed_by_day(rental: Rental, instances: Sequence[float]) -> float:
    """Instance-hours billed for a typical day under the terms of the rental (F13.1, F14.3)."""
    return billed_hours_per_day(
        instances,
        warm_up_hours=rental.warm_up_hours,
        minimum_hours=rental.billing_minimum_hours,
        increment_hours=rental.billing_increment_hours,
    )


def instance_hours(case: FleetCase) -> FloatArray:
    """Instance-hours paid in each month (F13.1)."""
    hours: FloatArray = case.servers * case.calendar.hours * on_fraction(case)
    return hours


def instances(case: FleetCase) -> LedgerLine | None:
    """Instance-hours x hourly rate, held flat (F13.1)."""
    offer, rental, rate = case.fleet.offer, rental_of(case), hourly_rate(case)
    if offer is None:
        return None
    paid = instance_hours(case)
    words = rental.commitment.replace("_", " ")
    label = f"{_name(offer)}, {words}"
    formula = "instance-hours x USD/hour"
    status = case.result.status
    terms = [
        computed(
            "instance-hours", mean(np.sum(paid, axis=-1)), "h", status, "sizing x hours (P8, F0.2)"
        ),
        computed(
            "share of the hours switched on",
            on_fraction(case),
            "fraction",
            status,
            "servers on by hour of the day" if rental.scaling == "hourly" else "always on",
        ),
    ]
    if rate is None:
        return case.line(
            "instances",
            label,
            "cloud",
            formula=formula,
            reference="F13.1",
            terms=terms,
            missing=f"no {words} rate is known for {_name(offer)} in {offer.region}",
        )
    return case.line(
        "instances",
        label,
        "cloud",
        end=paid * case.amount(rate),
        formula=formula,
        reference="F13.1",
        terms=[*terms, Term.of("hourly rate", rate)],
    )


def egress_usd(gb: float, tiers: Sequence[tuple[float, float]], free_gb: float = 0.0) -> float:
    """Cost of one month's egress by tier (F13.4).

    Parameters
    ----------
    gb
        GB sent in the month.
    tiers
        (upper bound in GB, USD/GB), ascending. The bounds count GB beyond the free allowance;
        price lists that count 1,024 GB per TB give 10,240 for 10 TB.
    free_gb
        Allowance that costs nothing.

    Examples
    --------
    >>> tiers = ((10_240, 0.09), (51_200, 0.085), (153_600, 0.07), (float("inf"), 0.05))
    >>> round(egress_usd(57_000, tiers), 2)
    4809.2
    """
    return float(egress_column_usd(np.array([gb]), tiers, free_gb)[0])


def egress_column_usd(
    gb: FloatArray, tiers: Sequence[tuple[float, float]], free_gb: float = 0.0
) -> FloatArray:
    """Cost of many months' egress, as `egress_usd`; rates may have draws."""
    charged, below = np.maximum(gb - free_gb, 0.0), 0.0
    total: FloatArray = np.zeros(())
    for upper, rate in tiers:
        total = total + np.clip(charged - below, 0.0, upper - below) * rate
        below = upper
    return total


def egress(case: FleetCase) -> LedgerLine | None:
    """Data sent out of the cloud, by tier and month; grows with the load (F13.4)."""
    rental = rental_of(case)
    volume = rental.egress_gb_per_month
    if volume is None or volume.is_zero:
        return None
    formula = "sum over tiers of GB x USD/GB, each month"
    if not rental.egress_tiers:
        return case.line(
            "egress",
            "Egress",
            "cloud",
            formula=formula,
            reference="F13.4",
            terms=(Term.of("egress, first month", volume),),
            missing="no egress price is known for this provider and region",
        )
    tiers = [(upper, case.amount(rate)) for upper, rate in rental.egress_tiers]
    gb = np.where(case.servers > 0, volume.value * case.growth, 0.0)
    terms = [
        Term.of("egress, first month", volume),
        computed(
            "free allowance", rental.egress_free_gb_per_month, "GB/month", Status.PUBLISHED, "offer"
        ),
        *(Term.of(f"rate up to {upper:g} GB", rate) for upper, rate in rental.egress_tiers),
    ]
    return case.line(
        "egress",
        "Egress",
        "cloud",
        end=egress_column_usd(gb, tiers, rental.egress_free_gb_per_month),
        formula=formula,
        reference="F13.4",
        terms=terms,
    )


def support(case: FleetCase, bill: Sequence[LedgerLine]) -> LedgerLine | None:
    """Support as a share of the stated base: instances and egress (F13.6)."""
    share = rental_of(case).support_fraction
    if share is None or share.is_zero:
        return None
    base = summed(bill, case.months, "end_usd")
    missing = next((line.missing for line in bill if line.missing), "")
    status = max((line.status for line in bill), key=lambda s: s.rank, default=share.status)
    return case.line(
        "cloud_support",
        "Cloud support",
        "cloud",
        end=base * share.value,
        formula="support share x (instances + egress)",
        reference="F13.6",
        terms=(
            Term.of("support share", share),
            computed(
                "base over the horizon", mean(np.sum(base, axis=-1)), "USD", status, "cloud lines"
            ),
        ),
        missing=f"its base is not known: {missing}" if missing else "",
    )


def _name(offer: CloudOffer) -> str:
    return f"{offer.provider} {offer.instance_type}"
