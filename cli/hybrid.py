"""`tco hybrid`: own the base, rent the peak, and how many servers the base should have."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from cli.text_table import shortened, text_table

if TYPE_CHECKING:
    from tco.cost.hybrid import Hybrid
    from tco.inputs import ScenarioInputs

Resolve = Callable[[str], "ScenarioInputs"]


def add_hybrid(commands: Any, resolve: Resolve) -> None:
    """Add the command to the parser; `resolve` reads a scenario file."""
    command = commands.add_parser(
        "hybrid",
        help="own the base and rent the peak: the cost of every number of owned servers",
        description=(
            "Takes every owned fleet with every rented fleet of the same workload and prices each "
            "number of owned servers from none to all, the rest of every hour rented: the optimum, "
            "its neighbours, and where the continuous formula puts it."
        ),
    )
    command.add_argument("file", metavar="FILE", help="scenario, YAML or JSON")
    command.add_argument("--json", action="store_true", help="print the whole result as JSON")
    command.set_defaults(run=lambda options: _run(options, resolve))


def _run(options: argparse.Namespace, resolve: Resolve) -> int:
    from tco.checks import blocks
    from tco.cost.hybrid import hybrids
    from tco.projection import option_cases, project

    inputs = resolve(options.file)
    barred = {(f.option, f.fleet): f.message for f in project(inputs).findings if blocks(f)}
    found = hybrids(option_cases(inputs), barred)
    if options.json:
        print(json.dumps([_plain(one) for one in found], sort_keys=True, allow_nan=False))
    else:
        print("\n\n".join(part for one in found for part in _named(one, inputs)))
    return 0


def _plain(one: Hybrid) -> dict[str, Any]:
    return {
        **dataclasses.asdict(one),
        "optimum": dataclasses.asdict(one.optimum),
        "neighbours": [dataclasses.asdict(point) for point in one.neighbours],
        "saving_usd": one.saving_usd,
    }


def _named(one: Hybrid, inputs: ScenarioInputs) -> Iterator[str]:
    """The parts in the scenario's currency."""
    from tco.results.currency import in_currency

    names = (one.own_name, one.rent_name, one.workload)
    for part in _parts(one):
        yield in_currency(part, inputs.finance.currency, names)


def _parts(one: Hybrid) -> Iterator[str]:
    best = one.optimum
    yield (
        f"{one.own_name} with {one.rent_name}, workload {one.workload}: own {best.owned_servers}, "
        f"rent up to {best.rented_instances}: {shortened(best.total_usd)} USD, present value, "
        f"{shortened(one.saving_usd)} USD below the better of all owned and all rented"
    )
    if one.barred:
        yield f"Nothing may be rented for the peak: {one.barred}"
    share = "never" if one.threshold_fraction is None else f"{one.threshold_fraction:.1%}"
    yield (
        f"An owned server costs {shortened(one.fixed_usd_per_hour)} USD/h idle and "
        f"{shortened(one.variable_usd_per_hour)} more in use; renting what it carries costs "
        f"{shortened(one.cloud_usd_per_hour)}. A server pays when it is needed in {share} of the "
        f"hours: {shortened(one.continuous_server_units)} servers (F14.2)"
    )
    beside = {point.owned_servers for point in one.neighbours}
    yield text_table(
        ["owned", "rented at most", "rented h", "of requests", "owned USD", "rented USD", "total"],
        [
            [
                f"{point.owned_servers}{_mark(point.owned_servers, best.owned_servers, beside)}",
                f"{point.rented_instances}{'' if point.allowed else ', over the quota'}",
                f"{point.rented_instance_hours:,.0f}",
                f"{point.rented_share_fraction:.1%}",
                f"{point.owned_usd:,.0f}",
                f"{point.rented_usd:,.0f}",
                f"{point.total_usd:,.0f}",
            ]
            for point in one.curve
        ],
    )


def _mark(owned: int, best: int, beside: set[int]) -> str:
    return " *" if owned == best else " -" if owned in beside else ""
