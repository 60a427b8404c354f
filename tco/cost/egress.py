"""Data sent out of the cloud, by tier and month (F13.4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tco.cost.case import FleetCase, computed
from tco.cost.cloud import rental_of
from tco.cost.finance import FloatArray
from tco.inputs import Status
from tco.results import LedgerLine, Term


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
