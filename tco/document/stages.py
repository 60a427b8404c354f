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
    "cpu": ("service_ms",),
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
