"""`tco optimise`: the best mix of a scenario's fleets, its proof, and what would change it."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cli.optimise_text import front_text, mix_text, why_not_text

if TYPE_CHECKING:
    from tco.inputs import ScenarioInputs
    from tco.optimise.highs import Progress

Resolve = Callable[[str], "ScenarioInputs"]
NO_MIX = 3  # exit code: nothing fits


def add_optimise(commands: Any, resolve: Resolve) -> None:
    """Add the command to the parser; `resolve` reads a scenario file."""
    command = commands.add_parser(
        "optimise",
        help="the best mix of a scenario's fleets under its limits, with proof",
        description=(
            "Takes every fleet of every option as a candidate for its workload and returns whole "
            "numbers of machines that carry every demand within the limits of the sites and of "
            "the section `optimise`: the mix, the bound that proves it, what binds and what one "
            "more of it is worth, and the runner-up; or, where nothing fits, the smallest change "
            "that makes it fit (exit code 3)."
        ),
    )
    command.add_argument("file", metavar="FILE", help="scenario, YAML or JSON")
    command.add_argument("--seconds", type=float, default=30.0, help="at most, for the mix itself")
    command.add_argument(
        "--why-not",
        metavar="OPTION",
        help="what it would take if this option served its workloads alone, and for what",
    )
    command.add_argument(
        "--front",
        action="store_true",
        help="mixes of which none is better in cost, carbon, power and latency",
    )
    command.add_argument("--json", action="store_true", help="print the whole result as JSON")
    command.set_defaults(run=lambda options: _run(options, resolve))


def _run(options: argparse.Namespace, resolve: Resolve) -> int:
    from tco.errors import InputError
    from tco.mix import best_mix, mix_front, plain_mix, why_not
    from tco.results.currency import in_currency

    if not 0 < options.seconds <= 3600:
        said = f"{options.seconds:g} is not between 0 and 3600"
        raise InputError("--seconds", said, "try 30")
    inputs = resolve(options.file)
    if options.front:
        shown = mix_front(inputs, report=_counted)
        if options.json:
            print(json.dumps(shown.to_dict(), sort_keys=True, allow_nan=False))
        else:
            print(in_currency(front_text(shown), inputs.finance.currency))
        return 0 if shown.points else NO_MIX
    found = best_mix(inputs, seconds=options.seconds, report=_told)
    names = (*(row.name for row in found.rows), *(one.name for one in inputs.options))
    if options.why_not is not None:
        other = why_not(
            inputs, found.lowered, found.solution, options.why_not, seconds=options.seconds
        )
        if options.json:
            print(json.dumps(other.to_dict(), sort_keys=True, allow_nan=False))
        else:
            for part in why_not_text(other):
                print(in_currency(part, inputs.finance.currency, names))
        return 0 if other.rows else NO_MIX
    if options.json:
        print(json.dumps(plain_mix(found), sort_keys=True, allow_nan=False))
    else:
        for part in mix_text(found):
            print(in_currency(part, inputs.finance.currency, names))
    return 0 if found.rows else NO_MIX


def _counted(done: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"{done} of {total} mixes", file=sys.stderr)


def _told(progress: Progress) -> None:
    if progress.gap_fraction is not None and sys.stderr.isatty():
        print(f"{progress.seconds:5.1f} s  gap {progress.gap_fraction:.3%}", file=sys.stderr)
