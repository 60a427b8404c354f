"""Reading projections: always of one organisation."""

from __future__ import annotations

from django.db.models import F, OuterRef, QuerySet, Subquery
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


def waiting_projections(*, organisation: Organisation) -> QuerySet[Projection]:
    """Projections that a worker made after a new measurement and nobody has taken over yet.

    Only of newest revisions, and only such as are newer than the one shown.
    """

    shown_at = (
        Projection.objects.filter(revision=OuterRef("revision"), adopted_at__isnull=False)
        .order_by("-adopted_at")
        .values("adopted_at")[:1]
    )
    return (
        Projection.objects.filter(
            organisation=organisation,
            adopted_at__isnull=True,
            revision__number=F("revision__scenario__revision_number"),
            revision__scenario__archived=False,
        )
        .annotate(shown_at=Subquery(shown_at))
        .filter(created_at__gt=F("shown_at"))
        .select_related("revision__scenario")
        .order_by("-created_at")
    )
