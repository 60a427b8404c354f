"""`tco sweep`: every option's cost at every point of a grid."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.text_table import shortened, text_table
from tco.errors import InputError, InputErrors

if TYPE_CHECKING:
    from tco.sweep.run import Sweep
    from tco.sweep.table import Summary

Read = Callable[[str], dict[str, Any]]
BLOCK, BLOCK_WHOLE = 50_000, 50


def add_sweep(commands: Any, read: Read) -> None:
    """Add the command to the parser; `read` reads a scenario file."""
    command = commands.add_parser(
        "sweep",
        help="vary inputs together over a grid and price every option at every point",
        description=(
            "Prices all options at every point of a grid of inputs. Prices and rates are swept by "
            "columns, a million points in seconds, held against whole projections first; what "
            "changes sizes is projected point by point."
        ),
    )
    command.add_argument("file", metavar="FILE", help="scenario, YAML or JSON")
    command.add_argument(
        "--axis",
        action="append",
        required=True,
        metavar="PATH=VALUES",
        help="low:high:steps, log:low:high:steps, or a,b,c; may be repeated",
    )
    command.add_argument("--out", metavar="FILE", help="write all points: .csv or .parquet")
    command.add_argument("--exact", action="store_true", help="project every point whole")
    command.add_argument("--json", action="store_true", help="print the summary as JSON")
    command.set_defaults(run=lambda options: _run(options, read))


def _run(options: argparse.Namespace, read: Read) -> int:
    import numpy as np

    from hardware_catalog.seed.to_engine import SeedCatalog
    from tco.sweep.axes import read_axis
    from tco.sweep.run import Sweep
    from tco.sweep.table import blocks, frame, summary, written

    form = Path(options.out).suffix.removeprefix(".") if options.out else ""
    if options.out and form not in ("csv", "parquet"):
        raise InputError("--out", f"{options.out} is neither", "end it with .csv or .parquet")
    axes, errors = [], []
    for text in options.axis:
        try:
            axes.append(read_axis(text))
        except InputError as error:
            errors.append(error)
    if errors:
        raise InputErrors(tuple(errors))
    sweep = Sweep(read(options.file), SeedCatalog(), tuple(axes), exact=options.exact)
    parts = []
    for first, last in blocks(sweep.size, BLOCK if sweep.by_columns else BLOCK_WHOLE):
        parts.append(sweep.cost(first, last))
        if sys.stderr.isatty():
            print(f"{last:,} of {sweep.size:,} points", file=sys.stderr)
    cost = np.concatenate(parts)
    found = summary(sweep.options, cost)
    if options.out:
        Path(options.out).write_bytes(written(frame(sweep, cost), form))
    if options.json:
        print(json.dumps(plain(sweep, found), sort_keys=True))
    else:
        print(_text(sweep, found, options.out))
    return 0


def plain(sweep: Sweep, found: Summary) -> dict[str, Any]:
    """The summary as JSON values."""
    best = None
    if found.best is not None:
        (values,) = sweep.values_at(found.best[0], found.best[0] + 1)
        at = {axis.path: value for axis, value in zip(sweep.axes, values, strict=True)}
        best = {"at": at, "option": found.best[1], "tco_usd": found.best[2]}
    return {
        "points": found.points,
        "by_columns": sweep.by_columns,
        "why_whole": "" if sweep.by_columns else sweep.why_whole,
        "cheapest_fraction": found.wins,
        "least_usd": found.least,
        "most_usd": found.most,
        "best": best,
        "unpriced": found.unpriced,
        "currency": sweep.currency,
        "axes": [axis.to_dict() for axis in sweep.axes if len(axis.values) <= 1000],
    }


def _text(sweep: Sweep, found: Summary, out: str | None) -> str:
    how = "by columns" if sweep.by_columns else f"one by one: {sweep.why_whole}"
    names = dict(zip(sweep.options, sweep.names, strict=True))
    lines = [f"{found.points:,} points, {how}"]
    lines.append(
        text_table(
            ("Option", "Cheapest in", f"From, {sweep.currency}", f"To, {sweep.currency}"),
            [
                (
                    names[key],
                    f"{share:.1%}",
                    shortened(found.least[key]) if key in found.least else "-",
                    shortened(found.most[key]) if key in found.most else "-",
                )
                for key, share in found.wins.items()
            ],
            left=(0,),
        )
    )
    if found.best is not None:
        (values,) = sweep.values_at(found.best[0], found.best[0] + 1)
        at = ", ".join(
            f"{axis.path} = {value if isinstance(value, str) else f'{value:g}'}"
            for axis, value in zip(sweep.axes, values, strict=True)
        )
        usd = f"{shortened(found.best[2])} {sweep.currency}"
        lines.append(f"The least: {names[found.best[1]]}, {usd}, at {at}")
    if found.unpriced:
        lines.append(f"No option has a price at {found.unpriced:,} points.")
    if out:
        lines.append(f"All points: {out}")
    return "\n\n".join(lines)
