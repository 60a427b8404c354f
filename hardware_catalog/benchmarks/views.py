"""Pages of measurements: runs, one run, a device measured against published."""

from __future__ import annotations

import gzip
from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_GET

from accounts.models import Organisation
from accounts.selectors import organisation_of
from hardware_catalog.benchmarks.agent_zipapp import FILE_NAME, AgentNotBuilt, agent_zipapp
from hardware_catalog.benchmarks.filters import RunFilter
from hardware_catalog.benchmarks.pages import device_rows, run_page, run_rows
from hardware_catalog.benchmarks.selectors import (
    measured_devices,
    run_detail,
    run_documents,
    run_list,
    throughput_figures,
)
from hardware_catalog.models.benchmark_run import Verdict

RUNS_A_PAGE = 25


def _no_organisation(request: HttpRequest) -> HttpResponse:
    return render(request, "accounts/no_organisation.html", status=403)


def _agent(request: HttpRequest) -> dict[str, Any]:
    """What the copy-paste lines need; without an agent to give, the reason."""
    site = request.build_absolute_uri("/").rstrip("/")
    try:
        return {"site": site, "sha256": agent_zipapp().sha256, "file_name": FILE_NAME}
    except AgentNotBuilt as error:
        return {"site": site, "reason": str(error)}


def _verdict_choices(request: HttpRequest) -> list[dict[str, Any]]:
    """Links that filter by verdict and keep the other filters."""
    chosen = request.GET.get("verdict", "")
    choices = []
    for value, label in (("", "All"), *Verdict.choices):
        query = request.GET.copy()
        query.pop("page", None)
        query["verdict"] = value
        choices.append({"label": label, "href": f"?{query.urlencode()}", "chosen": value == chosen})
    return choices


@login_required
@require_GET
def runs(request: HttpRequest) -> HttpResponse:
    """List the runs of the organisation and the devices they were made on."""
    organisation = organisation_of(request.user)
    if organisation is None:
        return _no_organisation(request)
    filters = RunFilter(request.GET, queryset=run_list(organisation=organisation))
    page = Paginator(filters.qs, RUNS_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "rows": run_rows(page.object_list),
        "choices": _verdict_choices(request),
        "filtered": any(request.GET.get(name) for name in filters.filters),
        "devices": measured_devices(organisation=organisation),
        "agent": _agent(request),
    }
    return render(request, "hardware_catalog/benchmarks/runs.html", context)


@login_required
@require_GET
def run(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Show one run: verdict, environment, results, what was skipped."""
    organisation = organisation_of(request.user)
    if organisation is None:
        return _no_organisation(request)
    found = get_object_or_404(run_detail(organisation=organisation), run_id=run_id)
    return render(request, "hardware_catalog/benchmarks/run.html", run_page(found))


@login_required
@require_GET
def run_document(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Give the document as it was sent."""
    organisation = organisation_of(request.user)
    if organisation is None:
        return _no_organisation(request)
    found = get_object_or_404(run_documents(organisation=organisation), run_id=run_id)
    answer = HttpResponse(gzip.decompress(found.raw_gzip), content_type="application/json")
    name = f"bench-run-{found.finished_at:%Y-%m-%d-%H%M%S}.json"
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


@login_required
@require_GET
def device(request: HttpRequest, key: str) -> HttpResponse:
    """Show a device's measured figures against the published ones."""
    organisation = organisation_of(request.user)
    if organisation is None:
        return _no_organisation(request)
    return render(
        request, "hardware_catalog/benchmarks/device.html", _device_page(organisation, key)
    )


def _device_page(organisation: Organisation, key: str) -> dict[str, Any]:
    # An own entry shadows a shared one of the same key.
    entries = measured_devices(organisation=organisation).filter(key=key)
    entry = sorted(entries, key=lambda found: found.shared)[:1]
    if not entry:
        raise Http404
    figures = throughput_figures(organisation=organisation, entry=entry[0])
    recent = run_list(organisation=organisation).filter(devices__entry=entry[0]).distinct()
    return {
        "entry": entry[0],
        "rows": device_rows(entry[0], list(figures)),
        "runs": run_rows(recent[:10]),
        "runs_href": f"{reverse('hardware_catalog:run_list')}?device={key}",
    }


@require_GET
def agent_file(request: HttpRequest) -> HttpResponse:
    """Give the agent as one file."""
    try:
        zipapp = agent_zipapp()
    except AgentNotBuilt as error:
        return HttpResponse(f"{error}\n", status=503, content_type="text/plain; charset=utf-8")
    answer = HttpResponse(zipapp.path.read_bytes(), content_type="application/zip")
    answer["Content-Disposition"] = f'attachment; filename="{FILE_NAME}"'
    answer["Cache-Control"] = "no-cache"
    answer["ETag"] = f'"{zipapp.sha256}"'
    return answer


@require_GET
def agent_checksum(request: HttpRequest) -> HttpResponse:
    """Give the agent's SHA-256 in the form that `sha256sum -c` reads."""
    try:
        text, status = f"{agent_zipapp().sha256}  {FILE_NAME}\n", 200
    except AgentNotBuilt as error:
        text, status = f"{error}\n", 503
    return HttpResponse(text, status=status, content_type="text/plain; charset=utf-8")
