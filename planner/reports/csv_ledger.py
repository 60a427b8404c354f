"""The monthly ledger as CSV that a spreadsheet opens right: UTF-8 with BOM, no formulas."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping
from typing import Any

from planner.reports.safe_text import csv_cell

HEAD = (
    *("option", "line", "fleet", "category", "paid_at", "status", "missing", "formula"),
    *("total_usd",),
)


def build_csv(result: Mapping[str, Any]) -> bytes:
    """Return every line of every option, one row for each timing."""
    months = max((int(ledger["months"]) for ledger in result["ledger"].values()), default=0)
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_MINIMAL, lineterminator="\r\n")
    writer.writerow([*HEAD, *(f"month_{month + 1}_usd" for month in range(months))])
    names = {option["key"]: option["name"] for option in result["options"]}
    for key in names:
        ledger = result["ledger"].get(key, {"lines": []})
        for line in ledger["lines"]:
            for timing in ("start", "end"):
                amounts = line[f"{timing}_usd"]
                if not any(amounts) and not (timing == "end" and not any(line["start_usd"])):
                    continue
                cells = [] if line["missing"] else amounts
                total = "" if line["missing"] else math.fsum(amounts)
                text = [
                    *(names.get(key, key), line["label"], line["fleet"], line["category"]),
                    *(timing, line["status"], line["missing"], line["formula"]),
                ]
                writer.writerow([*map(csv_cell, text), total, *cells])
    return ("\ufeff" + out.getvalue()).encode("utf-8")
