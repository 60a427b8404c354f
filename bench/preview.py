"""Server time of the live preview against an empty view, in one run; prints, never gates.

A scenario of 3 sites, 5 workloads and 8 fleets is posted as the builder posts it, with one figure
changed each time, as after a keystroke. Run it as `python bench/preview.py`: it makes a database of
its own in the embedded PostgreSQL and drops it at the end.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
import types
from pathlib import Path
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"
os.environ.setdefault("TCO_TEST_DB", "test_tco_bench")

ROUNDS = 60
WARM_UP = 5
TARGET_MS = 150


def document() -> dict:
    """3 sites, 5 workloads, 8 fleets in two options."""
    from tco.document import parse

    base = parse((ROOT / "examples" / "chat.yaml").read_text(encoding="utf-8"))
    site, work = base["sites"][0], base["workloads"][0]
    fleet = base["options"][0]["fleets"][0]
    rented = next(
        fleet for option in base["options"] for fleet in option["fleets"] if "offer" in fleet
    )
    rates = (12000, 6000, 3000, 1500, 800)
    sites = [{**site, "key": f"site-{n}", "name": f"Site {n}"} for n in range(3)]
    workloads = [
        {**work, "key": f"work-{n}", "name": f"Workload {n}", "requests_per_minute": rate}
        for n, rate in enumerate(rates)
    ]
    fleets = [
        {**fleet, "key": f"own-{n}", "workload": f"work-{n}", "site": f"site-{n % 3}"}
        for n in range(5)
    ]
    cloud = [{**rented, "key": f"rent-{n}", "workload": f"work-{n}"} for n in range(3)]
    for item in [*fleets, *cloud]:
        item.pop("migration", None)
    return {
        **base,
        "name": "Bench",
        "sites": sites,
        "workloads": workloads,
        "options": [
            {"key": "own", "name": "Own", "fleets": fleets},
            {"key": "rent", "name": "Rent", "fleets": cloud},
        ],
    }


def percentile(values: list[float], share: float) -> float:
    """Return the value below which `share` of the values lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def main() -> None:
    """Time both views and print p50, p95 and their ratio."""
    import django

    django.setup()
    from django.conf import settings
    from django.test.utils import get_runner, setup_test_environment, teardown_test_environment

    setup_test_environment()
    runner = get_runner(settings)(verbosity=0, interactive=False)
    databases = runner.setup_databases()
    try:
        measure()
    finally:
        runner.teardown_databases(databases)
        teardown_test_environment()


def measure() -> None:
    """Time against the database that is set up."""
    from django.core.management import call_command
    from django.http import HttpResponse
    from django.test import Client, override_settings
    from django.urls import include, path

    from accounts.models import Membership, Organisation, User
    from planner.scenarios.services import scenario_create
    from tests.planner.posted import posted_form

    call_command("load_seed_catalog", verbosity=0)
    organisation = Organisation.objects.create(name="Bench")
    user = User.objects.create_user("bench@example.org")
    Membership.objects.create(user=user, organisation=organisation, role="architect")
    scenario = scenario_create(organisation=organisation, document=document(), by=user)
    client = Client()
    client.force_login(user)
    page = client.get(f"/scenarios/{scenario.pk}/edit/")
    fields = posted_form(page.content.decode())

    def empty(request):  # the same middleware and session, nothing else
        return HttpResponse(str(request.user.pk))

    addresses = types.ModuleType("bench_addresses")
    addresses.urlpatterns = [path("empty/", empty), path("", include("config.urls"))]
    sys.modules["bench_addresses"] = addresses

    def run(url: str) -> list[float]:
        times = []
        for number in range(ROUNDS + WARM_UP):
            fields["workloads[0].requests_per_minute"] = [str(12000 + number)]
            body = urlencode(fields, doseq=True)  # as htmx sends it
            started = time.perf_counter()
            answer = client.post(url, body, content_type="application/x-www-form-urlencoded")
            elapsed = 1e3 * (time.perf_counter() - started)
            assert answer.status_code == 200, answer.content
            if number >= WARM_UP:
                times.append(elapsed)
        return times

    with override_settings(ROOT_URLCONF="bench_addresses"):
        nothing = run("/empty/")
        preview = run("/scenarios/preview/")
    for name, times in (("empty view", nothing), ("preview", preview)):
        p50, p95 = statistics.median(times), percentile(times, 0.95)
        print(f"{name:12} p50 {p50:7.1f} ms   p95 {p95:7.1f} ms   ({len(times)} posts)")
    ratio = statistics.median(preview) / statistics.median(nothing)
    p95 = percentile(preview, 0.95)
    verdict = "within" if p95 <= TARGET_MS else "above"
    print(f"ratio of the medians {ratio:.1f}; p95 {verdict} the target of {TARGET_MS} ms")


if __name__ == "__main__":
    main()
