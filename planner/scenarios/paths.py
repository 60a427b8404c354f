"""Paths into a scenario document, and what they are called for people.

A path is written as in findings: ``options[0].fleets[1].server``.
"""

from __future__ import annotations

import re
from typing import Any

from tco.fields import Field, sections

_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
ROOT = "scenario"


def split_path(path: str) -> tuple[str | int, ...]:
    """Return the steps of a path.

    >>> split_path("options[0].fleets[1].server")
    ('options', 0, 'fleets', 1, 'server')
    """
    return tuple(
        int(index) if index else name for name, index in _STEP.findall(path) if name or index
    )


def join_path(steps: tuple[str | int, ...]) -> str:
    """Return the written form of steps.

    >>> join_path(("sites", 0, "pue"))
    'sites[0].pue'
    """
    text = ""
    for step in steps:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def value_at(document: Any, path: str) -> Any:
    """Return what stands at `path`, or None."""
    value = document
    for step in split_path(path):
        if isinstance(step, int):
            if not isinstance(value, list) or step >= len(value):
                return None
            value = value[step]
        else:
            if not isinstance(value, dict):
                return None
            value = value.get(step)
    return value


def field_at(path: str) -> Field | None:
    """Return the dictionary's field for `path`, or None if the dictionary has none.

    >>> field_at("options[0].fleets[1].purchase.server_usd").label
    'Server price'
    """
    section = ROOT
    found: Field | None = None
    for step in split_path(path):
        if isinstance(step, int):
            continue
        if found is not None and found.kind not in {"one", "many"}:
            return found if found.kind in {"figure", "map"} else None
        found = sections().get(section, {}).get(step)
        if found is None:
            return None
        if found.kind in {"one", "many"}:
            section = found.of
    return found


def _item_name(item: Any, index: int) -> str:
    if isinstance(item, dict):
        for key in ("name", "key"):
            if isinstance(item.get(key), str) and item[key]:
                return str(item[key])
        if isinstance(item.get("metric"), str):
            return f"{item['metric']} p{item.get('percentile', 95)}"
    return str(index + 1)


def path_label(document: Any, path: str) -> str:
    """Return a path in words: the labels of the fields and the names of the things.

    >>> path_label({"sites": [{"key": "a", "name": "Ashburn"}]}, "sites[0].pue")
    'Ashburn › PUE'
    """
    section = ROOT
    value = document
    words: list[str] = []
    steps = split_path(path)
    for position, step in enumerate(steps):
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and step < len(value) else None
            if words:
                words.pop()  # "Sites › Ashburn" says no more than "Ashburn"
            words.append(_item_name(value, step))
            continue
        if section == "figure" and step == "value":
            break  # "PUE › Value" says no more than "PUE"
        field = sections().get(section, {}).get(step)
        words.append(field.label if field else step.replace("_", " "))
        value = value.get(step) if isinstance(value, dict) else None
        if field is not None and field.kind in {"one", "many"}:
            section = field.of
        elif field is not None and field.kind == "figure" and position + 1 < len(steps):
            section = "figure"
    return " › ".join(words)
