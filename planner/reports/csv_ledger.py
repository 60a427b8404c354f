"""The monthly ledger as CSV that a spreadsheet opens right: UTF-8 with BOM, no formulas.

Amounts are in the reporting currency, to its smallest coin; what rounding leaves is a row of its
own, so that the rows of an option sum to its total exactly (F0.6).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from planner.charts.currency import currency_of, decimals_of
from planner.reports.safe_text import csv_cell
from tco.results.rounding import LEFT, rounded

HEAD = (
    *("option", "line", "fleet", "category", "paid_at", "status", "missing", "formula"),
    *("currency", "original_amount", "original_currency", "rate", "rate_date"),
)


def build_csv(result: Mapping[str, Any]) -> bytes:
    """Return every line of every option, one row for each timing."""
    months = max((int(ledger["months"]) for ledger in result["ledger"].values()), default=0)
    code = currency_of(result)
    unit = code.lower()
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_MINIMAL, lineterminator="\r\n")
    months_head = (f"month_{month + 1}_{unit}" for month in range(months))
    writer.writerow([*HEAD, f"total_{unit}", *months_head])
    decimals = decimals_of(result)
    for option in result["options"]:
        ledger = result["ledger"].get(option["key"], {"lines": []})
        rows = _rows(ledger["lines"])
        found = rounded([amounts for _, _, amounts in rows], decimals)
        for (line, timing, _), cells in zip(rows, found.lines, strict=True):
            text = [
                *(option["name"], line["label"], line["fleet"], line["category"]),
                *(timing, line["status"], line["missing"], line["formula"]),
                *(code, *_originals(line)),
            ]
            known: list[Any] = [""] if line["missing"] else [sum(cells, Decimal(0)), *cells]
            writer.writerow([*map(csv_cell, text), *known])
        if any(found.left):
            text = [option["name"], LEFT, "", "rounding", "end", "", "", "", code, "", "", "", ""]
            writer.writerow([*map(csv_cell, text), sum(found.left), *found.left])
    return ("\ufeff" + out.getvalue()).encode("utf-8")


def _rows(
    lines: Sequence[Mapping[str, Any]],
) -> list[tuple[Mapping[str, Any], str, Sequence[float]]]:
    """Every line at every timing it is paid at; one of nothing keeps a row, so that it is seen."""
    rows = []
    for line in lines:
        for timing in ("start", "end"):
            amounts = line[f"{timing}_usd"]
            if any(amounts) or (timing == "end" and not any(line["start_usd"])):
                rows.append((line, timing, amounts))
    return rows


def _originals(line: Mapping[str, Any]) -> tuple[str, str, str, str]:
    """Amount, currency, rate and its date of each currency the line was priced in."""
    found = line.get("originals", ())
    return (
        "; ".join(f"{x['value']:.2f}" for x in found),
        "; ".join(x["currency"] for x in found),
        "; ".join(f"{x['account_per_unit']:.8g}" for x in found),
        "; ".join(x["rate_date"] for x in found),
    )
