"""Lines that go with a price: duty, freight, taxes, insurance, retirement (F6, F6.2)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tco.cost import leasing
from tco.cost.case import FleetCase, computed, life_months
from tco.cost.columns import blank, mean, months_with
from tco.cost.finance import FloatArray
from tco.cost.owned import (
    at_month,
    belongs_to_us,
    bought_term,
    financing,
    paid_in_service,
    price_paid,
    price_status,
)
from tco.inputs import Figure, Purchase, Status
from tco.results import LedgerLine, Term
from tco.units import MONTHS_PER_YEAR

PRICE_UNKNOWN = "it is a share of the server price, which is not known"


def duty(case: FleetCase) -> LedgerLine | None:
    """Import duty on the price paid, when the servers come (F6); a lessor pays his own."""
    share = _purchase(case).duty_fraction
    if share is None or not belongs_to_us(case):
        return None
    price = price_paid(case)
    return _line(
        case,
        "duty",
        "Import duty",
        "capex",
        "price of the servers bought x duty",
        "F6",
        start=None if price is None else case.bought * price * share.value,
        terms=_priced(case, Term.of("duty", share)),
    )


def freight(case: FleetCase) -> LedgerLine | None:
    """Freight of each server that comes (F6)."""
    figure = _purchase(case).freight_usd_per_server
    if figure is None:
        return None
    return _line(
        case,
        "freight",
        "Freight",
        "capex",
        "servers bought x freight",
        "F6",
        start=case.bought * case.amount(figure),
        terms=(bought_term(case), Term.of("freight per server", figure)),
    )


def sales_tax(case: FleetCase) -> LedgerLine | None:
    """Sales tax or VAT that is not recovered, on price and duty of what is bought (F6.2)."""
    bought, share = _purchase(case), _purchase(case).sales_tax_fraction
    if share is None or not belongs_to_us(case):
        return None
    price = price_paid(case)
    duty_share = bought.duty_fraction.value if bought.duty_fraction else 0.0
    terms = [Term.of("sales tax", share)]
    if bought.duty_fraction is not None:
        terms.append(Term.of("duty", bought.duty_fraction))
    return _line(
        case,
        "sales_tax",
        "Sales tax or lost VAT",
        "capex",
        "price of the servers bought x (1 + duty) x tax",
        "F6.2",
        start=None if price is None else case.bought * price * (1.0 + duty_share) * share.value,
        terms=_priced(case, *terms),
    )


def sales_tax_on_payments(case: FleetCase) -> LedgerLine | None:
    """Sales tax or VAT that is not recovered, on lease and service payments as they fall due."""
    share, given = _purchase(case).sales_tax_fraction, financing(case)
    if share is None or belongs_to_us(case):
        return None
    found = leasing.leases(case)
    if isinstance(found, str):
        paid = None
    elif given.kind == "as_a_service":
        lines = (leasing.service(case), leasing.service_unused(case))
        paid = blank(case.months, share.value)
        for line in lines:
            if line is not None:
                paid = paid + np.asarray(line.start_usd) + np.asarray(line.end_usd)
    else:
        paid = blank(case.months, case.servers, *(lease.payment_usd[..., :1] for lease in found))
        for lease in found:
            last = lease.within(case.months)
            paid[..., lease.first_month : lease.first_month + last] += lease.payment_usd[..., :last]
    tax = None if paid is None else paid * share.value
    advance = given.payment_timing == "advance"
    base = 0.0 if paid is None else mean(np.sum(paid, axis=-1))
    return _line(
        case,
        "sales_tax_on_payments",
        "Sales tax or lost VAT on payments",
        "lease",
        "payments x tax",
        "F6.2",
        terms=(
            computed("payments", base, "USD", case.result.status, "ledger"),
            Term.of("sales tax", share),
        ),
        start=tax if advance else None,
        end=None if advance else tax,
    )


def property_tax(case: FleetCase) -> LedgerLine | None:
    """Business property tax: price x taxable share of the year of age x rate / 12 (F6.2).

    A finance lease leaves it with the lessee, an operating lease and a service with the owner.
    """
    bought = _purchase(case)
    rate = bought.property_tax_fraction_per_year
    if rate is None or not (belongs_to_us(case) or financing(case).kind == "finance_lease"):
        return None
    price, life = price_paid(case), life_months(case.fleet)
    shares = assessed_fractions(bought, life)
    end = blank(case.months, case.bought, rate.value, 0.0 if price is None else price)
    for month in months_with(case.bought) if price is not None else []:
        held = min(month + life, case.months) - month
        value = case.bought[..., month : month + 1] * at_month(price, case, month)
        end[..., month : month + held] += value * shares[:held] * rate.value / MONTHS_PER_YEAR
    own = bool(bought.property_tax_schedule)
    schedule = " / ".join(f"{100 * x.share_fraction:g}" for x in bought.property_tax_schedule)
    return _line(
        case,
        "property_tax",
        "Property tax",
        "charges",
        "price x taxable share in its year of age x tax / 12",
        "F6.2",
        end=None if price is None else end,
        terms=_priced(
            case,
            Term.of("property tax", rate),
            computed(
                "taxable share in the first year",
                float(shares[0]),
                "fraction",
                Status.ASSUMED,
                f"schedule {schedule} %" if own else "default: straight line over the life",
            ),
        ),
    )


def assessed_fractions(bought: Purchase, life: int) -> FloatArray:
    """Taxable share of the price by month of age, through the life."""
    years = -(-life // MONTHS_PER_YEAR)
    given = [item.share_fraction for item in bought.property_tax_schedule]
    if given:
        yearly = [given[min(year, len(given) - 1)] for year in range(years)]
    else:
        yearly = [1.0 - year * MONTHS_PER_YEAR / life for year in range(years)]
    return np.repeat(np.array(yearly), MONTHS_PER_YEAR)[:life]


def insurance(case: FleetCase) -> LedgerLine | None:
    """Premium on the price of the servers that stand there (F6.2); a service holds its own."""
    share = _purchase(case).insurance_fraction_per_year
    if share is None or financing(case).kind == "as_a_service":
        return None
    held = paid_in_service(case)
    return _line(
        case,
        "insurance",
        "Insurance",
        "charges",
        "price of the servers in service x premium / 12",
        "F6.2",
        end=None if held is None else held * share.value / MONTHS_PER_YEAR,
        terms=_priced(case, Term.of("insurance", share)),
    )


def retired(case: FleetCase) -> list[tuple[int, int, FloatArray]]:
    """Each cohort that leaves on our account: month it came, month it is gone, cost then.

    Servers of a lessor or of a service leave on his account, or at the return cost; those bought
    out of a lease are ours.
    """
    figure, given = _purchase(case).retirement_usd_per_server, financing(case)
    bought_out = given.leased and given.at_end == "buyout"
    if figure is None or not (belongs_to_us(case) or bought_out) or not case.months:
        return []
    usd, life = case.amount(figure), life_months(case.fleet)
    factor = case.calendar.escalation(figure, case.calendar.finance.opex_escalation_fraction)
    found = []
    for month in months_with(case.bought):
        if bought_out and month + (given.term_months or 0) >= case.months:
            continue  # still the lessor's
        gone = min(month + life, case.months)
        cohort = case.bought[..., month : month + 1]
        found.append((month, gone, np.asarray(cohort * usd * factor[..., gone - 1 : gone])))
    return found


def retirement(case: FleetCase) -> LedgerLine | None:
    """Dismantling, wiping and disposal when a server leaves, or at the horizon (F6.2)."""
    figure, found = _purchase(case).retirement_usd_per_server, retired(case)
    if figure is None or not found:
        return None
    rate = case.calendar.finance.opex_escalation_fraction
    end = blank(case.months, *(usd for _, _, usd in found))
    for _, gone, usd in found:
        end[..., gone - 1 : gone] += usd
    terms = [bought_term(case), Term.of("retirement of a server", figure)]
    if rate is not None:
        terms.append(Term.of("escalation of running costs", rate))
    return _line(
        case,
        "retirement",
        "Retirement",
        "retirement",
        "servers x retirement x escalation, when they leave",
        "F6.2",
        end=end,
        terms=terms,
    )


def physical_security(case: FleetCase) -> LedgerLine | None:
    """Guards and locks of the fleet, from go-live on (F6.2)."""
    figure = _purchase(case).physical_security_usd_per_year
    if figure is None:
        return None
    rate = case.calendar.finance.opex_escalation_fraction
    factor = case.calendar.escalation(figure, rate)
    there = np.where(case.servers > 0, 1.0, 0.0)
    terms = [Term.of("physical security a year", figure)]
    if rate is not None:
        terms.append(Term.of("escalation of running costs", rate))
    return _line(
        case,
        "physical_security",
        "Physical security",
        "facility",
        "USD a year / 12 x escalation, while servers stand there",
        "F6.2",
        end=there * case.amount(figure) / MONTHS_PER_YEAR * factor,
        terms=terms,
    )


def _purchase(case: FleetCase) -> Purchase:
    if case.fleet.purchase is not None:
        return case.fleet.purchase
    return Purchase(None, Figure(0.0, "fraction", Status.ASSUMED, "no purchase given"))


def _priced(case: FleetCase, *terms: Term) -> tuple[Term, ...]:
    """The terms, with the price that they are a share of."""
    price = price_paid(case)
    if price is None:
        return terms
    paid = computed(
        "price paid for a server", price, "USD", price_status(case), "list less discount"
    )
    return (bought_term(case), paid, *terms)


def _line(
    case: FleetCase,
    key: str,
    label: str,
    category: str,
    formula: str,
    reference: str,
    *,
    terms: Iterable[Term],
    start: FloatArray | None = None,
    end: FloatArray | None = None,
) -> LedgerLine:
    """The line; without amounts on either side the price that it is a share of is missing."""
    return case.line(
        key,
        label,
        category,
        start=start,
        end=end,
        formula=formula,
        reference=reference,
        terms=terms,
        missing=PRICE_UNKNOWN if start is None and end is None else "",
    )
