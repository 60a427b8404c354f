"""Running projections: a pure function of the inputs, stored once for each input hash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from planner.models import Projection, ScenarioRevision
from planner.projections.selectors import adopted_projection
from planner.scenarios.to_engine import scenario_inputs
from tco import __version__ as ENGINE_VERSION
from tco.projection import project

if TYPE_CHECKING:
    from tco.document.catalog import Catalog


@transaction.atomic
def projection_run(*, revision: ScenarioRevision, catalog: Catalog | None = None) -> Projection:
    """Return the projection of a revision with the figures of today, computed at most once.

    Raises
    ------
    tco.errors.InputErrors
        If the document names something the catalog no longer has.
    """
    organisation = revision.scenario.organisation
    inputs = scenario_inputs(document=revision.document, organisation=organisation, catalog=catalog)
    known = Projection.objects.filter(
        revision=revision, input_hash=inputs.content_hash, engine_version=ENGINE_VERSION
    ).first()
    if known is not None:
        return known
    result = project(inputs)
    # Two workers may compute the same one at once: the unique key keeps the first.
    projection, _ = Projection.objects.get_or_create(
        revision=revision,
        input_hash=inputs.content_hash,
        engine_version=ENGINE_VERSION,
        defaults={"organisation": organisation, "result": result.to_dict()},
    )
    return projection


@transaction.atomic
def projection_adopt(*, projection: Projection) -> Projection:
    """Make a projection the one its scenario shows."""
    projection.adopted_at = timezone.now()
    projection.save(update_fields=["adopted_at"])
    return projection


@transaction.atomic
def projection_get_or_run(
    *, revision: ScenarioRevision, catalog: Catalog | None = None
) -> Projection:
    """Return the projection that the revision shows; run and adopt it if there is none.

    A newer measurement does not change it: see `projections.news` and `projection_recalculate`.
    """
    shown = adopted_projection(revision=revision)
    if shown is not None:
        return shown
    return projection_adopt(projection=projection_run(revision=revision, catalog=catalog))


@transaction.atomic
def projection_recalculate(
    *, revision: ScenarioRevision, catalog: Catalog | None = None
) -> Projection:
    """Run with the figures of today and show the result from now on."""
    projection = projection_run(revision=revision, catalog=catalog)
    shown = adopted_projection(revision=revision)
    return projection if shown == projection else projection_adopt(projection=projection)
