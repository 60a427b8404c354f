"""A chart for a page: the figure for the drawing script, a sentence and a table twin."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure with its words.

    Parameters
    ----------
    key
        Id on the page, unique there.
    title
        What is seen, in a few words.
    caption
        The takeaway in one sentence.
    figure
        ``{"data": [...], "layout": {...}}``: plain, without Plotly's template.
    head, rows
        The same numbers as a table, for readers who cannot see the drawing.
    """

    key: str
    title: str
    caption: str
    figure: dict[str, Any]
    head: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def finite(value: Any) -> Any:
    """Return the value with everything JSON cannot hold as None.

    >>> finite({"y": [1.0, float("inf")]})
    {'y': [1.0, None]}
    """
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def chart(
    key: str,
    title: str,
    caption: str,
    data: list[dict[str, Any]],
    layout: dict[str, Any],
    head: tuple[str, ...],
    rows: list[tuple[Any, ...]],
) -> Chart:
    """Return a chart whose figure is plain JSON."""
    return Chart(key, title, caption, finite({"data": data, "layout": layout}), head, tuple(rows))
