"""Addresses under /api/v1/."""

from __future__ import annotations

from django.urls import path

from planner.actuals import api as bills
from planner.decisions import api as decisions
from planner.firmness import api as firmness
from planner.goal_seek import api as goal_seek
from planner.halls import api as halls
from planner.mix import api as mix
from planner.projections import api as projections
from planner.quotes import api as quotes
from planner.scenarios import api as scenarios
from planner.sweeps import api as sweeps
from planner.uncertainty import api as uncertainty

urlpatterns = [
    path("scenarios/", scenarios.ScenarioList.as_view(), name="api_scenarios"),
    path("scenarios/<int:pk>/", scenarios.ScenarioDetail.as_view(), name="api_scenario"),
    path(
        "scenarios/<int:pk>/duplicate/",
        scenarios.ScenarioDuplicate.as_view(),
        name="api_scenario_duplicate",
    ),
    path("scenarios/<int:pk>/revisions/", scenarios.RevisionList.as_view(), name="api_revisions"),
    path(
        "scenarios/<int:pk>/revisions/<int:number>/",
        scenarios.RevisionDetail.as_view(),
        name="api_revision",
    ),
    path(
        "scenarios/<int:pk>/projection/",
        projections.ScenarioProjection.as_view(),
        name="api_scenario_projection",
    ),
    path("scenario-schema/", scenarios.ScenarioSchema.as_view(), name="api_scenario_schema"),
    path(
        "scenarios/<int:pk>/uncertainty/",
        uncertainty.ScenarioUncertainty.as_view(),
        name="api_scenario_uncertainty",
    ),
    path(
        "scenarios/<int:pk>/actuals/",
        bills.ScenarioActuals.as_view(),
        name="api_scenario_actuals",
    ),
    path(
        "scenarios/<int:pk>/decisions/",
        decisions.DecisionList.as_view(),
        name="api_scenario_decisions",
    ),
    path(
        "scenarios/<int:pk>/goal-seek/",
        goal_seek.ScenarioGoalSeek.as_view(),
        name="api_scenario_goal_seek",
    ),
    path(
        "scenarios/<int:pk>/inventory/",
        halls.ScenarioInventory.as_view(),
        name="api_scenario_inventory",
    ),
    path("scenarios/<int:pk>/sweeps/", sweeps.ScenarioSweeps.as_view(), name="api_sweeps"),
    path(
        "scenarios/<int:pk>/sweeps/<int:sweep>/",
        sweeps.ScenarioSweep.as_view(),
        name="api_sweep",
    ),
    path(
        "scenarios/<int:pk>/firmness/",
        firmness.ScenarioFirmness.as_view(),
        name="api_scenario_firmness",
    ),
    path(
        "scenarios/<int:pk>/optimise/",
        mix.ScenarioOptimise.as_view(),
        name="api_scenario_optimise",
    ),
    path(
        "scenarios/<int:pk>/trade-offs/",
        mix.ScenarioTradeOffs.as_view(),
        name="api_scenario_trade_offs",
    ),
    path("scenarios/<int:pk>/why-not/", mix.ScenarioWhyNot.as_view(), name="api_scenario_why_not"),
    path("quotes/", quotes.QuotesLevelled.as_view(), name="api_quotes"),
    path("projections/", projections.ProjectionList.as_view(), name="api_projections"),
    path("projections/<int:pk>/", projections.ProjectionDetail.as_view(), name="api_projection"),
]
