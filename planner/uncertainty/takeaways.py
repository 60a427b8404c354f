"""The take-away of one scenario or of several side by side, kept by their inputs for an hour."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.core.cache import cache

from planner.scenarios.to_engine import revision_inputs
from planner.uncertainty.asking import assessment_known
from planner.uncertainty.services import assessment_in
from tco import __version__ as ENGINE_VERSION
from tco.cost.unpriced import unpriced_classes
from tco.projection import project
from tco.uncertainty.takeaway import Takeaway, between, contenders, takeaway

if TYPE_CHECKING:
    from planner.models import ScenarioRevision

KEPT_S = 3600


def scenario_takeaway(*, revision: ScenarioRevision) -> Takeaway:
    """Return the take-away of a revision's options with the figures of today.

    The chance is that of its assessment where one is there.

    Raises
    ------
    tco.errors.InputErrors
        The catalog no longer has something that the revision names.
    """
    inputs = revision_inputs(revision)
    drawn = assessment_in(assessment_known(revision=revision))
    name = _name([inputs.content_hash, "drawn" if drawn else ""])
    kept: Takeaway | None = cache.get(name)
    if kept is None:
        kept = takeaway(inputs, project(inputs), drawn.duels if drawn else None)
        cache.set(name, kept, KEPT_S)
    return kept


def comparison_takeaway(*, revisions: Sequence[ScenarioRevision]) -> Takeaway:
    """Return the take-away of every option of several scenarios against each other.

    Raises
    ------
    tco.errors.InputErrors
        As `scenario_takeaway`.
    """
    if len(revisions) == 1:
        return scenario_takeaway(revision=revisions[0])
    every = [revision_inputs(revision) for revision in revisions]
    name = _name([inputs.content_hash for inputs in every])
    kept: Takeaway | None = cache.get(name)
    if kept is None:
        able = [
            contender
            for inputs in every
            for contender in contenders(inputs, project(inputs), f" ({inputs.name})")
        ]
        unpriced = {key: classes for inputs in every
                    for key, classes in unpriced_classes(inputs.options).items()}  # fmt: skip
        kept = between(able, unpriced)
        cache.set(name, kept, KEPT_S)
    return kept


def _name(parts: Sequence[str]) -> str:
    text = "|".join((ENGINE_VERSION, *parts))
    return f"takeaway-{hashlib.sha256(text.encode()).hexdigest()}"
