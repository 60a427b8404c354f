"""Application of scenarios, projections and reports."""

from __future__ import annotations

from django.apps import AppConfig, apps
from django.db.models.signals import post_save


class PlannerConfig(AppConfig):
    """Planner."""

    name = "planner"
    verbose_name = "Planner"

    def ready(self) -> None:
        """Follow new measured figures: the catalog itself knows nothing of projections."""
        from planner.projections.receivers import figure_saved

        post_save.connect(
            figure_saved,
            sender=apps.get_model("hardware_catalog", "ThroughputFigure"),
            dispatch_uid="planner.figure_saved",
        )
