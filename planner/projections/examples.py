"""Loading the shipped examples into an organisation, projected."""

from __future__ import annotations

from dataclasses import dataclass

from accounts.models import Organisation, User
from planner.models import Scenario
from planner.projections.services import projection_recalculate
from planner.scenarios.example_files import (
    THIS_MACHINE,
    example_documents,
    with_measured_processor,
)
from planner.scenarios.selectors import revision_get
from planner.scenarios.services import scenario_create, scenario_revise


@dataclass(frozen=True, slots=True)
class Loaded:
    """What became of one example."""

    name: str
    word: str  # added | revised | as before
    verdict: str


def load_examples(*, organisation: Organisation, by: User | None = None) -> list[Loaded]:
    """Store and project every example; what is there and unchanged stays as it is.

    An example that somebody edited is left alone: it is theirs now.
    """
    loaded = []
    for name, shipped in example_documents().items():
        document, sentence = shipped, ""
        if name == THIS_MACHINE:
            document, sentence = with_measured_processor(shipped, organisation)
        message = " ".join(part for part in ("Shipped example.", sentence) if part)
        scenario = Scenario.objects.filter(organisation=organisation, example=name).first()
        word = "as before"
        if scenario is None:
            scenario = scenario_create(
                organisation=organisation, document=document, by=by, message=message, example=name
            )
            word = "added"
        elif _untouched(scenario):
            before = scenario.revision_number
            revision = scenario_revise(
                scenario=scenario,
                document=document,
                base_number=before,
                by=by,
                message=message,
            )
            word = "revised" if revision.number != before else word
        projection = projection_recalculate(revision=revision_get(scenario=scenario))
        loaded.append(Loaded(name, word, str(projection.result["verdict"])))
    return loaded


def _untouched(scenario: Scenario) -> bool:
    """True while every revision came from here."""
    return not scenario.revisions.exclude(message__startswith="Shipped example.").exists()
