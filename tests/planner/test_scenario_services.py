"""Saving scenarios: all or nothing, never over somebody else's work."""

from __future__ import annotations

import copy

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from planner.models import Projection, Scenario, ScenarioRevision
from planner.scenarios.errors import StaleRevision
from planner.scenarios.services import (
    scenario_archive,
    scenario_create,
    scenario_duplicate,
    scenario_restore,
    scenario_revise,
)
from tco.document import document_hash
from tco.errors import InputErrors


def test_a_new_scenario_has_revision_one_with_its_hash(chat, ada, chat_document):
    """The name follows the document, the hash is the document's own."""
    revision = chat.revisions.get()
    assert (chat.name, chat.revision_number, chat.created_by) == (
        chat_document["name"],
        1,
        ada,
    )
    assert revision.number == 1
    assert revision.document == chat_document
    assert revision.document_hash == document_hash(chat_document)


def test_a_document_that_cannot_be_read_stores_nothing(
    seed_catalog, demo_organisation, chat_document
):
    """Every error comes at once, with its path, and no row is left behind."""
    chat_document["options"][0]["fleets"][0]["server"] = "no-such-server"
    chat_document["sites"][0]["pue"] = 0.7
    chat_document["nmae"] = "typo"
    with pytest.raises(InputErrors) as caught:
        scenario_create(organisation=demo_organisation, document=chat_document)
    assert {error.field for error in caught.value.errors} >= {
        "options[0].fleets[0].server",
        "sites[0].pue",
        "nmae",
    }
    assert Scenario.objects.count() == 0
    assert ScenarioRevision.objects.count() == 0


@pytest.mark.parametrize("value", [-5, 0.0, float("nan"), 1e308, "forty"])
def test_impossible_numbers_are_refused(seed_catalog, demo_organisation, chat_document, value):
    """Negative, zero, NaN, huge and wordy kilowatts name the field."""
    chat_document["sites"][0]["hall_kw"] = value
    with pytest.raises(InputErrors) as caught:
        scenario_create(organisation=demo_organisation, document=chat_document)
    assert [error.field for error in caught.value.errors] == ["sites[0].hall_kw"]
    assert Scenario.objects.count() == 0


def test_a_save_adds_a_revision_and_the_same_document_adds_none(chat, ada, chat_document):
    """Revisions count up; saving what is there already stores nothing."""
    changed = copy.deepcopy(chat_document)
    changed["name"] = "Chat, renamed"
    changed["sites"][0]["pue"] = 1.2
    revision = scenario_revise(
        scenario=chat, document=changed, base_number=1, by=ada, message="colder"
    )
    assert (revision.number, revision.message, chat.name) == (2, "colder", "Chat, renamed")
    again = scenario_revise(scenario=chat, document=copy.deepcopy(changed), base_number=2)
    assert again == revision
    assert chat.revisions.count() == 2


def test_a_stale_save_is_refused_with_what_changed(chat, ada, chat_document):
    """The second of two people learns what the first one saved, field by field."""
    first = copy.deepcopy(chat_document)
    first["sites"][0]["pue"] = 1.1
    first["finance"]["horizon_months"] = 48
    scenario_revise(scenario=chat, document=first, base_number=1, by=ada)
    second = copy.deepcopy(chat_document)
    second["sites"][0]["pue"] = 1.5
    with pytest.raises(StaleRevision) as caught:
        scenario_revise(scenario=chat, document=second, base_number=1)
    stale = caught.value
    assert (stale.base_number, stale.current_number) == (1, 2)
    assert {change.path: change.new for change in stale.changes} == {
        "sites[0].pue": "1.1",
        "finance.horizon_months": "48 month",
    }
    assert [(c.path, c.old, c.new) for c in stale.conflicts] == [("sites[0].pue", "1.1", "1.5")]
    assert chat.revisions.count() == 2


def test_a_revision_never_changes(chat):
    """The model refuses, and so does the database behind it; emptying `by` alone is allowed."""
    revision = chat.revisions.get()
    revision.message = "rewritten"
    with pytest.raises(ValidationError):
        revision.save()
    for change in ({"message": "x"}, {"document": {}}, {"number": 9}, {"document_hash": "0" * 64}):
        with pytest.raises(IntegrityError), transaction.atomic():
            ScenarioRevision.objects.filter(pk=revision.pk).update(**change)
    ScenarioRevision.objects.filter(pk=revision.pk).update(by=None)
    assert chat.revisions.get().by is None


def test_two_revisions_never_share_a_number(chat, chat_document):
    """The database keeps numbers unique in a scenario."""
    with pytest.raises(IntegrityError), transaction.atomic():
        ScenarioRevision.objects.create(
            scenario=chat, number=1, document=chat_document, document_hash="0" * 64
        )


def _leaves(value, path=""):
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, f"{path}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(item, f"{path}[{index}]")
    else:
        yield path, value


def test_a_copy_has_every_field(seed_catalog, demo_organisation, ada):
    """A walk over the documents finds the same leaves, the name alone differs (U1)."""
    from tests.planner.conftest import EXAMPLE_NAMES, example

    for name in EXAMPLE_NAMES:
        original = scenario_create(organisation=demo_organisation, document=example(name), by=ada)
        copied = scenario_duplicate(scenario=original, by=ada)
        before = dict(_leaves(original.revisions.get().document))
        after = dict(_leaves(copied.revisions.get().document))
        assert before.keys() == after.keys()
        assert {path for path in before if before[path] != after[path]} == {".name"}
        assert copied.copy_of == original
        assert copied.name == f"Copy of {original.name}"


def test_archiving_hides_and_keeps(chat):
    """An archived scenario keeps its revisions and can come back."""
    from planner.scenarios.selectors import scenario_list

    scenario_archive(scenario=chat)
    assert list(scenario_list(organisation=chat.organisation)) == []
    assert list(scenario_list(organisation=chat.organisation, archived=True)) == [chat]
    scenario_archive(scenario=chat, archived=False)
    assert list(scenario_list(organisation=chat.organisation)) == [chat]
    assert chat.revisions.count() == 1


def test_restoring_gives_the_same_document_as_a_new_revision(chat, ada, chat_document):
    """Restoring revision 1 stores revision 3 with revision 1's hash (U11)."""
    changed = copy.deepcopy(chat_document)
    changed["sites"][0]["pue"] = 1.9
    scenario_revise(scenario=chat, document=changed, base_number=1, by=ada)
    restored = scenario_restore(scenario=chat, number=1, base_number=2, by=ada)
    assert restored.number == 3
    assert restored.document_hash == chat.revisions.get(number=1).document_hash
    assert "revision 1" in restored.message


def test_deleting_an_organisation_takes_its_scenarios_along(chat):
    """Nothing of a tenant stays behind."""
    from planner.projections.services import projection_get_or_run
    from planner.scenarios.selectors import revision_get

    projection_get_or_run(revision=revision_get(scenario=chat))
    chat.organisation.delete()
    assert (Scenario.objects.count(), ScenarioRevision.objects.count()) == (0, 0)
    assert Projection.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_of_many_saves_at_once_one_wins(demo_organisation):
    """Eight people save from revision 1 at once: one revision, seven refusals, nothing lost."""
    import threading

    from django.core.management import call_command
    from django.db import connection

    from tests.planner.conftest import example

    call_command("load_seed_catalog", verbosity=0)
    scenario = scenario_create(organisation=demo_organisation, document=example("chat"))
    outcomes = []
    start = threading.Barrier(8)

    def save(months):
        try:
            document = example("chat")
            document["finance"]["horizon_months"] = months
            mine = Scenario.objects.get(pk=scenario.pk)
            start.wait()
            scenario_revise(scenario=mine, document=document, base_number=1)
            outcomes.append("saved")
        except StaleRevision as stale:
            outcomes.append(stale.current_number)
        finally:
            connection.close()

    threads = [threading.Thread(target=save, args=(12 + n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, outcomes)) == ["2"] * 7 + ["saved"]
    scenario.refresh_from_db()
    assert scenario.revision_number == 2
    assert scenario.revisions.count() == 2
