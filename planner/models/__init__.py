"""Rows of the planner: scenarios, their revisions, their projections."""

from planner.models.projection import Projection
from planner.models.revision import ScenarioRevision
from planner.models.run import BackgroundRun
from planner.models.scenario import Scenario

__all__ = ["BackgroundRun", "Projection", "Scenario", "ScenarioRevision"]
