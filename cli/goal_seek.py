"""`tco goal-seek`: the values of one input at which a result is what is wanted."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from cli.text_table import shortened, text_table

if TYPE_CHECKING:
    from tco.decide import GoalSeek

Read = Callable[[str], dict[str, Any]]
SHOWN = 13  # points of the curve in the table


def add_goal_seek(commands: Any, read: Read) -> None:
    """Add the command to the parser; `read` reads a document."""
    command = commands.add_parser(
        "goal-seek",
        help="find the values of one input at which a result is what you want",
        description=(
            "Projects the scenario over a range of one input and finds every value at which the "
            "target is met: roots in brackets, steps of whole machines named as jumps, and never "
            "said where there is none."
        ),
    )
    command.add_argument("file", metavar="FILE", help="scenario, YAML or JSON; - reads stdin")
    command.add_argument(
        "--vary",
        required=True,
        metavar="PATH",
        help="the input: sites[0].energy_usd_per_kwh, options[KEY].fleets[KEY].purchase.server_usd",
    )
    command.add_argument(
        "--target",
        required=True,
        metavar="WANTED",
        help="tco_usd=12e6, any result of `tco project --json` by its key, or equal:OTHER OPTION",
    )
    command.add_argument("--option", default="", metavar="KEY", help="whose result it is")
    command.add_argument("--from", dest="low", type=float, metavar="N", help="in the input's unit")
    command.add_argument("--to", dest="high", type=float, metavar="N", help="in the input's unit")
    command.add_argument("--points", type=int, default=61, metavar="N", help="looked at first")
    command.add_argument("--json", action="store_true", help="print the whole result as JSON")
    command.set_defaults(run=lambda options: _run(options, read))


def _run(options: argparse.Namespace, read: Read) -> int:
    from hardware_catalog.seed.to_engine import SeedCatalog
    from tco.decide import goal_seek, read_target
    from tco.document.validate import validate
    from tco.errors import InputErrors

    document = read(options.file)
    errors = validate(document)
    if errors:
        raise InputErrors(errors)
    found = goal_seek(
        document,
        SeedCatalog(),
        vary=options.vary,
        target=read_target(options.target, document, options.option),
        low=options.low,
        high=options.high,
        points=options.points,
    )
    if options.json:
        print(json.dumps(found.to_dict(), sort_keys=True, allow_nan=False))
    else:
        print("\n\n".join(_parts(found)))
    return 0


def _parts(found: GoalSeek) -> Iterator[str]:
    yield found.sentence
    step = max(1, len(found.points) // SHOWN)
    kept = {*found.points[::step], found.points[-1]}
    name = "difference" if found.target.other else "result"
    yield text_table(
        [f"{found.label} [{found.unit or '1'}]", f"{name} [{found.result_unit}]"],
        [
            [shortened(one.at), shortened(one.value) if one.value is not None else one.reason]
            for one in found.points
            if one in kept
        ],
    )
    for gap in found.gaps:
        yield f"No result from {gap.low:g} to {gap.high:g} {found.unit}: {gap.reason}"
