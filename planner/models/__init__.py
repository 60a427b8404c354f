"""Rows of the planner: scenarios, their revisions, projections, decisions and bills."""

from planner.models.bill import ActualBill
from planner.models.decision import Decision
from planner.models.projection import Projection
from planner.models.revision import ScenarioRevision
from planner.models.run import BackgroundRun
from planner.models.scenario import Scenario
from planner.models.sweep import Sweep, SweepShard

__all__ = [
    "ActualBill",
    "BackgroundRun",
    "Decision",
    "Projection",
    "Scenario",
    "ScenarioRevision",
    "Sweep",
    "SweepShard",
]
