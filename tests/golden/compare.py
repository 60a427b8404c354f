"""Old numbers against new: `make golden` shows what moved, `make golden ACCEPT=1` writes it.

A difference that is meant is explained in CHANGELOG.md under «Numbers changed».
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = Path(__file__).resolve().parent / "results"
DIGITS = 10


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")


def current(path: Path) -> dict[str, Any]:
    """Project an example and keep what a reader would notice."""
    from hardware_catalog.seed.to_engine import SeedCatalog
    from tco.document import parse, resolve
    from tco.projection import project

    projection = project(resolve(parse(path.read_text(encoding="utf-8")), SeedCatalog()))
    result = projection.to_dict()
    numbers: dict[str, Any] = {"verdict": result["verdict"]}
    for option, kpis in result["kpis"].items():
        for key, kpi in kpis.items():
            numbers[f"{option}/{key}"] = _rounded(kpi["value"])
        for line in result["ledger"][option]["lines"]:
            total = sum(line["start_usd"]) + sum(line["end_usd"])
            name = f"{option}/ledger/{line['fleet']}/{line['key']}"
            numbers[name] = "missing" if line["missing"] else _rounded(total)
    for finding in result["findings"]:
        key = f"finding/{finding['code']}"
        numbers[key] = numbers.get(key, 0) + 1
    return numbers


def examples() -> list[Path]:
    """Every shipped example."""
    return sorted((ROOT / "examples").glob("*.yaml"))


def stored(path: Path) -> dict[str, Any]:
    """Return the accepted numbers of an example."""
    file = FOLDER / f"{path.stem}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def moved(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Lines that say what changed, by how much."""
    lines = []
    for key in sorted(set(old) | set(new)):
        before, after = old.get(key), new.get(key)
        if before == after:
            continue
        share = ""
        if isinstance(before, float) and isinstance(after, float):
            if abs(after - before) <= 1e-9 * max(abs(before), abs(after)):
                continue
            share = f" ({(after - before) / before:+.2%})" if before else ""
        lines.append(f"  {key}: {before} -> {after}{share}")
    return lines


def main(accept: bool) -> int:
    """Print what moved; write it when accepted."""
    changed = 0
    for path in examples():
        new = current(path)
        lines = moved(stored(path), new)
        if lines:
            changed += 1
            print(f"{path.name}:")
            print("\n".join(lines))
        if accept:
            FOLDER.mkdir(exist_ok=True)
            text = json.dumps(new, indent=1, sort_keys=True, ensure_ascii=False)
            (FOLDER / f"{path.stem}.json").write_text(text + "\n", encoding="utf-8")
    print("nothing moved" if not changed else f"{changed} of {len(examples())} examples moved")
    return 1 if changed and not accept else 0


if __name__ == "__main__":
    sys.exit(main("--accept" in sys.argv[1:]))
