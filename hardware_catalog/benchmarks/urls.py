"""Addresses of measurements and of the agent."""

from __future__ import annotations

from django.urls import path

from hardware_catalog.benchmarks import views

urlpatterns = [
    path("measurements/", views.runs, name="run_list"),
    path("measurements/<uuid:run_id>/", views.run, name="run_detail"),
    path("measurements/<uuid:run_id>/document/", views.run_document, name="run_document"),
    path("measurements/devices/<slug:key>/", views.device, name="measured_device"),
    path("agent/tco-agent.pyz", views.agent_file, name="agent_zipapp"),
    path("agent/tco-agent.pyz.sha256", views.agent_checksum, name="agent_checksum"),
]
