"""Downloads of a projection."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from planner.access import organisation_for
from planner.reports.selectors import projection_for_report
from planner.reports.services import (
    ReportFile,
    report_csv,
    report_decisions_csv,
    report_performance_csv,
    report_workbook,
)


def _download(file: ReportFile) -> HttpResponse:
    response = HttpResponse(file.content, content_type=file.content_type)
    response["Content-Disposition"] = f'attachment; filename="{file.name}"'
    response["Cache-Control"] = "no-store"
    return response


@login_required
@require_GET
def workbook(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the XLSX."""
    projection = projection_for_report(organisation=organisation_for(request), pk=pk)
    return _download(report_workbook(projection=projection))


@login_required
@require_GET
def ledger_csv(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the CSV."""
    projection = projection_for_report(organisation=organisation_for(request), pk=pk)
    return _download(report_csv(projection=projection))


@login_required
@require_GET
def performance_csv(request: HttpRequest, pk: int) -> HttpResponse:
    """Return how each fleet serves as CSV."""
    projection = projection_for_report(organisation=organisation_for(request), pk=pk)
    return _download(report_performance_csv(projection=projection))


@login_required
@require_GET
def decisions_csv(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the decision log of the projection's scenario as CSV."""
    projection = projection_for_report(organisation=organisation_for(request), pk=pk)
    return _download(report_decisions_csv(projection=projection))
