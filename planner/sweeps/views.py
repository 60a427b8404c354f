"""Pages of sweeps: ask for one, see how far it is, read it, open a point as a scenario."""

from __future__ import annotations

from typing import Any

import numpy as np
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.models import User
from planner.access import may_write, organisation_for, writer_required
from planner.models import Sweep
from planner.runs.page import POLL_END, remaining_text
from planner.scenarios.exchange import error_rows
from planner.scenarios.paths import path_label
from planner.scenarios.selectors import revision_get, scenario_get
from planner.scenarios.services import scenario_create
from planner.sweeps.charts import lines_chart, map_chart
from planner.sweeps.grids import kept_grid
from planner.sweeps.selectors import cost_of, how_far, sweep_list
from planner.sweeps.services import sweep_ask, sweep_cancel
from planner.sweeps.tasks import sweep_wake
from tco.decide.listing import numbers_in
from tco.errors import InputError, InputErrors
from tco.sweep.table import FORMATS, cheapest, frame, written

ROWS = (1, 2, 3, 4)
BEST = 20
TYPES = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}


@login_required
@require_http_methods(["GET", "POST"])
def sweeps(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the sweeps of a scenario; those who may ask for another one."""
    scenario = scenario_get(organisation=organisation_for(request), pk=pk)
    revision = revision_get(scenario=scenario)
    writes = may_write(request)
    context: dict[str, Any] = {
        "scenario": scenario,
        "revision": revision,
        "may_write": writes,
        "inputs": numbers_in(revision.document),
        "sweeps": sweep_list(scenario=scenario)[:50],
        "rows": [{"number": n, "path": "", "values": ""} for n in ROWS],
    }
    if request.method == "GET":
        return render(request, "planner/sweeps/list.html", context)
    if not writes:
        return render(request, "planner/sweeps/list.html", context, status=403)
    rows = [
        {
            "number": n,
            "path": request.POST.get(f"path-{n}", "").strip()[:300],
            "values": request.POST.get(f"values-{n}", "").strip()[:100_000],
        }
        for n in ROWS
    ]
    texts = [f"{row['path']}={row['values']}" for row in rows if row["path"] or row["values"]]
    try:
        sweep = sweep_ask(revision=revision, texts=texts)
    except (InputError, InputErrors) as error:
        context |= {"rows": rows, "errors": error_rows(revision.document, error)}
        return render(request, "planner/sweeps/list.html", context, status=422)
    sweep_wake(sweep)
    return redirect("planner:sweep", pk=scenario.pk, sweep=sweep.pk)


def _sweep(request: HttpRequest, pk: int, sweep: int) -> Sweep:
    scenario = scenario_get(organisation=organisation_for(request), pk=pk)
    return get_object_or_404(sweep_list(scenario=scenario), pk=sweep)


@login_required
@require_GET
def sweep_detail(request: HttpRequest, pk: int, sweep: int) -> HttpResponse:
    """Show how far a sweep is, then what it found."""
    found = _sweep(request, pk, sweep)
    scenario = found.revision.scenario
    far = how_far(found)
    if found.state == "running" and far.stalled:
        sweep_wake(found)  # its messages are lost, or its workers died
    context: dict[str, Any] = {
        "scenario": scenario,
        "sweep": found,
        "far": far,
        "percent": round(100 * far.share_fraction),
        "remaining": remaining_text(far.remaining_s),
        "may_write": may_write(request),
        "labels": _labels(found),
        "forms": FORMATS,
    }
    if found.state == "done" and found.summary is not None:
        context |= _answer(found)
    if request.headers.get("HX-Request") != "true":
        return render(request, "planner/sweeps/detail.html", context)
    if found.state == "running":
        return render(request, "planner/sweeps/_progress.html", context)
    answer = render(request, "planner/sweeps/_body.html", context, status=POLL_END)
    answer["HX-Retarget"] = "#run-body"
    return answer


def _labels(sweep: Sweep) -> list[str]:
    document = sweep.revision.document
    return short_labels([path_label(document, one["path"]) or one["path"] for one in sweep.axes])


def short_labels(labels: list[str]) -> list[str]:
    """Return the last parts of labels, as many as tell them apart.

    >>> short_labels(["Kiel › PUE", "Options › a › Price", "Options › b › Price"])
    ['PUE', 'a › Price', 'b › Price']
    """
    parts = [label.split(" › ") for label in labels]
    found = []
    for own in parts:
        kept = 1
        while kept < len(own) and sum(one[-kept:] == own[-kept:] for one in parts) > 1:
            kept += 1
        found.append(" › ".join(own[-kept:]))
    return found


def _answer(sweep: Sweep) -> dict[str, Any]:
    summary = sweep.summary or {}
    labels = _labels(sweep)
    cost = cost_of(sweep, len(summary["options"]))
    first = cheapest(cost)
    least = np.where(first >= 0, np.nanmin(np.where(np.isnan(cost), np.inf, cost), axis=1), np.inf)
    order = [int(at) for at in np.argsort(least, kind="stable")[:BEST] if first[at] >= 0]
    shape = [len(one["values"]) for one in sweep.axes]
    points = []
    for place in order:
        index = np.unravel_index(place, shape)
        values = [one["values"][int(at)] for one, at in zip(sweep.axes, index, strict=True)]
        name = summary["names"][int(first[place])]
        points.append({"point": place, "values": values, "name": name, "usd": float(least[place])})
    options = [
        {
            "name": name,
            "wins": summary["cheapest_fraction"][key],
            "least": summary["least_usd"].get(key),
            "most": summary["most_usd"].get(key),
        }
        for key, name in zip(summary["options"], summary["names"], strict=True)
    ]
    return {
        "summary": summary,
        "options": sorted(options, key=lambda one: -one["wins"]),
        "points": points,
        "map": map_chart(sweep.axes, labels, summary, cost),
        "lines": lines_chart(sweep.axes, labels, summary, cost),
    }


@writer_required
@require_POST
def sweep_stop(request: HttpRequest, pk: int, sweep: int) -> HttpResponse:
    """End a sweep that runs."""
    found = sweep_cancel(sweep=_sweep(request, pk, sweep))
    return redirect("planner:sweep", pk=pk, sweep=found.pk)


@writer_required
@require_POST
def sweep_again(request: HttpRequest, pk: int, sweep: int) -> HttpResponse:
    """Go on with a sweep that was cancelled or has failed; what is priced stays."""
    found = _sweep(request, pk, sweep)
    texts = [
        f"{one['path']}={','.join(str(value) for value in one['values'])}" for one in found.axes
    ]
    try:
        found = sweep_ask(revision=found.revision, texts=texts)
    except (InputError, InputErrors) as error:
        rows = error_rows(found.revision.document, error)
        messages.error(request, "; ".join(f"{row['label']}: {row['message']}" for row in rows))
        return redirect("planner:sweeps", pk=pk)
    sweep_wake(found)
    return redirect("planner:sweep", pk=pk, sweep=found.pk)


@login_required
@require_GET
def sweep_file(request: HttpRequest, pk: int, sweep: int, form: str) -> HttpResponse:
    """Send every point as CSV or Parquet."""
    found = _sweep(request, pk, sweep)
    if found.state != "done" or form not in FORMATS or found.summary is None:
        raise Http404
    made = kept_grid(found)
    table = frame(made, cost_of(found, len(made.options)))
    answer = HttpResponse(written(table, form), content_type=TYPES[form])
    answer["Content-Disposition"] = f'attachment; filename="sweep-{found.pk}.{form}"'
    return answer


@writer_required
@require_POST
def sweep_open(request: HttpRequest, pk: int, sweep: int) -> HttpResponse:
    """Open one point as a scenario of its own."""
    found = _sweep(request, pk, sweep)
    text = request.POST.get("point", "")
    point = int(text) if text.isdecimal() and len(text) < 9 else -1
    if not 0 <= point < found.points:
        raise Http404
    document = kept_grid(found).document_at(point)
    document["name"] = f"{document['name']}: point {point + 1} of a sweep"
    assert isinstance(request.user, User)
    made = scenario_create(
        organisation=found.organisation,
        document=document,
        by=request.user,
        message="From a sweep",
        copy_of=found.revision.scenario,
    )
    messages.success(request, f"{made.name} is a scenario of its own now.")
    return redirect("planner:scenario_detail", pk=made.pk)
