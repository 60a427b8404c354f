"""Addresses of the catalog's pages."""

from __future__ import annotations

from django.urls import path

from hardware_catalog.catalog import import_views, support, views

urlpatterns = [
    path("catalog/", views.catalog, name="catalog"),
    path("catalog/entry/<int:pk>/", views.entry_detail, name="entry"),
    path("catalog/entry/<int:pk>/edit/", views.entry_edit, name="entry_edit"),
    path("catalog/entry/<int:pk>/price/", views.entry_price, name="entry_price"),
    path("catalog/entry/<int:pk>/archive/", views.archive, name="entry_archive"),
    path("catalog/entry/<int:pk>/confirm/", views.confirm, name="entry_confirm"),
    path("catalog/language_model/import/", import_views.model_import_page, name="model_import"),
    path("catalog/support/matrix/", support.support_page, name="support_matrix"),
    path("catalog/<slug:kind>/", views.kind_list, name="kind"),
    path("catalog/<slug:kind>/new/", views.entry_new, name="entry_new"),
    path("catalog/<slug:kind>/list.csv", views.kind_csv, name="kind_csv"),
]
