"""Tables in plain text: words to the left, numbers to the right."""

from __future__ import annotations

from collections.abc import Sequence


def text_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, left: Sequence[int] = (0,)
) -> str:
    """Return a table with aligned columns; `left` names the columns of words.

    Examples
    --------
    >>> print(text_table(["item", "kW"], [["rack", "9.5"], ["hall", "120"]]))
    item   kW
    ----  ---
    rack  9.5
    hall  120
    """
    lines = [list(head), *(list(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]

    def line_of(cells: Sequence[str]) -> str:
        padded = (
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        return "  ".join(padded).rstrip()

    rule = ["-" * width for width in widths]
    return "\n".join(line_of(cells) for cells in [lines[0], rule, *lines[1:]])


def shortened(value: float) -> str:
    """Return a number for people: four significant digits, thousands apart.

    Examples
    --------
    >>> shortened(4883780.81), shortened(1.158274), shortened(64.0), shortened(0.0)
    ('4,884,000', '1.158', '64', '0')
    """
    if value == 0:
        return "0"
    rounded = float(f"{value:.4g}")
    if rounded.is_integer():
        return f"{int(rounded):,}"
    return f"{rounded:,.12g}" if abs(rounded) >= 1e-4 else f"{rounded:.3e}"
