"""`tco accuracy` on the command line; what it does is in `cli.accuracy_run`, loaded when asked."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from tco.evidence.record import FOLDS

Reader = Callable[[str], dict[str, Any]]


def add_accuracy(commands: Any, read: Reader) -> None:
    """Add the command to the parser; `read` reads a YAML or JSON file."""
    command = commands.add_parser(
        "accuracy",
        help="score the performance model on measured rows",
        description=(
            "Scores every UNIFIED*.csv of a folder: coverage, errors by metric, source, device "
            "and model, intervals, order of devices. Without a folder: the scores as published."
        ),
    )
    command.add_argument("folder", metavar="DIR", nargs="?", help="folder with UNIFIED*.csv files")
    command.add_argument("--json", action="store_true", help="print the report as JSON")
    command.add_argument("--markdown", action="store_true", help="print docs/accuracy.md")
    command.add_argument(
        "--leave-out",
        choices=FOLDS,
        action="append",
        help="what each prediction's fit has not seen (default device); may be repeated",
    )
    command.add_argument(
        "--catalog", metavar="FILE", help="YAML or JSON with devices and models of your own"
    )
    command.add_argument(
        "--benchmark",
        metavar="[KEY=]FILE",
        action="append",
        default=[],
        help="bench-run document of a device; KEY is its name in the rows",
    )
    command.add_argument("--out", metavar="FILE", help="also write the report as JSON to FILE")
    command.set_defaults(run=lambda options: _run(options, read))


def _run(options: argparse.Namespace, read: Reader) -> int:
    from cli.accuracy_run import run  # scoring loads scipy, which no other command should wait for

    return run(options, read)
