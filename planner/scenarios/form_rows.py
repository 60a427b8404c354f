"""Adding, duplicating and removing rows of the builder, on the document: nothing typed is lost."""

from __future__ import annotations

import copy
import re
from typing import Any

from planner.scenarios.form_layout import ROWS, WORDS
from planner.scenarios.paths import split_path, value_at
from tco.errors import InputError

ACTIONS = ("add", "duplicate", "remove")
LIMIT = 50  # rows of one list the builder handles; a file may hold more


def _keys(document: Any) -> set[str]:
    """Every key in the document, so that a new one collides with none."""
    found: set[str] = set()
    if isinstance(document, dict):
        if isinstance(document.get("key"), str):
            found.add(document["key"])
        for value in document.values():
            found |= _keys(value)
    elif isinstance(document, list):
        for value in document:
            found |= _keys(value)
    return found


def _new_key(document: dict[str, Any], stem: str) -> str:
    taken = _keys(document)
    stem = re.sub(r"-\d+$", "", stem)
    number = 2
    while f"{stem}-{number}" in taken:
        number += 1
    return f"{stem}-{number}"


def _first_key(document: dict[str, Any], name: str) -> str:
    items = document.get(name)
    if isinstance(items, list) and items and isinstance(items[0], dict):
        return str(items[0].get("key", ""))
    return ""


def _blank(document: dict[str, Any], section: str) -> dict[str, Any]:
    """A new row: what must be there, with the commonest choice."""
    if section == "target":
        return {"metric": "ttft", "percentile": 95, "limit_ms": 1000}
    key = _new_key(document, section)
    number = key.rpartition("-")[2]
    row: dict[str, Any] = {"key": key, "name": f"{WORDS[section].capitalize()} {number}"}
    if section == "workload":
        row["targets"] = [{"metric": "ttft", "percentile": 95, "limit_ms": 1000}]
    if section == "option":
        row["fleets"] = [_blank({**document, "new": row}, "fleet")]
    if section == "fleet":
        del row["name"]  # the name of the server or the offer is better
        row["workload"] = _first_key(document, "workloads")
        site = _first_key(document, "sites")
        if site:
            row["site"] = site
    return row


def _fresh_keys(document: dict[str, Any], row: dict[str, Any]) -> None:
    """Give a duplicated row, and what is inside it, keys of their own."""
    if "key" in row:
        row["key"] = _new_key(document, str(row["key"]))
    for fleet in row.get("fleets", []):
        if isinstance(fleet, dict) and "key" in fleet:
            fleet["key"] = _new_key({**document, "new": row}, str(fleet["key"]))


def change_rows(document: dict[str, Any], action: str) -> dict[str, Any]:
    """Return a copy of the document with one row more or less.

    Parameters
    ----------
    action
        ``add:sites``, ``add:options[0].fleets``, ``duplicate:sites[1]`` or
        ``remove:workloads[0].targets[2]``.

    Raises
    ------
    tco.errors.InputError
        If the action names no list or row of this document.

    Examples
    --------
    >>> change_rows({"sites": [{"key": "a", "name": "A"}]}, "duplicate:sites[0]")["sites"][1]
    {'key': 'a-2', 'name': 'A, copy'}
    """
    verb, _, path = action.partition(":")
    steps = split_path(path)
    document = copy.deepcopy(document)
    if verb not in ACTIONS or not steps:
        raise InputError("do", f"{action!r} is nothing the builder can do", "use its buttons")
    if verb == "add":
        name = str(steps[-1])
        parent = _parent(document, path)
        if name not in ROWS or not isinstance(parent, dict):
            raise InputError("do", f"there is no list {path!r}", "use the builder's buttons")
        rows = parent.setdefault(name, [])
        if not isinstance(rows, list) or len(rows) >= LIMIT:
            raise InputError(path, f"more than {LIMIT} rows", "use the file view for more")
        rows.append(_blank(document, ROWS[name]))
        return document
    index = steps[-1]
    rows = value_at(document, path.rpartition("[")[0])
    if not isinstance(index, int) or not isinstance(rows, list) or index >= len(rows):
        raise InputError("do", f"there is no row {path!r}", "reload the page")
    if verb == "remove":
        rows.pop(index)
        return document
    if len(rows) >= LIMIT:
        raise InputError(path, f"more than {LIMIT} rows", "use the file view for more")
    row = copy.deepcopy(rows[index])
    if isinstance(row, dict):
        _fresh_keys(document, row)
        if isinstance(row.get("name"), str) and row["name"]:
            row["name"] = f"{row['name']}, copy"
    rows.insert(index + 1, row)
    return document


def _parent(document: dict[str, Any], path: str) -> Any:
    outer = path.rpartition(".")[0]
    return value_at(document, outer) if outer else document
