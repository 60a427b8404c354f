"""A small projection and a spreadsheet engine that owes us nothing."""

from __future__ import annotations

import io
import json
import warnings
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

import openpyxl

from hardware_catalog.seed.to_engine import SeedCatalog
from planner.reports.workbook import build_workbook
from tco.document import parse, resolve
from tco.projection import project

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "chat.yaml"
MOMENT = datetime(2026, 11, 30, 12, tzinfo=UTC)


@lru_cache(maxsize=4)
def example_result(energy_usd_per_kwh: float = 0.08, months: int = 6) -> dict:
    """Chat example with two options and a short horizon, as it is stored."""
    document = parse(EXAMPLE.read_text(encoding="utf-8"))
    document["finance"]["horizon_months"] = months
    document["sites"][0]["energy_usd_per_kwh"]["value"] = energy_usd_per_kwh
    document["options"] = [x for x in document["options"] if x["key"] in {"h100", "p5"}]
    return json.loads(json.dumps(project(resolve(document, SeedCatalog())).to_dict()))


def workbook_bytes(result: dict) -> bytes:
    """Build the file."""
    return build_workbook(result, facts={"Scenario": result["name"]}, generated_at=MOMENT)


def cached_cells(content: bytes) -> dict[tuple[str, str], object]:
    """Values a viewer without a calculator shows."""
    book = openpyxl.load_workbook(io.BytesIO(content), data_only=True)
    return {
        (sheet.title, cell.coordinate): cell.value
        for sheet in book
        for row in sheet.iter_rows()
        for cell in row
    }


def formula_cells(content: bytes) -> dict[tuple[str, str], str]:
    """Every formula of the file."""
    book = openpyxl.load_workbook(io.BytesIO(content))
    return {
        (sheet.title, cell.coordinate): cell.value
        for sheet in book
        for row in sheet.iter_rows()
        for cell in row
        if cell.data_type == "f"
    }


def recalculated(path: Path, changes: dict[tuple[str, str], float] | None = None):
    """Recalculate a workbook with the `formulas` package; return a reader of cells."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import formulas

        model = formulas.ExcelModel().loads(str(path)).finish()
        name = path.name

        def key(sheet, cell):
            return f"'[{name}]{sheet.upper()}'!{cell}"

        inputs = {key(*where): value for where, value in (changes or {}).items()}
        solution = model.calculate(inputs=inputs or None)

    def read(sheet, cell):
        return solution[key(sheet, cell)].value[0, 0]

    return read
