"""Small rooms: files up to 400 lines, no drawers without a topic."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LIMIT = 400
TEST_LIMIT = 500


def _tracked(*patterns):
    done = subprocess.run(
        ["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [ROOT / name for name in done.stdout.splitlines() if (ROOT / name).exists()]


def test_no_file_is_longer_than_its_limit():
    """A file that outgrows its topic is split, not scrolled."""
    long = {}
    for path in _tracked("*.py", "*.js", "*.html", "*.css"):
        if "migrations" in path.parts:
            continue
        limit = TEST_LIMIT if "tests" in path.parts else LIMIT
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > limit:
            long[str(path.relative_to(ROOT))] = lines
    assert not long, long


def test_no_drawers_without_a_topic():
    """`utils.py` is where names go to die."""
    names = {"utils.py", "util.py", "helpers.py", "common.py", "misc.py"}
    assert not [path for path in _tracked("*.py") if path.name in names]


def test_nothing_names_a_machine_path():
    """The project stands alone: no path of one machine in it."""
    needle = "/" + "work" + "/"
    found = [
        str(path.relative_to(ROOT))
        for path in _tracked()
        if path.suffix not in {".png", ".ico"} and needle in path.read_text(errors="ignore")
    ]
    assert not found, found
