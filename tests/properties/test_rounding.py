"""What rounding leaves is a line of its own: sums are exact whatever the amounts (F0.6)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from tco.results.rounding import rounded

amounts = st.floats(-1e9, 1e9, allow_nan=False)
tables = st.integers(1, 24).flatmap(
    lambda months: st.lists(
        st.lists(amounts, min_size=months, max_size=months), min_size=1, max_size=8
    )
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(tables, st.sampled_from((0, 2)))
def test_lines_and_what_is_left_sum_to_the_total(table, decimals):
    """The total is the exact sum, rounded; no line is off by more than half a coin."""
    found = rounded(table, decimals)
    coin = Decimal(1).scaleb(-decimals)
    every = (*found.lines, found.left)
    assert sum(sum(line, Decimal(0)) for line in every) == found.total
    exact = sum((Fraction(cell) for line in table for cell in line), Fraction(0))
    assert abs(Fraction(found.total) - exact) <= Fraction(coin) / 2
    for cells, line in zip(found.lines, table, strict=True):
        own = sum((Fraction(cell) for cell in line), Fraction(0))
        assert abs(Fraction(sum(cells, Decimal(0))) - own) <= Fraction(coin) / 2
    for cell in (cell for line in every for cell in line):
        assert cell == cell.quantize(coin)
