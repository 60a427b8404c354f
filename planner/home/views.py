"""The front page for strangers and the home page of a member."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET

from planner.access import may_write, organisation_for
from planner.home.selectors import first_steps, scenario_cards
from planner.scenarios.builder import choices_for
from planner.scenarios.estimate import EstimateQuery
from planner.scenarios.estimate_answer import Answer, answer, answerable
from planner.scenarios.estimate_form import query_of
from planner.scenarios.exchange import errors_of
from tco.errors import InputError, InputErrors

LABELS = {
    "model": "Model",
    "requests_per_minute": "Requests a minute",
    "input_tokens": "Input tokens",
    "output_tokens": "Output tokens",
    "ttft_ms": "First token within",
    "region": "Region",
}
INPUTS = (
    "model",
    "requests_per_minute",
    "input_tokens",
    "output_tokens",
    "ttft_ms",
    "region",
)


@require_GET
def front(request: HttpRequest) -> HttpResponse:
    """Answer five inputs at once: what to buy or rent, from the shared catalog only."""
    if not settings.PUBLIC_ESTIMATE and not request.user.is_authenticated:
        return redirect(settings.LOGIN_URL)
    choices = choices_for(None, {})
    typed: dict[str, Any] = request.GET.dict()
    for kind in ("model", "region"):
        if typed.get(kind):
            typed[kind] = choices.key(kind, str(typed[kind]))
    query, found = query_of(typed)
    errors = {error.field: f"{error.message}: {error.mend}." for error in found}
    for kind in ("model", "region"):
        if getattr(query, kind) not in choices.labels.get(kind, {}):
            errors[kind] = f"the catalog has no such {kind}: pick one of the list."
    result: Answer | None = None
    if not errors:
        try:
            result = answer(query, valuation_date=timezone.localdate().isoformat())
        except (InputError, InputErrors) as error:
            errors = {e.field: f"{e.message}: {e.mend}." for e in errors_of(error)}
    context = {
        "query": query,
        "values": _values(query, typed, choices),
        "models": answerable("model", choices),
        "regions": answerable("region", choices),
        "answer": result,
        "errors": errors,
        "told": [(LABELS.get(field, field), text) for field, text in errors.items()],
        "address": _address(query),
    }
    return render(request, "planner/home/front.html", context, status=422 if errors else 200)


def _values(query: EstimateQuery, typed: dict[str, Any], choices: Any) -> dict[str, str]:
    """What the form shows: the names of keys, and what was typed even where it is wrong."""
    values = {name: str(typed.get(name) or getattr(query, name)) for name in INPUTS}
    for kind in ("model", "region"):
        values[kind] = choices.label(kind, values[kind])
    for name in INPUTS:
        if values[name].endswith(".0"):
            values[name] = values[name][:-2]
    return values


def _address(query: EstimateQuery) -> str:
    """Return the inputs as the query part of an address."""
    return urlencode({name: getattr(query, name) for name in INPUTS})


@login_required
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """Show the newest scenarios, what newer measurements changed and what to do first."""
    organisation = organisation_for(request)
    cards = scenario_cards(organisation=organisation)
    steps = first_steps(organisation=organisation)
    context = {
        "organisation": organisation,
        "cards": cards,
        "newer": [card for card in cards if card.newer],
        "steps": steps if not all(step.done for step in steps) else [],
        "may_write": may_write(request),
    }
    return render(request, "planner/home/home.html", context)
