"""Lines of rented machines: instances, commitments, egress, support (F13.1 to F13.7)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tco.cost.billing import billed_hours_per_day
from tco.cost.case import FleetCase, computed
from tco.cost.columns import mean, summed
from tco.cost.finance import FloatArray
from tco.inputs import CloudOffer, Figure, Rental
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
    most = most_on(case)
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


def most_on(case: FleetCase) -> int:
    """Instances that the servers of a month stand for: a given count may never be on whole."""
    most = max((hour.servers_on for hour in case.result.hours), default=0)
    return max(most, case.fleet.count or 0) if most else 0


def on_by_hour(case: FleetCase) -> list[FloatArray]:
    """Instances wanted in each hour of the typical day, a column of months each.

    One column where they stay on. Beyond a quota there are none (F13.8).
    """
    rental, hours = rental_of(case), case.result.hours
    most = most_on(case)
    wanted = [case.servers]
    if follows_the_day(rental) and most:
        wanted = [case.servers * (hour.servers_on / most) for hour in hours]
    if rental.quota_instances is None:
        return wanted
    return [np.minimum(column, rental.quota_instances) for column in wanted]


def follows_the_day(rental: Rental) -> bool:
    """Whether instances come and go with the load; committed ones are paid for anyway."""
    reserved = rental.commitment.startswith("reserved") and rental.committed_instances is None
    return rental.scaling == "hourly" and not reserved


@dataclass(frozen=True, slots=True)
class PaidHours:
    """Instance-hours of each month by what they cost (F13.2)."""

    used: FloatArray  # at the rate of the commitment, and in use
    unused: FloatArray  # committed and not in use
    beyond: FloatArray  # on demand, above the commitment

    @property
    def total(self) -> FloatArray:
        """All that are paid for."""
        paid: FloatArray = self.used + self.unused + self.beyond
        return paid


def paid_hours(case: FleetCase) -> PaidHours:
    """Instance-hours paid in each month (F13.1, F13.2, F13.8)."""
    rental, none = rental_of(case), np.zeros(case.months)
    committed = rental.committed_instances
    if committed is None and rental.quota_instances is None:
        plain: FloatArray = case.servers * case.calendar.hours * on_fraction(case)
        return PaidHours(plain, none, none)
    columns = on_by_hour(case)
    share = case.calendar.hours / len(columns)
    if committed is None:
        used = np.sum(np.array(np.broadcast_arrays(*columns)), axis=0) * share
        return PaidHours(used * _billing_ratio(case, 0), none, none)
    live = np.where(np.arange(case.months) >= case.fleet.start_month, float(committed), 0.0)
    used = sum((np.minimum(column, live) for column in columns), start=none) * share
    beyond = sum((np.maximum(column - live, 0.0) for column in columns), start=none) * share
    unused = live * case.calendar.hours - used
    return PaidHours(used, np.maximum(unused, 0.0), beyond * _billing_ratio(case, committed))


def _billing_ratio(case: FleetCase, committed: int) -> float:
    """Billed over plain instance-hours of the typical day, above the committed ones."""
    rental, hours = rental_of(case), case.result.hours
    quota = rental.quota_instances
    if not follows_the_day(rental):
        return 1.0
    day = [hour.servers_on if quota is None else min(quota, hour.servers_on) for hour in hours]
    above = [max(0, count - committed) for count in day]
    plain = math.fsum(above) * HOURS_PER_DAY / max(1, len(above))
    return billed_by_day(rental, above) / plain if plain else 1.0


def instance_hours(case: FleetCase) -> FloatArray:
    """Instance-hours paid in each month (F13.1)."""
    return paid_hours(case).total


def rate_path(case: FleetCase, rate: Figure) -> FloatArray | float:
    """Hourly rate by month: flat, or along the price path from the figure's own date (F13.7)."""
    change = rental_of(case).price_change_fraction_per_year
    usd = case.amount(rate)
    return usd if change is None else usd * case.calendar.escalation(rate, change)


def _path_terms(case: FleetCase) -> list[Term]:
    change = rental_of(case).price_change_fraction_per_year
    return [] if change is None else [Term.of("price change a year", change)]


def instances(case: FleetCase) -> LedgerLine | None:
    """Instance-hours x hourly rate, flat or along its price path (F13.1, F13.7).

    Under a commitment of so many instances, the committed ones that are in use.
    """
    offer, rental, rate = case.fleet.offer, rental_of(case), hourly_rate(case)
    if offer is None:
        return None
    paid = paid_hours(case).used
    words = rental.commitment.replace("_", " ")
    label = f"{_name(offer)}, {words}"
    formula = "instance-hours x USD/hour"
    if rental.price_change_fraction_per_year is not None:
        formula += " x price path"
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
        end=paid * rate_path(case, rate),
        formula=formula,
        reference="F13.1",
        terms=[*terms, Term.of("hourly rate", rate), *_path_terms(case)],
    )


def commitment_unused(case: FleetCase) -> LedgerLine | None:
    """Committed instance-hours that nobody uses, at the rate of the commitment (F13.2)."""
    rental, rate = rental_of(case), hourly_rate(case)
    if case.fleet.offer is None or rental.committed_instances is None:
        return None
    unused = paid_hours(case).unused
    return _hours_line(case, "commitment_unused", "Unused commitment", unused, rate)


def instances_on_demand(case: FleetCase) -> LedgerLine | None:
    """Instance-hours above the commitment, at the on-demand rate (F13.2)."""
    rental, offer = rental_of(case), case.fleet.offer
    if offer is None or rental.committed_instances is None:
        return None
    rate = rental.on_demand_usd_per_hour or offer.on_demand_usd_per_hour
    beyond = paid_hours(case).beyond
    label = f"{_name(offer)}, above the commitment"
    return _hours_line(case, "instances_on_demand", label, beyond, rate)


def _hours_line(
    case: FleetCase, key: str, label: str, hours: FloatArray, rate: Figure | None
) -> LedgerLine:
    terms = [
        computed(
            "instance-hours",
            mean(np.sum(hours, axis=-1)),
            "h",
            case.result.status,
            "hours of the day against the commitment",
        )
    ]
    needed = rate is None and bool(np.any(hours))
    return case.line(
        key,
        label,
        "cloud",
        end=None if rate is None else hours * rate_path(case, rate),
        formula="instance-hours x USD/hour",
        reference="F13.2",
        terms=terms if rate is None else [*terms, Term.of("hourly rate", rate)],
        missing="no rate is known for it" if needed else "",
    )


def support(case: FleetCase, bill: Sequence[LedgerLine]) -> LedgerLine | None:
    """Support as a share of the stated base: what the provider bills (F13.6)."""
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
        formula=f"support share x ({' + '.join(dict.fromkeys(map(_base_word, bill)))})",
        reference="F13.6",
        terms=(
            Term.of("support share", share),
            computed(
                "base over the horizon", mean(np.sum(base, axis=-1)), "USD", status, "cloud lines"
            ),
        ),
        missing=f"its base is not known: {missing}" if missing else "",
    )


def _base_word(line: LedgerLine) -> str:
    word = line.key.split("_")[0]
    return {"commitment": "commitment", "spot": "instances"}.get(word, word)


def _name(offer: CloudOffer) -> str:
    return f"{offer.provider} {offer.instance_type}"
