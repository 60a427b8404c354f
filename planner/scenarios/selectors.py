"""Reading scenarios: always of one organisation."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import Http404

from accounts.models import Organisation
from planner.models import Scenario, ScenarioRevision


def scenario_list(
    *, organisation: Organisation, archived: bool = False, search: str = ""
) -> QuerySet[Scenario]:
    """Return the scenarios, newest first."""
    found = Scenario.objects.filter(organisation=organisation, archived=archived)
    if "\x00" in search:
        return found.none()  # no stored text holds one, and PostgreSQL refuses to look for it
    if search:
        found = found.filter(name__icontains=search)
    return found.select_related("created_by", "copy_of").order_by("-revised_at", "-pk")


def scenario_get(*, organisation: Organisation, pk: int) -> Scenario:
    """Return one scenario; another organisation's does not exist here.

    Raises
    ------
    Http404
        If there is no such scenario in the organisation.
    """
    scenario = (
        Scenario.objects.select_related("organisation", "created_by", "copy_of")
        .filter(organisation=organisation, pk=pk)
        .first()
    )
    if scenario is None:
        raise Http404("no such scenario")
    return scenario


def revision_list(*, scenario: Scenario) -> QuerySet[ScenarioRevision]:
    """Return the revisions, newest first, without their documents."""
    return scenario.revisions.select_related("by").defer("document").order_by("-number")


def revision_get(*, scenario: Scenario, number: int | None = None) -> ScenarioRevision:
    """Return a revision, the newest without `number`.

    Raises
    ------
    Http404
        If the scenario has no such revision.
    """
    found = scenario.revisions.select_related("by").filter(
        number=number or scenario.revision_number
    )
    revision = found.first()
    if revision is None:
        raise Http404("no such revision")
    revision.scenario = scenario  # spares a query and keeps one object
    return revision
