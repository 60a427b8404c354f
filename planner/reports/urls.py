"""Addresses of downloads; included by planner.urls."""

from __future__ import annotations

from django.urls import path

from planner.reports import views

urlpatterns = [
    path("projections/<int:pk>/workbook.xlsx", views.workbook, name="workbook"),
    path("projections/<int:pk>/ledger.csv", views.ledger_csv, name="ledger_csv"),
    path("projections/<int:pk>/decisions.csv", views.decisions_csv, name="decisions_csv"),
    path("projections/<int:pk>/performance.csv", views.performance_csv, name="performance_csv"),
]
