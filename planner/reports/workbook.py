"""The workbook of a projection: summary, assumptions, ledgers, accounts, checks, decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from planner.charts.currency import currency_of
from planner.reports.book import Book, Cell
from planner.reports.sheets import assumptions as assumptions_sheet
from planner.reports.sheets import summary as summary_sheet
from planner.reports.sheets.accounting import write_accounting
from planner.reports.sheets.around import write_around
from planner.reports.sheets.assumptions import Assumptions
from planner.reports.sheets.availability import write_availability
from planner.reports.sheets.bills import write_bills
from planner.reports.sheets.checks import write_checks
from planner.reports.sheets.decisions import write_decisions
from planner.reports.sheets.ledger import write_ledger
from planner.reports.sheets.performance import write_performance
from planner.reports.sheets.provenance import write_provenance
from planner.reports.sheets.summary import write_summary
from planner.reports.sheets.uncertainty import write_uncertainty
from planner.reports.sheets.zones import write_zones
from tco.uncertainty.assess import Assessment

RATE_NAME = "Monthly discount rate"


def build_workbook(
    result: Mapping[str, Any],
    *,
    facts: Mapping[str, str],
    generated_at: datetime,
    decisions: Sequence[Mapping[str, Any]] = (),
    takeaway: str = "",
    uncertainty: Assessment | str = "",
    actuals: Mapping[str, Any] | None = None,
) -> bytes:
    """Return the XLSX of a projection.

    Parameters
    ----------
    result
        ``Projection.to_dict()``, as stored.
    facts
        Lines for the provenance sheet: scenario, revision, who, address.
    generated_at
        Printed in the file; the only thing that differs between two exports.
    decisions
        The decision log of the scenario, as `planner.decisions.selectors` gives it.
    actuals
        Bills against the plan, as `planner.actuals.selectors` gives them; None without a bill.
    takeaway
        One sentence for the summary; none where the options were not compared.
    uncertainty
        What the ranges make of the options, or why it is not in the file; empty: no sheet.
    """
    book = Book(title=result["name"], created=generated_at.replace(tzinfo=None))
    book.sheet(summary_sheet.NAME, (44, 16, *([18, 12] * len(result["options"]))))
    book.sheet(assumptions_sheet.NAME, assumptions_sheet.WIDTHS)
    assumptions = Assumptions()
    rate = _monthly_rate(result, assumptions)
    ledgers = [
        write_ledger(
            book,
            assumptions,
            number=number,
            option=option,
            ledger=result["ledger"][option["key"]],
            rate=rate,
            currency=currency_of(result),
        )
        for number, option in enumerate(result["options"], start=1)
        if option["key"] in result["ledger"]
    ]
    write_summary(
        book,
        assumptions,
        result=result,
        ledgers=ledgers,
        lines=[f"{label}: {value}" for label, value in facts.items()],
        takeaway=takeaway,
    )
    for term in result["provenance"]["figures"]:
        assumptions.figure(term)
    assumptions.write(book)
    book.workbook.define_name("monthly_discount_rate", f"={rate.reference()}")
    for number, ledger in enumerate(ledgers, start=1):
        book.workbook.define_name(f"tco_usd_{number}", f"={ledger.tco.reference()}")
    write_accounting(book, result=result)
    if uncertainty:
        write_uncertainty(book, uncertainty)
    write_checks(book, result=result, ledgers=ledgers)
    write_performance(book, result=result)
    write_decisions(book, decisions=decisions)
    write_bills(book, actuals=actuals)
    write_zones(book, result=result)
    write_availability(book, result=result)
    write_around(book, result=result)
    write_provenance(
        book,
        result=result,
        facts={**facts, "Generated at": generated_at.isoformat(timespec="seconds")},
    )
    book.workbook.get_worksheet_by_name(summary_sheet.NAME).activate()
    return book.close()


def _monthly_rate(result: Mapping[str, Any], assumptions: Assumptions) -> Cell:
    """Cell of the monthly discount rate (F0.3): the one rate behind every present value."""
    first = next(iter(result["ledger"].values()))
    monthly = float(first["monthly_rate_fraction"])
    term = {
        "name": RATE_NAME,
        "value": monthly,
        "unit": "fraction/month",
        "status": "assumed",
        "source": "finance",
        "verified": True,
    }
    annual = next(
        (x for x in result["provenance"]["conventions"] if x["name"] == "discount rate a year"),
        None,
    )
    if annual is None:
        return assumptions.cell(term, "every present value")
    reference = assumptions.cell(annual, "every present value").reference()
    term |= {"status": annual["status"], "source": "from the discount rate a year (F0.3)"}
    nominal = abs(monthly - float(annual["value"]) / 12) <= 1e-12
    formula = f"{reference}/12" if nominal else f"(1+{reference})^(1/12)-1"
    return assumptions.derived(term, formula, "every present value")
