"""Tables of money as finance exports them: read whole or refused whole (all errors, by cell)."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tco.document.bills_csv import read_bills
from tco.document.money_csv import Column, decimal_of, read_table
from tco.errors import InputErrors

HEAD = "month,line,amount,currency,reference"


def refused(text):
    """Texts of the errors of a table of bills."""
    with pytest.raises(InputErrors) as caught:
        read_bills(text)
    return [str(error) for error in caught.value.errors]


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}\n2026-12,staff,1234.56,EUR,A1\n",
        f"\ufeff{HEAD}\r\n2026-12,staff,1234.56,EUR,A1\r\n",
        "month;line;amount;currency;reference\r\n2026-12;staff;1.234,56;EUR;A1",
        "month\tline\tamount\tcurrency\treference\r2026-12\tstaff\t1234,56\teur\tA1\r",
        'reference,currency,amount,line,month\nA1,EUR,"1,234.56",staff,2026-12\n\n',
        "Month;Line;Amount;Currency;Reference\n2026-12;staff;1 234,56;EUR;A1",
    ],
)
def test_every_way_a_spreadsheet_writes_it_reads_the_same(text):
    """Marks, line ends, semicolons, decimal commas, order and case of the columns."""
    (bill,) = read_bills(text)
    facts = (bill.month, bill.line, bill.amount, bill.currency, bill.reference)
    assert facts == ("2026-12", "staff", Decimal("1234.56"), "EUR", "A1")


def test_a_half_bad_table_names_every_cell_and_gives_nothing():
    """Five faults in three rows: five errors with row and column."""
    text = f"{HEAD}\n2026-12,staff,100,EUR,A1\n2026-13,staff,ten,EURO,A2\n2027-01,,nan,USD,A3\n"
    found = refused(text)
    places = [text.split(":")[0] for text in found]
    assert places == [
        *("row 3, month", "row 3, amount", "row 3, currency"),
        *("row 4, line", "row 4, amount"),
    ]
    assert "did you mean 'EUR'" in found[2]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        (HEAD, "no rows"),
        ("month,line,amount,currency\n2026-12,a,1,EUR", "column 'reference': is missing"),
        (f"{HEAD},refrence\n2026-12,a,1,EUR,A,B", "did you mean 'reference'"),
        (f"{HEAD},amount\n2026-12,a,1,EUR,A,2", "column 'amount': stands twice"),
        (f"{HEAD}\n2026-12,a,1,234.5,EUR,A1", "row 2: has 6 cells"),
        (f'{HEAD}\n2026-12,a,"12,5",EUR,A1', "part the columns by semicolons"),
        (f"{HEAD.replace(',', ';')}\n2026-12;a;1.234;EUR;A1", "reads in two ways"),
        (f"{HEAD}\n2026-12,a,1e15,EUR,A1", "above"),
        (f"{HEAD}\n2026-12,a,Infinity,EUR,A1", "not a finite number"),
        (f'{HEAD}\n2026-12,"a,1,EUR,A1', "cannot be read"),
        (f"{HEAD}\n2026-12,a\x07,1,EUR,A1", "nobody can read"),
        (f"{HEAD}\n2026-12,a,1,EUR,A1\n2026-12,a,2,EUR,A1", "stands in row 2"),
        (f"{HEAD},quantity\n2026-12,a,1,EUR,A1,5", "give both, or neither"),
        (f"{HEAD},rate\n2026-12,a,1,EUR,A1,0", "below"),
        (f"{HEAD},rate\n2026-12,a,1,EUR,A1,-1.1", "below"),
    ],
)
def test_what_cannot_be_read_is_named(text, words):
    """Column, row and mend."""
    assert any(words in found for found in refused(text)), refused(text)


def test_the_same_bill_twice_is_one_bill():
    """A row that repeats another one whole, as two exports that overlap give it."""
    assert len(read_bills(f"{HEAD}\n2026-12,a,1,EUR,A1\n2026-12,a,1,EUR,A1")) == 1


def test_a_fraction_over_one_is_met_with_the_percentage():
    """A discount of 15 was meant as 0.15."""
    column = Column("discount", "number", maximum=Decimal(1))
    with pytest.raises(InputErrors, match=r"write 0\.15 for 15 %"):
        read_table("discount\n15", [column])


@pytest.mark.parametrize(
    ("text", "comma", "value"),
    [
        ("-1.234,5", True, "-1234.5"),
        ("1'234.50", False, "1234.50"),
        ("1,234,567", False, "1234567"),
        ("1.234.567", True, "1234567"),
        ("+7", False, "7"),
    ],
)
def test_numbers_with_groups(text, comma, value):
    """By hand."""
    assert decimal_of(text, comma=comma) == Decimal(value)
