"""Addresses of sign-in and tokens."""

from __future__ import annotations

from django.urls import path

app_name = "accounts"

urlpatterns: list = []
