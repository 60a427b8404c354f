"""What does a rack cost? By class, site and funding source (nautobot#3492 and its like)."""

from __future__ import annotations

import math

import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.cost.by_rack import servers_in
from tco.cost.finance import present_value_usd
from tco.document import resolve
from tco.projection import project
from tests.engine.mix.test_best_mix import document


@pytest.fixture(scope="module")
def projection():
    """The chat example."""
    return project(resolve(document("chat"), SeedCatalog()))


def test_all_racks_together_cost_what_their_fleet_does(projection):
    """Full racks and the last one by its servers sum to the fleet's lines, class by class."""
    for option in projection.options:
        for layout in option.racks:
            shares = servers_in(layout) / layout.servers_per_rack
            own = [line for line in option.ledger.lines if line.fleet == layout.fleet]
            by_class = {}
            for line in own:
                usd = present_value_usd(
                    line.start_usd, line.end_usd, option.ledger.monthly_rate_fraction
                )
                by_class[line.category] = by_class.get(line.category, 0.0) + usd
            for name, usd in layout.cost.classes:
                assert usd * shares == pytest.approx(by_class[name], rel=1e-9, abs=0.01)
            assert layout.cost.total_usd == pytest.approx(
                math.fsum(usd for _, usd in layout.cost.classes)
            )


def test_by_hand(projection):
    """7 servers of 8xH100, one a rack: each has a seventh of the purchase; paid in cash."""
    option = next(one for one in projection.options if one.key == "h100")
    (layout,) = option.racks
    count = option.fleets[0].servers
    assert servers_in(layout) == count
    servers = next(line for line in option.ledger.lines if line.key == "servers")
    capex = sum(
        present_value_usd(one.start_usd, one.end_usd, option.ledger.monthly_rate_fraction)
        for one in option.ledger.lines
        if one.category == servers.category and one.fleet == layout.fleet
    )
    share = layout.servers_per_rack / count
    assert dict(layout.cost.classes)[servers.category] == pytest.approx(capex * share)
    assert layout.cost.funding == "cash"
    assert layout.site == "ashburn"
    written_off = sum(
        row.total_usd
        for row in option.views.pnl
        if row.kind == "depreciation" and row.fleet == layout.fleet
    )
    assert layout.cost.depreciation_usd == pytest.approx(written_off * share)


def test_a_missing_price_leaves_the_rack_without_a_cost():
    """Blank, never 0."""
    given = document("chat")
    given["options"] = [one for one in given["options"] if one["key"] == "gaudi3"]
    fleet = given["options"][0]["fleets"][0]
    fleet["purchase"]["server_usd"] = None
    del fleet["purchase"]["server_usd"]

    class Unpriced(SeedCatalog):
        def server(self, key, device_key=None):
            from dataclasses import replace

            return replace(super().server(key, device_key), price_usd=None)

    option = project(resolve(given, Unpriced())).options[0]
    assert option.racks[0].cost is None
