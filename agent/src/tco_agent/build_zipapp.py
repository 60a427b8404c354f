"""Build the one-file agent: `python -m tco_agent.build_zipapp OUT.pyz`.

The same sources give the same bytes: fixed order, times and modes, and no compression, whose output
differs between zlib builds.
"""

from __future__ import annotations

import hashlib
import io
import sys
import zipfile
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    if sys.version_info >= (3, 11):
        from importlib.resources.abc import Traversable
    else:
        from importlib.abc import Traversable

SHEBANG = b"#!/usr/bin/env python3\n"
MAIN = (
    b"from tco_agent.cli import main\n\nif __name__ == '__main__':\n    raise SystemExit(main())\n"
)
FIXED_TIME = (1980, 1, 1, 0, 0, 0)
SUFFIXES = (".py", ".json")


def zipapp_bytes() -> bytes:
    """The whole file; runs with `python3 tco-agent.pyz run --dry-run`."""
    members = {"__main__.py": MAIN}
    for name, source in _sources(files("tco_agent"), "tco_agent"):
        members[name] = source.read_bytes()
    buffer = io.BytesIO()
    buffer.write(SHEBANG)
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_STORED) as archive:
        for name in sorted(members):
            info = zipfile.ZipInfo(name, FIXED_TIME)
            info.create_system = 3  # the same on every system
            info.external_attr = 0o100644 << 16
            archive.writestr(info, members[name])
    return buffer.getvalue()


def build_zipapp(path: Path) -> str:
    """Write the file, executable; the SHA-256 of its bytes in hex."""
    data = zipapp_bytes()
    path.write_bytes(data)
    path.chmod(0o755)
    return hashlib.sha256(data).hexdigest()


def _sources(folder: Traversable, name: str) -> Iterator[tuple[str, Traversable]]:
    for entry in sorted(folder.iterdir(), key=lambda item: item.name):
        path = f"{name}/{entry.name}"
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _sources(entry, path)
        elif entry.name.endswith(SUFFIXES):
            yield path, entry


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m tco_agent.build_zipapp OUT.pyz")
    print(f"{build_zipapp(Path(sys.argv[1]))}  {sys.argv[1]}")
