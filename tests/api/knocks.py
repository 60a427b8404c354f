"""One request a row of the permission table that succeeds for whoever may make it."""

from __future__ import annotations

import functools
import json
from typing import Any

import yaml
from django.http import HttpResponse, StreamingHttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from tests.api.world import PASSWORD, World, chat_document, run_document
from tests.planner.posted import posted_form

NEW_ENTRY = {
    "kind": "device",
    "name": "MI300U",
    "vendor": "AMD",
    "attributes": {"device_kind": "gpu"},
    "figures": {"memory_gb": {"value": 256}, "tdp_w": {"value": 1000}},
    "prices": [{"series": "price_usd", "mid": 18000, "price_date": "2026-11"}],
    "message": "for a study",
}
ENTRY_FORM = {
    "name": "MI300U",
    "vendor": "AMD",
    "text-device_kind": "gpu",
    "figure-memory_gb": "256",
    "figure-tdp_w": "1000",
    "message": "for a study",
}
CONFIG = {
    "model_type": "llama",
    "num_hidden_layers": 32,
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
}
PRICE_FORM = {"series": "price_usd", "mid": "17000", "as_of": "2026-11-30"}


def all_routes() -> dict[str, str]:
    """Path of every route of the site by its full name, read from the URL conf."""
    found: dict[str, str] = {}

    def walk(patterns: list[Any], namespace: str, prefix: str) -> None:
        for pattern in patterns:
            path = prefix + str(pattern.pattern)
            if isinstance(pattern, URLResolver):
                inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
                walk(pattern.url_patterns, inner, path)
            elif isinstance(pattern, URLPattern):
                name = f"{namespace}{pattern.name}"
                assert pattern.name, f"{path} has no name"
                assert name not in found, f"two routes are called {name}"
                found[name] = path

    walk(get_resolver().url_patterns, "", "/")
    return found


def address(route: str, world: World) -> str:
    """Address of a row's object: one of `world.mine` or, `@shared`, of the shared catalog."""
    name, _, subject = route.partition("@")
    mine = world.mine
    entry = world.shared if subject == "shared" else mine.entry
    parts: dict[str, Any] = {}
    path = all_routes()[name]
    values = {
        "secret": world.link_secret,
        "key_id": mine.token.key_id,
        "kind": "device",
        "key": mine.pending.key,
        "run_id": mine.run_id,
        "form": "csv" if name == "planner:sweep_file" else "yaml",
        "name": "racks.csv",
        "number": 1,
        "option": "h100",
        "kpi": "tco_usd",
        "example": "WE01",
        "sweep": mine.sweep.pk,
    }
    for part, value in values.items():
        if f":{part}>" in path:
            parts[part] = value
    if ":pk>" in path:
        parts["pk"] = _number(name, world, entry.pk)
    url = reverse(name, kwargs=parts)
    return f"{url}?a={mine.scenario.pk}" if subject == "picked" else url


def _number(name: str, world: World, entry_pk: int) -> int:
    if name == "hardware_catalog:entry_confirm":
        return world.mine.pending.pk
    if "price_book" in name:
        return world.mine.agreement.pk
    if "catalog" in name:
        return entry_pk
    if name in {
        "planner:explain",
        "planner:workbook",
        "planner:ledger_csv",
        "planner:performance_csv",
        "planner:decisions_csv",
        "api_projection",
    }:
        return world.mine.projection.pk
    return world.mine.scenario.pk


@functools.lru_cache(maxsize=4)
def _builder_form(session: str) -> dict[str, list[str]]:
    """What a browser would send of the builder as it opens."""
    client = Client()
    client.cookies["sessionid"] = session
    return posted_form(client.get(reverse("planner:scenario_new")).content.decode())


def _form(name: str, world: World) -> dict[str, Any]:
    """Fields of a page's form."""
    page = name.rpartition(":")[2]
    if page in {"scenario_new", "scenario_preview", "scenario_edit"}:
        form = _builder_form(world.sessions["architect"])
        return form | {"base_number": ["1"]} if page == "scenario_edit" else form
    text = yaml.safe_dump(chat_document(), sort_keys=False)
    return {
        "sign_in": {"email": world.mine.architect.email, "password": PASSWORD},
        "token_new": {"label": "rack 12", "scope": "upload", "days": "30"},
        "entry_new": ENTRY_FORM,
        "model_import": {"name": "acme/chat", "text": json.dumps(CONFIG), "action": "save"},
        "entry_edit": ENTRY_FORM,
        "entry_price": PRICE_FORM,
        "price_book_new": BOOK_FORM,
        "price_book_table": {"text": BOOK_TABLE, "action": "take"},
        "sweeps": {"path-1": "sites[0].pue", "values-1": "1.2,1.3"},
        "sweep_open": {"point": "0"},
        "quotes": {"name-1": "A", "text-1": QUOTE, "name-2": "B", "text-2": QUOTE},
        "entry_confirm": {"name": "Ada CPU", "vendor": "Own Works"},
        "scenario_import": {"text": text},
        "scenario_file": {"text": text, "base_number": "1"},
        "scenario_restore": {"base_number": "1"},
        "scenario_actuals": {"text": BILLS},
        "scenario_decisions": {"chosen": "h100", "reason": "it is the cheapest"},
    }.get(page, {})


BOOK_ENTRY = {
    "kind": "server",
    "key": "nvidia-dgx-h100",
    "price": "290000",
    "currency": "USD",
    "supplier": "Own Works",
    "reference": "Q-2",
    "valid_from": "2027-01-01",
    "valid_to": "2027-06-30",
}
BOOK_FORM = BOOK_ENTRY | {"device": "", "commitment": "", "discount_percent": "", "note": ""}
BOOK_TABLE = ",".join(BOOK_ENTRY) + "\n" + ",".join(BOOK_ENTRY.values())
QUOTE = "item,quantity,unit_price\nservers,4,100"
BILLS = "month,line,amount,currency,reference\n2026-12,servers,1,USD,K1"


def _json(name: str) -> Any:
    """Body of an API call."""
    if name == "api_benchmark_runs":
        return run_document("Knock CPU 1")
    if name == "api_price_book":
        return BOOK_ENTRY
    if name == "api_price_book_table":
        return {"csv": BOOK_TABLE}
    if name == "api_sweeps":
        return {"axes": ["sites[0].pue=1.2,1.3"]}
    if name == "api_quotes":
        return {"quotes": [{"vendor": one, "csv": QUOTE} for one in ("A", "B")]}
    if name == "api_catalog":
        return NEW_ENTRY
    if name == "api_catalog_model_import":
        return {"name": "acme/chat", "config": CONFIG, "source": "the hub"}
    if name == "api_catalog_entry":
        return {"figures": {"tdp_w": {"value": 950}}, "message": "measured at the wall"}
    if name == "api_scenario_actuals":
        return {"csv": BILLS}
    if name == "api_scenario_decisions":
        return {"chosen": "h100", "reason": "it is the cheapest"}
    if name in {"api_scenarios", "api_scenario"}:
        return {"document": chat_document(), "message": "through the door"}
    return {}


def knock(
    method: str, route: str, actor: str, world: World, **more: Any
) -> HttpResponse | StreamingHttpResponse:
    """Make the request of a row as a caller."""
    name = route.partition("@")[0]
    client = world.client(actor, **more)
    url = address(route, world)
    if method == "GET":
        return client.get(url)
    if not url.startswith("/api/"):
        return (
            client.generic(method, url)
            if method != "POST"
            else client.post(url, _form(name, world))
        )
    headers = {"If-Match": "*"} if method == "PUT" else {}
    return client.generic(
        method,
        url,
        json.dumps(_json(name)),
        content_type="application/json",
        headers=headers,
    )


def body_of(response: Any) -> bytes:
    """Every byte of an answer, streamed ones included."""
    return b"".join(response.streaming_content) if response.streaming else response.content
