"""Every page of the site, filled with what is in the database.

A new route must be given an address here or named as no page; else the test that visits all pages
fails.
"""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, get_resolver

# Not pages: the API, files, probes, and addresses that only take a POST.
NOT_PAGES = frozenset(
    {
        "healthz",
        "accounts/sign-out/",
        "accounts/link/<str:secret>/",  # burns a link; has a test of its own
        "accounts/tokens/<slug:key_id>/revoke/",
        "accounts/tokens/new/",
        "agent/tco-agent.pyz",
        "agent/tco-agent.pyz.sha256",
        "catalog/<slug:kind>/list.csv",
        "catalog/entry/<int:pk>/archive/",
        "measurements/<uuid:run_id>/document/",
        "projections/<int:pk>/decisions.csv",
        "projections/<int:pk>/ledger.csv",
        "projections/<int:pk>/performance.csv",
        "projections/<int:pk>/workbook.xlsx",
        "scenarios/<int:pk>/archive/",
        "reconcile/<slug:example>/scenario/",
        "scenarios/<int:pk>/duplicate/",
        "scenarios/<int:pk>/export.<str:form>",
        "scenarios/<int:pk>/recalculate/",
        "scenarios/<int:pk>/revisions/<int:number>/restore/",
        "scenarios/<int:pk>/goal-seek/cancel/",
        "scenarios/<int:pk>/goal-seek/again/",
        "scenarios/<int:pk>/uncertainty/cancel/",
        "scenarios/<int:pk>/uncertainty/again/",
        "scenarios/preview/",
        "catalog/price-book/<int:pk>/withdraw/",
        "catalog/price-book/table/",
        "catalog/price-book/list.csv",
        "scenarios/<int:pk>/halls/<str:name>",
        "scenarios/<int:pk>/halls/import/",
        "scenarios/<int:pk>/optimise/open/",
        "scenarios/<int:pk>/sweeps/<int:sweep>/open/",
        "scenarios/<int:pk>/sweeps/<int:sweep>/points.<str:form>",
        *(
            f"scenarios/<int:pk>/{part}/{word}/"
            for part in ("optimise", "trade-offs", "why-not", "firmness", "sweeps/<int:sweep>")
            for word in ("cancel", "again")
        ),
    }
)

# Answers 422: the error state is a page too.
UNUSABLE_ESTIMATE = "/?model=nothing-like-it&requests_per_minute=-5&region=nowhere"


def _walk(patterns, prefix=""):
    for entry in patterns:
        route = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from _walk(entry.url_patterns, route)
        elif isinstance(entry, URLPattern):
            yield route


def page_routes() -> list[str]:
    """Routes of pages, with their parameters unfilled."""
    return sorted(
        route
        for route in _walk(get_resolver().url_patterns)
        if not route.startswith("api/") and route not in NOT_PAGES
    )


def page_addresses() -> dict[str, list[str]]:
    """Addresses that show each route with something in it."""
    from hardware_catalog.models import BenchmarkRun, CatalogEntry
    from planner.models import Projection, Scenario, Sweep

    scenarios = list(Scenario.objects.order_by("pk"))
    run = BenchmarkRun.objects.order_by("pk").first()
    own = CatalogEntry.objects.filter(organisation__isnull=False).first()
    device = CatalogEntry.objects.get(kind="device", key="h100-sxm")
    server = CatalogEntry.objects.filter(kind="server").first()
    model = CatalogEntry.objects.filter(kind="language_model").first()
    projection = Projection.objects.order_by("pk").first()
    option = projection.result["options"][0]["key"]
    kinds = sorted(set(CatalogEntry.objects.values_list("kind", flat=True)))
    of_scenario = {
        f"scenarios/<int:pk>/{tail}": [f"/scenarios/{scenarios[0].pk}/{tail}"]
        for tail in (
            *("actuals/", "decisions/", "edit/", "file/", "history/", "uncertainty/"),
            "goal-seek/",
        )
    }
    mixed = scenarios[0].pk
    sweep = Sweep.objects.order_by("pk").first()
    of_scenario |= {
        "scenarios/<int:pk>/sweeps/": [f"/scenarios/{scenarios[0].pk}/sweeps/"],
        "scenarios/<int:pk>/sweeps/<int:sweep>/": [
            f"/scenarios/{sweep.revision.scenario_id}/sweeps/{sweep.pk}/"
        ],
        "scenarios/<int:pk>/firmness/": [f"/scenarios/{one.pk}/firmness/" for one in scenarios[:2]],
        "scenarios/<int:pk>/optimise/": [f"/scenarios/{mixed}/optimise/"],
        "scenarios/<int:pk>/trade-offs/": [
            f"/scenarios/{mixed}/trade-offs/",
            f"/scenarios/{mixed}/trade-offs/?objective=usd&seconds=30",
        ],
        "scenarios/<int:pk>/why-not/": [
            f"/scenarios/{mixed}/why-not/",
            f"/scenarios/{mixed}/why-not/?option=gaudi3",
        ],
    }
    return {
        "": ["/", UNUSABLE_ESTIMATE],
        "accounts/sign-in/": ["/accounts/sign-in/"],
        "accounts/tokens/": ["/accounts/tokens/"],
        "catalog/": ["/catalog/"],
        "catalog/<slug:kind>/": [
            *(f"/catalog/{kind}/" for kind in kinds),
            "/catalog/device/?search=nothing-like-it",
        ],
        "catalog/price-book/": ["/catalog/price-book/"],
        "catalog/price-book/new/": ["/catalog/price-book/new/"],
        "catalog/support/matrix/": [
            "/catalog/support/matrix/",
            "/catalog/support/matrix/?framework=vllm&search=nothing-like-it",
        ],
        "catalog/<slug:kind>/new/": ["/catalog/device/new/"],
        "catalog/language_model/import/": ["/catalog/language_model/import/"],
        "catalog/entry/<int:pk>/": [
            f"/catalog/entry/{entry.pk}/" for entry in (device, server, model, own) if entry
        ],
        "catalog/entry/<int:pk>/confirm/": [f"/catalog/entry/{own.pk}/confirm/"],
        "catalog/entry/<int:pk>/edit/": [f"/catalog/entry/{device.pk}/edit/"],
        "catalog/entry/<int:pk>/price/": [f"/catalog/entry/{device.pk}/price/"],
        "compare/": [
            "/compare/",
            f"/compare/?a={scenarios[0].pk}&b={scenarios[1].pk}",
        ],
        "home/": ["/home/"],
        "measurements/": ["/measurements/"],
        "measurements/accuracy/": ["/measurements/accuracy/"],
        "measurements/<uuid:run_id>/": [f"/measurements/{run.run_id}/"],
        "measurements/devices/<slug:key>/": [f"/measurements/devices/{own.key}/"],
        "projections/<int:pk>/explain/<str:option>/<str:kpi>/": [
            f"/projections/{projection.pk}/explain/{option}/tco_usd/"
        ],
        "quotes/": ["/quotes/"],
        "reconcile/": ["/reconcile/"],
        "reconcile/<slug:example>/": ["/reconcile/WE01/", "/reconcile/WE24/"],
        "scenarios/": ["/scenarios/", "/scenarios/?search=nothing-like-it"],
        "scenarios/<int:pk>/": [f"/scenarios/{scenario.pk}/" for scenario in scenarios],
        "scenarios/<int:pk>/halls/": [
            f"/scenarios/{scenario.pk}/halls/?lost=cdu-1" for scenario in scenarios
        ],
        "scenarios/<int:pk>/revisions/<int:number>/": [
            f"/scenarios/{scenarios[0].pk}/revisions/1/"
        ],
        "scenarios/import/": ["/scenarios/import/"],
        "scenarios/new/": ["/scenarios/new/"],
        **of_scenario,
    }
