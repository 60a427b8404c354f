"""Networks, storage and cooling as the projection page shows them (F3, F7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from planner.projections.places import Places
from tco.units import GB_PER_TB, W_PER_KW

ROLES = {"front": "front", "storage": "storage", "scale_out": "between devices"}


@dataclass(frozen=True, slots=True)
class FabricRow:
    """One network."""

    fleet: str
    name: str
    figure: dict[str, Any]
    tiers: str  # 32 leaf, 16 spine
    copper: int
    optical: int
    modules: int
    power_kw: float

    @property
    def switches(self) -> int:
        """Of all tiers."""
        return sum(tier["switches"] for tier in self.figure["tiers"])


@dataclass(frozen=True, slots=True)
class StoreRow:
    """One shared store."""

    fleet: str
    figure: dict[str, Any]
    needed_tb: float
    usable_tb: float
    power_kw: float


@dataclass(frozen=True, slots=True)
class CoolingRow:
    """The plant of one site under one option."""

    option: str
    figure: dict[str, Any]
    tue: float
    lost: str  # what losing one unit does


@dataclass(frozen=True, slots=True)
class AroundView:
    """Everything beside the servers; results stored before there was any have none."""

    fabrics: tuple[FabricRow, ...]
    stores: tuple[StoreRow, ...]
    cooling: tuple[CoolingRow, ...]

    def __bool__(self) -> bool:
        return bool(self.fabrics or self.stores or self.cooling)


def around_view(result: dict[str, Any], places: Places) -> AroundView:
    """Return the networks, stores and plants of a stored result."""
    fabrics, stores, cooling = [], [], []
    for option in result["options"]:
        key = option["key"]
        for found in result.get("fabrics", {}).get(key, []):
            fabrics.append(_fabric(places.fleet_label(key, found["fleet"]), found))
        for found in result.get("stores", {}).get(key, []):
            fleet = places.fleet_label(key, found["fleet"])
            tb = found["needed_gb"] / GB_PER_TB, found["usable_gb"] / GB_PER_TB
            stores.append(StoreRow(fleet, found, *tb, found["power_w"] / W_PER_KW))
        for found in result.get("cooling", {}).get(key, []):
            tue = found["itue"] * found["pue"]
            cooling.append(CoolingRow(option["name"], found, tue, lost_sentence(found)))
    return AroundView(tuple(fabrics), tuple(stores), tuple(cooling))


def _fabric(fleet: str, found: dict[str, Any]) -> FabricRow:
    def links(medium: str) -> int:
        return sum(row["count"] for row in found["links"] if row["medium"] == medium)

    return FabricRow(
        fleet=fleet,
        name=f"{ROLES[found['role']]}, {found['topology'].replace('_', ' ')}",
        figure=found,
        tiers=", ".join(f"{tier['switches']:,} {tier['name']}" for tier in found["tiers"]),
        copper=links("copper"),
        optical=links("optical"),
        modules=sum(row["modules"] for row in found["links"]),
        power_kw=found["power_w"] / W_PER_KW,
    )


def lost_sentence(found: dict[str, Any]) -> str:
    """Say what losing one unit of a plant does.

    >>> row = {"cdus": 0, "cdu_lost_kw": 0.0, "chillers": 2, "chiller_lost_kw": 402.0}
    >>> lost_sentence(row | {"minutes": 13.27})
    'One chiller less: 402 kW to shed in 13 min.'
    """
    parts = []
    for name, count, kw in (
        ("coolant distribution unit", found["cdus"], found["cdu_lost_kw"]),
        ("chiller", found["chillers"], found["chiller_lost_kw"]),
    ):
        if not count:
            continue
        within = "" if found["minutes"] is None else f" in {found['minutes']:.0f} min"
        what = f"{kw:,.0f} kW to shed{within}" if kw > 0 else "all is carried"
        parts.append(f"One {name} less: {what}.")
    return " ".join(parts) or "No units are given."
