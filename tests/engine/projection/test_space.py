"""Space is paid for, or the projection says that it is not."""

from __future__ import annotations

from dataclasses import replace

from tco.inputs import Colocation
from tco.projection import project
from tests.engine.cost.cast import fig, option, owned, scenario, site


def _codes(place):
    inputs = scenario(option("own", owned("f", site=place)))
    return [f.code for f in project(replace(inputs, sites=(place,))).findings]


def test_a_site_without_rent_or_building_is_said():
    """The total would otherwise look like all there is to pay."""
    bare = replace(site(), colocation=None, build=None)
    assert "space_costs_nothing" in _codes(bare)


def test_a_site_with_rent_is_not():
    """Rented space is a line of the ledger."""
    rented = replace(site(), build=None, colocation=Colocation(fig(185.0, "USD/kW-month")))
    assert "space_costs_nothing" not in _codes(rented)
