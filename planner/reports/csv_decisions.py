"""The decision log as CSV that a spreadsheet opens right: UTF-8 with BOM, no formulas."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from planner.reports.safe_text import csv_cell
from planner.reports.sheets.decisions import decision_head, decision_rows


def build_decisions_csv(decisions: Sequence[Mapping[str, Any]]) -> bytes:
    """Return a row for each option of each entry, newest entry first."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_MINIMAL, lineterminator="\r\n")
    writer.writerow(decision_head())
    for row in decision_rows(decisions):
        writer.writerow([csv_cell(x) if isinstance(x, str) else x for x in row])
    return ("\ufeff" + out.getvalue()).encode("utf-8")
