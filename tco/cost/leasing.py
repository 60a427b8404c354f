"""Lines of leases and of hardware as a service (F12.1, F12.7).

A lease of n months is a run of payments for servers that came in one month. Where it ends before
the horizon it is renewed, bought out, or the servers go back and new ones are leased. What runs
past the horizon is not in the totals: it pays for use outside them, and a finding names it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tco.cost.case import FleetCase, computed
from tco.cost.columns import blank, mean, months_with
from tco.cost.finance import FloatArray, monthly_rate_fraction
from tco.cost.loans import split
from tco.cost.owned import at_month, bought_term, financing, price_paid, server_price
from tco.inputs import Figure, Financing, Status
from tco.results import LedgerLine, Term
from tco.units import MONTHS_PER_YEAR


@dataclass(frozen=True, slots=True, eq=False)
class Lease:
    """One run of payments for the servers that came in one month."""

    first_month: int
    term_months: int
    first_payment_usd: FloatArray  # of all its servers: (..., 1)
    payment_usd: FloatArray  # by month of the lease: (..., term)
    price_usd: Any  # of one of its servers; None: not known
    servers: FloatArray  # (..., 1)

    @property
    def end_month(self) -> int:
        """First month after it."""
        return self.first_month + self.term_months

    def within(self, months: int) -> int:
        """How many of its payments lie before the horizon."""
        return max(0, min(self.term_months, months - self.first_month))

    @property
    def months_in_term(self) -> range:
        """Months of the ledger it covers, those past the horizon too."""
        return range(self.first_month, self.end_month)


def leases(case: FleetCase) -> list[Lease] | str:
    """Every lease of the fleet in order, or why there is no payment."""
    given = financing(case)
    term, price = given.term_months or 0, price_paid(case)
    if not given.leased or term < 1 or not case.months:
        return []
    if given.payment_usd_per_server_month is None and price is None:
        return "the rate factor is a share of the server price, which is not known"
    bought_out = given.at_end == "buyout"
    arrived = case.bought if bought_out else np.diff(case.servers, prepend=0.0, axis=-1)
    steps = _steps(given, term)
    found = []
    for month in months_with(arrived):
        count = arrived[..., month : month + 1]
        starts = (month,) if bought_out else range(month, case.months, term)
        for start in starts:
            # renewed: the same servers at the payment they had; returned: new ones at their price
            priced_in = month if given.at_end == "renew" else start
            each = None if price is None else at_month(price, case, priced_in)
            level = _level_usd(case, given, each)
            first = count * level
            found.append(Lease(start, term, first, first * steps, each, count))
    return found


def lease_payments(case: FleetCase) -> LedgerLine | None:
    """Payments of an operating lease (F12.7)."""
    if financing(case).kind != "operating_lease":
        return None
    return _payments(case, "lease_payments", "Lease payments", "lease", None)


def lease_interest(case: FleetCase) -> LedgerLine | None:
    """Interest inside the payments of a finance lease, at r/12."""
    if financing(case).kind != "finance_lease":
        return None
    return _payments(case, "lease_interest", "Finance lease, interest", "finance", 0)


def lease_principal(case: FleetCase) -> LedgerLine | None:
    """What the payments of a finance lease pay off."""
    if financing(case).kind != "finance_lease":
        return None
    return _payments(case, "lease_principal", "Finance lease, principal", "finance", 1)


def lease_buyout(case: FleetCase) -> LedgerLine | None:
    """Servers bought at the end of their lease, inside the horizon."""
    given, found = financing(case), leases(case)
    share = given.buyout_fraction
    if given.at_end != "buyout" or share is None or not found:
        return None
    formula = "servers x price x buyout share, at the end of the lease"
    if isinstance(found, str) or any(lease.price_usd is None for lease in found):
        missing = "the buyout is a share of the server price, which is not known"
        return _told(case, "lease_buyout", "Lease buyout", "capex", formula, missing)
    start = blank(case.months, case.bought, share.value, *(x.price_usd for x in found))
    for lease in found:
        if lease.end_month < case.months:
            month = slice(lease.end_month, lease.end_month + 1)
            start[..., month] += lease.servers * lease.price_usd * share.value
    if not np.any(start):
        return None
    return case.line(
        "lease_buyout",
        "Lease buyout",
        "capex",
        start=start,
        formula=formula,
        reference="F12.7",
        terms=(bought_term(case), Term.of("buyout", share), *_price_terms(case)),
    )


def lease_return(case: FleetCase) -> LedgerLine | None:
    """Servers sent back, for each lease that ends inside the horizon."""
    given, found = financing(case), leases(case)
    figure = given.return_usd_per_server
    if given.at_end != "return" or figure is None or not found or isinstance(found, str):
        return None
    usd = case.amount(figure)
    end = blank(case.months, case.servers, usd)
    for lease in found:
        if lease.end_month <= case.months:
            end[..., lease.end_month - 1 : lease.end_month] += lease.servers * usd
    return case.line(
        "lease_return",
        "Lease, servers sent back",
        "lease",
        end=end,
        formula="servers x return cost, at the end of each lease",
        reference="F12.7",
        terms=(case.servers_term(), Term.of("return of a server", figure)),
    )


def service(case: FleetCase) -> LedgerLine | None:
    """Hardware as a service: units in use x price of a unit and month (F12.1)."""
    return _service(case, "as_a_service", "Hardware as a service", unused=False)


def service_unused(case: FleetCase) -> LedgerLine | None:
    """Commitment that is paid through the term and not used, as a line of its own (F13.2)."""
    minimum = financing(case).minimum_count
    if not minimum:
        return None
    return _service(case, "as_a_service_unused", "As a service, unused commitment", unused=True)


def outside_usd(case: FleetCase) -> tuple[int, float]:
    """Months and payments of leases and commitments past the horizon, which no total holds."""
    given, months = financing(case), case.months
    if given.kind == "as_a_service":
        past = max(0, case.fleet.start_month + (given.term_months or 0) - months)
        price = case.amount(given.usd_per_unit_month) if given.usd_per_unit_month else 0.0
        committed = (given.minimum_count or 0) * price
        late = _service_steps(given, case.fleet.start_month, months + past)[..., months:]
        return past, mean(np.sum(np.ones(past) * committed * late, axis=-1)) if past else 0.0
    found = leases(case)
    if isinstance(found, str) or not found:
        return 0, 0.0
    past = max(lease.end_month for lease in found) - months
    owed = sum(
        mean(np.sum(lease.payment_usd[..., lease.within(months) :], axis=-1)) for lease in found
    )
    return max(0, past), owed


def schedule(given: Financing, rate_per_year: Any) -> tuple[FloatArray, FloatArray]:
    """Interest and principal of each payment of a lease, per USD of its first one (F12.7)."""
    rate = monthly_rate_fraction(rate_per_year, "nominal")
    advance, term = given.payment_timing == "advance", given.term_months or 1
    payments = _steps(given, term)
    power = np.arange(term) + (0 if advance else 1)
    owed = np.sum(payments * (1.0 + rate) ** -power, axis=-1, keepdims=True)
    return split(payments, rate, owed, advance=advance)


def _payments(
    case: FleetCase, key: str, label: str, category: str, part: int | None
) -> LedgerLine | None:
    """Whole payments (None), their interest (0) or their principal (1)."""
    given, found = financing(case), leases(case)
    words = ("interest in the lease payments", "lease payments - interest")
    formula = "servers x lease payment" if part is None else words[part]
    if isinstance(found, str):
        return _told(case, key, label, category, formula, found)
    rate = given.rate_fraction_per_year
    if part is None:
        parts = [(lease, lease.payment_usd) for lease in found]
    else:
        unit = schedule(given, rate.value if rate else 0.0)[part]
        parts = [(lease, lease.first_payment_usd * unit) for lease in found]
    paid = blank(case.months, case.servers, *(usd[..., :1] for _, usd in parts))
    for lease, usd in parts:
        last = lease.within(case.months)
        paid[..., lease.first_month : lease.first_month + last] += usd[..., :last]
    advance = given.payment_timing == "advance"
    terms = [case.servers_term(), *_payment_terms(given)]
    if given.payment_usd_per_server_month is None:
        terms += _price_terms(case)
    if part is not None and rate is not None:
        terms.append(Term.of("interest rate", rate))
    return case.line(
        key,
        label,
        category,
        start=paid if advance else None,
        end=None if advance else paid,
        formula=formula,
        reference="F12.7",
        terms=terms,
    )


def _service(case: FleetCase, key: str, label: str, *, unused: bool) -> LedgerLine | None:
    given = financing(case)
    figure = given.usd_per_unit_month
    if given.kind != "as_a_service" or figure is None or not case.months:
        return None
    used = case.servers * (case.devices_per_server if given.unit == "device" else 1)
    units = used
    if unused:
        since = np.arange(case.months) - case.fleet.start_month
        bound = (since >= 0) & (since < (given.term_months or 0))
        units = np.where(bound, np.maximum((given.minimum_count or 0) - used, 0.0), 0.0)
        if not np.any(units):
            return None
    steps = _service_steps(given, case.fleet.start_month, case.months)
    usd = units * case.amount(figure) * steps
    advance = given.payment_timing == "advance"
    what = f"{given.unit}s"
    return case.line(
        key,
        label,
        "lease",
        start=usd if advance else None,
        end=None if advance else usd,
        formula=f"{'unused ' if unused else ''}{what} x price of a unit and month",
        reference="F12.1, F13.2" if unused else "F12.1",
        terms=(
            computed(f"{what}, mean", mean(units), what, case.result.status, "sizing (P8)"),
            *_payment_terms(given),
        ),
    )


def _service_steps(given: Financing, start: int, months: int) -> FloatArray:
    age = np.maximum(0, np.arange(months) - start)
    return _risen(given.payment_rise_fraction_per_year, age)


def _steps(given: Financing, term: int) -> FloatArray:
    return _risen(given.payment_rise_fraction_per_year, np.arange(term))


def _risen(rise: Figure | None, age_months: Any) -> FloatArray:
    """Payment over the first one: it steps up after each year of the contract."""
    rate = rise.value if rise else 0.0
    return np.asarray((1.0 + rate) ** (age_months // MONTHS_PER_YEAR))


def _level_usd(case: FleetCase, given: Financing, price: Any) -> Any:
    figure, factor = given.payment_usd_per_server_month, given.rate_factor_fraction_per_month
    if figure is not None:
        return case.amount(figure)
    return price * (factor.value if factor else 0.0)


def _payment_terms(given: Financing) -> Iterator[Term]:
    for name, figure in (
        ("lease payment", given.payment_usd_per_server_month),
        ("rate factor", given.rate_factor_fraction_per_month),
        ("price of a unit", given.usd_per_unit_month),
        ("rise of the payment", given.payment_rise_fraction_per_year),
    ):
        if figure is not None:
            yield Term.of(name, figure)
    yield computed("term", float(given.term_months or 0), "months", Status.ASSUMED, "financing")


def _price_terms(case: FleetCase) -> list[Term]:
    price = server_price(case)
    if price is None:
        return []
    found = [Term.of("list price of a server", price)]
    if case.fleet.purchase is not None:
        found.append(Term.of("discount", case.fleet.purchase.discount_fraction))
    return found


def _told(
    case: FleetCase, key: str, label: str, category: str, formula: str, missing: str
) -> LedgerLine:
    return case.line(key, label, category, formula=formula, reference="F12.7", missing=missing)
