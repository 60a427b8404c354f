"""`tco uncertainty`: what ranges of inputs make of the options."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from cli.text_table import shortened, text_table
from tco.errors import InputError

if TYPE_CHECKING:
    from tco.inputs import ScenarioInputs
    from tco.uncertainty.assess import Assessment
    from tco.uncertainty.switching import Switch

Resolve = Callable[[str], "ScenarioInputs"]


def add_uncertainty(commands: Any, resolve: Resolve) -> None:
    """Add the command to the parser; `resolve` reads a scenario file."""
    command = commands.add_parser(
        "uncertainty",
        help="draw every input that has a range and price all options on the same draws",
        description=(
            "Draws every figure with a low and a high end, and the speed of each device within its "
            "80 %% interval; prices every option on the same draws: P10, P50, P90, chances, "
            "regret, what moves each option most, and where the order turns."
        ),
    )
    command.add_argument("file", metavar="FILE", help="scenario, YAML or JSON")
    command.add_argument("--draws", type=int, default=10_000, metavar="N")
    command.add_argument("--seed", type=int, default=1, metavar="N")
    command.add_argument(
        "--correlate",
        action="append",
        default=[],
        metavar="A|B=0.6",
        help="rank correlation of two inputs by their labels; may be repeated",
    )
    command.add_argument("--json", action="store_true", help="print the whole result as JSON")
    command.set_defaults(run=lambda options: _run(options, resolve))


def _run(options: argparse.Namespace, resolve: Resolve) -> int:
    from tco.uncertainty.assess import assess  # scipy, only when it is needed

    found = assess(
        resolve(options.file),
        draws=options.draws,
        seed=options.seed,
        correlations=_correlations(options.correlate),
    )
    if options.json:
        print(json.dumps(found.to_dict(), sort_keys=True))
    else:
        print("\n\n".join(_parts(found)))
    return 0


def _correlations(texts: list[str]) -> dict[tuple[str, str], float]:
    found = {}
    for text in texts:
        names, _, rank = text.rpartition("=")
        first, bar, second = names.partition("|")
        try:
            found[first.strip(), second.strip()] = float(rank)
        except ValueError:
            bar = ""
        if not bar:
            raise InputError("--correlate", f"{text!r} cannot be read", "write A|B=0.6")
    return found


def _parts(found: Assessment) -> Iterator[str]:
    yield f"{found.draws:,} draws, seed {found.seed}; total cost, present value, {found.currency}"
    if not found.drivers:
        yield "No input has a range: give a figure a low and a high end, or `5 to 9` as its value."
    yield text_table(
        ["option", "base", "P10", "P50", "P90", "mean", "+-", "cheapest in", "regret"],
        [
            [
                one.name,
                *map(
                    shortened,
                    (one.base_usd, one.p10_usd, one.p50_usd, one.p90_usd, one.mean_usd),
                ),
                shortened(one.standard_error_usd),
                f"{one.best_fraction:.1%}",
                shortened(one.regret_usd),
            ]
            for one in found.options
        ],
    )
    if found.duels:
        yield "\n".join(duel.sentence for duel in found.duels)
    for one in found.options:
        swings = found.swings[one.option][:10]
        if swings:
            yield f"{one.name}: what moves it most, one input at a time\n" + text_table(
                ["input", "low", "high", "cost at low", "cost at high", "rank corr."],
                [
                    [
                        f"{swing.label} [{swing.unit}]",
                        *map(shortened, (swing.low, swing.high)),
                        *map(shortened, (swing.at_low_usd, swing.at_high_usd)),
                        f"{swing.rank_correlation:+.2f}",
                    ]
                    for swing in swings
                ],
            )
    if found.switches:
        yield "Where another option costs as little, one input at a time\n" + "\n".join(
            map(_switch, found.switches)
        )
    for title, names in (
        ("Ranges whose effect is not followed", found.not_carried),
        ("Left out: no price or no size", found.left_out),
    ):
        if names:
            yield f"{title}: {', '.join(names)}"


def _switch(one: Switch) -> str:
    now = f"now {shortened(one.value)}{'' if one.within_range else ', outside its range'}"
    return f"  {one.label}: {shortened(one.switch_at)} {one.unit} ({now}): {one.a} = {one.b}"
