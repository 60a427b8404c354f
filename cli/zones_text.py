"""Legal zones of the options as tables, with the premium over one pool (F17)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cli.text_table import shortened, text_table
from tco.results import OptionResult
from tco.results.zones import ZonesResult


def zones_text(options: Sequence[OptionResult], currency: str) -> list[str]:
    """Return a block for each option that stands in zones."""
    return [
        "\n".join(_block(option.key, option.zones, currency))
        for option in options
        if option.zones is not None
    ]


def _block(key: str, found: ZonesResult, currency: str) -> Iterator[str]:
    yield f"Legal zones of {key}: {found.sentence or found.reason}"
    rows = [
        [
            zone.name,
            zone.country,
            ", ".join(zone.serves),
            f"{zone.demand_fraction:.0%}",
            f"{zone.servers:,}",
            str(zone.spare_replicas),
            _number(zone.energy_usd_per_kwh),
            _number(zone.pue),
            _number(zone.grid_gco2_per_kwh),
            _number(zone.water_litres_per_year),
            _number(zone.cost_usd),
        ]
        for zone in found.zones
    ]
    blank = [""] * 5
    if found.shared_usd:
        rows.append(["of no single zone", "", "", "", "", *blank, _number(found.shared_usd)])
    rows.append(["together", "", "", "100%", f"{found.servers:,}", *blank, _number(found.cost_usd)])
    if found.pool_servers is not None:
        rows.append(
            [
                *(f"one pool in {found.pool_zone}", "", "", "100%", f"{found.pool_servers:,}"),
                *(*blank, _number(found.pool_usd)),
            ]
        )
    head = ["zone", "law", "serves", "demand", "servers", "spare", f"{currency}/kWh", "PUE"]
    yield text_table([*head, "gCO2e/kWh", "L a year", f"PV {currency}"], rows, left=(0, 1, 2))
    ways = [
        f"{way.from_zone} to {way.to_zone} {way.rule.replace('_', ' ')}"
        f"{' (used)' if way.used else ''}"
        for way in found.ways
    ]
    if ways:
        yield f"  Transfers: {'; '.join(ways)}"


def _number(value: float | None) -> str:
    return "-" if value is None else shortened(value)
