"""What the ranges make of the options: spreads, chances, swings, switching values, inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planner.reports.book import Book
from tco.uncertainty.assess import Assessment

NAME = "Uncertainty"
WIDTHS = (48, 18, *([16] * 8))
Row = Sequence[Any]


def write_uncertainty(book: Book, found: Assessment | str) -> None:
    """Write the sheet, or the sentence that says why there is nothing in it."""
    sheet = book.sheet(NAME, WIDTHS)
    book.text(sheet, 0, 0, "Uncertainty", "title")
    if isinstance(found, str):
        book.text(sheet, 1, 0, found)
        return
    book.text(
        sheet,
        1,
        0,
        f"{found.draws:,} draws, seed {found.seed}, the same draws for every option;"
        f" total cost, present value, {found.currency}",
    )
    row = 3
    if not found.drivers:
        book.text(sheet, row, 0, "No input has a range: write one such as 5 to 9 in the scenario.")
        return
    names = {one.option: one.name for one in found.options}
    row = _table(
        book,
        sheet,
        row,
        "Total cost of each option",
        ("Option", "Every input at its own value", "P10", "P50", "P90", "Mean",
         "Standard error of the mean", "Cheapest in, share of draws", "Expected regret"),
        [
            (one.name, one.base_usd, one.p10_usd, one.p50_usd, one.p90_usd, one.mean_usd,
             one.standard_error_usd, _Share(one.best_fraction), one.regret_usd)
            for one in found.options
        ],
    )  # fmt: skip
    row = _table(
        book,
        sheet,
        row,
        "Probability that A costs less than B",
        ("A", "B", "Probability", "Standard error", "A less B, P10", "P50", "P90"),
        [
            (one.a, one.b, _Share(one.a_cheaper_fraction), _Share(one.standard_error_fraction),
             one.p10_usd, one.p50_usd, one.p90_usd)
            for one in found.duels
        ],
    )  # fmt: skip
    for key, swings in found.swings.items():
        row = _table(
            book,
            sheet,
            row,
            f"{names[key]}: one input at a time, the widest first",
            ("Input", "Unit", "Low", "Own value", "High", "Cost at low", "Cost at high",
             "Swing", "Rank correlation"),
            [
                (one.label, one.unit, one.low, one.value, one.high, one.at_low_usd,
                 one.at_high_usd, one.width_usd, one.rank_correlation)
                for one in swings
            ],
        )  # fmt: skip
    row = _table(
        book,
        sheet,
        row,
        "Values at which two options cost the same, the others at their own values",
        ("Input", "Unit", "Own value", "Same cost at", "Within its range", "Options"),
        [
            (one.label, one.unit, one.value, one.switch_at, "yes" if one.within_range else "no",
             f"{one.a} = {one.b}")
            for one in found.switches
        ],
    )  # fmt: skip
    row = _table(
        book,
        sheet,
        row,
        "What was drawn",
        ("Input", "Unit", "Low", "Own value", "High", "Spread", "Status", "Source"),
        [
            (one.label, one.unit, one.low, one.value, one.high, one.shape, str(one.status),
             one.source)
            for one in found.drivers
        ],
    )  # fmt: skip
    for title, left in (
        ("Ranges whose effect on cost is not followed", found.not_carried),
        ("Left out, without a price or a size", found.left_out),
    ):
        if left:
            book.text(sheet, row, 0, f"{title}: {'; '.join(left)}")
            row += 1


class _Share(float):
    """A number that is shown as a percentage."""


def _table(
    book: Book, sheet: Any, row: int, title: str, head: Sequence[str], rows: Sequence[Row]
) -> int:
    """Write a titled table and return the row for the next one; nothing where it is empty."""
    if not rows:
        return row
    book.text(sheet, row, 0, title, "bold")
    for column, text in enumerate(head):
        number = not isinstance(rows[0][column], str)
        book.text(sheet, row + 1, column, text, "head_num" if number else "head")
    for offset, cells in enumerate(rows, start=row + 2):
        for column, value in enumerate(cells):
            if isinstance(value, str):
                book.text(sheet, offset, column, value)
            else:
                style = "share" if isinstance(value, _Share) else "number"
                money = column > 0 and abs(value) >= 1000
                book.number(sheet, offset, column, float(value), "money" if money else style)
    return row + 3 + len(rows)
