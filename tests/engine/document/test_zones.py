"""Legal zones in a scenario: the published example, premiums by brute force, bad input (F17)."""

from __future__ import annotations

import copy
import itertools
import math
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.document import resolve
from tco.errors import InputErrors
from tco.projection import project
from tco.uncertainty.assess import assess

CATALOG = SeedCatalog()


def document(demand: float, parts: list[float], spares: int = 1, **more: Any) -> dict[str, Any]:
    """A measured service whose demand is worth so many servers, in zones."""
    return written(demand * requests_per_server_minute(), parts, spares) | more


def written(requests_per_minute: float, parts: list[float], spares: int) -> dict[str, Any]:
    """The same by its request rate."""
    keys = [f"z{index}" for index in range(len(parts))]
    service = {
        "name": "service",
        "server": "box",
        "source": "test",
        "points": [
            {"concurrency": c, "requests_per_s": c / 10, "p50_ms": 10, "p95_ms": 20, "p99_ms": 30}
            for c in (5, 10)
        ],
    }
    return {
        "schema": "tco-scenario/1",
        "name": "Zones",
        "finance": {
            "valuation_date": "2026-12-01",
            "horizon_months": 12,
            "discount_rate_fraction": 0.1,
        },
        "catalog": {
            "servers": [
                {
                    "key": "box",
                    "name": "Box",
                    "vendor": "Example",
                    "device": "l4",
                    "device_count": 1,
                    "rack_units": 1,
                    "host_w": 100,
                    "psu_efficiency_fraction": 0.9,
                    "psu_count": 2,
                    "weight_kg": 20,
                    "price_usd": 10000,
                }
            ]
        },
        "sites": [
            {
                "key": f"s{key}",
                "country": "DE",
                "energy_usd_per_kwh": 0.1 + 0.05 * index,
                "pue": 1.2,
                "slot_w": 500,
            }
            for index, key in enumerate(keys)
        ],
        "zones": [
            {"key": key, "site": f"s{key}", "demand_fraction": part, "spare_replicas": spares}
            for key, part in zip(keys, parts, strict=True)
        ],
        "workloads": [
            {
                "key": "w",
                "service": service,
                "requests_per_minute": requests_per_minute,
                "replicas_lost": spares,
            }
        ],
        "options": [
            {
                "key": "apart",
                "zones": keys,
                "fleets": [{"key": "box", "workload": "w", "server": "box", "purchase": {}}],
            }
        ],
    }


@cache
def requests_per_server_minute() -> float:
    """What the sizing lets one server carry (theta)."""
    alone = project(resolve(written(60.0, [1.0], 0), CATALOG)).options[0].fleets[0]
    assert alone.count_rule is not None
    return 60.0 / alone.count_rule.month_0_replicas


def ways(keys: list[str], rule: str = "allowed") -> list[dict[str, Any]]:
    """Every pair, both ways."""
    costs = {"usd_per_month": 100} if rule == "allowed_with_cost" else {}
    return [
        {"from_zone": a, "to_zone": b, "rule": rule, **costs}
        for a, b in itertools.permutations(keys, 2)
    ]


def of(given: dict[str, Any]) -> Any:
    """The zones of the first option."""
    found = project(resolve(given, CATALOG)).options[0]
    assert found.feasible, [fleet.binds for fleet in found.fleets]
    return found.zones


def test_the_published_example_as_a_scenario():
    """WE52: 100 servers' worth in three zones, one spare each: 105 against 101, 3.96 %."""
    found = of(document(100, [1 / 3, 1 / 3, 1 / 3]))
    assert [zone.servers for zone in found.zones] == [35, 35, 35]
    assert (found.servers, found.pool_servers, found.premium_servers) == (105, 101, 4)
    assert found.premium_servers_fraction == pytest.approx(0.0396, rel=1e-3)
    assert "4 servers (4.0%) more than one pool" in found.sentence


def test_the_premium_by_brute_force():
    """Zones and pool as plain options at the same sites: the same money to the cent."""
    parts = [0.5, 0.3, 0.2]
    given = document(23.4, parts)
    found = of(given)
    pools = []
    for index, site in enumerate(given["sites"]):
        plain = copy.deepcopy(given)
        for name in ("zones",):
            del plain[name]
        plain["options"] = [
            {
                "key": "pool",
                "fleets": [{"key": "b", "workload": "w", "server": "box", "site": site["key"]}],
            }
        ]
        pools.append(project(resolve(plain, CATALOG)).options[0])
        part = copy.deepcopy(plain)
        part["workloads"][0]["requests_per_minute"] *= parts[index]
        alone = project(resolve(part, CATALOG)).options[0]
        assert found.zones[index].servers == alone.fleets[0].servers
        assert found.zones[index].cost_usd == pytest.approx(alone.kpis["tco_usd"].value)
        assert alone.fleets[0].servers == math.ceil(23.4 * parts[index] - 1e-9) + 1
    cheapest = min(pool.kpis["tco_usd"].value for pool in pools)
    assert found.pool_zone == "z0"
    assert found.pool_usd == pytest.approx(cheapest)
    total = sum(zone.cost_usd for zone in found.zones)
    assert found.premium_usd == pytest.approx(total - cheapest)
    assert found.premium_fraction == pytest.approx((total - cheapest) / cheapest)


def test_staff_certificates_tax_and_ways_are_lines():
    """Least staff tops up what the servers pay; a way is paid while it is used."""
    given = document(9.5, [0.6, 0.4], transfers=ways(["z0", "z1"], "allowed_with_cost"))
    given["zones"][0] |= {
        "staff_minimum_usd_per_year": 50_000,
        "licences_usd_per_year": 1_200,
        "sales_tax_fraction": 0.2,
    }
    given["zones"][1] |= {"staff_minimum_usd_per_year": 1}
    purchase = given["options"][0]["fleets"][0]["purchase"]
    purchase |= {"staff_usd_per_server_year": 1_000, "sales_tax_fraction": 0.05}
    option = project(resolve(given, CATALOG)).options[0]
    lines = {(x.key, x.fleet): x.total_usd for x in option.ledger.lines}
    here, there = (zone.servers for zone in option.zones.zones)
    assert lines["zone_staff_minimum", "box-z0"] == pytest.approx(50_000 - 1_000 * here)
    assert lines["zone_staff_minimum", "box-z1"] == 0.0
    assert lines["zone_licences", "box-z0"] == pytest.approx(1_200)
    assert lines["sales_tax", "box-z0"] == pytest.approx(0.2 * 10_000 * here)
    assert lines["sales_tax", "box-z1"] == pytest.approx(0.05 * 10_000 * there)
    assert not any(key == "zone_transfer" for key, _ in lines)
    given["options"][0]["placements"] = [{"zone": "z1", "served_in": "z0"}]
    moved = project(resolve(given, CATALOG)).options[0]
    lines = {(x.key, x.fleet): x.total_usd for x in moved.ledger.lines}
    assert lines["zone_transfer", "box-z0"] == pytest.approx(12 * 100)
    assert [zone.serves for zone in moved.zones.zones] == [("z0", "z1")]
    assert moved.zones.servers == math.ceil(9.5) + 1


def test_a_zone_that_fails_over_keeps_no_spare():
    """Its spare is the other's, along an allowed pair only."""
    given = document(10, [0.5, 0.5], transfers=ways(["z0", "z1"]))
    given["options"][0]["placements"] = [{"zone": "z1", "failover_to": "z0"}]
    assert [zone.servers for zone in of(given).zones] == [6, 5]


def test_water_and_carbon_are_those_of_the_zone():
    """Litres: IT energy x WUE; carbon by the grid of the site."""
    given = document(5, [0.5, 0.5])
    given["sites"][0]["wue_l_per_kwh"] = 1.5
    given["sites"][0]["grid_gco2_per_kwh"] = 400
    option = project(resolve(given, CATALOG)).options[0]
    zone = option.zones.zones[0]
    power = option.power[0]
    assert zone.water_litres_per_year == pytest.approx(power.it_average_kw * 8760 * 1.5)
    assert zone.tco2e_per_year == pytest.approx(power.kwh_per_year * 400 / 1e6)
    assert option.zones.zones[1].water_litres_per_year is None


@settings(max_examples=25, deadline=None)
@given(
    demand=st.floats(0.5, 60.0),
    cuts=st.lists(st.integers(1, 9), min_size=2, max_size=4),
    spares=st.integers(0, 2),
)
def test_one_pool_never_needs_more_servers(demand, cuts, spares):
    """ceil of a sum is at most the sum of ceils, and one spare at most one each."""
    found = of(document(demand, [cut / sum(cuts) for cut in cuts], spares))
    assert found.pool_servers <= found.servers
    assert sum(zone.servers for zone in found.zones) == found.servers


@settings(max_examples=6, deadline=None)
@given(demand=st.floats(0.5, 40.0), cuts=st.lists(st.integers(1, 9), min_size=3, max_size=3))
def test_stricter_residency_is_never_cheaper(demand, cuts):
    """The cheapest allowed placement: fewer allowed pairs, never less cost."""
    keys = ["z0", "z1", "z2"]
    all_ways = ways(keys)
    parts = [cut / sum(cuts) for cut in cuts]

    def cheapest(allowed: set[tuple[str, str]]) -> float:
        costs = []
        for to in itertools.product(keys, repeat=3):
            pairs = {(a, b) for a, b in zip(keys, to, strict=True) if a != b}
            through = any(b in {x for x, _ in pairs} for _, b in pairs)
            if through or not pairs <= allowed:
                continue
            listed = [
                way
                | {
                    "rule": "allowed"
                    if (way["from_zone"], way["to_zone"]) in allowed
                    else "forbidden"
                }
                for way in all_ways
            ]
            given = document(demand, parts, transfers=listed)
            placed = [{"zone": a, "served_in": b} for a, b in sorted(pairs)]
            if placed:
                given["options"][0]["placements"] = placed
            costs.append(of(given).cost_usd)
        return min(costs)

    none, some = cheapest(set()), cheapest({("z1", "z0"), ("z2", "z0")})
    free = cheapest({(way["from_zone"], way["to_zone"]) for way in all_ways})
    assert free <= some + 1e-6
    assert some <= none + 1e-6


def errors(given: dict[str, Any]) -> dict[str, str]:
    """Errors by path."""
    with pytest.raises(InputErrors) as caught:
        resolve(given, CATALOG)
    return {e.field: f"{e.message}; {e.mend}" for e in caught.value.errors}


def test_the_matrix_names_zones_it_knows_and_both_ways():
    """An unknown zone, a pair twice, a way back that is missing, a zone to itself."""
    listed = [
        {"from_zone": "z0", "to_zone": "z9", "rule": "allowed"},
        {"from_zone": "z0", "to_zone": "z1", "rule": "allowed"},
        {"from_zone": "z0", "to_zone": "z1", "rule": "forbidden"},
        {"from_zone": "z1", "to_zone": "z1", "rule": "allowed"},
        {"from_zone": "z1", "to_zone": "z0", "rule": "allowed_with_cost"},
        {"from_zone": "z1", "to_zone": "z0", "rule": "forbidden", "usd_per_gb_moved": 1},
    ]
    found = errors(document(3, [0.5, 0.5], transfers=listed))
    assert "no zone has the key 'z9'" in found["transfers[0].to_zone"]
    assert "z0 to z1 is given twice" in found["transfers[2].to_zone"]
    assert "to itself" in found["transfers[3].to_zone"]
    assert found["transfers[4].usd_per_month"].startswith("is missing; enter what it costs")
    assert "does not go with rule 'forbidden'" in found["transfers[5].usd_per_gb_moved"]
    assert found["transfers[5].gb_per_month"] == "is missing; usd_per_gb_moved needs it"
    one = [{"from_zone": "z0", "to_zone": "z1", "rule": "allowed"}]
    found = errors(document(3, [0.5, 0.5], transfers=one))
    assert "the way back from z1 to z0 is not given; add it" in found["transfers[0]"]


def test_data_goes_only_where_it_may():
    """Served in or failing over to a zone that is forbidden, not given, unknown, itself."""
    given = document(3, [0.5, 0.3, 0.2], transfers=ways(["z0", "z1"], "forbidden"))
    option = given["options"][0]
    option["placements"] = [
        {"zone": "z0", "failover_to": "z1"},
        {"zone": "z1", "served_in": "z2"},
        {"zone": "z2", "failover_to": "z2"},
        {"zone": "z9", "served_in": "z0"},
    ]
    found = errors(given)
    place = "options[0].placements"
    said = found[f"{place}[0].failover_to"]
    assert "has no machines" in said or "z0 may not go to z1: the transfer is forbidden" in said
    assert "the transfer is not given" in found[f"{place}[1].served_in"]
    assert (
        "cannot stand in for itself" in found[f"{place}[2].failover_to"]
        or "no spares" in (found[f"{place}[2].failover_to"])
    )
    assert "'z9' is not a zone of this option" in found[f"{place}[3].zone"]
    option["placements"] = [{"zone": "z0", "failover_to": "z1"}]
    assert errors(given)[f"{place}[0].failover_to"] == (
        "data of z0 may not go to z1: the transfer is forbidden;"
        " leave it out, or allow the pair in transfers"
    )


def test_no_zone_is_left_without_demand_machines_or_a_share():
    """Demand of nought, parts that are not 1, a zone that no fleet serves, a site too many."""
    given = document(3, [0.0, 0.9])
    found = errors(given)
    assert found["zones[0].demand_fraction"].startswith("the zone has no demand; enter its part")
    assert "add up to 0.9; make them add up to 1" in found["options[0].zones"]
    given = document(3, [0.5, 0.5])
    given["options"][0]["fleets"][0] |= {"zones": ["z0"], "site": "sz0"}
    found = errors(given)
    assert found["options[0].zones"].startswith("no fleet may serve w in z1; add z1 to the zones")
    assert "stands at the zones' sites" in found["options[0].fleets[0].site"]
    given = document(3, [0.5, 0.5])
    given["options"][0]["zones"] = ["z0", "z1", "zz"]
    given["options"][0]["fleets"][0]["zones"] = ["z0", "z1", "z7"]
    found = errors(given)
    assert "no zone has the key 'zz'" in found["options[0].zones"]
    assert "'z7' is not a zone of this option" in found["options[0].fleets[0].zones"]
    given = document(3, [0.5, 0.5])
    del given["zones"][1]["site"]
    assert "z1 has no site" in errors(given)["options[0].fleets[0].zones"]
    given["zones"][1]["site"] = "sz8"
    assert "no site has the key 'sz8'" in errors(given)["zones[1].site"]
    given = document(3, [0.5, 0.5])
    del given["options"][0]["zones"]
    given["options"][0]["fleets"][0] |= {"zones": ["z0"], "site": "sz0"}
    assert "the option names no zones" in errors(given)["options[0].fleets[0].zones"]


def test_shares_of_fleets_add_up_in_each_zone():
    """Two fleets that share one zone, one of which has the other zone alone."""
    given = document(10, [0.5, 0.5])
    own = given["options"][0]["fleets"][0]
    given["options"][0]["fleets"] = [
        own | {"zones": ["z0"], "share_fraction": 0.8},
        own | {"key": "more", "zones": ["z0"], "share_fraction": 0.4},
        own | {"key": "other", "zones": ["z1"]},
    ]
    found = errors(given)
    assert "add up to 1.2" in found["options[0].fleets[1].share_fraction"]
    given["options"][0]["fleets"][1]["share_fraction"] = 0.2
    zones = of(given).zones
    assert sum(zone.demand_fraction for zone in zones) == pytest.approx(1.0)
    assert zones[1].servers == 6


def test_machines_outside_the_law_of_their_zone_are_an_error():
    """A site in Germany cannot hold what is under the law of Sweden; the option is not possible."""
    given = document(3, [0.5, 0.5])
    given["zones"][1]["country"] = "SE"
    result = project(resolve(given, CATALOG))
    (found,) = [x for x in result.findings if x.code == "outside_its_zone"]
    assert found.field == "options[0].zones[1]"
    assert "DE" in found.message
    assert "SE" in found.mend
    assert not result.options[0].feasible


def test_zones_are_drawn_with_the_rest():
    """A range on a zone's least staff moves the total, one draw for the zone."""
    given = document(3, [0.5, 0.5])
    given["zones"][0]["staff_minimum_usd_per_year"] = "10000 to 90000"
    found = assess(resolve(given, CATALOG), draws=300)
    assert any("staff minimum" in driver.label for driver in found.drivers)
