"""Writing scenarios: each service is one transaction and stores all or nothing."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.models import Organisation, User
from planner.models import Scenario, ScenarioRevision
from planner.models.scenario import NAME_LENGTH
from planner.scenarios.differences import document_differences
from planner.scenarios.errors import StaleRevision
from planner.scenarios.to_engine import scenario_inputs
from tco.document import document_hash
from tco.errors import InputError, InputErrors

COPY_PREFIX = "Copy of "


def _check(document: dict[str, Any], organisation: Organisation) -> None:
    """Refuse a document that the engine cannot read: nothing is stored by halves."""
    scenario_inputs(document=document, organisation=organisation)
    if len(str(document["name"])) > NAME_LENGTH:
        raise InputErrors(
            (InputError("name", f"longer than {NAME_LENGTH} letters", "enter a shorter name"),)
        )


def _add_revision(
    scenario: Scenario, document: dict[str, Any], by: User | None, message: str
) -> ScenarioRevision:
    revision = ScenarioRevision(
        scenario=scenario,
        number=scenario.revision_number + 1,
        document=document,
        document_hash=document_hash(document),
        message=message,
        by=by,
    )
    revision.full_clean()
    revision.save()
    scenario.revision_number = revision.number
    scenario.revised_at = revision.at
    scenario.name = str(document["name"])
    scenario.description = str(document.get("description") or "")
    scenario.full_clean()
    scenario.save()
    return revision


@transaction.atomic
def scenario_create(
    *,
    organisation: Organisation,
    document: dict[str, Any],
    by: User | None = None,
    message: str = "",
    copy_of: Scenario | None = None,
    example: str = "",
) -> Scenario:
    """Store a new scenario with revision 1.

    Raises
    ------
    tco.errors.InputErrors
        If the document cannot be read; nothing is stored then.
    """
    _check(document, organisation)
    scenario = Scenario(
        organisation=organisation,
        name=str(document["name"]),
        created_by=by,
        copy_of=copy_of,
        example=example,
    )
    scenario.full_clean()
    scenario.save()
    _add_revision(scenario, document, by, message)
    return scenario


@transaction.atomic
def scenario_revise(
    *,
    scenario: Scenario,
    document: dict[str, Any],
    base_number: int,
    by: User | None = None,
    message: str = "",
) -> ScenarioRevision:
    """Store a new revision; the same document again stores nothing and returns the newest one.

    Parameters
    ----------
    base_number
        The revision that was edited. If it is no longer the newest, the save is refused.

    Raises
    ------
    StaleRevision
        If somebody saved in between, with what they changed.
    tco.errors.InputErrors
        If the document cannot be read.
    """
    locked = Scenario.objects.select_for_update().get(pk=scenario.pk)
    newest = locked.revisions.get(number=locked.revision_number)
    if document_hash(document) == newest.document_hash:
        return newest
    if base_number != locked.revision_number:
        base = locked.revisions.filter(number=base_number).first()
        base_document = base.document if base else {}
        theirs = document_differences(base_document, newest.document)
        mine = {change.path for change in document_differences(base_document, document)}
        against = document_differences(newest.document, document)
        conflicts = tuple(change for change in against if change.path in mine)
        raise StaleRevision(base_number, locked.revision_number, theirs, conflicts)
    _check(document, locked.organisation)
    revision = _add_revision(locked, document, by, message)
    scenario.refresh_from_db()
    return revision


@transaction.atomic
def scenario_duplicate(*, scenario: Scenario, by: User | None = None) -> Scenario:
    """Store a copy of the newest revision: every field of it, under the name "Copy of …"."""
    newest = scenario.revisions.get(number=scenario.revision_number)
    name = f"{COPY_PREFIX}{newest.document['name']}"[:NAME_LENGTH]
    return scenario_create(
        organisation=scenario.organisation,
        document={**newest.document, "name": name},
        by=by,
        message=f"Copied from revision {newest.number} of {scenario.name}."[:300],
        copy_of=scenario,
    )


@transaction.atomic
def scenario_archive(*, scenario: Scenario, archived: bool = True) -> Scenario:
    """Take a scenario off the lists, or put it back. Nothing is deleted."""
    locked = Scenario.objects.select_for_update().get(pk=scenario.pk)
    locked.archived = archived
    locked.full_clean()
    locked.save(update_fields=["archived"])
    scenario.archived = archived
    return locked


@transaction.atomic
def scenario_restore(
    *, scenario: Scenario, number: int, base_number: int, by: User | None = None
) -> ScenarioRevision:
    """Store the document of an earlier revision as the newest one."""
    earlier = scenario.revisions.get(number=number)
    return scenario_revise(
        scenario=scenario,
        document=earlier.document,
        base_number=base_number,
        by=by,
        message=f"Restored revision {number} of {timezone.localtime(earlier.at):%Y-%m-%d %H:%M}.",
    )
