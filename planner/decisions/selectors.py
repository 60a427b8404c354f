"""Reading the decision log: the one form in which page, API and reports get it."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django.db.models import QuerySet

from planner.charts.currency import currency_of
from planner.models import Decision, Projection, Scenario


def decision_list(*, scenario: Scenario) -> QuerySet[Decision]:
    """Return the entries, newest first."""
    return (
        Decision.objects.filter(scenario=scenario)
        .select_related("revision", "corrects", "corrected_by")
        .order_by("-number")
    )


def decision_entries(*, scenario: Scenario) -> list[dict[str, Any]]:
    """Return the whole log, newest first, as plain values."""
    return [entry_of(decision) for decision in decision_list(scenario=scenario)]


def entry_of(decision: Decision) -> dict[str, Any]:
    """Return one entry as plain values; the costs are those of its time, in its currency."""
    corrected = getattr(decision, "corrected_by", None)
    return {
        "number": decision.number,
        "decided_on": decision.decided_on.isoformat(),
        "decided_by": decision.decided_by,
        "chosen": decision.chosen,
        "reason": decision.reason,
        "rejected": decision.rejected,
        "revision_number": decision.revision.number,
        "document_hash": decision.revision.document_hash,
        "result_hash": decision.result_hash,
        "engine_version": decision.engine_version,
        "corrects": decision.corrects.number if decision.corrects else None,
        "corrected_by": corrected.number if corrected else None,
        "recorded_by": decision.by_name,
        "recorded_at": decision.at.isoformat(timespec="seconds"),
    }


def decided_projection(*, scenario: Scenario) -> Projection | None:
    """Return the projection that the newest revision shows: what is decided about."""
    return (
        Projection.objects.filter(
            revision__scenario=scenario,
            revision__number=scenario.revision_number,
            adopted_at__isnull=False,
        )
        .select_related("revision")
        .order_by("-adopted_at", "-pk")
        .first()
    )


def option_figures(projection: Projection) -> list[dict[str, Any]]:
    """Return each option with its total cost, as an entry keeps it."""
    result = projection.result
    found = []
    for option in result["options"]:
        cost = result["kpis"].get(option["key"], {}).get("tco_usd", {})
        found.append(
            {
                "key": option["key"],
                "name": option["name"],
                "feasible": bool(option.get("feasible", True)),
                "currency": currency_of(result),
                "tco_usd": cost.get("value"),
                "low_usd": cost.get("low"),
                "high_usd": cost.get("high"),
                "status": cost.get("status", ""),
                "missing": cost.get("reason", ""),
            }
        )
    return found


def result_hash(projection: Projection) -> str:
    """Return the SHA-256 over the result: the same figures, the same hash."""
    text = json.dumps(projection.result, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
