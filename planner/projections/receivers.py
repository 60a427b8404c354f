"""New measured figures of the catalog wake the projections that may rest on them."""

from __future__ import annotations

from typing import Any

from planner.projections.enqueue import after_commit


def figure_saved(sender: Any, instance: Any, created: bool, **kwargs: Any) -> None:
    """Follow a new measured rate of an organisation's device."""
    if created:
        after_commit(instance.organisation_id)
