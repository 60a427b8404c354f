"""Addresses of the price book's pages."""

from __future__ import annotations

from django.urls import path

from hardware_catalog.price_book import views

urlpatterns = [
    path("catalog/price-book/", views.price_book, name="price_book"),
    path("catalog/price-book/new/", views.price_book_new, name="price_book_new"),
    path("catalog/price-book/table/", views.price_book_table, name="price_book_table"),
    path("catalog/price-book/list.csv", views.price_book_csv, name="price_book_csv"),
    path(
        "catalog/price-book/<int:pk>/withdraw/",
        views.price_book_withdraw,
        name="price_book_withdraw",
    ),
]
