"""Addresses of the price book under /api/v1/."""

from __future__ import annotations

from django.urls import path

from hardware_catalog.price_book.api import PriceBook, PriceBookEntry, PriceBookTable

urlpatterns = [
    path("price-book/", PriceBook.as_view(), name="api_price_book"),
    path("price-book/table/", PriceBookTable.as_view(), name="api_price_book_table"),
    path("price-book/<int:pk>/", PriceBookEntry.as_view(), name="api_price_book_entry"),
]
