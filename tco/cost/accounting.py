"""Two views of one ledger: cash as it is paid, and the profit and loss account (F12.9, F24).

Cash and P&L agree in total over the horizon and hardly ever within a year: what was paid and not
yet spent stands on the balance sheet in between.
"""

from __future__ import annotations

from calendar import month_name
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tco.cost import fabric_lines
from tco.cost.case import FleetCase, life_months
from tco.cost.charges import retired
from tco.cost.columns import months_with
from tco.cost.finance import FloatArray
from tco.cost.fiscal import by_fiscal_year, fiscal_years
from tco.cost.leasing import Lease, leases, schedule
from tco.cost.ledger import OptionCase
from tco.cost.owned import financing
from tco.cost.placed import CAPITALISED, DEBT, placed_usd
from tco.inputs import Site
from tco.results import Ledger, LedgerLine
from tco.results.accounting import AccountingViews, YearRow
from tco.units import MONTHS_PER_YEAR

# What a cost is made of, in the order it is read.
_KINDS = {
    "depreciation": "of it depreciation",
    "written_off": "of it book value written off",
    "lease": "of it leases",
    "interest": "of it interest",
    "running": "of it running and other costs",
    "retirement": "of it retirement",
    "resale": "of it resale",
    "tax": "of it income tax",
}
# Assets that leave with the servers they came with; the others stay to the horizon.
_WITH_SERVERS = frozenset(
    {
        *("servers", "duty", "freight", "sales_tax", "network", "integration"),
        "canary_servers",
        *fabric_lines.CAPITAL,
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class _Row:
    """One line of the P&L by month."""

    line: LedgerLine
    label: str
    kind: str  # depreciation | written_off | interest | lease | running | resale | tax
    column: FloatArray


def views(case: OptionCase, ledger: Ledger) -> AccountingViews:
    """Cash, P&L and capital expenditure of an option by fiscal year."""
    finance = case.calendar.finance
    years, places = fiscal_years(
        finance.valuation_date, ledger.months, finance.fiscal_year_start_month
    )

    def row(line: LedgerLine, label: str, kind: str, column: FloatArray) -> YearRow:
        sums = by_fiscal_year(column, places)
        return YearRow(line.key, label, line.fleet, kind, sums, float(np.sum(column)))

    cash = [row(line, line.label, line.category, _paid(line)) for line in ledger.lines]
    capex = [entry for entry in cash if entry.key in CAPITALISED]
    spent = [row(x.line, x.label, x.kind, x.column) for x in pnl(case, ledger)]
    return AccountingViews(
        years=years,
        cash=tuple(cash),
        pnl=tuple(spent),
        capex=tuple(capex),
        cash_usd=_sums(cash, len(years)),
        pnl_usd=_sums(spent, len(years)),
        capex_usd=_sums(capex, len(years)),
        summary=tuple(_summary(cash, spent, capex, len(years))),
        complete=ledger.complete,
        notes=_notes(case),
    )


def pnl(case: OptionCase, ledger: Ledger) -> list[_Row]:
    """Every line as the profit and loss account sees it, by month.

    Assets are written off in equal parts over their book life; what is left of them when they
    leave, or at the horizon, is written off there beside their resale. Of a loan only the interest
    is a cost. An operating lease is spread evenly; a right of use is written off, with interest.
    All else is spent when it is paid, taxes too: deferred tax is not modelled.
    """
    of_fleet = {fleet.fleet.key: fleet for fleet in case.fleets}
    found: list[_Row] = []
    for line in ledger.lines:
        found += _rows(case, of_fleet.get(line.fleet), line)
    return [entry for entry in found if np.any(entry.column)]


def _rows(case: OptionCase, fleet: FleetCase | None, line: LedgerLine) -> Iterator[_Row]:
    if line.key in DEBT:
        return
    if line.key in CAPITALISED:
        yield from _written_off(case, fleet, line)
    elif fleet is not None and line.key in ("lease_payments", "lease_principal"):
        yield from _leased(fleet, line)
    elif fleet is not None and line.key == "retirement":
        yield _Row(line, line.label, "retirement", _accrued(fleet))
    else:
        kinds = {"residual": "resale", "tax": "tax"}
        interest = line.key in ("loan_interest", "lease_interest", "late_carrying")
        kind = "interest" if interest else kinds.get(line.category, "running")
        yield _Row(line, line.label, kind, _paid(line))


def _paid(line: LedgerLine) -> FloatArray:
    column: FloatArray = np.asarray(line.start_usd) + np.asarray(line.end_usd)
    return column


def _written_off(case: OptionCase, fleet: FleetCase | None, line: LedgerLine) -> Iterator[_Row]:
    placed = placed_usd(fleet, line)
    months = placed.size
    even, rest = np.zeros(months), np.zeros(months)
    for month in months_with(placed):
        life, gone = _book_life(case, fleet, line, month, months)
        served = min(life, gone - month)
        even[month : month + served] += placed[month] / life
        rest[gone - 1] += placed[month] * (1.0 - served / life)
    yield _Row(line, f"{line.label}, depreciation", "depreciation", even)
    yield _Row(line, f"{line.label}, book value left", "written_off", rest)


def _book_life(
    case: OptionCase, fleet: FleetCase | None, line: LedgerLine, month: int, months: int
) -> tuple[int, int]:
    """Months of depreciation, and the month the asset leaves in."""
    left = months - month
    if line.key in ("facility_build", "facility_stranded"):
        whole = _whole_building(case, fleet)
        if whole is not None and whole.build is not None:
            return max(1, round(whole.build.life_years.value * MONTHS_PER_YEAR)), months
        return left, months  # a share of its life was charged: that of these months
    if fleet is None or fleet.fleet.purchase is None or line.key == "colocation_install":
        return left, months
    life = life_months(fleet.fleet)
    book = fleet.fleet.purchase.book_life_months or life
    if line.key == "lease_buyout":
        rest = max(1, life - (financing(fleet).term_months or 0))
        return rest, min(month + rest, months)
    return book, min(month + life, months) if line.key in _WITH_SERVERS else months


def _whole_building(case: OptionCase, fleet: FleetCase | None) -> Site | None:
    """The site whose building is charged whole, of the fleet or of the option."""
    for entry in (fleet,) if fleet is not None else case.fleets:
        site = entry.fleet.site
        if site is not None and site.build is not None and site.build.charge == "whole":
            return site
    return None


def _leased(fleet: FleetCase, line: LedgerLine) -> Iterator[_Row]:
    found = leases(fleet)
    if isinstance(found, str):
        return
    given, finance = financing(fleet), fleet.calendar.finance
    months = fleet.months
    even, closed, interest = np.zeros(months), np.zeros(months), np.zeros(months)
    rate = given.rate_fraction_per_year or finance.discount_rate_fraction
    right_of_use = line.key == "lease_principal" or finance.lease_standard == "ifrs_16"
    charged, written = schedule(given, rate.value) if right_of_use else (interest, interest)
    for lease in found:
        paid = lease.payment_usd
        if right_of_use:
            paid = lease.first_payment_usd * written
            if line.key == "lease_payments":
                _add(interest, lease, lease.first_payment_usd * charged)
        each = float(np.sum(paid)) / lease.term_months
        last = lease.within(months)
        even[lease.first_month : lease.first_month + last] += each
        if last < lease.term_months:  # asset and debt that are left leave together
            closed[-1] += float(np.sum(paid[..., :last])) - each * last
    words = "right of use, written off" if right_of_use else "spread evenly"
    yield _Row(line, f"Lease, {words}", "lease", even)
    yield _Row(line, "Lease, interest", "interest", interest)
    yield _Row(line, "Lease, closed at the horizon", "lease", closed)


def _add(column: FloatArray, lease: Lease, amounts: FloatArray) -> None:
    last = lease.within(column.size)
    column[lease.first_month : lease.first_month + last] += amounts.reshape(-1)[:last]


def _accrued(fleet: FleetCase) -> FloatArray:
    """A retirement cost over the months that earn it, cohort by cohort."""
    column = np.zeros(fleet.months)
    for month, gone, usd in retired(fleet):
        column[month:gone] += float(np.sum(usd)) / (gone - month)
    return column


def _summary(
    cash: list[YearRow], spent: list[YearRow], capex: list[YearRow], years: int
) -> Iterator[YearRow]:
    """Totals of the three views, the kinds of cost, and what lies between cash and cost."""

    def total(key: str, label: str, rows: list[YearRow]) -> YearRow:
        return YearRow(key, label, "", "total", _sums(rows, years), sum(x.total_usd for x in rows))

    paid, cost = total("cash", "Cash paid", cash), total("pnl", "Cost in the P&L", spent)
    yield paid
    yield cost
    for kind, label in _KINDS.items():
        rows = [row for row in spent if row.kind == kind]
        if rows:
            yield replace(total(kind, label, rows), kind="part")
    yield total("capex", "Capital expenditure", capex)
    left = np.cumsum(np.array(paid.years_usd) - np.array(cost.years_usd))
    # cents that floating point leaves would read as a balance
    balance = tuple(float(usd) if abs(usd) > 0.005 else 0.0 for usd in left)
    last = balance[-1] if balance else 0.0
    label = "Paid and not yet a cost, end of year"
    yield YearRow("balance", label, "", "balance", balance, last)


def _sums(rows: list[YearRow], years: int) -> tuple[float, ...]:
    return tuple(float(sum(row.years_usd[year] for row in rows)) for year in range(years))


def _notes(case: OptionCase) -> tuple[str, ...]:
    finance = case.calendar.finance
    lives = {
        fleet.fleet.purchase.book_life_months or fleet.fleet.purchase.life_months
        for fleet in case.fleets
        if fleet.fleet.purchase is not None
    }
    notes = [
        f"fiscal years start in {month_name[finance.fiscal_year_start_month]} and are named after"
        " the calendar year in which they end",
    ]
    if lives:
        words = " and ".join(f"{life}" for life in sorted(lives))
        notes.append(
            f"assets are written off in equal parts over {words} months, and what is left when"
            " they leave or at the horizon is written off there"
        )
    if any(financing(fleet).leased for fleet in case.fleets):
        notes.append(
            "every lease is a right of use (IFRS 16)"
            if finance.lease_standard == "ifrs_16"
            else "operating leases are spread evenly, finance leases are a right of use (ASC 842)"
        )
    return tuple(notes)
