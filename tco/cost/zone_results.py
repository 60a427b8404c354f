"""The table of an option's legal zones, and the premium over one pool (F17.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tco.cost.finance import FloatArray
from tco.cost.ledger import Book, OptionCase, build_ledger
from tco.cost.sovereign import by_zone
from tco.cost.wording import money_text
from tco.inputs import Option
from tco.results.zones import Way, ZoneResult, ZonesResult

ROUNDING = 1e-12  # of a sum of lines, summed in another order
PooledCase = tuple[str, OptionCase, bool]  # zone, the option there, whether it holds


def zones_result(case: OptionCase, pools: Sequence[PooledCase]) -> ZonesResult:
    """Zones of an option beside the cheapest of the pools.

    Parameters
    ----------
    pools
        One pool at each zone, sized and powered; those that do not hold are passed over.
    """
    zoning = case.option.zoning
    assert zoning is not None
    total = _present(case)
    names = {zone.key: zone.name for zone in zoning.zones}
    zones = tuple(_zones(case))
    own = [zone.cost_usd for zone in zones]
    shared = None
    if total is not None and None not in own:
        shared = total - sum(usd for usd in own if usd is not None)
        shared = 0.0 if abs(shared) < ROUNDING * abs(total) else shared
    servers = _servers(case)
    priced = [(_present(pool), zone, pool) for zone, pool, holds in pools if holds]
    known = [(usd, zone, pool) for usd, zone, pool in priced if usd is not None]
    best = min(known, key=lambda one: one[0]) if known else None
    pool_usd, pool_zone, pool_servers = None, "", None
    if best is not None:
        pool_usd, pool_zone, pool_servers = best[0], best[1], _servers(best[2])
    elif priced:
        pool_zone, pool_servers = priced[0][1], _servers(priced[0][2])
    premium = None if total is None or pool_usd is None else total - pool_usd
    more = None if pool_servers is None else servers - pool_servers
    reason = ""
    if premium is None:
        reason = "a price is missing" if priced else "no zone can hold all of the demand"
    return ZonesResult(
        zones=zones,
        names=names,
        ways=tuple(_ways(case.option)),
        shared_usd=shared,
        cost_usd=total,
        servers=servers,
        pool_zone=pool_zone,
        pool_usd=pool_usd,
        pool_servers=pool_servers,
        premium_usd=premium,
        premium_fraction=None if premium is None or not pool_usd else premium / pool_usd,
        premium_servers=more,
        premium_servers_fraction=more / pool_servers if more is not None and pool_servers else None,
        sentence=_sentence(premium, pool_usd, more, pool_servers, names.get(pool_zone, "")),
        reason=reason,
    )


def _zones(case: OptionCase) -> Iterator[ZoneResult]:
    for key, here in by_zone(case.fleets).items():
        fleet, terms = here[0].fleet, here[0].fleet.zone
        assert terms is not None
        site = next((x.fleet.site for x in here if x.fleet.site is not None), None)
        alone = Option(key, terms.zone.name, tuple(x.fleet for x in here))
        cost = _present(OptionCase(alone, case.calendar, tuple(here)))
        count = sum(_last(x.servers) for x in here)
        powers = [x.power for x in here if x.power is not None]
        carbon = [power.tco2e_per_year for power in powers]
        water, wue = None, site.around.wue_l_per_kwh if site else None
        if wue is not None and powers:
            hours = case.calendar.hours_per_year
            water = sum(power.it_average_kw for power in powers) * hours * wue.value
        yield ZoneResult(
            zone=key,
            name=terms.zone.name,
            country=terms.zone.country or (site.country if site else ""),
            site=site.name if site else "",
            serves=terms.serves,
            failover_to=terms.zone.failover_to,
            demand_fraction=terms.demand_fraction,
            servers=count,
            spare_replicas=fleet.workload.replicas_lost,
            pue=site.pue.value if site else None,
            energy_usd_per_kwh=site.tariff.energy_usd_per_kwh.value if site else None,
            grid_gco2_per_kwh=site.grid_gco2_per_kwh.value
            if site and site.grid_gco2_per_kwh
            else None,
            tco2e_per_year=sum(x for x in carbon if x is not None)
            if carbon and None not in carbon
            else None,
            water_litres_per_year=water,
            cost_usd=cost,
            cost_usd_per_server=cost / count if cost is not None and count else None,
        )


def _ways(option: Option) -> Iterator[Way]:
    zoning = option.zoning
    assert zoning is not None
    rules = {(way.from_zone, way.to_zone): way.rule for way in zoning.transfers}
    used = {(z.key, z.served_in) for z in zoning.zones if z.served_in}
    used |= {(z.key, z.failover_to) for z in zoning.zones if z.failover_to}
    for a in zoning.zones:
        for b in zoning.zones:
            if a.key != b.key:
                pair = a.key, b.key
                yield Way(*pair, rules.get(pair, "forbidden"), pair in used)


def _present(case: OptionCase) -> float | None:
    ledger = build_ledger(case)
    return Book.of(ledger).present_usd() if ledger.complete else None


def _servers(case: OptionCase) -> int:
    return sum(_last(fleet.servers) for fleet in case.fleets)


def _last(servers: FloatArray) -> int:
    return int(servers[-1]) if servers.size else 0


def _sentence(
    premium: float | None, pool: float | None, more: int | None, count: int | None, name: str
) -> str:
    if more is None or count is None:
        return ""
    parts = []
    if premium is not None and pool:
        word = "more" if premium >= 0 else "less"
        parts.append(f"{money_text(abs(premium))} ({abs(premium) / pool:.1%}) {word}")
    share = f" ({abs(more) / count:.1%})" if count else ""
    parts.append(
        f"{abs(more)} server{'s' if abs(more) != 1 else ''}{share}"
        f" {'more' if more >= 0 else 'less'}"
    )
    return f"Apart, the zones take {' and '.join(parts)} than one pool in {name}."
