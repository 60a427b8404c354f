"""Servers that come later than promised: bridging, carrying, lost benefit, less running (F5.5).

Depreciation is no cash line: it runs in the P&L from the month promised, and is told beside these
costs, never added to them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tco.cost.case import FleetCase, computed
from tco.cost.columns import blank, mean, months_with, summed
from tco.cost.energy import energy
from tco.cost.finance import FloatArray, monthly_rate_fraction
from tco.cost.owned import at_month, belongs_to_us, net_price_usd, price_paid, price_status
from tco.cost.site_power import FleetBill
from tco.inputs import Delivery, Figure, Status
from tco.results import LedgerLine, Term
from tco.units import MONTHS_PER_YEAR

_ENERGY = "electricity_energy"


def carrying_usd(paid_usd: Any, months: Any, rate_fraction_per_year: Any) -> Any:
    """Cost of money that is paid and does not serve yet, paid x ((1 + r)^(months/12) - 1) (F5.5).

    Parameters
    ----------
    paid_usd
        Paid before the delivery [USD].
    months
        How late it is.
    rate_fraction_per_year
        Effective rate a year.

    Examples
    --------
    >>> round(carrying_usd(40e6, 6.0, 0.10) / 1e6, 2)
    1.95
    """
    return paid_usd * ((1.0 + rate_fraction_per_year) ** (months / MONTHS_PER_YEAR) - 1.0)


def delivery(case: FleetCase) -> Delivery | None:
    """What is known of the delivery of a fleet's servers."""
    purchase = case.fleet.purchase
    return purchase.delivery if purchase is not None else None


def late_months(case: FleetCase) -> Any:
    """Months by which servers come after the month they are needed in; 0 where in time.

    The lead time expected less the order before need, which is what was promised.
    """
    given, purchase = delivery(case), case.fleet.purchase
    if given is None or purchase is None:
        return 0.0
    return np.maximum(0.0, given.lead_months.value - purchase.order_lead_months)


def absent_servers(case: FleetCase) -> FloatArray:
    """Servers that should serve and are not there yet, mean of each month.

    A cohort that is needed in month m and comes L months late is away for the share
    min(1, max(0, L - (k - m))) of month k. Replacements come in the month they are planned for:
    their order is not the first one.
    """
    late = late_months(case)
    away = blank(case.months, case.bought, late)
    if not np.any(late):
        return away
    first = np.diff(case.servers, prepend=0.0, axis=-1)
    longest = int(np.ceil(np.max(late)))
    for month in months_with(np.maximum(first, 0.0)):
        cohort = np.maximum(first[..., month : month + 1], 0.0)
        last = min(month + longest, case.months)
        age = np.arange(last - month, dtype=np.float64)
        away[..., month:last] += cohort * np.clip(late - age, 0.0, 1.0)
    return away


def bridge(case: FleetCase) -> LedgerLine | None:
    """Rented in place of what is not there: absent servers x share bridged x rate (F5.5)."""
    given, away = _late(case)
    if given is None or given.bridge_usd_per_server_month is None:
        return None
    rate = given.bridge_usd_per_server_month
    return case.line(
        "late_bridge",
        "Late delivery: rented meanwhile",
        "cloud",
        end=away * given.bridged_fraction.value * case.amount(rate),
        formula="servers not there x share bridged x price of renting one",
        reference="F5.5",
        terms=(
            *_late_terms(case, given, away),
            Term.of("share bridged", given.bridged_fraction),
            Term.of("renting one", rate),
        ),
    )


def carrying(case: FleetCase) -> LedgerLine | None:
    """Of what is paid for servers that do not serve yet (F5.5).

    Instalments due after the month of need are not paid yet and carry nothing.
    """
    given, away = _late(case)
    price = price_paid(case)
    if given is None or price is None or not belongs_to_us(case):
        return None
    rate = _carrying_rate(case, given)
    late = late_months(case)
    first = np.diff(case.servers, prepend=0.0, axis=-1)
    due = _paid_by_need(case)
    end = blank(case.months, away, price, rate.value)
    longest = int(np.ceil(np.max(late)))
    for month in months_with(np.maximum(first, 0.0)):
        paid = np.maximum(first[..., month : month + 1], 0.0) * at_month(price, case, month) * due
        last = min(month + longest, case.months)
        age = np.arange(last - month, dtype=np.float64)
        until, since = np.minimum(age + 1.0, late), np.minimum(age, late)
        yearly = _effective(case, given, rate)
        end[..., month:last] += carrying_usd(paid, until, yearly) - carrying_usd(
            paid, since, yearly
        )
    return case.line(
        "late_carrying",
        "Late delivery: carrying of what is paid",
        "finance",
        end=end,
        formula="price paid x ((1 + r)^(months late / 12) - 1)",
        reference="F5.5",
        terms=(
            *_late_terms(case, given, away),
            computed(
                "price paid for a server", net_price_usd(case) or 0.0, "USD", price_status(case),
                "servers (F6)",
            ),
            computed("of it paid by the month of need", due, "fraction", Status.ASSUMED,
                     "purchase.instalments"),
            Term.of("rate of carrying", rate),
        ),
    )  # fmt: skip


def lost_benefit(case: FleetCase) -> LedgerLine | None:
    """What is not earned: share not there and not bridged x benefit a month (F5.5)."""
    given, away = _late(case)
    if given is None or given.benefit_usd_per_month is None:
        return None
    return case.line(
        "late_benefit",
        "Late delivery: benefit lost",
        "people",
        end=lost_share(case) * case.amount(given.benefit_usd_per_month),
        formula="share of the servers not there x (1 - share bridged) x benefit a month",
        reference="F5.5",
        terms=(
            *_late_terms(case, given, away),
            Term.of("share bridged", _bridged(given)),
            Term.of("benefit", given.benefit_usd_per_month),
        ),
    )


def shorter_service(case: FleetCase, billed: FleetBill | None = None) -> LedgerLine | None:
    """Electricity of servers that are not there, negative: the service is shorter (F5.5).

    Space, support and people are committed and run on, and so do demand charges.

    Parameters
    ----------
    billed
        The fleet's share of a bill in parts, where its site has one.
    """
    given, away = _late(case)
    if given is None:
        return None
    flat = energy(case)
    used = [line for line in billed.lines if line.key == _ENERGY] if billed is not None else [flat]
    spent = [line for line in used if line is not None and not line.missing]
    if not spent:
        return None
    return case.line(
        "late_energy",
        "Late delivery: electricity not used",
        "energy",
        end=-summed(spent, case.months, "end_usd") * _share(case, away),
        formula="- electricity x share of the servers not there",
        reference="F5.5",
        terms=_late_terms(case, given, away),
    )


LATE_LINES = (bridge, carrying, lost_benefit, shorter_service)


def lost_share(case: FleetCase) -> FloatArray:
    """Share of the service that nobody gives, by month: not there and not bridged."""
    given, away = _late(case)
    if given is None:
        return np.zeros(case.months)
    return np.asarray(_share(case, away) * (1.0 - _bridged(given).value))


def idle_depreciation_usd(case: FleetCase) -> float:
    """What the P&L writes off of servers that are not there yet, in equal parts (F5.5, F12.9)."""
    purchase, price = case.fleet.purchase, price_paid(case)
    if purchase is None or price is None or not belongs_to_us(case):
        return 0.0
    life = purchase.book_life_months or purchase.life_months
    return mean(np.sum(absent_servers(case) * price, axis=-1) / life)


def _late(case: FleetCase) -> tuple[Delivery | None, FloatArray]:
    away = absent_servers(case)
    return (delivery(case) if np.any(away) else None), away


def _share(case: FleetCase, away: FloatArray) -> FloatArray:
    return np.asarray(away / np.maximum(case.servers, 1.0))


def _bridged(given: Delivery) -> Figure:
    """Share bridged: none where nothing is rented."""
    if given.bridge_usd_per_server_month is None:
        return Figure(0.0, "fraction", Status.ASSUMED, "no price of a bridge is given")
    return given.bridged_fraction


def _carrying_rate(case: FleetCase, given: Delivery) -> Figure:
    return given.carrying_fraction_per_year or case.calendar.finance.discount_rate_fraction


def _effective(case: FleetCase, given: Delivery, rate: Figure) -> Any:
    """Effective rate a year; the discount rate by the mode it is used with (F0.3)."""
    if given.carrying_fraction_per_year is not None:
        return rate.value
    monthly = monthly_rate_fraction(rate.value, case.calendar.finance.monthly_rate)
    return (1.0 + monthly) ** MONTHS_PER_YEAR - 1.0


def _paid_by_need(case: FleetCase) -> float:
    purchase = case.fleet.purchase
    if purchase is None or not purchase.instalments:
        return 1.0
    due = [p for p in purchase.instalments if p.after_months <= purchase.order_lead_months]
    return sum(part.share_fraction for part in due)


def _late_terms(case: FleetCase, given: Delivery, away: FloatArray) -> tuple[Term, ...]:
    purchase = case.fleet.purchase
    promised = float(purchase.order_lead_months) if purchase else 0.0
    return (
        Term.of("lead time expected", given.lead_months),
        Term("lead time promised", promised, "month", Status.ASSUMED, "purchase.order_lead_months"),
        computed("months late", late_months(case), "month", given.lead_months.status, "F5.5"),
        computed("server-months not there", np.sum(away, axis=-1), "server-month",
                 case.result.status, "F5.5"),
    )  # fmt: skip
