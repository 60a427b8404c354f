"""Paging of API lists."""

from __future__ import annotations

from rest_framework.pagination import PageNumberPagination


class NumberedPages(PageNumberPagination):
    """Numbered pages; `?page_size=` up to 1,000."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 1000
