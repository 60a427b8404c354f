"""Every page of the site, found by its address, for the tests that visit all of them."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, get_resolver

# Addresses that are not pages: downloads, probes, the API.
NOT_PAGES = ("api/", "healthz", "static/", "agent/")


def _walk(patterns, prefix=""):
    for entry in patterns:
        route = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from _walk(entry.url_patterns, route)
        elif isinstance(entry, URLPattern):
            yield route, entry


def page_routes() -> list[str]:
    """Routes of pages, with their parameters unfilled."""
    return sorted(
        route for route, _ in _walk(get_resolver().url_patterns) if not route.startswith(NOT_PAGES)
    )
