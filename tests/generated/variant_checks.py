"""Invariants that compare a drawn option with a variant of it, each projected in full (F23)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

from tco.cost.hybrid import hybrids
from tco.errors import InputError
from tco.projection import option_cases
from tco.results import Ledger, OptionResult
from tests.generated.documents import DAY
from tests.generated.drawn import Drawn, amounts, lines_of, whole
from tests.generated.money_checks import apart

_POWER = ("electricity_energy", "electricity_demand", "electricity_fixed")
# Linear in machines and load: no minimum, no whole rack, no sum for a site or a fleet.
_LINEAR = {
    *("servers", "duty", "freight", "sales_tax", "network", "integration", "support", "software"),
    *("staff", "property_tax", "insurance", "retirement", "residual", "electricity_energy"),
    *("loan_drawn", "loan_principal", "loan_interest", "lease_payments", "lease_interest"),
    *("lease_principal", "lease_buyout", "lease_return", "api_input", "api_output"),
    "api_cached_input",
}
# Paid whatever is used: minima, terms by contract, work done once, sums by the month.
_WITHOUT_USE = {
    *("as_a_service", "as_a_service_unused", "sales_tax_on_payments", "commitment_unused"),
    *("instances", "egress", "storage", "storage_requests", "cloud_support", "cloud_setup"),
    *("cloud_debugging", "migration", "migration_dual_running", "tax_on_running_costs"),
    *("migration_validation", "migration_contingency", "stack_exit", "run_staff"),
}


def _one(drawn: Drawn) -> tuple[Drawn, OptionResult]:
    """One option of the scenario, by its seed, and what the whole projection says of it."""
    index = drawn.seed % len(drawn.document["options"])
    return drawn.alone(index), drawn.projection.options[index]


def _total(option: OptionResult, *keys: str) -> float:
    return math.fsum(line.total_usd for line in option.ledger.lines if line.key in keys)


def _sites(document: Any, **changes: Any) -> None:
    for site in document["sites"]:
        for name, value in changes.items():
            site.pop(name, None)
            if value is not None:
                site[name] = value


def bill_is_energy_times_rate(drawn: Drawn) -> Iterator[str]:
    """F23.3: PUE 1, no demand charge, one flat price: the bill is kWh x rate."""
    alone, _ = _one(drawn)

    def plainly(document: Any) -> None:
        _sites(
            document,
            pue=1.0,
            energy_usd_per_kwh=0.125,
            demand_usd_per_kw_month=None,
            demand_included=True,
            fixed_usd_per_month=None,
            colocation=None,
        )
        document["finance"].pop("electricity_escalation_fraction", None)
        document["finance"]["hours_mode"] = "730"
        for workload in document["workloads"]:
            workload["growth_fraction_per_year"] = 0

    option = alone.changed(plainly).projection.options[0]
    power = {each.fleet: each for each in option.power}
    bill = 0.0
    for fleet in option.fleets:
        if fleet.fleet in power and fleet.servers:
            on = sum(1 for servers in fleet.servers_by_month if servers)
            bill += power[fleet.fleet].it_average_kw * 730 * on * 0.125
    found = _total(option, *_POWER)
    if abs(found - bill) > CLOSE * max(1.0, bill):
        yield f"the bill is {found!r}, energy x rate {bill!r}"


CLOSE = 1e-9


def twice_the_machines_cost_twice(drawn: Drawn) -> Iterator[str]:
    """F23.4: twice the load on twice the machines doubles every line that is no whole number."""
    alone, _ = _one(drawn)

    def fixed(document: Any, factor: int) -> None:
        for fleet in document["options"][0]["fleets"]:
            if "api" not in fleet:
                fleet["count"] = 3 * factor
        for workload in document["workloads"]:
            workload["requests_per_minute"] *= factor

    once = alone.changed(lambda document: fixed(document, 1)).projection.options[0]
    twice = alone.changed(lambda document: fixed(document, 2)).projection.options[0]
    pairs = lines_of(twice.ledger)
    for where, line in lines_of(once.ledger).items():
        if line.key not in _LINEAR or where not in pairs:
            continue
        was, now = line.total_usd, pairs[where].total_usd
        if abs(now - 2 * was) > CLOSE * max(1.0, abs(was)):
            yield f"{line.fleet} {line.key}: {now!r} is not twice {was!r}"


def more_load_never_costs_less(drawn: Drawn) -> Iterator[str]:
    """F23.5: half as much again never needs fewer machines, nor costs less."""
    alone, before = _one(drawn)

    def more(document: Any) -> None:
        for workload in document["workloads"]:
            workload["requests_per_minute"] *= 1.5

    after = alone.changed(more).projection.options[0]
    for was, now in zip(before.fleets, after.fleets, strict=True):
        if now.feasible and was.feasible:
            pairs = zip(was.servers_by_month, now.servers_by_month, strict=True)
            if any(b < a for a, b in pairs):
                yield f"{was.fleet}: {was.servers} servers became {now.servers} under more load"
    if whole(before) and whole(after) and before.feasible and after.feasible:
        low, high = before.kpis["tco_usd"].value or 0.0, after.kpis["tco_usd"].value or 0.0
        if high < low * (1 - CLOSE) - 0.01:
            yield f"more load costs {high!r}, less load {low!r}"


def stricter_target_never_needs_less(drawn: Drawn) -> Iterator[str]:
    """F23.5: a tighter latency target never needs fewer machines."""
    alone, _ = _one(drawn)

    def limit(document: Any, ms: float) -> None:
        for workload in document["workloads"]:
            metric = "e2e" if "service" in workload else "tpot"
            workload["targets"] = [{"metric": metric, "percentile": 95, "limit_ms": ms}]

    loose = alone.changed(lambda document: limit(document, 90)).projection.options[0]
    tight = alone.changed(lambda document: limit(document, 60)).projection.options[0]
    for was, now in zip(loose.fleets, tight.fleets, strict=True):
        if now.feasible and was.feasible and now.servers < was.servers:
            yield f"{was.fleet}: {was.servers} servers became {now.servers} under 60 ms"
        if now.feasible and not was.feasible:
            yield f"{was.fleet}: 60 ms can be held and 90 ms cannot"


def lower_usable_share_never_needs_fewer_racks(drawn: Drawn) -> Iterator[str]:
    """F23.5: less of each breaker never needs fewer racks."""
    alone, _ = _one(drawn)

    def usable(document: Any, fraction: float) -> None:
        document["catalog"]["feeds"] = [
            {
                **{"key": "drawn-feed", "voltage_v": 415, "voltage_reference": "LL"},
                **{"phases": 3, "breaker_a": 100, "usable_fraction": fraction},
            }
        ]
        _sites(document, feed="drawn-feed")

    full = alone.changed(lambda document: usable(document, 0.9)).projection.options[0]
    less = alone.changed(lambda document: usable(document, 0.7)).projection.options[0]
    for was, now in zip(full.racks, less.racks, strict=True):
        if now.racks < was.racks and now.racks:
            yield f"{was.fleet}: {was.racks} racks became {now.racks}"


def hybrid_is_never_dearer(drawn: Drawn) -> Iterator[str]:
    """F23.6: own the base and rent the peak costs no more than all of either."""

    def pair(document: Any) -> None:
        rng = Random(drawn.seed)
        workload = {
            **{"key": "w0", "model": "meta-llama/Llama-3.1-70B", "weight_dtype": "fp8"},
            **{"input_tokens": 1000, "output_tokens": 250, "daily_shape": list(DAY)},
            "requests_per_minute": rng.choice([3_000, 9_000]),
        }
        document["workloads"] = [workload]
        own = [f for o in document["options"] for f in o["fleets"] if "server" in f]
        rent = [f for o in document["options"] for f in o["fleets"] if "offer" in f]
        site = document["sites"][0]["key"]
        owned = {
            **{"server": "supermicro-sys-821ge-tnhr", "device": "h100-sxm", "site": site},
            **{"purchase": own[0]["purchase"] if own else {}},
        }
        hour = rent[0]["rental"]["usd_per_hour"] if rent else rng.choice([10, 40, 98])
        rented = {
            "offer": "aws-p5-48xlarge-us-east-1",
            "rental": {"scaling": "hourly", "usd_per_hour": hour},
        }
        document["options"] = [
            {"key": key, "fleets": [{"key": key, "workload": "w0", **fleet}]}
            for key, fleet in (("own", owned), ("rent", rented))
        ]

    variant = drawn.changed(pair)
    try:
        (found,) = hybrids(option_cases(variant.inputs))
    except InputError:
        return  # sized by another rule, or without a price: said so, with its reason
    own, rent = variant.projection.options
    ends = [each.kpis["tco_usd"].value or 0.0 for each in (own, rent)]
    scale = max(map(abs, ends))
    if found.optimum.total_usd > min(ends) + CLOSE * scale + 0.01:
        yield f"the hybrid costs {found.optimum.total_usd!r}, one of {ends} less"
    if apart(found.curve[-1].total_usd, ends[0], 1e3 * scale):
        yield f"all owned costs {found.curve[-1].total_usd!r} here and {ends[0]!r} alone"
    if apart(found.curve[0].total_usd, ends[1], 1e3 * scale):
        yield f"all rented costs {found.curve[0].total_usd!r} here and {ends[1]!r} alone"
    least = min(point.total_usd for point in found.curve if point.allowed)
    if found.optimum.total_usd != least:
        yield f"the optimum {found.optimum.total_usd!r} is not the least of all, {least!r}"


def pue_is_touched_once(drawn: Drawn) -> Iterator[str]:
    """F23.7: without PUE the facility's energy, its price and its carbon are divided by it."""
    alone, _ = _one(drawn)

    def with_pue(document: Any, pue: float) -> None:
        _sites(document, pue=pue)

    loaded = alone.changed(lambda document: with_pue(document, 1.6)).projection.options[0]
    bare = alone.changed(lambda document: with_pue(document, 1.0)).projection.options[0]
    for a, b in zip(loaded.power, bare.power, strict=True):
        for name in ("facility_average_kw", "facility_peak_kw", "kwh_per_year", "tco2e_per_year"):
            left, right = getattr(a, name), getattr(b, name)
            if left is not None and abs(left - 1.6 * right) > CLOSE * max(1.0, left):
                yield f"{a.fleet}: {name} {left!r} is not 1.6 x {right!r}"
        if (a.it_average_kw, a.it_provisioned_kw) != (b.it_average_kw, b.it_provisioned_kw):
            yield f"{a.fleet}: PUE moved the IT power"
    for key in ("electricity_energy", "electricity_demand"):
        left, right = _total(loaded, key), _total(bare, key)
        if abs(left - 1.6 * right) > CLOSE * max(1.0, left):
            yield f"{key}: {left!r} is not 1.6 x {right!r}"


def _summed(ledger: Ledger) -> dict[tuple[str, str], tuple[tuple[float, ...], ...]]:
    """Amounts by fleet and key; what two sites are charged under one key is one sum."""
    held: dict[tuple[str, str], list[Any]] = {}
    for where, line in lines_of(ledger).items():
        held.setdefault(where[:2], []).append(amounts(line))
    return {
        where: tuple(
            tuple(math.fsum(month) for month in zip(*columns, strict=True))
            for columns in zip(*lines, strict=True)
        )
        for where, lines in held.items()
    }


def order_does_not_matter(drawn: Drawn) -> Iterator[str]:
    """F23.8: options, fleets, sites, loads and keys in another order give the same lines."""
    rng = Random(drawn.seed)

    def shuffled(node: Any, name: str = "") -> Any:
        if isinstance(node, dict):
            keys = list(node)
            rng.shuffle(keys)
            return {key: shuffled(node[key], key) for key in keys}
        if isinstance(node, list) and name in ("options", "fleets", "sites", "workloads"):
            items = [shuffled(each) for each in node]
            rng.shuffle(items)
            return items
        return node

    other = Drawn(shuffled(drawn.document), drawn.seed).projection
    found = {option.key: option for option in other.options}
    for option in drawn.projection.options:
        lines = _summed(option.ledger)
        turned = found[option.key]
        new = _summed(turned.ledger)
        for where in {**lines, **new}:
            if where not in lines or where not in new:
                yield f"{option.key}: {where} stands in one order alone"
            elif any(
                abs(a - b) > CLOSE * max(1.0, abs(a))
                for one, two in zip(lines[where], new[where], strict=True)
                for a, b in zip(one, two, strict=True)
            ):
                yield f"{option.key}: {where} differs"
        if option.feasible != turned.feasible:
            yield f"{option.key}: feasible in one order alone"
    if other.best_option != drawn.projection.best_option:
        yield f"best: {drawn.projection.best_option} and {other.best_option}"


def nothing_costs_nothing(drawn: Drawn) -> Iterator[str]:
    """F23.12: no load needs no machine, and what follows machines is 0, never NaN."""
    alone, _ = _one(drawn)

    def idle(document: Any) -> None:
        for workload in document["workloads"]:
            workload["requests_per_minute"] = 0
        for fleet in document["options"][0]["fleets"]:
            fleet.pop("count", None)

    option = alone.changed(idle).projection.options[0]
    for line in option.ledger.lines:
        if not all(math.isfinite(usd) for column in amounts(line) for usd in column):
            yield f"{line.fleet} {line.key} is no number"
        if line.key not in _WITHOUT_USE and line.total_usd != 0.0:
            yield f"{line.fleet} {line.key} costs {line.total_usd!r} without a machine"
    for kpi in option.kpis.values():
        if kpi.value is not None and not math.isfinite(kpi.value):
            yield f"{kpi.key} is {kpi.value!r}"
    if any(fleet.servers for fleet in option.fleets):
        yield "a machine stands without load"
