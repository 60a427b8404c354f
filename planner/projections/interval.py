"""The 80 % interval of a stored latency, and the degrees of a copy in words (P13.3, P5)."""

from __future__ import annotations

import re
from typing import Any

_DEGREES = {"t": "tensor", "p": "pipeline", "dp": "attention data", "e": "expert"}


def interval_of(
    point: dict[str, Any] | None, metric: str, value_ms: float | None
) -> tuple[float, float] | None:
    """Return where 80 % of measured runs would lie, in ms; None where it is not known.

    >>> interval_of({"interval_ratio": {"ttft": [0.8, 1.5]}}, "ttft", 100.0)
    (80.0, 150.0)
    """
    if point is None or value_ms is None:
        return None
    ends = point.get("interval_ratio", {}).get(metric)  # results stored before 0.2 have none
    return (value_ms * ends[0], value_ms * ends[1]) if ends else None


def _degrees(label: str) -> dict[str, int]:
    return {name: int(number) for name, number in re.findall(r"\b(t|p|dp|e)(\d+)\b", label)}


def degrees_in_words(label: str) -> str:
    """Return the degrees of a copy as people read them.

    >>> degrees_in_words("t1 dp8 e8"), degrees_in_words("t1"), degrees_in_words("")
    ('attention data 8, expert 8', 'one device', '')
    """
    found = _degrees(label)
    parts = [f"{_DEGREES[name]} {number}" for name, number in found.items() if number > 1]
    return ", ".join(parts) or ("one device" if found else "")


def devices_of_a_copy(label: str, tensor_parallel: int) -> int:
    """Return the devices of one copy; `tensor_parallel` where no degrees are stored.

    >>> devices_of_a_copy("t4 p2", 4), devices_of_a_copy("t1 dp8 e8", 1), devices_of_a_copy("", 2)
    (8, 8, 2)
    """
    found = _degrees(label)
    if not found:
        return tensor_parallel
    return found.get("t", 1) * found.get("p", 1) * found.get("dp", 1)
