"""Amounts to the cent for a report; what rounding leaves is a line of its own (F0.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

LEFT = "Rounding"  # name of the line of what rounding leaves


@dataclass(frozen=True, slots=True)
class Rounded:
    """Lines by month in whole units of the smallest coin; they sum to `total` exactly."""

    lines: tuple[tuple[Decimal, ...], ...]
    left: tuple[Decimal, ...]  # by month, of the line of what rounding leaves
    total: Decimal


def rounded(lines: Sequence[Sequence[float]], decimals: int) -> Rounded:
    """Round every line, and the sum of all, so that each agrees with its own running total.

    An amount is what the running total, rounded, rises by: a line's months sum to its rounded
    total, the months of all lines with the rest to the rounded total of all.

    Parameters
    ----------
    lines
        Amounts by month; every line as long as the others.
    decimals
        Digits behind the point: 2 for cents, 0 for yen.

    Examples
    --------
    >>> found = rounded([[0.004, 1.0], [0.004, 2.0]], 2)
    >>> [str(cell) for cell in found.lines[0]], [str(x) for x in found.left], str(found.total)
    (['0.00', '1.00'], ['0.01', '0.00'], '3.01')
    """
    months = max((len(line) for line in lines), default=0)
    exact = [[Fraction(cell) for cell in line] for line in lines]
    sums = [sum((line[month] for line in exact), Fraction(0)) for month in range(months)]
    cells = tuple(_steps(line, decimals) for line in exact)
    whole = _steps(sums, decimals)
    zero = Decimal(0).scaleb(-decimals)
    left = tuple(
        whole[month] - sum((line[month] for line in cells), zero) for month in range(months)
    )
    return Rounded(cells, left, sum(whole, zero))


def _steps(amounts: Sequence[Fraction], decimals: int) -> tuple[Decimal, ...]:
    scale = 10**decimals
    found, before, running = [], 0, Fraction(0)
    for amount in amounts:
        running += amount
        coins = round(running * scale)  # half to even
        found.append(Decimal(coins - before).scaleb(-decimals))
        before = coins
    return tuple(found)


def cents(value: float | Decimal, decimals: int = 2) -> Decimal:
    """One amount in its smallest coin, half to even.

    Examples
    --------
    >>> cents(1.005), cents(2.675), cents(12.4, 0)
    (Decimal('1.00'), Decimal('2.67'), Decimal('12'))
    """
    return Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN)
