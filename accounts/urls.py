"""Addresses of sign-in and tokens."""

from __future__ import annotations

from django.urls import path

from accounts import views

app_name = "accounts"

urlpatterns = [
    path("sign-in/", views.sign_in, name="sign_in"),
    path("sign-out/", views.sign_out, name="sign_out"),
    path("link/<str:secret>/", views.sign_in_link, name="sign_in_link"),
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/new/", views.token_new, name="token_new"),
    path("tokens/<slug:key_id>/revoke/", views.token_end, name="token_revoke"),
]
