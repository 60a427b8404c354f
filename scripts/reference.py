"""`make docs`: writes the reference pages that are made from the code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"


def main() -> int:
    """Write the pages that are made from code and shipped tables; print what was written."""
    for name, arguments in {
        "reference/scenario.schema.json": ["-m", "cli.main", "schema"],
        "reference/fields.md": ["-m", "cli.main", "fields", "--markdown"],
        "reference/defaults.md": ["-m", "cli.main", "defaults", "--markdown"],
        "reference/openapi.yaml": ["manage.py", "spectacular", "--validate", "--fail-on-warn"],
        "accuracy.md": ["-m", "cli.main", "accuracy", "--markdown"],
    }.items():
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            print(done.stderr)
            return 1
        (DOCS / name).write_text(done.stdout, encoding="utf-8")
        print(f"docs/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
