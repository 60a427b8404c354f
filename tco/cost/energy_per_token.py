"""What a token takes from the grid: J/token and tok/s/MW of an option (F19.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tco.cost.case import FleetCase, computed, status_of
from tco.cost.columns import mean
from tco.cost.demand import Served
from tco.cost.site_power import FleetBill, bills_of
from tco.cost.surroundings import facility_kwh_by_month
from tco.inputs import Status
from tco.results import Explained, Term

J_PER_KWH = 3.6e6
W_PER_MW = 1e6


def energy_per_token(
    pairs: Sequence[tuple[FleetCase, Served]], fleets: Sequence[FleetCase], why_not: str
) -> list[Explained]:
    """Facility energy over output tokens, and output tokens over facility energy (F19.4).

    Base: all the energy of the fleets that serve tokens, idle hours and PUE included, from the
    grid over the horizon. Denominator: output tokens served within the targets only. Nothing is
    discounted. Blank with the reason where a fleet is rented or its power is not known.

    Parameters
    ----------
    pairs
        Fleets counted in tokens, with what they serve.
    fleets
        All fleets of the option: they share the bills of their sites.
    why_not
        Why no token is counted; empty when some are.
    """
    bills = bills_of(fleets)
    kwh, tokens = 0.0, 0.0
    terms: list[Term] = []
    statuses: list[Status] = []
    reasons = [why_not] if why_not else []
    for case, served in pairs:
        name = case.fleet.name
        bill = bills.get(case.fleet.key)
        by_month = facility_kwh_by_month(case, bill if isinstance(bill, FleetBill) else None)
        if not case.fleet.owned:
            reasons.append(f"{name} is rented: the provider's power is not known")
        elif by_month is None or case.power is None:
            reasons.append(f"the power of {name} is not known")
        else:
            of_fleet = mean(np.sum(by_month, axis=-1))
            kwh += of_fleet
            statuses.append(case.power.status)
            terms.append(
                computed(
                    f"{name}: energy from the grid",
                    of_fleet,
                    "kWh",
                    case.power.status,
                    "power (F4.1)",
                )
            )
        length = case.fleet.workload.output_tokens
        count = mean(np.sum(served.within_targets, axis=-1) * length.value)
        tokens += count
        statuses.append(served.status)
        terms.append(
            computed(
                f"{name}: output tokens within the targets",
                count,
                "tokens",
                served.status,
                "hourly load x hours (F19.6)",
            )
        )
    if not reasons and not (kwh > 0.0 and tokens > 0.0):
        reasons.append("no energy is spent on tokens")
    reason = "; ".join(dict.fromkeys(reasons))
    base = "from the grid with PUE, all hours, over output tokens served within the targets"
    joules = math.nan if reason else kwh * J_PER_KWH / tokens
    return [
        Explained(
            key=key,
            label=label,
            value=None if reason else value,
            unit=unit,
            status=status_of(statuses),
            formula=formula,
            terms=tuple(terms),
            reason=reason,
            reference="F19.4, F19.6",
        )
        for key, label, unit, value, formula in (
            (
                "j_per_token",
                "Energy of an output token",
                "J/token",
                joules,
                f"kWh x 3.6e6 / tokens; energy {base}",
            ),
            (
                "tokens_per_s_per_mw",
                "Output tokens a second of a facility megawatt",
                "tok/s/MW",
                W_PER_MW / joules,
                f"tokens / (kWh x 3.6e6) x 10^6; energy {base}",
            ),
        )
    ]
