"""Reading projections for reports: always of one organisation."""

from __future__ import annotations

from django.http import Http404

from accounts.models import Organisation
from planner.models import Projection


def projection_for_report(*, organisation: Organisation, pk: int) -> Projection:
    """Return a projection with its revision and scenario; a foreign one does not exist here."""
    projection = (
        Projection.objects.select_related("revision__scenario", "revision__by")
        .filter(organisation=organisation, pk=pk)
        .first()
    )
    if projection is None:
        raise Http404("no such projection")
    return projection
