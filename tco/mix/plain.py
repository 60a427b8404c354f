"""The best mix as JSON values: what the command line prints and a page keeps."""

from __future__ import annotations

import dataclasses
from typing import Any

from tco.mix.best import BestMix, MixRow, rows_of
from tco.optimise.explain import Binding
from tco.optimise.relax import Loosening, WayOut


def plain_mix(found: BestMix) -> dict[str, Any]:
    """Return the answer as JSON values; money in the scenario's currency."""
    solution, problem = found.solution, found.lowered.problem
    objective = found.lowered.request.objective
    second = found.runner_up
    return {
        "objective": objective,
        "unit": problem.units[objective],
        "state": solution.state,
        "mix": plain_rows(found.rows),
        "totals": solution.totals,
        "bound": solution.bound_units,
        "gap": solution.gap_fraction,
        "seconds": round(solution.seconds, 3),
        "candidates": problem.size,
        "considered": solution.considered,
        "trace": [dataclasses.asdict(step) for step in solution.trace],
        "binding": plain_binding(found.binding),
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
            "mix": plain_rows(found.runner_up_rows),
        },
        "rivals": [
            {
                "without": rival.without,
                "more": rival.more_units,
                "totals": rival.solution.totals,
                "mix": plain_rows(rows_of(found.lowered, rival.solution.counts)),
            }
            for rival in found.rivals
        ],
        "projected_usd": found.projected_usd,
        "limits_cost": found.limits_units,
        "left_out": dict(found.lowered.left_out),
        "way_out": plain_way_out(found.way_out),
    }


def plain_rows(rows: tuple[MixRow, ...]) -> list[dict[str, Any]]:
    """Return the machines of a mix as JSON values."""
    return [dataclasses.asdict(row) for row in rows]


def plain_binding(bound: tuple[Binding, ...]) -> list[dict[str, Any]]:
    """Return what binds as JSON values, with its words."""
    return [
        {**dataclasses.asdict(one), "use_text": one.use_text, "one_unit": one.one_unit}
        for one in bound
    ]


def plain_way_out(out: WayOut | None) -> dict[str, Any] | None:
    """Return the ways out as JSON values, each with its sentence."""
    if out is None:
        return None
    return {
        "alone": [_loosening(one) for one in out.alone],
        "together": [_loosening(one) for one in out.together],
        "hopeless": list(out.hopeless),
    }


def _loosening(one: Loosening) -> dict[str, Any]:
    return {**dataclasses.asdict(one), "sentence": one.sentence}
