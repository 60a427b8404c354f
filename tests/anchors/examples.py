"""Worked examples as data: inputs, expected results, tolerances, sources."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parent
EXAMPLES: dict[str, dict[str, Any]] = {
    example["id"]: example
    for name in ("cost_examples.json", "power_examples.json")
    for example in json.loads((FOLDER / name).read_text(encoding="utf-8"))["examples"]
}


def given(example: str, name: str) -> Any:
    """Input of a worked example."""
    return EXAMPLES[example]["inputs"][name]["value"]


def expected(example: str, name: str) -> Any:
    """Expected result with the example's tolerance."""
    result = EXAMPLES[example]["expected"][name]
    tolerance = result["tolerance"]
    return pytest.approx(result["value"], rel=tolerance.get("rel", 0), abs=tolerance.get("abs", 0))
