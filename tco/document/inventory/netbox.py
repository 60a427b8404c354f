"""Racks and devices as NetBox imports and exports them; a round trip changes nothing.

Columns are those of NetBox's bulk import. A column it does not have is an error, never ignored;
every bad cell is told with its row, and nothing is imported by halves.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tco.document.nearest import suggestion
from tco.errors import InputError, InputErrors

# NetBox's column, our field; the order is that of the files we write.
RACK_COLUMNS = {
    **{"site": "site", "location": "location", "name": "name", "facility_id": "facility_id"},
    **{"tenant": "tenant", "status": "status", "role": "role", "rack_type": "rack_type"},
    **{"serial": "serial", "asset_tag": "asset_tag", "width": "width", "u_height": "units"},
    **{"max_weight": "load_kg", "weight_unit": "weight_unit"},
    **{"description": "description", "comments": "comments", "tags": "tags"},
}
DEVICE_COLUMNS = {
    **{"name": "name", "role": "role", "tenant": "tenant", "manufacturer": "manufacturer"},
    **{"device_type": "device_type", "platform": "platform", "serial": "serial"},
    **{"asset_tag": "asset_tag", "site": "site", "location": "location", "rack": "rack"},
    **{"position": "unit", "face": "face", "parent": "parent", "device_bay": "bay"},
    **{"airflow": "airflow", "status": "status", "description": "description"},
    **{"comments": "comments", "tags": "tags"},
}
STATES = {"active": "installed", "planned": "planned", "failed": "failed", "offline": "offline"}
STATUSES = (*STATES, "staged", "inventory", "decommissioning")
MOST_ROWS = 20_000
NO_MAKER = "Generic"  # NetBox asks for one
Row = dict[str, str]


def slug(text: str) -> str:
    """A short name of the letters that keys may have.

    Examples
    --------
    >>> slug("Row A / rack 7")
    'Row-A-rack-7'
    """
    return re.sub(r"[^A-Za-z0-9._]+", "-", text).strip("-._")[:100] or "x"


def _rows(
    text: str, file: str, columns: Mapping[str, str], needed: Sequence[str]
) -> tuple[list[tuple[int, Row]], list[InputError]]:
    """Rows with their number in the file, and what is wrong with header and rows."""
    try:
        table = list(csv.reader(io.StringIO(text.removeprefix("\ufeff")), strict=True))
    except csv.Error as error:
        return [], [InputError(file, f"this is no CSV: {error}", "export it again")]
    if not table:
        return [], [InputError(f"{file} row 1", "the file is empty", "export it again")]
    header = [name.strip() for name in table[0]]
    errors = []
    for name in header:
        if name not in columns:
            mend = suggestion(name, columns) or "leave it out"
            errors.append(InputError(f"{file} row 1, column {name}", "unknown column", mend))
    for name in sorted({name for name in header if header.count(name) > 1}):
        errors.append(InputError(f"{file} row 1, column {name}", "stands twice", "keep one"))
    for name in needed:
        if name not in header:
            errors.append(InputError(f"{file} row 1, column {name}", "is missing", "add it"))
    if len(table) - 1 > MOST_ROWS:
        errors.append(InputError(file, f"{len(table) - 1:,} rows are too many", "split the file"))
    found = []
    for number, cells in enumerate(table[1:], 2):
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(header):
            message = f"{len(cells)} cells under {len(header)} columns"
            errors.append(InputError(f"{file} row {number}", message, "mend the row"))
            continue
        row = {name: cell for name, cell in zip(header, cells, strict=True) if cell != ""}
        for name in needed:
            if name in header and name not in row:
                place = f"{file} row {number}, column {name}"
                errors.append(InputError(place, "is empty", "enter it"))
        found.append((number, row))
    return found, errors


def maker_and_model(kind: Mapping[str, Any]) -> tuple[str, str]:
    """Return what NetBox calls a kind of the hall.

    Examples
    --------
    >>> maker_and_model({"key": "web", "name": "Web server"})
    ('Generic', 'Web server')
    """
    model = kind.get("model") or kind.get("name") or kind["key"]
    return str(kind.get("manufacturer") or NO_MAKER), str(model)


def read_racks(text: str, file: str = "racks.csv") -> list[dict[str, Any]]:
    """Racks of a table as members of a hall's `racks`.

    Raises
    ------
    InputErrors
        Every bad column and cell with its row.

    Examples
    --------
    >>> read_racks("name,u_height\\nR 7,42\\n")
    [{'key': 'R-7', 'name': 'R 7', 'units': 42}]
    """
    rows, errors = _rows(text, file, RACK_COLUMNS, ("name",))
    found: list[dict[str, Any]] = []
    first: dict[str, int] = {}
    for number, row in rows:
        say = _sayer(errors, file, number)
        rack: dict[str, Any] = {"key": slug(row.get("name", ""))}
        if rack["key"] in first:
            say("name", f"{row.get('name')!r} stands in row {first[rack['key']]} already", "rename")
        first.setdefault(rack["key"], number)
        for column, field in RACK_COLUMNS.items():
            if column in row:
                rack[field] = row[column]
        if "u_height" in row:
            rack["units"] = _whole(row["u_height"], "u_height", say, 1, 100)
        if "max_weight" in row:
            unit = row.get("weight_unit", "")
            if unit not in {"kg", "lb"}:
                say("weight_unit", f"{unit!r} is no unit of a rack's load", "enter kg or lb")
            size = _whole(row["max_weight"], "max_weight", say, 1, 50_000)
            rack["load_kg"] = f"{size} {unit}"
        if "location" in row:
            rack["row"] = row["location"]
        found.append(rack)
    if errors:
        raise InputErrors(tuple(errors))
    return found


Say = Callable[[str, str, str], None]


def _sayer(errors: list[InputError], file: str, number: int) -> Say:
    def say(column: str, message: str, mend: str) -> None:
        errors.append(InputError(f"{file} row {number}, column {column}", message, mend))

    return say


def _whole(text: str, column: str, say: Say, low: int, high: int) -> int:
    value = int(text) if re.fullmatch(r"[0-9]{1,9}", text) else 0
    if not low <= value <= high:
        say(column, f"{text[:40]!r} is not a whole number from {low} to {high}", "mend it")
    return value


def read_devices(
    text: str,
    racks: Sequence[Mapping[str, Any]],
    kit: Sequence[Mapping[str, Any]],
    file: str = "devices.csv",
) -> list[dict[str, Any]]:
    """Devices of a table as members of a hall's `devices`.

    Parameters
    ----------
    racks, kit
        Racks and kinds of the hall: a device names its rack by name or key, and its kind by
        manufacturer and device type as the kind gives them.

    Raises
    ------
    InputErrors
        Every bad column and cell with its row: unknown racks and types, positions taken twice.
    """
    rows, errors = _rows(text, file, DEVICE_COLUMNS, ("name", "manufacturer", "device_type"))
    by_rack = {str(rack.get(name)): rack for rack in racks for name in ("key", "name")}
    kinds = {maker_and_model(item): item for item in kit}
    types = sorted(model for _, model in kinds if model)
    found: list[dict[str, Any]] = []
    names: dict[str, int] = {}
    places: dict[tuple[str, str, str], int] = {}
    for number, row in rows:
        say = _sayer(errors, file, number)
        device: dict[str, Any] = {
            field: row[column]
            for column, field in DEVICE_COLUMNS.items()
            if column in row and column not in {"manufacturer", "device_type", "status"}
        }
        name = row.get("name", "")
        if name in names:
            say("name", f"{name!r} stands in row {names[name]} already", "give each its own")
        names.setdefault(name, number)
        known = kinds.get((row.get("manufacturer", ""), row.get("device_type", "")))
        if known is None:
            mend = suggestion(row.get("device_type", ""), types)
            mend = mend or "add a kind with this manufacturer and model to the hall"
            say("device_type", f"the hall has no kind {row.get('device_type', '')!r}", mend)
        else:
            device["kit"] = known["key"]
        _rack_and_place(device, row, by_rack, places, number, say)
        _status(device, row, say)
        found.append(device)
    for (number, row), device in zip(rows, found, strict=True):
        parent = row.get("parent")
        if parent is not None and parent not in names:
            message = f"no device is called {parent!r}"
            place = f"{file} row {number}, column parent"
            errors.append(InputError(place, message, suggestion(parent, names) or "add it"))
        if parent is not None and "unit" in device:
            place = f"{file} row {number}, column position"
            errors.append(InputError(place, "a child stands where its parent does", "empty it"))
    if errors:
        raise InputErrors(tuple(errors))
    return found


def _rack_and_place(
    device: dict[str, Any],
    row: Row,
    racks: Mapping[str, Mapping[str, Any]],
    places: dict[tuple[str, str, str], int],
    number: int,
    say: Say,
) -> None:
    rack = row.get("rack")
    if rack is not None:
        if rack not in racks:
            say("rack", f"the hall has no rack {rack!r}", suggestion(rack, racks) or "add it")
        else:
            device["rack"] = racks[rack]["key"]
    face = row.get("face", "front")
    if face not in {"front", "rear"}:
        say("face", f"{face!r} is neither front nor rear", "enter one")
    position = row.get("position")
    if position is None:
        return
    value = float(position) if re.fullmatch(r"[0-9]{1,3}(\.[05]0?)?", position) else 0.0
    if not 1 <= value <= 100:
        say("position", f"{position[:40]!r} is no unit of a rack", "enter 1 or more, or halves")
        return
    device["unit"] = int(value) if value.is_integer() else value
    if rack is None:
        say("rack", "is empty", "a position needs its rack")
        return
    place = (rack, f"{value:g}", face)
    if place in places:
        say("position", f"unit {value:g} of {rack} is taken by row {places[place]}", "mend one")
    places.setdefault(place, number)


def _status(device: dict[str, Any], row: Row, say: Say) -> None:
    status = row.get("status")
    if status is None:
        return
    if status not in STATUSES:
        say("status", f"{status!r} is not known", suggestion(status, STATUSES) or "use active")
    elif status in STATES:
        device["state"] = STATES[status]
    else:
        device["status"] = status


def write_racks(racks: Sequence[Mapping[str, Any]]) -> str:
    """Racks as NetBox imports them; groups are written rack by rack."""
    return written(RACK_COLUMNS, [row for rack in racks for row in _rack_rows(rack)])


def _rack_rows(rack: Mapping[str, Any]) -> Iterator[Row]:
    from tco.inputs import rack_names

    count = int(rack.get("count", 1))
    for key in rack_names(rack["key"], count):
        row = {column: str(rack[field]) for column, field in RACK_COLUMNS.items() if field in rack}
        row["name"] = str(rack.get("name", key)) if count == 1 else key
        if "load_kg" in rack:
            size, _, unit = str(rack["load_kg"]).partition(" ")
            row |= {"max_weight": size, "weight_unit": unit or "kg"}
        yield row


def write_devices(
    devices: Sequence[Mapping[str, Any]],
    racks: Sequence[Mapping[str, Any]],
    kit: Sequence[Mapping[str, Any]],
) -> str:
    """Devices as NetBox imports them; reservations and blocked places are no devices there."""
    names = {str(rack["key"]): str(rack.get("name", rack["key"])) for rack in racks}
    kinds = {item["key"]: item for item in kit}
    statuses = {state: status for status, state in STATES.items()}
    rows = []
    for device in devices:
        kind = kinds.get(device.get("kit"))
        if kind is None:
            continue
        row = {
            column: str(device[field])
            for column, field in DEVICE_COLUMNS.items()
            if field in device and column != "status"
        }
        if "unit" in device:
            row["position"] = f"{float(device['unit']):.1f}"
        if "rack" in device:
            row["rack"] = names.get(device["rack"], device["rack"])
        row["manufacturer"], row["device_type"] = maker_and_model(kind)
        if "status" in device:
            row["status"] = device["status"]
        elif "state" in device:
            row["status"] = statuses.get(device["state"], "active")
        rows.append(row)
    return written(DEVICE_COLUMNS, rows)


def written(columns: Mapping[str, str], rows: Sequence[Row]) -> str:
    """Return rows as a table with the columns that any of them uses, in their order."""
    used = [column for column in columns if any(column in row for row in rows)]
    out = io.StringIO()
    writer = csv.DictWriter(out, used or list(columns), lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
