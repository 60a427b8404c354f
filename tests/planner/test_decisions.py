"""The decision log: who chose what, when and why, with the figures of the day; never edited."""

from __future__ import annotations

import datetime as dt
import io
import json

import openpyxl
import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError, connection, transaction
from django.urls import reverse

from planner.decisions.selectors import decision_entries, result_hash
from planner.decisions.services import Choice, decision_record
from planner.models import Decision
from planner.projections.services import projection_get_or_run
from planner.scenarios.selectors import revision_get
from planner.scenarios.services import scenario_revise
from tco.errors import InputErrors

pytestmark = pytest.mark.django_db


@pytest.fixture
def projected(chat):
    """The chat example with its projection."""
    return projection_get_or_run(revision=revision_get(scenario=chat))


def record(scenario, ada, **more) -> Decision:
    """A decision for the H100 servers."""
    given = {
        "chosen": "h100",
        "reason": "Cheapest, and the team knows it.",
        "decided_by": "Investment board",
        "decided_on": dt.date(2026, 11, 30),
        "rejected": {"mi300x": "no second source for its network"},
    }
    return decision_record(scenario=scenario, choice=Choice(**{**given, **more}), by=ada)


def wrong(scenario, ada, **more) -> dict[str, str]:
    """Errors of a decision by field; nothing is stored."""
    before = Decision.objects.count()
    with pytest.raises(InputErrors) as found:
        record(scenario, ada, **more)
    assert Decision.objects.count() == before
    return {error.field: str(error) for error in found.value.errors}


def test_an_entry_keeps_the_figures_of_its_day(chat, projected, ada):
    """A later revision moves the projection; the log still says what was compared."""
    decision = record(chat, ada)
    costs = {key: kpis["tco_usd"]["value"] for key, kpis in projected.result["kpis"].items()}
    document = json.loads(json.dumps(revision_get(scenario=chat).document))
    document["workloads"][0]["requests_per_minute"] = 10
    scenario_revise(scenario=chat, document=document, base_number=1, by=ada)
    newer = projection_get_or_run(revision=revision_get(scenario=chat))
    assert newer.result["kpis"]["h100"]["tco_usd"]["value"] != costs["h100"]
    (entry,) = decision_entries(scenario=chat)
    assert entry["chosen"]["key"] == "h100"
    assert entry["chosen"]["tco_usd"] == costs["h100"]
    assert {option["key"]: option["tco_usd"] for option in entry["rejected"]} == {
        key: cost for key, cost in costs.items() if key != "h100"
    }
    why = {option["key"]: option["rejected_because"] for option in entry["rejected"]}
    assert why["mi300x"] == "no second source for its network"
    assert entry["revision_number"] == 1
    assert entry["result_hash"] == decision.result_hash == result_hash(projected)
    assert (entry["decided_by"], entry["recorded_by"]) == ("Investment board", str(ada))


def test_an_entry_cannot_be_edited_or_deleted(chat, projected, ada):
    """Neither through the model nor past it; a person who leaves is only unlinked."""
    decision = record(chat, ada)
    decision.reason = "another"
    with pytest.raises(ValidationError, match="never edited"):
        decision.save()
    with pytest.raises(ValidationError, match="never deleted"):
        decision.delete()
    for change in ({"reason": "another"}, {"chosen": {}}, {"decided_on": dt.date(2020, 1, 1)}):
        with pytest.raises(DatabaseError, match="never edited"), transaction.atomic():
            Decision.objects.filter(pk=decision.pk).update(**change)
    Decision.objects.filter(pk=decision.pk).update(by=None)
    (entry,) = decision_entries(scenario=chat)
    assert (entry["reason"], entry["recorded_by"]) == (
        "Cheapest, and the team knows it.",
        str(ada),
    )


def test_a_correction_is_a_new_entry_that_names_the_old_one(chat, projected, ada):
    """Both stay, each points at the other, and an entry is corrected once."""
    record(chat, ada)
    record(chat, ada, chosen="mi300x", rejected={}, reason="The minutes say so.", corrects=1)
    newest, oldest = decision_entries(scenario=chat)
    assert (newest["number"], newest["corrects"], newest["corrected_by"]) == (2, 1, None)
    assert (oldest["number"], oldest["corrects"], oldest["corrected_by"]) == (1, None, 2)
    assert "corrected already" in wrong(chat, ada, corrects=1)["corrects"]
    assert "no decision 7" in wrong(chat, ada, corrects=7)["corrects"]


def test_what_is_wrong_is_named_all_at_once(chat, projected, ada):
    """Reason, option with its near name, a day to come, a reason against what was chosen."""
    tomorrow = dt.date(2999, 1, 1)
    found = wrong(
        chat,
        ada,
        chosen="h10",
        reason="  \n",
        decided_on=tomorrow,
        rejected={"mi300": "why"},
    )
    assert "did you mean 'h100'" in found["chosen"]
    assert "without a reason" in found["reason"]
    assert "still to come" in found["decided_on"]
    assert "did you mean 'mi300x'" in found["rejected.mi300"]
    both = wrong(chat, ada, rejected={"h100": "too dear"})
    assert "both chosen and rejected" in both["rejected.h100"]
    assert "no option is chosen" in wrong(chat, ada, chosen="", rejected={})["chosen"]
    assert "nobody can read" in wrong(chat, ada, reason="a\x00b")["reason"]


def test_nothing_is_decided_before_there_are_figures(chat, ada):
    """A decision rests on a projection."""
    assert "nothing is projected" in wrong(chat, ada)["scenario"]


def test_the_page_asks_records_and_shows(client, chat, projected, ada):
    """Empty, it says what it is for; a mistake keeps what was typed; then the entry is there."""
    client.force_login(ada)
    url = reverse("planner:scenario_decisions", args=[chat.pk])
    assert b"No decision yet" in client.get(url).content
    typed = {"chosen": "h100", "reason": "", "why-mi300x": "no second source"}
    answer = client.post(url, typed)
    assert answer.status_code == 422
    assert b"A decision without a reason is not recorded" in answer.content
    assert b"no second source" in answer.content
    assert b"is not a date" in client.post(url, typed | {"decided_on": "soon"}).content
    answer = client.post(url, typed | {"reason": "Cheapest <b>"}, follow=True)
    assert b"Decision 1 is in the log." in answer.content
    assert b"Cheapest &lt;b&gt;" in answer.content
    assert b"no second source" in answer.content
    assert b"Correct decision 1" in client.get(f"{url}?corrects=1").content


def test_the_api_reads_and_adds(client, chat, projected, ada):
    """The same service, the same errors, as a problem document."""
    client.force_login(ada)
    url = reverse("api_scenario_decisions", args=[chat.pk])
    assert client.get(url).json() == {"decisions": []}
    bad = client.post(url, {"chosen": "h100"}, content_type="application/json")
    assert bad.status_code == 422
    assert bad.json()["errors"][0]["field"] == "reason"
    good = client.post(
        url, {"chosen": "h100", "reason": "Cheapest."}, content_type="application/json"
    )
    assert good.status_code == 201
    assert client.get(url).json()["decisions"] == [good.json()]
    for method in (client.put, client.patch, client.delete):
        assert method(url, {}, content_type="application/json").status_code == 405


def test_every_report_holds_the_log(client, chat, projected, ada):
    """Workbook, CSV and the projection's JSON say the same as the log."""
    record(chat, ada, reason="=1+1 is the cheapest")
    client.force_login(ada)
    entries = decision_entries(scenario=chat)
    found = client.get(reverse("api_projection", args=[projected.pk])).json()
    assert found["decisions"] == entries
    content = client.get(reverse("planner:workbook", args=[projected.pk])).content
    sheet = openpyxl.load_workbook(io.BytesIO(content))["Decisions"]
    rows = [row for row in sheet.iter_rows(min_row=4, values_only=True) if row[0] is not None]
    assert len(rows) == 1 + len(entries[0]["rejected"])
    assert rows[0][3:6] == (
        entries[0]["chosen"]["name"],
        "chosen",
        pytest.approx(entries[0]["chosen"]["tco_usd"]),
    )
    assert {row[10] for row in rows} == {entries[0]["result_hash"]}
    text = client.get(reverse("planner:decisions_csv", args=[projected.pk])).content.decode()
    assert "'=1+1 is the cheapest" in text
    assert entries[0]["result_hash"] in text


def test_a_log_without_entries_says_so_in_the_workbook(client, chat, projected, ada):
    """The sheet is there either way: nobody wonders whether it was left out."""
    client.force_login(ada)
    content = client.get(reverse("planner:workbook", args=[projected.pk])).content
    sheet = openpyxl.load_workbook(io.BytesIO(content))["Decisions"]
    assert "No decision is recorded" in str(sheet["A3"].value)


def test_a_scenario_takes_its_log_with_it(chat, projected, ada):
    """Deleting an organisation's data leaves nothing behind, corrections included."""
    record(chat, ada)
    record(chat, ada, corrects=1)
    chat.delete()
    connection.check_constraints()
    assert not Decision.objects.exists()
