"""`make docs`: writes the reference pages that are made from the code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "reference"


def main() -> int:
    """Write the scenario schema, the field list and the API's document; print what was written."""
    for name, arguments in {
        "scenario.schema.json": ["-m", "cli.main", "schema"],
        "fields.md": ["-m", "cli.main", "fields", "--markdown"],
        "openapi.yaml": ["manage.py", "spectacular", "--validate", "--fail-on-warn"],
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
        (REFERENCE / name).write_text(done.stdout, encoding="utf-8")
        print(f"docs/reference/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
