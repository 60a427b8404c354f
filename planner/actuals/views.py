"""Page of a scenario's bills against its plan."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.models import User
from planner.access import may_write, organisation_for
from planner.actuals.selectors import PARTS, Actuals, actuals, bill_list, cumulative, plans
from planner.actuals.services import bills_import
from planner.charts.encode import Chart, chart
from planner.charts.theme import end_label, layout, line
from planner.models import Scenario
from planner.scenarios.selectors import scenario_get
from planner.templatetags.units import si
from tco.errors import InputError, InputErrors

AMOUNTS = ("budget", "actual", "variance", "remaining", "forecast")
LARGEST_BYTES = 5_000_000


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def scenario_actuals(request: HttpRequest, pk: int) -> HttpResponse:
    """Show budget, actual and re-forecast; writers send tables of bills."""
    scenario = scenario_get(organisation=organisation_for(request), pk=pk)
    if request.method != "POST":
        return _page(request, scenario)
    if not may_write(request):
        raise PermissionDenied("finance and viewers read")
    assert isinstance(request.user, User)
    try:
        found = bills_import(scenario=scenario, text=_text(request), by=request.user)
    except InputErrors as error:
        return _page(request, scenario, error)
    known = f", {found.known} known already" if found.known else ""
    messages.success(request, f"{found.added} bills taken in{known}.")
    return redirect("planner:scenario_actuals", scenario.pk)


def _text(request: HttpRequest) -> str:
    """Return the table of a form: a file, else the pasted text."""
    file = request.FILES.get("file")
    if file is None:
        return request.POST.get("text", "")
    if (file.size or 0) > LARGEST_BYTES:
        wrong = InputError("file", f"{file.size:,} bytes are too many", "split the file")
        raise InputErrors((wrong,))
    try:
        return str(file.read(), "utf-8-sig")
    except UnicodeDecodeError as error:
        wrong = InputError("file", f"is not UTF-8 at byte {error.start}", "save it as UTF-8")
        raise InputErrors((wrong,)) from error


def _page(
    request: HttpRequest, scenario: Scenario, error: InputErrors | None = None
) -> HttpResponse:
    asked = request.GET.get("revision", "")
    number = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 9 else None
    context: dict[str, Any] = {
        "scenario": scenario,
        "bills": bill_list(scenario=scenario),
        "plans": list({p.revision.number: p for p in plans(scenario=scenario)}.values()),
        "errors": error.errors if error else (),
        "given": request.POST.get("text", "") if error else "",
        "may_write": may_write(request),
    }
    try:
        found = actuals(
            scenario=scenario, revision=number, option=request.GET.get("option", "")[:200]
        )
    except InputErrors as wrong:
        context["unusable"] = wrong.errors
        return render(request, "planner/actuals/detail.html", context, status=422)
    if found is not None:
        shown = found.to_dict()
        context |= {"found": found, "chart": _curves(found)}
        context |= {"rows": [_shown(row) for row in shown["rows"]], "total": _shown(shown["total"])}
        context["options"] = found.projection.result["options"]
    return render(request, "planner/actuals/detail.html", context, status=422 if error else 200)


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    """The row with its amounts grouped; a part that is nothing is a dash."""
    return {
        name: _grouped(value, blank=name in PARTS) if name in PARTS or name in AMOUNTS else value
        for name, value in row.items()
    }


def _grouped(amount: str, *, blank: bool) -> str:
    return "–" if blank and not Decimal(amount) else f"{Decimal(amount):,f}"


def _curves(found: Actuals) -> Chart:
    """Budget and actual so far, month by month."""
    report, code = found.report, found.currency
    budget = cumulative(report.budget_by_month_usd)
    actual = cumulative(report.actual_by_month_usd)
    months = list(range(1, report.months_over + 1))
    over = float(report.total.variance_usd)
    way = "over" if over > 0 else "under"
    return chart(
        "chart-actuals",
        f"{si(abs(over))} {code} {way} the plan so far",
        f"Paid so far against the plan of revision {found.projection.revision.number}.",
        [line("Plan", months, budget, 0, code), line("Billed", months, actual, 1, code)],
        layout(
            "months from the decision",
            f"paid so far, not discounted, {code}",
            annotations=[
                end_label("Plan", months[-1], budget[-1], 0),
                end_label("Billed", months[-1], actual[-1], 1),
            ]
            if months
            else [],
            yaxis={"tickformat": "~s"},
            xaxis={"dtick": max(1, len(months) // 12)},
        ),
        ("Month", f"Plan so far, {code}", f"Billed so far, {code}"),
        list(zip(map(str, months), budget, actual, strict=True)),
    )
