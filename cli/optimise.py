"""`tco optimise`: the best mix of a scenario's fleets, its proof, and what would change it."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from cli.text_table import shortened, text_table

if TYPE_CHECKING:
    from tco.inputs import ScenarioInputs
    from tco.mix import BestMix
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
    command.add_argument("--json", action="store_true", help="print the whole result as JSON")
    command.set_defaults(run=lambda options: _run(options, resolve))


def _run(options: argparse.Namespace, resolve: Resolve) -> int:
    from tco.errors import InputError
    from tco.mix import best_mix

    if not 0 < options.seconds <= 3600:
        said = f"{options.seconds:g} is not between 0 and 3600"
        raise InputError("--seconds", said, "try 30")
    inputs = resolve(options.file)
    found = best_mix(inputs, seconds=options.seconds, report=_told)
    if options.json:
        print(json.dumps(plain_mix(found), sort_keys=True, allow_nan=False))
    else:
        from tco.results.currency import in_currency

        names = tuple(row.name for row in found.rows)
        for part in mix_text(found):
            print(in_currency(part, inputs.finance.currency, names))
    return 0 if found.rows else NO_MIX


def _told(progress: Progress) -> None:
    if progress.gap_fraction is not None and sys.stderr.isatty():
        print(f"{progress.seconds:5.1f} s  gap {progress.gap_fraction:.3%}", file=sys.stderr)


def plain_mix(found: BestMix) -> dict[str, Any]:
    """Return the answer as JSON values."""
    solution, request = found.solution, found.lowered.request
    second = found.runner_up
    return {
        "objective": request.objective,
        "state": solution.state,
        "mix": [dataclasses.asdict(row) for row in found.rows],
        "totals": solution.totals,
        "bound": solution.bound_units,
        "gap": solution.gap_fraction,
        "seconds": round(solution.seconds, 3),
        "candidates": found.lowered.problem.size,
        "considered": solution.considered,
        "binding": [dataclasses.asdict(one) for one in found.binding],
        "used": {
            name: {"used": used, "available": most if most < float("inf") else None, "unit": unit}
            for name, (used, most, unit) in found.used.items()
        },
        "runner_up": None
        if second is None
        else {
            "without": second.without,
            "more": second.more_units,
            "totals": second.solution.totals,
            "mix": [dataclasses.asdict(row) for row in found.runner_up_rows],
        },
        "projected_usd": found.projected_usd,
        "limits_cost": found.limits_units,
        "left_out": dict(found.lowered.left_out),
        "way_out": None
        if found.way_out is None
        else {
            "alone": [_loosening(one) for one in found.way_out.alone],
            "together": [_loosening(one) for one in found.way_out.together],
            "hopeless": list(found.way_out.hopeless),
        },
    }


def _loosening(one: Any) -> dict[str, Any]:
    return {**dataclasses.asdict(one), "sentence": one.sentence}


def mix_text(found: BestMix) -> Iterator[str]:
    """Yield the parts of the printed answer."""
    from tco.mix.best import owned_first

    solution, problem = found.solution, found.lowered.problem
    objective = found.lowered.request.objective
    unit = problem.units[objective]
    if not found.rows:
        yield from _nothing(found)
        return
    total = solution.totals[objective]
    proof = (
        "proven the least"
        if solution.gap_fraction == 0
        else f"at most {solution.gap_fraction or 0:.3%} above the least"
    )
    machines = sum(row.count for row in found.rows)
    yield (
        f"{machines} machines: {shortened(total)} {unit}, {proof}"
        f" ({problem.size:,} candidates, {solution.seconds:.1f} s)"
    )
    yield text_table(
        ("Workload", "Machine", "Site", "Had", "From month", "Hours a day", "Count", "USD"),
        [
            (
                row.workload,
                row.name,
                row.site or "-",
                row.tenure,
                str(row.from_month),
                str(row.hours_per_day),
                str(row.count),
                shortened(row.present_usd),
            )
            for row in owned_first(found.rows)
        ],
        left=(0, 1, 2, 3),
    )
    if found.projected_usd is not None and objective == "usd":
        yield f"Sized and priced as an option of the scenario: {shortened(found.projected_usd)} USD"
    yield from _binding(found, unit)
    second = found.runner_up
    if second is not None:
        parts = ", ".join(f"{row.count} x {row.name}" for row in owned_first(found.runner_up_rows))
        yield (
            f"Runner-up, without {second.without}: {shortened(second.more_units)} {unit} more"
            f" ({parts})"
        )
    for name, why in found.lowered.left_out.items():
        yield f"No candidate: {name}: {why}"


def _binding(found: BestMix, unit: str) -> Iterator[str]:
    if found.limits_units:
        yield f"All limits together cost {shortened(found.limits_units)} {unit}."
    if not found.binding:
        yield "No limit is used up."
    for one in found.binding:
        worth = (
            "its worth was not computed in the time"
            if one.worth_per_unit is None
            else f"one more {one.unit} is worth {shortened(one.worth_per_unit)} {unit}"
            f" (of {one.more_units:,.4g} more{'' if one.proven else ', not proven'})"
        )
        yield f"Binds: {one.name}, {one.used:,.6g} of {one.available:,.6g} {one.unit}; {worth}"


def _nothing(found: BestMix) -> Iterator[str]:
    out = found.way_out
    if out is None:
        yield "No mix was found in the time; allow more with --seconds."
        return
    yield "Nothing fits."
    for one in out.alone:
        yield f"Enough by itself: {one.sentence}"
    for one in out.together:
        yield f"Together with the others: {one.sentence}"
    for name in out.hopeless:
        yield f"Stands in the way: {name}"
    for name, why in found.lowered.left_out.items():
        yield f"No candidate: {name}: {why}"
