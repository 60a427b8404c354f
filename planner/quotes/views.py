"""Page of vendor quotes: tables in, one ranking out; nothing is stored."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from planner.access import organisation_for
from planner.quotes.services import quotes_levelled
from tco.cost.quotes import Levelling
from tco.errors import InputError, InputErrors

PLACES = (1, 2, 3)
LARGEST_BYTES = 1_000_000
EXAMPLE = (
    "item,quantity,unit_price,currency,included\n"
    "servers,4,210000,USD,\noptics,16,500,USD,\nsupport_years,5,9000,USD,\ntax,1,84800,USD,"
)


@login_required
@require_http_methods(["GET", "POST"])
def quotes(request: HttpRequest) -> HttpResponse:
    """Ask for the tables of two or three vendors, answer the levelled ranking."""
    organisation = organisation_for(request)
    context: dict[str, Any] = {"example": EXAMPLE, "currency": "USD"}
    if request.method == "GET":
        context["places"] = [{"number": n, "name": "", "text": ""} for n in PLACES]
        return render(request, "planner/quotes/quotes.html", context)
    errors: list[InputError] = []
    given = [_table(request, number, errors) for number in PLACES]
    context["places"] = given
    context["currency"] = request.POST.get("currency", "USD").strip().upper() or "USD"
    context["rates"] = request.POST.get("rates", "").strip()
    context["scope"] = request.POST.get("scope", "").replace("\r\n", "\n")
    tables = [(one["name"], one["text"]) for one in given if one["text"].strip()]
    try:
        if errors:
            raise InputErrors(tuple(errors))
        found = quotes_levelled(
            organisation=organisation,
            tables=tables,
            scope=context["scope"],
            currency=context["currency"],
            day=timezone.localdate().isoformat(),
            rates=context["rates"].replace(",", " ").split(),
        )
    except InputErrors as error:
        context["errors"] = error.errors
    except InputError as error:
        context["errors"] = (error,)
    else:
        context |= {"found": found, "rows": _rows(found.levelling)}
        context["sentence"] = sentence(found.levelling)
        today = timezone.localdate().isoformat()
        context["ended"] = [
            one for one in found.levelling.quotes if one.valid_until and one.valid_until < today
        ]
    status = 422 if context.get("errors") else 200
    return render(request, "planner/quotes/quotes.html", context, status=status)


def sentence(found: Levelling) -> str:
    """The answer."""
    closed = [one for one in found.quotes if one.levelled_usd is not None]
    if not closed:
        return "No quote can be closed: some item has no price anywhere."
    best = closed[0]
    part = (
        f", of it {best.estimated_usd:,.2f} estimated" if best.estimated_usd else ", all as quoted"
    )
    turned = "" if found.as_quoted[0] == best.vendor else f"; as written, {found.as_quoted[0]} was"
    return (
        f"{best.vendor} is the cheapest at equal scope: {best.levelled_usd:,.2f}"
        f" {found.currency}{part}{turned}."
    )


def _table(request: HttpRequest, number: int, errors: list[InputError]) -> dict[str, Any]:
    name = request.POST.get(f"name-{number}", "").strip()[:100]
    text = request.POST.get(f"text-{number}", "").replace("\r\n", "\n")
    file = request.FILES.get(f"file-{number}")
    if file is not None:
        name = name or str(file.name or "").rsplit(".", 1)[0][:100]
        if (file.size or 0) > LARGEST_BYTES:
            message = f"{file.size:,} bytes are too many"
            errors.append(InputError(f"file {number}", message, "send the quote alone"))
        else:
            try:
                text = str(file.read(), "utf-8-sig")
            except UnicodeDecodeError as error:
                message = f"is not UTF-8 at byte {error.start}"
                errors.append(InputError(f"file {number}", message, "save it as UTF-8"))
    return {"number": number, "name": name or f"Quote {number}", "text": text}


def _rows(found: Levelling) -> list[dict[str, Any]]:
    return [
        {
            "item": cell.item.replace("_", " "),
            "needed": cell.needed,
            "cells": [one.cells[place] for one in found.quotes],
        }
        for place, cell in enumerate(found.quotes[0].cells)
    ]
