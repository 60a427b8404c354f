"""How each fleet serves, as CSV that a spreadsheet opens right: UTF-8 with BOM, no formulas."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

from planner.reports.performance import HEAD, performance_rows
from planner.reports.safe_text import csv_cell


def build_performance_csv(result: Mapping[str, Any]) -> bytes:
    """Return one row for each figure of each fleet; what is not known stays empty."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_MINIMAL, lineterminator="\r\n")
    writer.writerow(HEAD)
    for row in performance_rows(result):
        writer.writerow([csv_cell(value) for value in row])
    return ("\ufeff" + out.getvalue()).encode("utf-8")
