"""What goes with an availability, and what does not (F16)."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.document import resolve
from tco.errors import InputErrors
from tco.projection import project
from tco.uncertainty.assess import assess
from tests.engine.document.test_renting import DOCUMENT, OFFER

LAYER = {"key": "ups", "kind": "ups", "availability_fraction": 0.999, "repair_hours": "8 h"}
CONTRACT = {"key": "4h", "response_hours": 4, "parts_hours": 4, "usd_per_server_year": 9000}


def owned(given: Any, **fleet: Any) -> dict[str, Any]:
    """The document with owned servers of this availability."""
    document = copy.deepcopy(DOCUMENT)
    document["finance"]["horizon_months"] = 12
    document["workloads"][0] |= {"replicas_lost": 4, "downtime_usd_per_hour": 1000}
    document["sites"] = [{"key": "s", "region": "US-VA", "pue": 1.3, "slot_w": 1000}]
    document["options"][0]["fleets"][0] |= {
        "server": "supermicro-sys-821ge-tnhr",
        "device": "h100-sxm",
        "site": "s",
        "availability": given,
        **fleet,
    }
    return document


def errors(document: dict[str, Any]) -> dict[str, str]:
    """Errors by path below the fleet."""
    with pytest.raises(InputErrors) as caught:
        resolve(document, SeedCatalog())
    prefix = "options[0].fleets[0].availability."
    return {e.field.removeprefix(prefix): f"{e.message}; {e.mend}" for e in caught.value.errors}


@pytest.mark.parametrize(
    ("layer", "field", "says"),
    [
        ({"availability_fraction": 1.2}, "layers[0].availability_fraction", "above 1"),
        ({"availability_fraction": 99.9}, "layers[0].availability_fraction", "write 0.999 for"),
        ({"needed": 3, "installed": 2}, "layers[0].installed", "3 of 2 units cannot be up"),
        ({"common_cause_fraction": 1.5}, "layers[0].common_cause_fraction", "above 1"),
        ({"common_cause_fraction": -0.1}, "layers[0].common_cause_fraction", "below 0"),
        ({"mtbf_hours": 1000}, "layers[0].mtbf_hours", "given twice"),
        ({"scheme": "N+1", "installed": 2}, "layers[0].installed", "given twice"),
        ({"scheme": "3N"}, "layers[0].scheme", "'3N' is not known"),
        ({"needed": 0}, "layers[0].needed", "below 1"),
        ({"repair_hours": -1}, "layers[0].repair_hours", "below 0"),
        ({"repair_hours": "5 USD"}, "layers[0].repair_hours", "USD"),
    ],
)
def test_a_wrong_layer_is_named(layer, field, says):
    """Field, value, mend."""
    found = errors(owned({"repair_hours": 4, "layers": [LAYER | layer]}))
    assert says in found[field]


def test_a_layer_needs_one_of_two():
    """Without availability and without time between failures there is nothing to compute with."""
    bare = {name: value for name, value in LAYER.items() if name != "availability_fraction"}
    found = errors(owned({"repair_hours": 4, "layers": [bare]}))
    assert found["layers[0].availability_fraction"].startswith("is missing; enter it, or the time")
    found = errors(owned({"repair_hours": 4, "layers": [LAYER, LAYER]}))
    assert "already the key of" in found["layers[1].key"]


def test_contracts_are_priced_once_and_known():
    """A name that is none of them, no price, two prices, support paid twice."""
    given = {"repair_hours": 2, "contracts": [CONTRACT], "contract": "4hours"}
    assert "no contract has the key '4hours'; did you mean '4h'" in errors(owned(given))["contract"]
    free = {name: value for name, value in CONTRACT.items() if name != "usd_per_server_year"}
    found = errors(owned({"repair_hours": 2, "contracts": [free]}))
    assert "contracts[0].usd_per_server_year" in found
    twice = CONTRACT | {"price_fraction_per_year": 0.05}
    found = errors(owned({"repair_hours": 2, "contracts": [twice]}))
    assert "contracts[0].price_fraction_per_year" in found
    given |= {"contract": "4h"}
    found = errors(owned(given, purchase={"support_fraction_per_year": 0.05}))
    assert "support is paid twice" in found["contract"]


def test_what_is_rented_has_no_contract_of_ours():
    """An instance fails at a rate that must be given; contracts and a second site do not go."""
    document = copy.deepcopy(DOCUMENT)
    given = {"repair_hours": 1, "contracts": [CONTRACT], "contract": "4h"}
    document["options"][0]["fleets"][0] |= {"offer": OFFER, "availability": given}
    found = errors(document)
    assert {"contracts", "contract", "server_failures_per_year"} <= set(found)


def test_the_findings_say_what_is_left_out():
    """A lost replica of four in a server spares none; independence and default rates are said."""
    document = owned({"repair_hours": 4, "layers": [LAYER | {"scheme": "2N"}]})
    document["workloads"][0]["replicas_lost"] = 1
    result = project(resolve(document, SeedCatalog()))
    said = {finding.code: finding for finding in result.findings}
    assert said["server_loss_not_covered"].field == "workloads[0].replicas_lost"
    assert "enter 4" in said["server_loss_not_covered"].mend
    assert "ups" in said["common_cause_left_out"].message
    assert "0.726 times a year" in said["server_failures_by_devices"].message
    (found,) = result.options[0].availability
    assert found.servers_spared == 0
    assert found.layers[0].needed == found.layers[0].installed


def test_a_range_moves_the_total():
    """Repair, beta and the price of an hour are drawn: each is among the drivers."""
    layer = LAYER | {"scheme": "N+1", "common_cause_fraction": "0.01 to 0.2"}
    document = owned({"repair_hours": "2 to 20", "layers": [layer]})
    document["workloads"][0]["downtime_usd_per_hour"] = "500 to 90000"
    found = assess(resolve(document, SeedCatalog()), draws=400)
    labels = " ".join(driver.label for driver in found.drivers)
    assert "repair hours" in labels
    assert "common cause" in labels
    assert "downtime" in labels
