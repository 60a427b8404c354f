"""Reading projections: always of one organisation."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import Http404

from accounts.models import Organisation
from planner.models import Projection, ScenarioRevision


def projection_list(*, organisation: Organisation) -> QuerySet[Projection]:
    """Return the organisation's projections, newest first, without their results."""
    return (
        Projection.objects.filter(organisation=organisation)
        .select_related("revision__scenario")
        .defer("result", "revision__document")
        .order_by("-created_at", "-pk")
    )


def projection_get(*, organisation: Organisation, pk: int) -> Projection:
    """Return one projection; another organisation's does not exist here.

    Raises
    ------
    Http404
        If there is no such projection in the organisation.
    """
    projection = (
        Projection.objects.filter(organisation=organisation, pk=pk)
        .select_related("revision__scenario", "organisation")
        .first()
    )
    if projection is None:
        raise Http404("no such projection")
    return projection


def adopted_projection(*, revision: ScenarioRevision) -> Projection | None:
    """Return the projection a revision shows, or None if it was never run."""
    return (
        Projection.objects.filter(revision=revision, adopted_at__isnull=False)
        .order_by("-adopted_at", "-pk")
        .first()
    )


def shown_projections(*, revisions: list[ScenarioRevision]) -> dict[int, Projection]:
    """Return the shown projection of each revision, by the revision's id, in one query."""
    found = (
        Projection.objects.filter(revision__in=revisions, adopted_at__isnull=False)
        .order_by("revision_id", "-adopted_at", "-pk")
        .distinct("revision_id")
    )
    return {projection.revision_id: projection for projection in found}
