"""What the home page shows: newest scenarios, newer measurements, what to do first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.apps import apps

from planner.models import Projection, Scenario, ScenarioRevision
from planner.projections.selectors import shown_projections
from planner.scenarios.selectors import scenario_list
from planner.scenarios.to_engine import catalog_of, scenario_inputs
from tco.errors import InputError, InputErrors

if TYPE_CHECKING:
    from accounts.models import Organisation

NEWEST = 8


@dataclass(frozen=True, slots=True)
class ScenarioCard:
    """A scenario with what its projection says."""

    scenario: Scenario
    verdict: str
    best: str
    newer: bool  # figures of the catalog changed after the projection was made
    broken: bool  # it names something the catalog no longer has


@dataclass(frozen=True, slots=True)
class Step:
    """Something to do first."""

    title: str
    text: str
    done: bool
    url_name: str
    label: str


def newest_revisions(scenarios: list[Scenario]) -> dict[int, ScenarioRevision]:
    """Return the newest revision of each scenario, by the scenario's id, in one query."""
    found = ScenarioRevision.objects.filter(scenario__in=scenarios).order_by(
        "scenario_id", "-number"
    )
    return {revision.scenario_id: revision for revision in found.distinct("scenario_id")}


def scenario_cards(*, organisation: Organisation, count: int = NEWEST) -> list[ScenarioCard]:
    """Return the newest scenarios with their verdicts; no query for each of them."""
    scenarios = list(scenario_list(organisation=organisation)[:count])
    revisions = newest_revisions(scenarios)
    shown = shown_projections(revisions=list(revisions.values()))
    catalog = catalog_of(organisation)
    cards = []
    for scenario in scenarios:
        revision = revisions[scenario.pk]
        projection = shown.get(revision.pk)
        broken = False
        today = ""
        try:
            today = scenario_inputs(
                document=revision.document, organisation=organisation, catalog=catalog
            ).content_hash
        except (InputError, InputErrors):
            broken = True
        cards.append(
            ScenarioCard(
                scenario=scenario,
                verdict=projection.result["verdict"] if projection else "",
                best=_best(projection),
                newer=bool(projection and today and projection.input_hash != today),
                broken=broken,
            )
        )
    return cards


def _best(projection: Projection | None) -> str:
    if projection is None:
        return ""
    best = projection.result["best_option"]
    names = {option["key"]: option["name"] for option in projection.result["options"]}
    return str(names.get(best, ""))


def first_steps(*, organisation: Organisation) -> list[Step]:
    """Return what a newcomer does first, with what is done already."""
    runs = apps.get_model("hardware_catalog", "BenchmarkRun")
    tokens = apps.get_model("accounts", "ApiToken")
    return [
        Step(
            "Plan something",
            "Start from the quick estimate or from a file: cost, power and latency appear while "
            "you type.",
            Scenario.objects.filter(organisation=organisation, example="").exists(),
            "planner:scenario_new",
            "New scenario",
        ),
        Step(
            "Make a token",
            "The agent and the API sign in with it. It is shown once.",
            tokens._default_manager.filter(organisation=organisation).exists(),
            "accounts:tokens",
            "Tokens",
        ),
        Step(
            "Measure a machine",
            "Run the agent where the devices are: projections then rest on your own figures.",
            runs._default_manager.filter(organisation=organisation, verdict="trusted").exists(),
            "hardware_catalog:run_list",
            "Measurements",
        ),
    ]
