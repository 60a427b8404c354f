"""F23.14: workbooks of drawn scenarios recompute to the server's figures, formula by formula."""

from __future__ import annotations

import json
import os

import pytest

from tests.generated.drawn import Drawn
from tests.planner.reports.workbook_cases import (
    cached_cells,
    formula_cells,
    recalculated,
    workbook_bytes,
)

WORKBOOKS = int(os.environ.get("TCO_WORKBOOKS", "5"))


def _short(seed: int) -> Drawn:
    """At most a year, two options: a spreadsheet engine in Python is slow."""

    def cut(document):
        document["finance"]["horizon_months"] = min(12, document["finance"]["horizon_months"])
        months = document["finance"]["horizon_months"]
        document["options"] = document["options"][:2]
        for option in document["options"]:
            for fleet in option["fleets"]:
                fleet["start_month"] = min(fleet["start_month"], months - 1)

    return Drawn.of(seed).changed(cut)


@pytest.mark.parametrize("number", range(WORKBOOKS))
def test_a_drawn_workbook_recomputes(number, tmp_path):
    """Cached = recomputed for every formula; the totals are the projection's; the checks hold."""
    drawn = _short(101 + 7 * number)
    result = json.loads(json.dumps(drawn.projection.to_dict()))
    content = workbook_bytes(result)
    path = tmp_path / f"drawn{number}.xlsx"
    path.write_bytes(content)
    read, cached = recalculated(path), cached_cells(content)
    formulas = formula_cells(content)
    assert len(formulas) > 30  # a month and a handful of lines have the fewest
    for where in formulas:
        was, now = cached[where], read(*where)
        if isinstance(was, bool):
            assert bool(now) is was, (where, json.dumps(drawn.document))
        else:
            close = pytest.approx(was, rel=1e-9, abs=0.005)
            assert float(now) == close, (where, json.dumps(drawn.document))
    labels = {
        row: value for (sheet, row), value in cached.items() if sheet == "Summary" and row[0] == "A"
    }
    for index, option in enumerate(drawn.projection.options):
        kpi = option.kpis["tco_usd"]
        row = next(cell[1:] for cell, label in labels.items() if label == kpi.label)
        shown = cached["Summary", f"{'CE'[index]}{row}"]
        if kpi.value is None:
            assert str(shown).startswith("not given")
        else:
            assert shown == pytest.approx(kpi.value, rel=1e-12)
