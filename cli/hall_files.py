"""Files of `tco hall`: what stands, from NetBox and Kubernetes into a scenario, and back."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from tco.document import dump_yaml, parse
from tco.document.inventory.exchange import FILES, standing_files, taken
from tco.errors import InputError

_LARGEST_BYTES = 20_000_000


def exchange(options: argparse.Namespace) -> int:
    """Print the scenario with what was imported, or write the files of its hall.

    Every error of every file is told at once; then nothing is printed or written.
    """
    document = parse(_text(options.file))
    if options.export:
        folder = Path(options.export)
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in standing_files(document, options.site).items():
            path = folder / name
            path.write_text(text, encoding="utf-8")
            print(path)
        return 0
    given = {name: getattr(options, name) for name in FILES if getattr(options, name)}
    found = taken(
        document,
        options.site,
        {name: _text(file) for name, file in given.items()},
        {name: Path(file).name for name, file in given.items()},
    )
    _check(found)
    print(dump_yaml(found), end="")
    return 0


def _check(document: dict[str, Any]) -> None:
    from hardware_catalog.seed.to_engine import SeedCatalog
    from tco.document import resolve

    resolve(document, SeedCatalog())


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
