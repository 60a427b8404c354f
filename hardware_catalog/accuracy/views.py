"""The accuracy page. Public: it holds nothing of any organisation."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from hardware_catalog.accuracy.page import accuracy_page
from tco.evidence.accuracy import shipped_report


@require_GET
def accuracy(request: HttpRequest) -> HttpResponse:
    """Show how far predictions were off on measured rows that their fit had not seen."""
    context = {"page": accuracy_page(shipped_report())}
    return render(request, "hardware_catalog/accuracy/accuracy.html", context)
