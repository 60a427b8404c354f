"""A setting that is not documented is a fault."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
READ = re.compile(r"env_(?:text|bool|int|list|secret)\(\s*\"([A-Z_]+)\"")


def _read_in_settings():
    names = []
    for path in [*sorted((ROOT / "config").rglob("*.py"))]:
        names += READ.findall(path.read_text())
    return set(names)


def _documented():
    text = (ROOT / "docs" / "reference" / "settings.md").read_text()
    return re.findall(r"^\| `([A-Z_]+)`", text, re.M)


def _example():
    text = (ROOT / ".env.example").read_text()
    return re.findall(r"^([A-Z_]+)=", text, re.M)


def test_every_variable_is_documented():
    """What the settings read is in the reference."""
    missing = _read_in_settings() - set(_documented())
    assert not missing, missing


def test_the_example_file_has_the_same_lines_in_the_same_order():
    """`.env.example` and the reference never drift apart."""
    assert _example() == _documented()
