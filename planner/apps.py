"""Application of scenarios, projections and reports."""

from __future__ import annotations

from django.apps import AppConfig


class PlannerConfig(AppConfig):
    """Planner."""

    name = "planner"
    verbose_name = "Planner"
