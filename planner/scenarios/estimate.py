"""Five inputs of a stranger to a scenario document: what to buy or rent.

Every server and cloud offer of the shared catalog is a candidate. One server is taken for each
device (the cheapest that air can cool) and one offer for each device (the cheapest in the region's
country). What is left out, and why, is part of the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hardware_catalog.to_engine import DatabaseCatalog
    from tco.inputs import Figure

SOURCE = "planning value of the quick estimate"
HORIZON_MONTHS = 60
DEFAULT_MODEL = "meta-llama/Llama-3.1-70B"
DEFAULT_REGION = "US-VA"
AIR_COOLED = {"air", "air or liquid"}
SITE = "site"
WORKLOAD = "chat"
NOT_AN_OFFER = "market"  # rows that sum up a market: nobody rents those out
OPTIONS_OF_A_SCENARIO = 4  # the shortlist that a new scenario starts with


@dataclass(frozen=True, slots=True)
class EstimateQuery:
    """The five inputs. Token lengths are one pair; the target is the p95 time to first token."""

    model: str = DEFAULT_MODEL
    requests_per_minute: float = 600.0
    input_tokens: float = 1000.0
    output_tokens: float = 250.0
    ttft_ms: float = 1000.0
    region: str = DEFAULT_REGION


@dataclass(frozen=True, slots=True)
class Excluded:
    """A candidate that was left out, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Candidates:
    """Options worth projecting, and those that are not."""

    options: tuple[dict[str, Any], ...]
    excluded: tuple[Excluded, ...]


def _assumed(value: float) -> dict[str, Any]:
    return {"value": value, "status": "assumed", "source": SOURCE}


def _plain(value: float) -> float | int:
    return int(value) if value == int(value) else value


def _owned(key: str, name: str, server: str, device: str, device_count: int) -> dict[str, Any]:
    """An option of bought servers; what the catalog has no price for is assumed and marked so."""
    return {
        "key": key,
        "name": name,
        "fleets": [
            {
                "key": key,
                "workload": WORKLOAD,
                "site": SITE,
                "server": server,
                "device": device,
                "purchase": {
                    "discount_fraction": 0.0,
                    # leaf switches, optics and cables: about 3,000 USD and 45 W a device
                    "network_usd_per_server": _assumed(3000.0 * device_count),
                    "network_w_per_server": _assumed(45.0 * device_count),
                    "support_fraction_per_year": _assumed(0.05),
                    "staff_usd_per_server_year": _assumed(6000.0),
                    "residual_fraction": 0.0,
                    "life_months": HORIZON_MONTHS,
                },
            }
        ],
    }


def _rented(key: str, name: str, offer: str) -> dict[str, Any]:
    return {
        "key": key,
        "name": name,
        "fleets": [
            {
                "key": key,
                "workload": WORKLOAD,
                "offer": offer,
                "rental": {"commitment": "on_demand", "scaling": "hourly"},
            }
        ],
    }


def _too_small(memory: Figure | None, count: int, weights_gb: float) -> str:
    """Why the weights alone do not fit, or an empty text; the engine checks the rest."""
    if memory is None or memory.value * count >= weights_gb:
        return ""
    return (
        f"the weights take {weights_gb:,.0f} GB, {count} x {memory.value:g} GB are there: "
        "choose fewer bytes a weight in the scenario"
    )


def owned_candidates(
    catalog: DatabaseCatalog, *, valuation_date: str, weights_gb: float
) -> Candidates:
    """Return one server for each device, the cheapest one with a price that holds the weights."""
    best: dict[str, tuple[float, dict[str, Any]]] = {}
    excluded: dict[str, Excluded] = {}
    for server_key in catalog.keys("server"):
        for device_key in catalog.server_devices(server_key):
            server = catalog.server(server_key, device_key)
            if server is None or server.device.pending:
                continue
            device, count = server.device, server.device_count
            ended = server.lifecycle.end_of_sale or device.lifecycle.end_of_sale
            price = server.price_usd
            why = _too_small(device.memory_gb, count, weights_gb)
            if ended and ended <= valuation_date:
                why = f"no longer sold since {ended}"
            elif price is None:
                why = "the catalog has no price for a server with it"
            elif server.cooling not in AIR_COOLED:
                why = "its servers with a price need liquid cooling; the estimate assumes air"
            if why or price is None:
                name = f"Own servers with {device.vendor} {device.name}"
                excluded.setdefault(device_key, Excluded(name, why))
                continue
            each = price.value / count
            if device_key not in best or each < best[device_key][0]:
                title = f"Own {server.name} with {count} x {device.name}"
                option = _owned(f"own-{device_key}", title, server_key, device_key, count)
                best[device_key] = (each, option)
    return Candidates(
        tuple(option for _, option in best.values()),
        tuple(item for key, item in excluded.items() if key not in best),
    )


def rented_candidates(catalog: DatabaseCatalog, *, country: str, weights_gb: float) -> Candidates:
    """Return for each device its cheapest on-demand offer in the country that holds the weights."""
    best: dict[str, tuple[float, dict[str, Any]]] = {}
    excluded: dict[str, Excluded] = {}
    for offer_key in catalog.keys("offer"):
        offer = catalog.offer(offer_key)
        if offer is None or offer.provider.startswith(NOT_AN_OFFER):
            continue
        rate = offer.on_demand_usd_per_hour
        why = _too_small(offer.device.memory_gb, offer.device_count, weights_gb)
        if rate is None:
            why = "the catalog has no on-demand rate"
        elif country and offer.country and offer.country != country:
            why = f"not offered in {country}"
        device_key = offer.device.key
        name = f"Rent {offer.provider} {offer.instance_type}"
        name += f", {offer.region}" if offer.region else ""
        if why or rate is None:
            excluded.setdefault(device_key, Excluded(f"{name} ({offer.device.name})", why))
            continue
        each = rate.value / offer.device_count
        if device_key not in best or each < best[device_key][0]:
            best[device_key] = (each, _rented(f"rent-{offer_key}", name, offer_key))
    return Candidates(
        tuple(option for _, option in best.values()),
        tuple(item for key, item in excluded.items() if key not in best),
    )


def estimate_document(
    query: EstimateQuery,
    *,
    options: tuple[dict[str, Any], ...],
    valuation_date: str,
    model_name: str,
    weight_dtype: str,
    region_name: str,
) -> dict[str, Any]:
    """Return the scenario document of a query with these options."""
    rate = f"{_plain(query.requests_per_minute):,}"
    return {
        "schema": "tco-scenario/1",
        "name": f"{model_name} at {rate} requests a minute",
        "description": (
            "Started from the quick estimate. Prices of the network, support, staff and the rented "
            "space are planning values: replace them by your own."
        ),
        "finance": {
            "valuation_date": valuation_date,
            "horizon_months": HORIZON_MONTHS,
            "discount_rate_fraction": 0.10,
        },
        "sites": [
            {
                "key": SITE,
                "name": f"Rented space, {region_name}",
                "region": query.region,
                "slot_w": _assumed(1500),
                "colocation": {"usd_per_kw_month": _assumed(185.0), "power_included": False},
            }
        ],
        "workloads": [
            {
                "key": WORKLOAD,
                "name": f"Chat with {model_name}",
                "model": query.model,
                "weight_dtype": weight_dtype,
                "kv_dtype": weight_dtype if weight_dtype in {"bf16", "fp16", "fp8"} else "bf16",
                "requests_per_minute": _plain(query.requests_per_minute),
                "input_tokens": _plain(query.input_tokens),
                "output_tokens": _plain(query.output_tokens),
                "targets": [
                    {"metric": "ttft", "percentile": 95, "limit_ms": _plain(query.ttft_ms)},
                    {"metric": "tpot", "percentile": 95, "limit_ms": 100},
                ],
            }
        ],
        "options": list(options),
    }


def without(document: dict[str, Any], keys: set[str]) -> dict[str, Any]:
    """Return the document with only the options of these keys."""
    kept = [option for option in document["options"] if option["key"] in keys]
    return {**document, "options": kept}
