"""Addresses of pages."""

from __future__ import annotations

from django.urls import include, path

from planner.actuals.views import scenario_actuals
from planner.comparison.views import comparison
from planner.decisions.views import decisions
from planner.firmness import views as firm
from planner.goal_seek import views as seek
from planner.halls.inventory_views import hall_file, hall_import
from planner.halls.views import scenario_halls
from planner.home.views import front, home
from planner.mix import views as mix
from planner.projections import views as projections
from planner.quotes.views import quotes
from planner.reconcile.views import reconcile, reconcile_example, reconcile_open
from planner.scenarios import builder_views, file_views, views
from planner.sweeps import views as sweeps
from planner.uncertainty import views as uncertain

app_name = "planner"

urlpatterns = [
    path("", front, name="front"),
    path("home/", home, name="home"),
    path("scenarios/", views.scenarios, name="scenario_list"),
    path("scenarios/new/", builder_views.scenario_new, name="scenario_new"),
    path("scenarios/import/", file_views.scenario_import, name="scenario_import"),
    path("scenarios/preview/", builder_views.scenario_preview, name="scenario_preview"),
    path("scenarios/<int:pk>/", projections.scenario_detail, name="scenario_detail"),
    path("scenarios/<int:pk>/uncertainty/", uncertain.uncertainty, name="scenario_uncertainty"),
    path(
        "scenarios/<int:pk>/uncertainty/cancel/",
        uncertain.uncertainty_cancel,
        name="scenario_uncertainty_cancel",
    ),
    path(
        "scenarios/<int:pk>/uncertainty/again/",
        uncertain.uncertainty_again,
        name="scenario_uncertainty_again",
    ),
    path("scenarios/<int:pk>/firmness/", firm.firmness, name="scenario_firmness"),
    path("scenarios/<int:pk>/firmness/cancel/", firm.firmness_cancel, name="firmness_cancel"),
    path("scenarios/<int:pk>/firmness/again/", firm.firmness_again, name="firmness_again"),
    path("scenarios/<int:pk>/actuals/", scenario_actuals, name="scenario_actuals"),
    path("scenarios/<int:pk>/decisions/", decisions, name="scenario_decisions"),
    path("scenarios/<int:pk>/goal-seek/", seek.goal_seek, name="goal_seek"),
    path("scenarios/<int:pk>/goal-seek/cancel/", seek.goal_seek_cancel, name="goal_seek_cancel"),
    path("scenarios/<int:pk>/goal-seek/again/", seek.goal_seek_again, name="goal_seek_again"),
    path("scenarios/<int:pk>/optimise/", mix.optimise, name="scenario_optimise"),
    path("scenarios/<int:pk>/optimise/open/", mix.mix_as_scenario, name="scenario_mix_open"),
    path("scenarios/<int:pk>/trade-offs/", mix.trade_offs, name="scenario_front"),
    path("scenarios/<int:pk>/why-not/", mix.why_not, name="scenario_why_not"),
    *(
        path(f"scenarios/<int:pk>/{page}/{word}/", view, {"page": page}, name=f"{name}_{word}")
        for page, name in mix.NAMES.items()
        for word, view in (("cancel", mix.mix_cancel), ("again", mix.mix_again))
    ),
    path("scenarios/<int:pk>/sweeps/", sweeps.sweeps, name="sweeps"),
    path("scenarios/<int:pk>/sweeps/<int:sweep>/", sweeps.sweep_detail, name="sweep"),
    path("scenarios/<int:pk>/sweeps/<int:sweep>/cancel/", sweeps.sweep_stop, name="sweep_cancel"),
    path("scenarios/<int:pk>/sweeps/<int:sweep>/again/", sweeps.sweep_again, name="sweep_again"),
    path("scenarios/<int:pk>/sweeps/<int:sweep>/open/", sweeps.sweep_open, name="sweep_open"),
    path(
        "scenarios/<int:pk>/sweeps/<int:sweep>/points.<str:form>",
        sweeps.sweep_file,
        name="sweep_file",
    ),
    path("scenarios/<int:pk>/halls/", scenario_halls, name="scenario_halls"),
    path("scenarios/<int:pk>/halls/import/", hall_import, name="scenario_hall_import"),
    path("scenarios/<int:pk>/halls/<str:name>", hall_file, name="scenario_hall_file"),
    path("scenarios/<int:pk>/edit/", builder_views.scenario_edit, name="scenario_edit"),
    path("scenarios/<int:pk>/file/", file_views.scenario_file, name="scenario_file"),
    path(
        "scenarios/<int:pk>/export.<str:form>", file_views.scenario_export, name="scenario_export"
    ),
    path("scenarios/<int:pk>/history/", views.scenario_history, name="scenario_history"),
    path("scenarios/<int:pk>/duplicate/", views.duplicate, name="scenario_duplicate"),
    path("scenarios/<int:pk>/archive/", views.archive, name="scenario_archive"),
    path("scenarios/<int:pk>/recalculate/", projections.recalculate, name="recalculate"),
    path(
        "scenarios/<int:pk>/revisions/<int:number>/",
        projections.revision_detail,
        name="revision_detail",
    ),
    path(
        "scenarios/<int:pk>/revisions/<int:number>/restore/",
        views.restore,
        name="scenario_restore",
    ),
    path(
        "projections/<int:pk>/explain/<str:option>/<str:kpi>/", projections.explain, name="explain"
    ),
    path("compare/", comparison, name="compare"),
    path("quotes/", quotes, name="quotes"),
    path("reconcile/", reconcile, name="reconcile"),
    path("reconcile/<slug:example>/", reconcile_example, name="reconcile_example"),
    path("reconcile/<slug:example>/scenario/", reconcile_open, name="reconcile_open"),
    path("", include("planner.reports.urls")),
]
