"""`tco serve-configs`: every way to serve a model on a server; what it does loads when asked."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

Reader = Callable[[str], dict[str, Any]]


def add_serve_configs(commands: Any, read: Reader) -> None:
    """Add the command to the parser; `read` reads a YAML or JSON file."""
    command = commands.add_parser(
        "serve-configs",
        help="rank every configuration of a model on a server within its latency targets",
        description=(
            "Tries every number of devices, tensor, pipeline, expert and attention-data degree, "
            "weight and cache format, batch limit and prefill/decode split on one server; ranks "
            "those within the latency targets by cost per output token, and says what excluded "
            "the others."
        ),
    )
    command.add_argument("file", metavar="FILE", help="YAML or JSON: model, server, load, targets")
    command.add_argument("--json", action="store_true", help="print the whole result as JSON")
    command.add_argument("--top", type=int, default=10, metavar="N", help="rows to print")
    command.add_argument(
        "--point", action="store_true", help="only the configuration that the file names"
    )
    command.set_defaults(run=lambda options: _run(options, read))


def _run(options: argparse.Namespace, read: Reader) -> int:
    from cli.serve_configs_run import run  # numpy and the catalog, only when they are needed

    return run(options, read)
