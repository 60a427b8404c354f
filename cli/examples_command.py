"""`tco examples`: published worked examples, computed and held against their figures."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from typing import Any

OK, FINDING, BAD_INPUT = 0, 1, 2
Reader = Callable[[str], dict[str, Any]]


def add_examples(commands: Any, read: Reader) -> None:
    """Add the command to the parser; `read` reads a YAML or JSON file."""
    command = commands.add_parser(
        "examples",
        help="compute published worked examples and compare",
        description=(
            "Each example is computed by its formula, from the names of its inputs and results, "
            "and held against the published figures within their tolerances. Exit code 0: all "
            "passed; 1: one failed or has no formula here; 2: an input cannot be used."
        ),
    )
    command.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="examples, JSON or YAML; - reads standard input; default: those of the project",
    )
    command.add_argument("--json", action="store_true", help="print the report as JSON")
    command.set_defaults(run=lambda options: _run(options, read))


def _run(options: argparse.Namespace, read: Reader) -> int:
    from cli.examples_text import examples_text
    from tco.examples.example import read_examples, shipped_examples
    from tco.examples.run import run_examples

    examples = shipped_examples()
    if options.file is not None:
        examples = read_examples(read(options.file), examples)
    report = run_examples(examples)
    if options.json:
        print(json.dumps(report.to_dict(), indent=1, ensure_ascii=False, allow_nan=False))
    else:
        print(examples_text(report), end="")
    for error in report.errors:
        print(error, file=sys.stderr)
    if report.errors:
        return BAD_INPUT
    return OK if report.passed == len(report.outcomes) else FINDING
