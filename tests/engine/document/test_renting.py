"""What goes with a rental and with an API by token, and what does not (F13)."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.document import resolve
from tco.errors import InputErrors
from tco.projection import project

DOCUMENT: dict[str, Any] = {
    "schema": "tco-scenario/1",
    "name": "Rented",
    "finance": {"valuation_date": "2026-12-01", "discount_rate_fraction": 0.1},
    "workloads": [
        {
            "key": "chat",
            "model": "meta-llama/Llama-3.1-70B",
            "weight_dtype": "fp8",
            "kv_dtype": "fp8",
            "requests_per_minute": 6000,
            "input_tokens": 1000,
            "output_tokens": 250,
        }
    ],
    "options": [{"key": "o", "fleets": [{"key": "f", "workload": "chat"}]}],
}
OFFER = "aws-p5-48xlarge-us-east-1"
API = {"provider": "Someone", "input_usd_per_mtok": 0.5, "output_usd_per_mtok": "2 USD/Mtoken"}


def rented(**fleet: Any) -> dict[str, Any]:
    """The document with this fleet."""
    document = copy.deepcopy(DOCUMENT)
    document["options"][0]["fleets"][0] |= fleet
    return document


def errors(**fleet: Any) -> dict[str, str]:
    """Errors by path below the fleet."""
    with pytest.raises(InputErrors) as caught:
        resolve(rented(**fleet), SeedCatalog())
    prefix = "options[0].fleets[0]."
    return {e.field.removeprefix(prefix): f"{e.message}; {e.mend}" for e in caught.value.errors}


def test_terms_reach_the_ledger() -> None:
    """Commitment, storage, set-up and the rest, from text to lines."""
    terms = {
        "commitment": "reserved_3y",
        "usd_per_hour": "26 USD/h",
        "committed_instances": 2,
        "on_demand_usd_per_hour": 55,
        "price_change_fraction_per_year": -0.05,
        "setup_usd": 20000,
        "debugging_usd_per_month": 1000,
        "quota_instances": 40,
        "storage": [{"name": "s", "gb": "10 TB", "usd_per_gb_month": 0.02}],
    }
    (option,) = project(resolve(rented(offer=OFFER, rental=terms), SeedCatalog())).options
    assert option.complete
    totals = {line.key: line.total_usd for line in option.ledger.lines}
    assert {"instances", "commitment_unused", "instances_on_demand"} <= set(totals)
    assert totals["storage"] == pytest.approx(10_000 * 0.02 * 60)
    assert totals["cloud_setup"] == 20_000
    assert totals["cloud_debugging"] == 60_000


def test_an_api_is_a_fleet() -> None:
    """No server, no offer: 100 requests a second, 1,000 tokens in and 250 out."""
    (option,) = project(resolve(rented(api=API), SeedCatalog())).options
    assert option.feasible
    assert option.complete
    million = 100 * 3600 * 730 * 60 / 1e6
    assert option.kpis["undiscounted_usd"].value == pytest.approx(million * (1000 * 0.5 + 250 * 2))
    assert option.kpis["usd_per_mtok_output"].value == pytest.approx((1000 * 0.5 + 250 * 2) / 250)


def test_what_does_not_go_together_is_named() -> None:
    """Each at its path, with the mend."""
    terms = {
        "committed_instances": 2,
        "spot": {"between_interruptions_hours": 5, "restart_hours": 1},
    }
    found = errors(offer=OFFER, rental=terms)
    assert "set commitment to reserved_1y or reserved_3y" in found["rental.committed_instances"]
    assert "set commitment to spot" in found["rental.spot"]
    found = errors(offer=OFFER, rental={"on_demand_usd_per_hour": 5})
    assert "committed_instances" in found["rental.on_demand_usd_per_hour"]
    stored = [{"name": "s", "gb": 1, "usd_per_gb_month": 1, "requests_per_month": 1}]
    found = errors(offer=OFFER, rental={"storage": stored})
    assert "is missing" in found["rental.storage[0].usd_per_1000_requests"]
    found = errors(api=API, offer=OFFER)
    assert "served in two ways" in found["api"]
    found = errors(api=API, count=3, rental={})
    assert {"count", "rental"} <= set(found)


@pytest.mark.parametrize(
    ("fleet", "path"),
    [
        ({"offer": OFFER, "rental": {"usd_per_hour": "36000 USD/month"}}, "rental.usd_per_hour"),
        ({"offer": OFFER, "rental": {"usd_per_hour": -1}}, "rental.usd_per_hour"),
        ({"offer": OFFER, "rental": {"quota_instances": 2.5}}, "rental.quota_instances"),
        ({"api": {**API, "input_usd_per_mtok": "3 USD/request"}}, "api.input_usd_per_mtok"),
        ({"api": {"provider": "x", "input_usd_per_mtok": 1}}, "api.output_usd_per_mtok"),
    ],
)
def test_a_price_in_the_wrong_unit_is_an_error(fleet: dict[str, Any], path: str) -> None:
    """A month is no number of hours, a request no million tokens."""
    assert path in errors(**fleet)


def test_a_training_run_has_no_api() -> None:
    """Tokens of requests are what it is priced by."""
    document = rented(api=API)
    document["workloads"][0] = {
        "key": "chat",
        "model": "meta-llama/Llama-3.1-70B",
        "training": {
            "tokens": 1e9,
            "global_batch_tokens": 1e6,
            "sequence_tokens": 4096,
            "runs_per_year": 1,
        },
    }
    with pytest.raises(InputErrors) as caught:
        resolve(document, SeedCatalog())
    assert "training run" in str(caught.value.errors[0])
