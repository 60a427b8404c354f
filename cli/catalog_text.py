"""Catalog entries as text or JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from cli.text_table import shortened, text_table
from tco.document import Catalog
from tco.document.nearest import suggestion
from tco.errors import InputError, InputErrors
from tco.inputs import Figure, plain

# columns of each list: heading and attribute
_COLUMNS: dict[str, tuple[tuple[str, str], ...]] = {
    "device": (
        ("name", "name"),
        ("memory", "memory_gb"),
        ("power", "board_w"),
        ("price", "price_usd"),
    ),
    "server": (
        ("name", "name"),
        ("device", "device"),
        ("devices", "device_count"),
        ("price", "price_usd"),
    ),
    "offer": (
        ("device", "device"),
        ("devices", "device_count"),
        ("on demand", "on_demand_usd_per_hour"),
    ),
    "model": (("parameters", "parameters_g"), ("layers", "layers"), ("sized", "supported")),
    "region": (
        ("name", "name"),
        ("electricity", "energy_usd_per_kwh"),
        ("grid", "grid_gco2_per_kwh"),
    ),
    "cooling": (("name", "name"), ("kind", "kind"), ("density", "max_kw_per_rack")),
    "rack": (("name", "name"), ("units", "rack_units"), ("load", "static_load_kg")),
    "framework": (
        ("support", "works"),
        ("efficiency", "efficiency_fraction"),
        ("status", "status"),
        ("as of", "as_of"),
    ),
    "feed": (
        ("name", "name"),
        ("volt", "voltage_v"),
        ("phases", "phases"),
        ("ampere", "breaker_a"),
    ),
}


def catalog_entry(catalog: Catalog, kind: str, key: str) -> list[Any]:
    """Return the entry of a key; a server that takes several devices gives one for each.

    The key of a framework gives its rows of the support matrix.

    Raises
    ------
    InputErrors
        With the nearest keys, if there is no such entry.
    """
    find: dict[str, Callable[[str], Any]] = {
        "device": catalog.device,
        "server": catalog.server,
        "offer": catalog.offer,
        "model": catalog.model,
        "region": catalog.region,
        "cooling": catalog.cooling,
        "rack": catalog.rack,
        "feed": catalog.feed,
    }
    if kind == "framework":
        cells = [x for device in catalog.keys("device") for x in catalog.support(device, key)]
        if cells:
            return cells
    elif (found := find[kind](key)) is not None:
        return [found]
    if kind == "server":
        fitted = [catalog.server(key, device) for device in catalog.keys("device")]
        several = [server for server in fitted if server is not None]
        if several:
            return several
    mend = suggestion(key, catalog.keys(kind)) or "list them without a key"
    raise InputErrors((InputError(kind, f"the catalog has no {key!r}", mend),))


def catalog_list(catalog: Catalog, kind: str) -> list[Any]:
    """Return all entries of a kind."""
    return [entry for key in catalog.keys(kind) for entry in _listed(catalog, kind, key)]


def _listed(catalog: Catalog, kind: str, key: str) -> list[Any]:
    try:
        return catalog_entry(catalog, kind, key)
    except InputErrors:  # a row of the catalog that is too empty to be an entry
        return []


def list_text(kind: str, entries: list[Any]) -> str:
    """Return a list as a table, each figure with its unit and status."""
    columns = _COLUMNS[kind]
    rows = [[entry.key, *(_cell(getattr(entry, name)) for _, name in columns)] for entry in entries]
    words = [
        0,
        *(n for n, (_, name) in enumerate(columns, 1) if name in {"name", "device", "kind"}),
    ]
    return text_table(["key", *(head for head, _ in columns)], rows, left=words) + "\n"


def entry_text(entry: Any) -> str:
    """Return one entry with every figure, its range, status, source and date."""
    rows: list[list[str]] = []
    _collect(rows, "", entry)
    return text_table(["field", "value", "status", "source"], rows, left=(0, 1, 2, 3)) + "\n"


def entry_json(entries: list[Any]) -> Any:
    """Return entries as plain JSON values."""
    return plain(entries)


def _cell(value: Any) -> str:
    if isinstance(value, Figure):
        return f"{shortened(value.value)} {value.unit} {value.status.value}"
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return shortened(value)
    return str(getattr(value, "key", value))


def _collect(rows: list[list[str]], prefix: str, value: Any) -> None:
    """Flatten an entry into rows; what is not known is left out."""
    for field in dataclasses.fields(value):
        item = getattr(value, field.name)
        name = prefix + field.name
        if isinstance(item, Figure):
            rows.append(_figure_row(name, item))
        elif dataclasses.is_dataclass(item):
            _collect(rows, f"{name}.", item)
        elif name.endswith("peak_tflops"):
            rows.extend(_figure_row(f"{name}.{dtype}", figure) for dtype, figure in item)
        elif item not in (None, "", (), frozenset()):
            shown = ", ".join(sorted(item)) if isinstance(item, frozenset) else _cell(item)
            rows.append([name, shown, "", ""])


def _figure_row(name: str, figure: Figure) -> list[str]:
    value = f"{figure.value:,.10g} {figure.unit}"
    if figure.low is not None and figure.high is not None:
        value += f" ({figure.low:,.10g} to {figure.high:,.10g})"
    status = figure.status.value + ("" if figure.verified else ", unverified")
    date = f" [{figure.as_of}]" if figure.as_of else ""
    return [name, value, status, figure.source + date]
