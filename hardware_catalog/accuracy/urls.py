"""Address of the accuracy page."""

from __future__ import annotations

from django.urls import path

from hardware_catalog.accuracy import views

urlpatterns = [path("measurements/accuracy/", views.accuracy, name="accuracy")]
