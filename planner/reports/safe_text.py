"""Text that can never become a formula, in XLSX or in CSV."""

from __future__ import annotations

import re
from typing import Any

# What XML 1.0 cannot carry; Excel refuses the whole file otherwise.
_ILLEGAL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# Signs that make a spreadsheet take a CSV cell for a formula, full-width forms included.
_STARTERS = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%", "＝", "＋", "－", "＠", "｜", "％")
MAX_CELL = 32_767


def clean_text(value: Any) -> str:
    """Return text without characters a workbook cannot hold, cut to a cell's length."""
    return _ILLEGAL.sub("", str(value))[:MAX_CELL]


def csv_cell(value: Any) -> Any:
    """Return a number as it is, and text with a leading apostrophe where it would be a formula.

    >>> csv_cell("=1+1")
    "'=1+1"
    >>> csv_cell(-5.0)
    -5.0
    """
    if value is None:
        return ""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    text = clean_text(value)
    if text.lstrip(" \u00a0").startswith(_STARTERS):
        return f"'{text}"
    return text
