"""Whole scenario documents from a seed: valid by construction, of every kind the format carries.

Loads and machines come from small pools, so that sizes are worked out once and thousands of
documents differ in what they are about here: money, places, tariffs, terms, dates.
"""

from __future__ import annotations

import json
from random import Random

import yaml

from tests.generated.purchases import (
    Mapping,
    api,
    figure,
    maybe,
    migration,
    purchase,
    rental,
    retraining,
    staffing,
)

DAY = [
    *(0.35, 0.30, 0.27, 0.25, 0.27, 0.33, 0.45, 0.60, 0.78, 0.90, 0.97, 1.0),
    *(0.98, 0.99, 1.0, 0.98, 0.95, 0.90, 0.85, 0.80, 0.72, 0.62, 0.52, 0.42),
]
SERVERS = [
    {"server": "supermicro-sys-821ge-tnhr", "device": "h100-sxm"},
    {"server": "supermicro-as-8125gs-tnmr2"},
    {"server": "supermicro-sys-822ga-ngr3"},
    {"server": "nvidia-dgx-h200"},
    {"server": "nvidia-dgx-b200"},
    {"server": "hall-box"},
]
OFFERS = ["aws-p5-48xlarge-us-east-1", "aws-p4d-24xlarge-us-east-1"]
REGIONS = ["US-VA", "DE", "SG", "US-TX", "SE"]
COUNTS = [1, 2, 3, 7, 12]
OWN_SERVER: Mapping = {
    "key": "hall-box",
    "name": "A box of this scenario",
    "device": "l40s",
    "device_count": 4,
    "rack_units": 4,
    "max_system_w": 2400,
    "host_w": 500,
    "price_usd": 48_000,
}
SERVICE: Mapping = {
    "name": "ranker",
    "server": "any",
    "source": "drawn",
    "points": [
        {"concurrency": 1, "requests_per_s": 40, "p50_ms": 20, "p95_ms": 30, "p99_ms": 40},
        {"concurrency": 8, "requests_per_s": 200, "p50_ms": 30, "p95_ms": 50, "p99_ms": 70},
        {"concurrency": 32, "requests_per_s": 300, "p50_ms": 80, "p95_ms": 150, "p99_ms": 220},
    ],
}


class _Plain(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """Writes every value out: the format knows no aliases."""

    def ignore_aliases(self, data: object) -> bool:
        """Nothing is referred to."""
        return True


def scenario_document(seed: int) -> Mapping:
    """The document of a seed: 1 to 4 options of 1 or 2 fleets, at 1 to 3 sites."""
    rng = Random(seed)
    months = rng.choice([1, 6, 12, 24, 36, 60])
    workloads = [_workload(rng, f"w{n}") for n in range(rng.choice([1, 1, 1, 2]))]
    sites = [_site(rng, f"s{n}") for n in range(rng.randint(1, 3))]
    document: Mapping = {
        "schema": "tco-scenario/1",
        "name": f"Drawn {seed}",
        "finance": _finance(rng, months),
        "catalog": {"servers": [dict(OWN_SERVER)]},
        "sites": sites,
        "workloads": workloads,
        "options": [
            _option(rng, f"o{n}", workloads, sites, months)
            for n in range(rng.choice([1, 1, 2, 2, 3, 4]))
        ],
    }
    if rng.random() < 0.15:
        document["staffing"] = staffing(rng)
    return document


def text_of(document: Mapping, seed: int) -> str:
    """YAML of even seeds, JSON of odd ones: what a person would save."""
    if seed % 2:
        return json.dumps(document)
    return str(yaml.dump(document, Dumper=_Plain, sort_keys=False))


def _finance(rng: Random, months: int) -> Mapping:
    given: Mapping = {
        "valuation_date": rng.choice(["2026-12-01", "2026-03-01", "2027-07-01"]),
        "horizon_months": months,
        "discount_rate_fraction": figure(rng, 0.0, 0.2),
        "monthly_rate": rng.choice(["effective", "nominal"]),
        "hours_mode": rng.choice(["730", "720", "calendar"]),
        "escalation_mode": rng.choice(["annual_step", "monthly"]),
        "fiscal_year_start_month": rng.choice([1, 4, 7, 10]),
        "lease_standard": rng.choice(["asc_842", "ifrs_16"]),
    }
    maybe(rng, given, "electricity_escalation_fraction", -0.02, 0.06)
    maybe(rng, given, "opex_escalation_fraction", -0.02, 0.06)
    if rng.random() < 0.25:
        given["tax"] = {
            "rate_fraction": figure(rng, 0.1, 0.4),
            "depreciation": rng.choice(["straight_line", "declining", "macrs_5", "macrs_7"]),
            "life_years": 5,
            "bonus_fraction": rng.choice([0, 0.4]),
        }
        given["discount_basis"] = "nominal_after_tax"
    return given


def _site(rng: Random, key: str) -> Mapping:
    given: Mapping = {
        "key": key,
        "region": rng.choice(REGIONS),
        "energy_usd_per_kwh": figure(rng, 0.03, 0.4),
        "pue": figure(rng, 1.02, 2.0),
        "slot_w": 1500,
        "feed_redundancy": rng.choice(["N", "2N"]),
    }
    if rng.random() < 0.5:
        given["demand_included"] = False
        given["demand_usd_per_kw_month"] = figure(rng, 1, 25, 2)
    maybe(rng, given, "fixed_usd_per_month", 10, 3_000, 2)
    space = rng.randrange(3)
    if space == 0:
        given["colocation"] = {
            "usd_per_kw_month": figure(rng, 80, 300, 2),
            "power_included": rng.random() < 0.3,
        }
        maybe(rng, given["colocation"], "install_usd", 100, 90_000, 2)
    elif space == 1:
        given["build"] = {
            "usd_per_kw": figure(rng, 4_000, 20_000, 2),
            "life_years": rng.choice([10, 15, 20]),
            "charge": rng.choice(["share_of_life", "whole"]),
        }
        if rng.random() < 0.5:
            given["hall_kw"] = rng.choice([50, 400, 3_000])
    return given


def _workload(rng: Random, key: str) -> Mapping:
    given: Mapping = {
        "key": key,
        "requests_per_minute": rng.choice([60, 600, 3_000, 12_000]),
        "growth_fraction_per_year": rng.choice([0, 0, 0.2, -0.2]),
    }
    if rng.random() < 0.7:
        given["daily_shape"] = list(DAY)
    if rng.random() < 0.25:
        return given | {"service": SERVICE}
    given |= {
        "model": rng.choice(["meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.1-70B"]),
        "weight_dtype": "fp8",
        "input_tokens": 1_000,
        "output_tokens": 250,
    }
    if rng.random() < 0.5:
        given["targets"] = [{"metric": "tpot", "percentile": 95, "limit_ms": 60}]
        given["replicas_lost"] = rng.choice([0, 1])
    if rng.random() < 0.3:
        given["cached_input_fraction"] = 0.3
    return given


def _option(
    rng: Random, key: str, workloads: list[Mapping], sites: list[Mapping], months: int
) -> Mapping:
    given: Mapping = {"key": key, "name": f"Option {key}"}
    given["fleets"] = _fleets(rng, workloads, sites, months)
    return given


def _fleets(
    rng: Random, workloads: list[Mapping], sites: list[Mapping], months: int
) -> list[Mapping]:
    """One fleet for each workload, or two that share it."""
    found: list[Mapping] = []
    for workload in workloads:
        shares = rng.choice([[None], [None], [None], [0.6, 0.4]])
        for share in shares:
            fleet = _fleet(rng, f"f{len(found)}", workload, sites, months)
            if share is not None:
                fleet["share_fraction"] = share
            found.append(fleet)
    return found


def _fleet(rng: Random, key: str, workload: Mapping, sites: list[Mapping], months: int) -> Mapping:
    given: Mapping = {"key": key, "workload": workload["key"]}
    starts = [0, 0, 0, 5]
    given["start_month"] = min(rng.choice(starts), months - 1)
    kind = rng.random()
    if kind < 0.1 and "service" not in workload:
        return given | {"api": api(rng)}
    if kind < 0.4:
        given |= {"offer": rng.choice(OFFERS), "rental": rental(rng)}
    else:
        given |= rng.choice(SERVERS)
        given |= {"site": rng.choice(sites)["key"], "purchase": purchase(rng)}
    if rng.random() < 0.3:
        given["count"] = rng.choice(COUNTS)
    if rng.random() < 0.15:
        given["migration"] = migration(rng, months)
    if "service" not in workload and rng.random() < 0.1:
        given["retraining"] = retraining(rng)
    if rng.random() < 0.1:
        given["exit"] = {
            "probability_fraction": figure(rng, 0.0, 0.8),
            "move": migration(rng, months),
        }
    return given
