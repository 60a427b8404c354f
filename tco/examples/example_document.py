"""Scenarios of worked examples: what they hold in common, as parts of a document."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tco.examples.example import Example
from tco.examples.given import Given
from tco.results import Projection

Document = dict[str, Any]
BOARDS = 8  # in a server of a flat load


@dataclass(frozen=True, slots=True)
class Part:
    """Share of a result: a KPI, or the undiscounted total of a line, of one option."""

    option: str
    key: str
    factor: float = 1.0


@dataclass(frozen=True, slots=True)
class ExampleScenario:
    """An example as a scenario, and where its published results stand in the projection."""

    document: Document
    results: Mapping[str, tuple[Part, ...]]  # by name of the published result: the sum of these


@dataclass(frozen=True, slots=True)
class Maker:
    """The inputs of one example, as figures of a document with their source."""

    example: Example
    given: Given

    def published(self, value: float) -> Document:
        """A figure of the example."""
        source = f"{self.example.id}: {self.example.source}"
        return {"value": value, "status": "published", "source": source}

    def none(self) -> Document:
        """A price that the example does not have: its zero, said so."""
        source = f"{self.example.id}: not part of the example"
        return {"value": 0, "status": "assumed", "source": source}

    def document(
        self,
        options: list[Document],
        *,
        months: int,
        sites: tuple[Document, ...] = (),
        hours: str = "730",
        finance: Document | None = None,
        catalog: Document | None = None,
    ) -> Document:
        """The whole scenario: undiscounted, with the example's words in its notes."""
        one = self.example
        made: Document = {
            "schema": "tco-scenario/1",
            "name": f"{one.id}: {one.title}",
            "description": (
                f"Worked example {one.id}, {one.kind}, formula {one.formula}. {one.notes} "
                f"Source: {one.source}. What the example leaves out is a zero here, assumed and "
                "marked so; nothing is discounted unless it discounts."
            ).replace("  ", " "),
            "finance": {
                "valuation_date": "2026-12-01",
                "horizon_months": months,
                "discount_rate_fraction": self.none(),
                "hours_mode": hours,
                **(finance or {}),
            },
            "workloads": [
                {
                    **{"key": "load", "name": "Any load", "model": "meta-llama/Llama-3.1-8B"},
                    **{"requests_per_minute": 60, "input_tokens": 500, "output_tokens": 200},
                }
            ],
            "options": options,
        }
        if sites:
            made["sites"] = list(sites)
        if catalog:
            made["catalog"] = catalog
        return made

    def owned(self, key: str, name: str, server: str, count: int, purchase: Document) -> Document:
        """An option that owns so many servers at the site of the example."""
        zeros = ("network_usd_per_server", "support_fraction_per_year", "staff_usd_per_server_year")
        terms = {field: self.none() for field in zeros} | purchase
        fleet = {"key": key, "workload": "load", "site": "hall", "server": server, "count": count}
        return {"key": key, "name": name, "fleets": [fleet | {"purchase": terms}]}

    def rented(self, key: str, name: str, offer: str, rental: Document) -> Document:
        """An option that rents one instance."""
        fleet = {"key": key, "workload": "load", "offer": offer, "count": 1, "rental": rental}
        return {"key": key, "name": name, "fleets": [fleet]}

    def site(self, **more: Any) -> Document:
        """A hall without losses and without a bill, but for what the example says."""
        plain = {
            **{"key": "hall", "name": "Hall of the example", "region": "US"},
            **{"energy_usd_per_kwh": self.none(), "demand_included": True},
            "pue": {**self.none(), "value": 1},
            "slot_w": 5000,
        }
        return plain | more

    def flat_server(self, key: str, server_kw: float, price_usd: float = 0.0) -> Document:
        """A device and a server that draw the same around the clock, whatever the load."""
        board = self.published(server_kw * 1000 / BOARDS)
        assumed = {"status": "assumed", "source": f"{self.example.id}: any, only its watts count"}
        device = {
            **{"key": f"{key}-board", "name": f"Board of {key}", "kind": "gpu"},
            "memory_gb": {"value": 48, **assumed},
            "memory_bandwidth_gb_s": {"value": 2000, **assumed},
            "peak_tflops": {"bf16": {"value": 400, **assumed}},
            "board_w": board,
            "idle_w": board,
        }
        server = {
            **{"key": key, "device": f"{key}-board", "device_count": BOARDS},
            "rack_units": {"value": 4, **assumed},
            "slot_w": {"value": 5000, **assumed},
            "max_system_w": self.published(server_kw * 1000),
            "host_w": self.none(),
            "psu_efficiency_fraction": {**self.none(), "value": 1},
            "price_usd": self.published(price_usd) if price_usd else self.none(),
        }
        return {"devices": [device], "servers": [server]}


def result_of(parts: tuple[Part, ...], projection: Projection) -> float | None:
    """A published result as the projection gives it; None where a price is missing."""
    options = {option.key: option for option in projection.options}
    total = 0.0
    for part in parts:
        option = options[part.option]
        lines = [line for line in option.ledger.lines if line.key == part.key]
        if lines:
            total += part.factor * math.fsum(line.total_usd for line in lines)
            continue
        value = option.kpis[part.key].value
        if value is None:
            return None
        total += part.factor * value
    return total


def joined(*parts: Document) -> Document:
    """Catalog parts together."""
    return {
        name: [item for part in parts for item in part.get(name, ())]
        for name in dict.fromkeys(key for part in parts for key in part)
    }


def servers_for(load_kw: float) -> tuple[int, float]:
    """Number of servers and kW of each, boards of 1 kW and less."""
    count = max(1, math.ceil(load_kw / BOARDS))
    return count, load_kw / count
