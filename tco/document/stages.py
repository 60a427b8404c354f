"""Stages of a pipeline: what must fit together, and the engine's inputs (P9)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tco.document.nearest import suggestion
from tco.document.parse import path_to
from tco.document.values import shown, values
from tco.errors import InputError
from tco.inputs import LanguageModel, PipelineStage

Member = tuple[str, Mapping[str, Any]]
_NEEDS = {
    "model": ("model", "input_tokens", "output_tokens"),
    "encoder": ("model", "input_tokens"),
    "cpu": ("service_ms", "cores"),
}
_BARRED = {"cpu": ("model", "input_tokens", "output_tokens"), "encoder": ("output_tokens",)}


def pipeline_stages(
    path: str,
    given: Mapping[str, Any],
    model_of: Callable[[str, Mapping[str, Any]], LanguageModel | None],
) -> tuple[PipelineStage, ...]:
    """Return the stages of a valid workload; `model_of` finds a stage's model by its path."""
    found = []
    for index, stage in enumerate(given.get("stages", [])):
        place = path_to(path_to(path, "stages"), index)
        entry = values("stage", stage)
        entry["name"] = entry["name"] or stage["key"]
        found.append(PipelineStage(**entry, model=model_of(place, stage)))
    return tuple(found)


def broken_stages(listed: list[Member]) -> Iterator[InputError]:
    """Yield what is wrong between stages: names, order, circles, what each kind needs."""
    keys = [key for _, stage in listed if isinstance(key := stage.get("key"), str)]
    after: dict[str, list[str]] = {}
    for path, stage in listed:
        yield from _fields(path, stage)
        names = stage.get("after")
        names = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
        for index, name in enumerate(names):
            if name not in keys:
                mend = suggestion(name, keys) or f"use one of {', '.join(keys)}"
                place = path_to(path_to(path, "after"), index)
                yield InputError(place, f"no stage has the key {shown(name)}", mend)
        inside = stage.get("inside")
        if isinstance(inside, str) and (inside not in keys or inside == stage.get("key")):
            mend = suggestion(inside, keys) or f"use one of {', '.join(keys)}"
            message = f"no other stage has the key {shown(inside)}"
            yield InputError(path_to(path, "inside"), message, mend)
        if isinstance(stage.get("key"), str):
            after[stage["key"]] = [name for name in names if name in keys]
    circle = stages_in_circle(after)
    if circle:
        path = next(place for place, stage in listed if stage.get("key") == circle[0])
        yield InputError(
            path_to(path, "after"),
            f"the stages wait for each other: {' -> '.join([*circle, circle[0]])}",
            "take one of these steps out",
        )


def stages_in_circle(after: Mapping[str, list[str]]) -> list[str]:
    """Return the stages of one circle, or none.

    Examples
    --------
    >>> stages_in_circle({"a": ["b"], "b": ["a"], "c": []}), stages_in_circle({"a": []})
    (['a', 'b'], [])
    """
    left = {key: set(names) for key, names in after.items()}
    while True:
        ready = [key for key, names in left.items() if not names & left.keys()]
        if not ready:
            break
        for key in ready:
            del left[key]
    if not left:
        return []
    walk = [next(iter(left))]
    while True:
        following = next(name for name in after[walk[-1]] if name in left)
        if following in walk:
            return walk[walk.index(following) :]
        walk.append(following)


def _fields(path: str, stage: Mapping[str, Any]) -> Iterator[InputError]:
    kind = stage.get("kind")
    for name in _NEEDS.get(kind, ()) if isinstance(kind, str) else ():
        if name not in stage:
            yield InputError(path_to(path, name), "is missing", f"a stage of kind {kind} needs it")
    for name in _BARRED.get(kind, ()) if isinstance(kind, str) else ():
        if name in stage:
            mend = "leave it out"
            yield InputError(path_to(path, name), f"does not go with a stage of kind {kind}", mend)


def broken_stage_fleets(
    fleets: list[Member], workloads: Mapping[str, Mapping[str, Any]]
) -> Iterator[InputError]:
    """Yield what is wrong between an option's fleets and the stages they serve (P9)."""
    served: dict[tuple[str, str], str] = {}
    for path, fleet in fleets:
        workload, stage = fleet.get("workload"), fleet.get("stage")
        found = workloads.get(workload) if isinstance(workload, str) else None
        if found is None or not isinstance(workload, str):
            continue
        keys = stage_keys(found)
        place = path_to(path, "stage")
        if not keys and "model" in fleet:
            message = "goes with a stage of a pipeline"
            yield InputError(path_to(path, "model"), message, "leave it out")
        if not keys:
            if stage is not None:
                message = f"{shown(workload)} has no stages"
                yield InputError(place, message, "leave it out")
        elif not isinstance(stage, str):
            yield InputError(place, "is missing", f"name one of {', '.join(keys)}")
        elif stage not in keys:
            mend = suggestion(stage, keys) or f"use one of {', '.join(keys)}"
            yield InputError(place, f"no stage has the key {shown(stage)}", mend)
        elif (workload, stage) in served:
            message = f"{shown(stage)} is already served by {served[workload, stage]}"
            yield InputError(place, message, "one fleet serves a stage")
        else:
            served[workload, stage] = path
    for key in {workload for workload, _ in served}:
        for stage in stage_keys(workloads[key]):
            if (key, stage) not in served:
                path = next(place for (load, _), place in served.items() if load == key)
                message = f"no fleet of this option serves {shown(stage)} of {shown(key)}"
                yield InputError(path_to(path, "stage"), message, "add a fleet for it")


def stage_keys(workload: Mapping[str, Any]) -> list[str]:
    """Return the stages that need a fleet: those that run inside another do not."""
    stages = workload.get("stages")
    return [
        stage["key"]
        for stage in (stages if isinstance(stages, list) else [])
        if isinstance(stage, Mapping)
        and isinstance(stage.get("key"), str)
        and not isinstance(stage.get("inside"), str)
    ]
