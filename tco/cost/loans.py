"""Lines of a loan for the servers: drawn, principal, interest (F12.1, F12.2).

The price stays a line of its own: what the lender pays stands beside it with the other sign, so
that cash sees the down payment and the loan's own flows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tco.cost.case import FleetCase, computed
from tco.cost.columns import blank, mean, months_with
from tco.cost.finance import FloatArray, monthly_rate_fraction
from tco.cost.owned import financing, price_paid, price_status
from tco.inputs import Figure, Status
from tco.results import LedgerLine, Term


def level_payment_fraction(rate_fraction: Any, months: int) -> Any:
    """Payment over the principal, r / (1 - (1 + r)^-n); 1/n without interest (F12.2).

    `rate_fraction` is by month, a number or a column of draws.

    Examples
    --------
    >>> round(200_000 * float(level_payment_fraction(0.075 / 12, 180)), 4)
    1854.0247
    >>> float(level_payment_fraction(0.0, 4))
    0.25
    """
    rate = np.asarray(rate_fraction, dtype=np.float64)
    safe = np.where(rate == 0.0, 1.0, rate)
    # expm1 and log1p keep the digits that 1 - (1 + r)^-n loses at small r
    level = safe / -np.expm1(-months * np.log1p(safe))
    return np.where(rate == 0.0, 1.0 / months, level)


def split(
    payments: FloatArray, rate_fraction: Any, balance: Any, *, advance: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Interest and principal inside each payment, shape (..., months) (F12.2).

    Parameters
    ----------
    payments
        By month of the contract.
    rate_fraction
        By month.
    balance
        What is owed at the start.
    advance
        Paid at the start of each month: the first payment then holds no interest.

    Examples
    --------
    >>> interest, principal = split(np.array([60.0, 60.0]), 0.0, 120.0)
    >>> interest.tolist(), principal.tolist()
    ([0.0, 0.0], [60.0, 60.0])
    """
    shape = np.broadcast_shapes(payments.shape, np.shape(rate_fraction), np.shape(balance))
    interest = np.zeros(shape)
    owed = np.broadcast_to(balance, (*shape[:-1], 1)).astype(np.float64)
    due = np.broadcast_to(payments, shape)
    for month in range(shape[-1]):
        cost = owed * (0.0 if advance and month == 0 else rate_fraction)
        interest[..., month : month + 1] = cost
        owed = owed + cost - due[..., month : month + 1]
    return interest, due - interest


def drawn(case: FleetCase) -> LedgerLine | None:
    """What the lender pays when the servers are bought, negative."""
    return _line(case, "loan_drawn", "Loan drawn", "- servers bought x price x share lent", _drawn)


def principal(case: FleetCase) -> LedgerLine | None:
    """Principal paid back each month; what is still owed at the horizon is settled there."""
    what = "payment - interest; the balance at the horizon in its last month"
    return _line(case, "loan_principal", "Loan, principal", what, _principal)


def interest(case: FleetCase) -> LedgerLine | None:
    """Interest of each month on what is owed, at r/12 (F0.3)."""
    return _line(case, "loan_interest", "Loan, interest", "balance x rate / 12", _interest)


def owed_at_horizon_usd(case: FleetCase) -> float:
    """Balance that is settled in the last month, since the loan runs longer."""
    lent = _lent(case)
    term = financing(case).term_months or 0
    if lent is None or not case.months:
        return 0.0
    _, back = _schedule(case)
    return sum(
        mean(lent[..., month]) * (1.0 - mean(np.sum(back[..., : case.months - month], axis=-1)))
        for month in months_with(lent)
        if month + term > case.months
    )


def _lent(case: FleetCase) -> FloatArray | None:
    price = price_paid(case)
    if price is None:
        return None
    down = financing(case).down_payment_fraction
    return np.asarray(case.bought * price * (1.0 - (down.value if down else 0.0)))


def _rate(case: FleetCase) -> Figure:
    rate = financing(case).rate_fraction_per_year
    return rate or Figure(0.0, "fraction/year", Status.ASSUMED, "no rate given")


def _schedule(case: FleetCase) -> tuple[FloatArray, FloatArray]:
    """Interest and principal by month of the loan, per USD lent."""
    term = financing(case).term_months or 1
    rate = monthly_rate_fraction(_rate(case).value, "nominal")
    level = level_payment_fraction(rate, term)
    return split(np.ones(term) * level, rate, 1.0)


def _drawn(case: FleetCase, lent: FloatArray) -> FloatArray:
    return 0.0 - lent


def _interest(case: FleetCase, lent: FloatArray) -> FloatArray:
    return _spread(case, lent, _schedule(case)[0])


def _principal(case: FleetCase, lent: FloatArray) -> FloatArray:
    end = _spread(case, lent, _schedule(case)[1])
    end[..., -1] += np.sum(lent, axis=-1) - np.sum(end, axis=-1)
    return end


def _spread(case: FleetCase, lent: FloatArray, share: FloatArray) -> FloatArray:
    end = blank(case.months, lent, share[..., :1])
    for month in months_with(lent):
        part = share[..., : case.months - month]
        end[..., month : month + part.shape[-1]] += lent[..., month : month + 1] * part
    return end


def _line(
    case: FleetCase,
    key: str,
    label: str,
    formula: str,
    amounts: Callable[[FleetCase, FloatArray], FloatArray],
) -> LedgerLine | None:
    given = financing(case)
    if given.kind != "loan" or not case.months:
        return None
    lent = _lent(case)
    if lent is None:
        return case.line(
            key,
            label,
            "finance",
            formula=formula,
            reference="F12.2",
            missing="the price of the servers is not known",
        )
    terms = [
        computed("lent", mean(np.sum(lent, axis=-1)), "USD", price_status(case), "F6"),
        Term.of("interest rate", _rate(case)),
        computed("term", float(given.term_months or 0), "months", Status.ASSUMED, "financing"),
    ]
    if given.down_payment_fraction is not None:
        terms.append(Term.of("down payment", given.down_payment_fraction))
    usd = amounts(case, lent)
    at_start = amounts is _drawn
    return case.line(
        key,
        label,
        "finance",
        start=usd if at_start else None,
        end=None if at_start else usd,
        formula=formula,
        reference="F12.2",
        terms=terms,
    )
