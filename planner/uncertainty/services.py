"""The assessment of a scenario under its ranges: a pure function of its inputs, kept a while."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from django.core.cache import cache

from planner.scenarios.to_engine import scenario_inputs
from tco import __version__ as ENGINE_VERSION
from tco.uncertainty.assess import DRAWS, SEED, Assessment, assess

if TYPE_CHECKING:
    from planner.models import ScenarioRevision

KEPT_S = 3600


def assessment_run(
    *, revision: ScenarioRevision, draws: int = DRAWS, seed: int = SEED
) -> Assessment:
    """Return the assessment of a revision with the figures of today.

    Raises
    ------
    tco.errors.InputError, tco.errors.InputErrors
        Draws out of range; something the catalog no longer has; a range that cannot be priced.
    """
    inputs = scenario_inputs(
        document=revision.document, organisation=revision.scenario.organisation
    )
    name = f"{inputs.content_hash}|{ENGINE_VERSION}|{draws}|{seed}"
    key = f"uncertainty-{hashlib.sha256(name.encode()).hexdigest()}"
    found: Assessment | None = cache.get(key)
    if found is None:
        found = assess(inputs, draws=draws, seed=seed)
        cache.set(key, found, KEPT_S)
    return found
