"""Server time of a full hall's page against an empty view, in one run; prints, never gates.

200 racks with 1,500 servers that stand. Run it as `python bench/hall_page.py`: it makes a database
of its own in the embedded PostgreSQL and drops it at the end.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"
os.environ.setdefault("TCO_TEST_DB", "test_tco_bench")

ROUNDS, WARM_UP = 20, 3
RACKS, SERVERS = 200, 1500
TARGET_MS = 400


def document() -> dict:
    """The old hall with ten rows of twenty racks, full of servers."""
    from tco.document import parse

    base = parse((ROOT / "examples" / "hall.yaml").read_text(encoding="utf-8"))
    site = base["sites"][0]
    racks = [
        {"key": f"r{row}", "row": f"{row}", "count": 20, "cooling_kw": 40} for row in range(10)
    ]
    kit = [{"key": "box", "name": "Box", "units": 4, "nameplate_w": 1500, "weight_kg": 30}]
    names = [f"r{row}-{place:02d}" for row in range(10) for place in range(1, 21)]
    devices = [
        {
            "name": f"box-{number}",
            "kit": "box",
            "rack": names[number % RACKS],
            "unit": 1 + 4 * (number // RACKS),
        }
        for number in range(SERVERS)
    ]
    hall = {"racks": racks, "kit": kit, "devices": devices}
    site |= {"hall": hall, "feed": "415-v-3ph-60-a", "hall_kw": 5000, "utility_kw": 9000}
    return {**base, "name": "Full hall", "sites": [site], "options": base["options"][:1]}


def main() -> None:
    """Time both views and print p50 and their ratio."""
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

    call_command("load_seed_catalog", verbosity=0)
    organisation = Organisation.objects.create(name="Bench")
    user = User.objects.create_user("bench@example.org")
    Membership.objects.create(user=user, organisation=organisation, role="architect")
    scenario = scenario_create(organisation=organisation, document=document(), by=user)
    client = Client()
    client.force_login(user)

    def empty(request):  # the same middleware and session, nothing else
        return HttpResponse(str(request.user.pk))

    addresses = types.ModuleType("bench_addresses")
    addresses.urlpatterns = [path("empty/", empty), path("", include("config.urls"))]
    sys.modules["bench_addresses"] = addresses

    def run(url: str) -> tuple[list[float], int]:
        times, size = [], 0
        for number in range(ROUNDS + WARM_UP):
            started = time.perf_counter()
            answer = client.get(url)
            elapsed = 1e3 * (time.perf_counter() - started)
            assert answer.status_code == 200, answer.content[:300]
            size = len(answer.content)
            if number >= WARM_UP:
                times.append(elapsed)
        return times, size

    with override_settings(ROOT_URLCONF="bench_addresses"):
        started = time.perf_counter()
        client.get(f"/scenarios/{scenario.pk}/halls/")
        print(f"first view, projected: {time.perf_counter() - started:.2f} s")
        nothing, _ = run("/empty/")
        page, size = run(f"/scenarios/{scenario.pk}/halls/?rack=r5-07")
    for name, times in (("empty view", nothing), ("full hall", page)):
        print(f"{name:12} p50 {statistics.median(times):7.1f} ms ({len(times)} views)")
    middle = statistics.median(page)
    verdict = "within" if middle <= TARGET_MS else "above"
    print(
        f"ratio of the medians {middle / statistics.median(nothing):.1f};"
        f" {verdict} the target of {TARGET_MS} ms; page of {size / 1000:.0f} kB"
    )


if __name__ == "__main__":
    main()
