"""What differs between two scenario documents, field by field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from planner.scenarios.form_values import Names
from planner.scenarios.paths import field_at, join_path, path_label
from tco.fields import Field

MISSING = object()


@dataclass(frozen=True, slots=True)
class Change:
    """One field with its old and new value, as text; an empty text means: not given."""

    path: str
    label: str
    old: str
    new: str


def value_text(value: Any, unit: str = "") -> str:
    """Return a value of a document as people read it.

    >>> value_text({"value": 1.3, "status": "assumed", "source": "survey"}, "ratio")
    '1.3 (assumed: survey)'
    >>> value_text([0.5, 1], "")
    '0.5, 1'
    """
    if value is MISSING or value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        if "value" in value:
            text = value_text(value["value"], unit)
            if value.get("low") is not None or value.get("high") is not None:
                text += f" [{value_text(value.get('low'))} to {value_text(value.get('high'))}]"
            about = ": ".join(str(value[key]) for key in ("status", "source") if value.get(key))
            return f"{text} ({about})" if about else text
        if isinstance(value.get("key"), str):  # a whole site, workload, option, fleet or entry
            return str(value.get("name") or "given")
        return "; ".join(f"{key.replace('_', ' ')} {value_text(value[key])}" for key in value)
    if isinstance(value, list):
        return ", ".join(value_text(item) for item in value)
    if isinstance(value, (int, float)) and unit and unit not in {"ratio", "fraction"}:
        return f"{value:,} {unit}"
    return f"{value:,}" if isinstance(value, (int, float)) else str(value)


def _keyed(items: Any) -> dict[str, int] | None:
    """Index of list items by their key, if they all have one."""
    if not isinstance(items, list) or not items:
        return None
    keys = [item.get("key") for item in items if isinstance(item, dict)]
    if len(keys) != len(items) or len(set(keys)) != len(keys) or None in keys:
        return None
    return {str(key): index for index, key in enumerate(keys)}


def _walk(
    old: Any,
    new: Any,
    steps: tuple[str | int, ...],
    found: list[tuple[tuple[str | int, ...], Any, Any]],
) -> None:
    if old is not MISSING and new is not MISSING and old == new:
        return
    if isinstance(old, dict) and isinstance(new, dict) and "value" not in old | new:
        for key in dict.fromkeys([*old, *new]):
            _walk(old.get(key, MISSING), new.get(key, MISSING), (*steps, key), found)
        return
    if isinstance(old, list) and isinstance(new, list):
        old_keys, new_keys = _keyed(old), _keyed(new)
        if old_keys is not None and new_keys is not None:
            for key in dict.fromkeys([*old_keys, *new_keys]):
                at = new_keys.get(key, old_keys.get(key, 0))
                _walk(
                    old[old_keys[key]] if key in old_keys else MISSING,
                    new[new_keys[key]] if key in new_keys else MISSING,
                    (*steps, at),
                    found,
                )
            return
        if all(isinstance(item, dict) for item in [*old, *new]):
            for index in range(max(len(old), len(new))):
                _walk(
                    old[index] if index < len(old) else MISSING,
                    new[index] if index < len(new) else MISSING,
                    (*steps, index),
                    found,
                )
            return
    found.append((steps, old, new))


def _shown(value: Any, field: Field | None, names: Names | None) -> str:
    """Text of a value: catalog entries by name, choices in words."""
    if field is not None and isinstance(value, str):
        if field.kind == "ref" and names is not None:
            return names.label(field.of, value)
        if field.kind == "choice":
            return value.replace("_", " ")
    return value_text(value, field.unit if field else "")


def document_differences(
    old: dict[str, Any], new: dict[str, Any], names: Names | None = None
) -> tuple[Change, ...]:
    """Return every field in which `new` differs from `old`, in the order of the document.

    Entries of lists are matched by their key, so that a changed order is no change. With `names`,
    catalog entries are shown by name instead of by key.

    >>> old = {"name": "A", "sites": [{"key": "x", "pue": 1.3}]}
    >>> new = {"name": "A", "sites": [{"key": "x", "pue": 1.2}]}
    >>> [(c.path, c.old, c.new) for c in document_differences(old, new)]
    [('sites[0].pue', '1.3', '1.2')]
    """
    found: list[tuple[tuple[str | int, ...], Any, Any]] = []
    _walk(old, new, (), found)
    changes = []
    for steps, before, after in found:
        path = join_path(steps)
        field = field_at(path)
        label = path_label(old if after is MISSING else new, path)
        changes.append(
            Change(path, label, _shown(before, field, names), _shown(after, field, names))
        )
    return tuple(changes)
