"""`tco firmness`: how near another choice is, and what to measure next."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from cli.text_table import shortened, text_table

if TYPE_CHECKING:
    from tco.decide.firmness import Firmness
    from tco.inputs import ScenarioInputs

Resolve = Callable[[str], "ScenarioInputs"]
COMMANDS = {
    "measure": "tco-agent run --profile standard --upload URL --token-file FILE"
    "   # on a machine with {device}",
    "quote": "ask for a quote and enter it in the price book",
    "traffic": "measure the traffic and enter its range",
    "source": "find a source and narrow the range",
}


def add_firmness(commands: Any, resolve: Resolve) -> None:
    """Add the command to the parser; `resolve` reads a scenario file."""
    command = commands.add_parser(
        "firmness",
        help="how near another choice is, and which figure is worth knowing better",
        description=(
            "Looks for the smallest joint change of all uncertain inputs, each measured in its own "
            "range, that makes another option the cheapest; and ranks the inputs by what knowing "
            "them before the choice saves on average."
        ),
    )
    command.add_argument("file", metavar="FILE", help="scenario, YAML or JSON")
    command.add_argument("--draws", type=int, default=4096, metavar="N", help="a power of two")
    command.add_argument("--seed", type=int, default=1, metavar="N")
    command.add_argument("--json", action="store_true", help="print the whole result as JSON")
    command.set_defaults(run=lambda options: _run(options, resolve))


def _run(options: argparse.Namespace, resolve: Resolve) -> int:
    from tco.decide.firmness import firmness  # scipy, only when it is needed

    found = firmness(resolve(options.file), draws=options.draws, seed=options.seed)
    if options.json:
        print(json.dumps(found.to_dict(), sort_keys=True))
    else:
        print("\n\n".join(_parts(found)))
    return 0


def _parts(found: Firmness) -> Iterator[str]:
    yield found.sentence
    if found.flip is not None and found.flip.changes:
        yield f"The turn to {found.flip.to}, in ranges of each input\n" + text_table(
            ("Input", "Unit", "Now", "There", "Ranges", "Status"),
            [
                (
                    one.label,
                    one.unit,
                    shortened(one.value),
                    shortened(one.at),
                    f"{one.moved_ranges:+.2f}",
                    str(one.status),
                )
                for one in found.flip.changes
            ],
            left=(0, 1, 5),
        )
    if found.knowing:
        yield (
            f"What to know next; knowing everything is worth {shortened(found.perfect_usd)}"
            f" {found.currency} on average\n"
        ) + text_table(
            ("Input", f"Exact, {found.currency}", f"Measured, {found.currency}", "How"),
            [
                (
                    one.label,
                    shortened(one.exact_usd),
                    "-" if one.measured_usd is None else shortened(one.measured_usd),
                    COMMANDS[one.kind].format(device=one.device),
                )
                for one in found.knowing
            ],
            left=(0, 3),
        )
    if found.left_out:
        yield f"Left out, no price or no size: {', '.join(found.left_out)}"
