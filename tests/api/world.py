"""Two organisations with one of everything each, and every kind of caller."""

from __future__ import annotations

import copy
import json
import uuid
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.test import Client, TestCase
from django.utils import timezone

from accounts.models import ApiToken, Membership, Organisation, User
from accounts.services import sign_in_link_create, token_create
from hardware_catalog.catalog.entry_input import EntryInput, FigureInput, PriceInput
from hardware_catalog.catalog.services import Author, entry_create
from hardware_catalog.models import Agreement, CatalogEntry, RunDevice
from hardware_catalog.price_book.services import agreement_add
from hardware_catalog.seed.kinds import all_kinds
from planner.models import Projection, Scenario, Sweep
from planner.projections.services import projection_get_or_run
from planner.scenarios.selectors import revision_get
from planner.scenarios.services import scenario_create
from planner.sweeps.services import sweep_ask
from tco.document import parse
from tco.document.price_book import AgreedPrice
from tests.data.clean_bench_run import clean_document, seal

PASSWORD = "correct horse battery staple"
CHAT = Path(__file__).resolve().parents[2] / "examples" / "chat.yaml"
RUNS_URL = "/api/v1/benchmark-runs/"
SESSIONS = ("architect", "finance", "viewer", "other")
TOKENS = ("upload", "read", "write", "revoked", "expired")
ACTORS = ("stranger", *SESSIONS, *TOKENS)


@dataclass
class Tenant:
    """An organisation and one of everything that it owns."""

    organisation: Organisation
    architect: User
    upload_token: str
    scenario: Scenario
    projection: Projection
    entry: CatalogEntry
    pending: CatalogEntry
    run_id: str
    token: ApiToken
    agreement: Agreement
    sweep: Sweep


@dataclass
class World:
    """Tenant A, tenant B, and who knocks at A's door."""

    mine: Tenant
    theirs: Tenant
    shared: CatalogEntry
    link_secret: str
    sessions: dict[str, str]
    tokens: dict[str, str]

    def client(self, actor: str, **more: Any) -> Client:
        """A fresh client of a caller; its cookies are a copy."""
        if actor in self.tokens:
            more["HTTP_AUTHORIZATION"] = f"Bearer {self.tokens[actor]}"
        client = Client(raise_request_exception=False, **more)
        if actor in self.sessions:
            client.cookies["sessionid"] = self.sessions[actor]
        return client


AGREED = {
    "kind": "server",
    "key": "nvidia-dgx-h100",
    "supplier": "Own Works",
    "reference": "Q-1",
    "valid_from": "2026-01-01",
    "valid_to": "2026-06-30",
    "price": Decimal(300_000),
}


def chat_document() -> dict[str, Any]:
    """The chat example, to be changed at will."""
    return parse(CHAT.read_text(encoding="utf-8"))


def run_document(device_model: str, **more: Any) -> dict[str, Any]:
    """A clean run under an id of its own."""
    number = uuid.uuid4().hex
    run_id = f"{number[:8]}-{number[8:12]}-7{number[13:16]}-8{number[17:20]}-{number[20:]}"
    return seal(copy.deepcopy(clean_document(run_id=run_id, device_model=device_model, **more)))


def member(organisation: Organisation, name: str, role: str) -> User:
    """A person of an organisation."""
    user = User.objects.create_user(f"{name}@example.org", PASSWORD, name=name)
    Membership.objects.create(user=user, organisation=organisation, role=role)
    return user


def upload(token: str, document: dict[str, Any]) -> str:
    """Upload a run as the agent does, let the refresh follow; return the run id."""
    with TestCase.captureOnCommitCallbacks(execute=True):
        answer = Client().post(
            RUNS_URL,
            json.dumps(document),
            content_type="application/json",
            HTTP_AUTHORIZATION=f"Bearer {token}",
        )
    assert answer.status_code == 201, answer.content
    return str(document["run_id"])


def own_device(
    organisation: Organisation, user: User, name: str, key: str = "", text: str = "a note"
) -> CatalogEntry:
    """An own device with a figure and a price, both with a source."""
    return entry_create(
        organisation=organisation,
        spec=all_kinds()["device"],
        given=EntryInput(
            name=name,
            vendor="Own Works",
            attributes={"device_kind": "gpu", "notes": text},
            figures={
                "memory_gb": FigureInput(256.0, status="estimated", source=text),
                "tdp_w": FigureInput(900.0, status="estimated", source=text),
            },
            prices=[
                PriceInput(
                    "price_usd",
                    mid=18_000.0,
                    status="estimated",
                    source=text,
                    price_date="2026-11",
                    quote_reference=text,
                )
            ],
        ),
        author=Author.of(user),
        message=text,
        key=key,
    )


def tenant(
    name: str, person: str, document: dict[str, Any], device: str, text: str = "a note"
) -> Tenant:
    """Everything an organisation can own, made through the services and the API."""
    organisation = Organisation.objects.create(name=name)
    architect = member(organisation, person, "architect")
    row, upload_token = token_create(organisation=organisation, label=text, by=architect)
    scenario = scenario_create(
        organisation=organisation, document=document, by=architect, message=text
    )
    run_id = upload(upload_token, run_document(device))
    return Tenant(
        organisation=organisation,
        architect=architect,
        upload_token=upload_token,
        scenario=scenario,
        projection=projection_get_or_run(revision=revision_get(scenario=scenario)),
        entry=own_device(organisation, architect, f"{device} mark II", text=text),
        pending=RunDevice.objects.get(run__run_id=run_id).entry,
        run_id=run_id,
        token=row,
        agreement=agreement_add(
            organisation=organisation, entry=AgreedPrice(**AGREED, note=text), by=architect
        ),
        sweep=sweep_ask(revision=revision_get(scenario=scenario), texts=["sites[0].pue=1.3,1.4"]),
    )


def build_world(document_b: dict[str, Any] | None = None, name_b: str = "Other") -> World:
    """Load the shared catalog and build both tenants and all callers."""
    call_command("load_seed_catalog", verbosity=0)
    mine = tenant("Demo Ltd", "ada", chat_document(), "Ada CPU 1")
    theirs = tenant(
        f"{name_b} Ltd", "eve", document_b or chat_document(), f"{name_b} CPU 2", text=name_b
    )
    people = {
        "architect": mine.architect,
        "finance": member(mine.organisation, "fin", "finance"),
        "viewer": member(mine.organisation, "vic", "viewer"),
        "other": theirs.architect,
    }
    sessions = {}
    for actor, user in people.items():
        client = Client()
        client.force_login(user)
        sessions[actor] = client.cookies["sessionid"].value
    tokens = {}
    for scope in ("upload", "read", "write"):
        tokens[scope] = token_create(
            organisation=mine.organisation, label=scope, scope=scope, by=None
        )[1]
    revoked, tokens["revoked"] = token_create(
        organisation=mine.organisation, label="revoked", scope="write", by=None
    )
    ApiToken.objects.filter(pk=revoked.pk).update(revoked_at=timezone.now())
    expired, tokens["expired"] = token_create(
        organisation=mine.organisation, label="expired", scope="write", by=None
    )
    ApiToken.objects.filter(pk=expired.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    return World(
        mine=mine,
        theirs=theirs,
        shared=CatalogEntry.objects.get(kind="device", key="h100-sxm"),
        link_secret=sign_in_link_create(user=mine.architect)[1],
        sessions=sessions,
        tokens=tokens,
    )
