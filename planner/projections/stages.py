"""Stages of a pipeline as the projection page shows them (P9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from planner.projections.places import Places


@dataclass(frozen=True, slots=True)
class StageRow:
    """One stage at the design load."""

    name: str
    fleet: str
    replicas: int
    in_use_fraction: float
    median_ms: float | None
    slow_ms: float | None
    budget_ms: float | None
    within_budget: bool
    slow_fraction: float
    most_in_flight: int
    memory_gb: float
    binds: bool


@dataclass(frozen=True, slots=True)
class PipelineTable:
    """One pipeline of one option."""

    option: str
    name: str
    requests_per_s: float
    percentile: float
    whole_ms: float | None
    low_ms: float | None
    high_ms: float | None
    limit_ms: float | None
    sentence: str
    stages: tuple[StageRow, ...]


def pipeline_tables(result: dict[str, Any], places: Places) -> list[PipelineTable]:
    """Return one table for each pipeline; results stored before there were any have none."""
    found = result.get("pipelines", {})
    return [
        _table(option["key"], pipeline, places)
        for option in result["options"]
        for pipeline in found.get(option["key"], [])
    ]


def _table(option: str, pipeline: dict[str, Any], places: Places) -> PipelineTable:
    at = f"p{pipeline['percentile']:g}"
    if pipeline["feasible"]:
        sentence = f"{pipeline['binds']} holds the slow requests up most."
    else:
        sentence = f"Not possible: {pipeline['binds']}."
    return PipelineTable(
        option=places.names[option],
        name=pipeline["name"],
        requests_per_s=pipeline["requests_per_s"],
        percentile=pipeline["percentile"],
        whole_ms=pipeline["e2e_ms"].get(at),
        low_ms=pipeline["low_ms"],
        high_ms=pipeline["high_ms"],
        limit_ms=pipeline["limit_ms"],
        sentence=sentence,
        stages=tuple(
            StageRow(
                name=stage["name"],
                fleet=places.fleet_names.get((option, stage["fleet"]), "another stage's servers"),
                replicas=stage["replicas"],
                in_use_fraction=stage["utilisation_fraction"],
                median_ms=stage["stage_ms"].get("p50"),
                slow_ms=stage["stage_ms"].get(at),
                budget_ms=stage["budget_ms"],
                within_budget=stage["within_budget"],
                slow_fraction=stage["slow_fraction"],
                most_in_flight=stage["most_in_flight"],
                memory_gb=stage["memory_gb"],
                binds=stage["binds"],
            )
            for stage in pipeline["stages"]
        ),
    )
