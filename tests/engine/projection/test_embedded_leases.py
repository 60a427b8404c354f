"""Contracts that may hold a lease are named with what would stand on the balance sheet (F24)."""

from __future__ import annotations

import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.document import resolve
from tco.projection import project
from tests.engine.mix.test_best_mix import document


def leases(given):
    """The findings, by the field they name."""
    found = project(resolve(given, SeedCatalog())).findings
    return [one for one in found if one.code == "may_hold_a_lease"]


def reserved(**finance):
    """The chat example, its instances reserved for a year at 30 USD an hour, no discounting."""
    given = document("chat")
    given["finance"] |= {"discount_rate_fraction": 0.0, **finance}
    given["options"] = [one for one in given["options"] if one["key"] == "p5"]
    fleet = given["options"][0]["fleets"][0]
    fleet["count"] = 4
    fleet["rental"] = {"commitment": "reserved_1y", "usd_per_hour": 30.0}
    return given


def test_a_year_of_reserved_instances_by_hand():
    """4 instances x 730 h x 12 months x 30 USD = 1,051,200 USD, without a discount rate."""
    (found,) = leases(reserved())
    assert found.severity == "info"
    assert found.field == "options[0].fleets[0].rental.commitment"
    assert "1.05 M USD" in found.message or "1,051,200" in found.message
    assert "ASC 842" in found.message
    assert "cash does not change" in found.message


def test_the_standard_of_the_scenario_is_named():
    """IFRS 16 where it says so."""
    assert "IFRS 16" in leases(reserved(lease_standard="ifrs_16"))[0].message


def test_on_demand_holds_none_and_a_cage_may():
    """Owned servers in rented space; instances by the hour are nobody's for long."""
    (found,) = leases(document("chat"))
    assert found.field == "sites[0].colocation"
    assert "cage or a suite" in found.message


@pytest.mark.parametrize("rate", [0.0, 0.12])
def test_a_higher_rate_makes_it_less(rate):
    """Present value at the scenario's own rate."""
    given = reserved(discount_rate_fraction=rate)
    message = leases(given)[0].message
    assert ("1.05 M" in message or "1,051,200" in message) is (rate == 0.0)
