"""A word in every text that the other organisation owns."""

from __future__ import annotations

import copy
from typing import Any

from django.apps import apps
from django.db import models
from django.utils import timezone

from hardware_catalog.catalog.entry_input import EntryInput, FigureInput
from hardware_catalog.catalog.services import Author, entry_revise
from hardware_catalog.models import CatalogEntry
from planner.actuals.services import bills_import
from planner.decisions.services import Choice, decision_record
from planner.scenarios.selectors import revision_get
from planner.scenarios.services import scenario_archive, scenario_create
from planner.uncertainty.asking import assessment_run
from tests.api.world import (
    Tenant,
    World,
    build_world,
    chat_document,
    run_document,
    upload,
)

CANARY = "quokka"
PART = CANARY[:4]  # to search for: a page may repeat what was asked, never the whole word

OWNER = {
    "accounts.Organisation": "pk",
    "accounts.User": "memberships__organisation",
    "accounts.Membership": "organisation",
    "accounts.ApiToken": "organisation",
    "accounts.SignInLink": "user__memberships__organisation",
    "hardware_catalog.Agreement": "organisation",
    "hardware_catalog.CatalogEntry": "organisation",
    "hardware_catalog.Figure": "entry__organisation",
    "hardware_catalog.Price": "entry__organisation",
    "hardware_catalog.Change": "entry__organisation",
    "hardware_catalog.BenchmarkRun": "organisation",
    "hardware_catalog.RunDevice": "run__organisation",
    "hardware_catalog.Measurement": "run__organisation",
    "hardware_catalog.ThroughputFigure": "organisation",
    "planner.Scenario": "organisation",
    "planner.ScenarioRevision": "scenario__organisation",
    "planner.Sweep": "organisation",
    "planner.SweepShard": "sweep__organisation",
    "planner.Projection": "organisation",
    "planner.BackgroundRun": "organisation",
    "planner.Decision": "organisation",
    "planner.ActualBill": "organisation",
}
OWNED_BY_NOBODY = {"accounts.SignInAttempt", "hardware_catalog.SeedLoad"}

# Fields that hold a code, a hash, a unit or a date, not a text of the owner's.
CODES = {
    "accounts.User": {"password"},
    "planner.ActualBill": {"month", "currency"},
    "accounts.ApiToken": {"secret_hash"},
    "accounts.SignInLink": {"secret_hash"},
    "hardware_catalog.Agreement": {"key", "device", "commitment", "currency"},
    "hardware_catalog.CatalogEntry": {"kind", "release_date", "end_of_sale", "end_of_support"},
    "hardware_catalog.Figure": {"name", "unit", "as_of"},
    "hardware_catalog.Price": {"series", "unit", "basis", "price_date"},
    "hardware_catalog.BenchmarkRun": {"content_sha256", "schema_version", "profile"},
    "hardware_catalog.RunDevice": {"key", "kind"},
    "hardware_catalog.Measurement": {"benchmark", "status", "metric", "dtype", "unit", "blocks_ns"},
    "hardware_catalog.ThroughputFigure": {"dtype", "unit", "runs"},
    # a revision never changes: its document carries the word from the start
    "planner.ScenarioRevision": {"document", "document_hash", "message"},
    # made of the document, so the word is in every label
    "planner.Projection": {"input_hash", "engine_version", "result"},
    "planner.Sweep": {"axes", "key", "summary", "why_whole", "error"},
    "planner.BackgroundRun": {"kind", "question", "key", "result"},
    # an entry never changes: the service that made it was given the word
    "planner.Decision": {
        *("engine_version", "result_hash", "chosen", "rejected", "reason"),
        *("decided_by", "by_name"),
    },
}
DOUBT = {"code": CANARY, "verdict": "untrusted", "text": CANARY, "value": None, "threshold": None}


def owned_models() -> list[type[models.Model]]:
    """The models of the product; one that this file does not know fails."""
    found = [
        model
        for app in ("accounts", "hardware_catalog", "planner")
        for model in apps.get_app_config(app).get_models()
    ]
    assert {model._meta.label for model in found} == {*OWNER, *OWNED_BY_NOBODY}
    return [model for model in found if model._meta.label in OWNER]


def _planted(field: models.Field[Any, Any], row: models.Model) -> Any:
    old = getattr(row, field.attname)
    if isinstance(field, models.JSONField):
        return [*old, DOUBT] if isinstance(old, list) else {**old, CANARY: CANARY}
    if isinstance(field, models.EmailField):
        return f"{CANARY}{row.pk}@example.org"
    return f"{CANARY}-{row.pk}"[: field.max_length]


def plant(tenant: Tenant) -> None:
    """Write the word into every text field of everything that a tenant owns."""
    for model in owned_models():
        label = model._meta.label
        fields = [
            field
            for field in model._meta.concrete_fields
            if isinstance(field, (models.CharField, models.TextField, models.JSONField))
            and not field.choices
            and field.name not in CODES.get(label, set())
        ]
        # by key: a column of type json cannot be compared, so rows cannot be made distinct
        mine = model.objects.filter(**{OWNER[label]: tenant.organisation.pk})
        owned = set(mine.values_list("pk", flat=True))
        for row in model.objects.filter(pk__in=owned):
            values = {field.name: _planted(field, row) for field in fields}
            if label == "hardware_catalog.CatalogEntry" and row.key == "h100-sxm":
                del values["key"]  # it stands in place of the shared entry
            if values:
                model.objects.filter(pk=row.pk).update(**values)
    # whoever keeps records of the catalog reads them anew
    CatalogEntry.objects.filter(organisation=tenant.organisation).update(updated_at=timezone.now())


def _in_words(document: Any) -> Any:
    """The document with the word in every name, description and source."""
    if isinstance(document, dict):
        return {
            key: f"{CANARY} {value}"
            if key in {"name", "description", "source"} and isinstance(value, str)
            else _in_words(value)
            for key, value in document.items()
        }
    return [_in_words(item) for item in document] if isinstance(document, list) else document


def canary_world() -> World:
    """The world whose other organisation has the word in everything it owns."""
    document = _in_words(chat_document())
    world = build_world(document, name_b=CANARY)
    theirs = world.theirs
    entry_revise(
        organisation=theirs.organisation,
        entry=world.shared,
        given=EntryInput(
            name=CANARY,
            figures={"memory_gb": FigureInput(256.0, status="estimated", source=CANARY)},
        ),
        author=Author.of(theirs.architect),
        message=CANARY,
    )
    # figures that newer ones replace, the same machine in both organisations, something archived
    upload(theirs.upload_token, run_document(f"{CANARY} CPU 2", gflops_fp32=700.0))
    upload(theirs.upload_token, run_document("Ada CPU 1", gflops_fp32=900.0))
    put_away = copy.deepcopy(document) | {"name": f"{CANARY} put away"}
    scenario_archive(
        scenario=scenario_create(
            organisation=theirs.organisation, document=put_away, by=theirs.architect, message=CANARY
        )
    )
    assessment_run(revision=revision_get(scenario=theirs.scenario), draws=100)
    decision_record(
        scenario=theirs.scenario,
        choice=Choice(
            "h100",
            CANARY,
            decided_by=f"{CANARY} board",
            rejected={"mi300x": f"{CANARY} thinks not"},
        ),
        by=theirs.architect,
    )
    bills_import(
        scenario=theirs.scenario,
        text="month,line,amount,currency,reference,note\n"
        f"2026-12,servers,1,USD,{CANARY} 1,{CANARY}\n2026-12,unplanned,1,USD,{CANARY} 2,\n",
        by=theirs.architect,
    )
    plant(theirs)
    for row in (theirs.entry, theirs.pending, theirs.token):
        row.refresh_from_db()
    return world
