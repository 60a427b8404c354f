"""Files of `tco hall`: what stands, from NetBox and Kubernetes into a scenario, and back."""

from __future__ import annotations

import argparse
import copy
from pathlib import Path
from typing import Any

from tco.document import dump_yaml, parse
from tco.document.inventory.kubernetes import read_nodes, write_pools
from tco.document.inventory.netbox import read_devices, read_racks, write_devices, write_racks
from tco.errors import InputError, InputErrors

_LARGEST_BYTES = 20_000_000


def exchange(options: argparse.Namespace) -> int:
    """Print the scenario with what was imported, or write the files of its hall.

    Every error of every file is told at once; then nothing is printed or written.
    """
    document = copy.deepcopy(parse(_text(options.file)))
    hall = _hall(document, options.site)
    if options.export:
        _export(hall, Path(options.export))
        return 0
    errors: list[InputError] = []
    for name in ("racks", "devices", "nodes"):
        file = getattr(options, name)
        if not file:
            continue
        try:
            _take(hall, name, _text(file), Path(file).name)
        except InputErrors as found:
            errors.extend(found.errors)
    if errors:
        raise InputErrors(tuple(errors))
    _check(document)
    print(dump_yaml(document), end="")
    return 0


def _take(hall: dict[str, Any], name: str, text: str, file: str) -> None:
    """Put one file into the hall; what the file does not know of a rack or a place stays."""
    kit = hall.get("kit", [])
    if name == "nodes":
        hall["pools"] = read_nodes(text, kit, file)
    elif name == "racks":
        known = {rack["key"]: rack for rack in hall.get("racks", [])}
        hall["racks"] = [{**known.get(rack["key"], {}), **rack} for rack in read_racks(text, file)]
    else:
        places = [device for device in hall.get("devices", []) if "kit" not in device]
        hall["devices"] = [*read_devices(text, hall["racks"], kit, file), *places]


def _check(document: dict[str, Any]) -> None:
    from hardware_catalog.seed.to_engine import SeedCatalog
    from tco.document import resolve

    resolve(document, SeedCatalog())


def _hall(document: dict[str, Any], site: str | None) -> dict[str, Any]:
    sites = [item for item in document.get("sites", []) if isinstance(item, dict)]
    chosen = [item for item in sites if (item.get("key") == site if site else "hall" in item)]
    if not chosen:
        keys = ", ".join(str(item.get("key")) for item in sites)
        raise InputError("--site", f"no site with a hall is {site or 'there'}", f"use {keys}")
    hall = chosen[0].setdefault("hall", {"racks": []})
    assert isinstance(hall, dict)
    return hall


def _export(hall: dict[str, Any], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    kit, racks = hall.get("kit", []), hall.get("racks", [])
    devices = write_devices(hall.get("devices", []), racks, kit)
    pools = write_pools(hall.get("pools", []), hall.get("needs", []), kit)
    for name, text in (
        ("racks.csv", write_racks(racks)),
        ("devices.csv", devices),
        ("node_pools.json", pools),
    ):
        path = folder / name
        path.write_text(text, encoding="utf-8")
        print(path)


def _text(file: str) -> str:
    path = Path(file)
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            raise InputError(file, "is larger than 20 MB", "send a smaller one")
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(file, f"cannot be read: {error.strerror}", "check the path") from error
    except UnicodeDecodeError as error:
        raise InputError(file, f"is not UTF-8 at byte {error.start}", "save it as UTF-8") from error
