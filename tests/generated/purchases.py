"""Drawn terms of what is bought, leased or rented; every field a document may carry for them."""

from __future__ import annotations

from random import Random
from typing import Any

Mapping = dict[str, Any]


def figure(rng: Random, low: float, high: float, digits: int = 4) -> Any:
    """A number, a number with its range and source, or a range in words."""
    value = round(rng.uniform(low, high), digits)
    kind = rng.randrange(6)
    if kind == 0:
        end = round(min(high, value + (high - low) / 4), digits)
        return f"{value} to {end}" if end > value else value
    if kind == 1:
        return {
            "value": value,
            "low": round(max(low, value - (high - low) / 5), digits),
            "high": round(min(high, value + (high - low) / 5), digits),
            "status": rng.choice(["measured", "published", "estimated", "assumed"]),
            "source": "drawn",
        }
    return value


def maybe(rng: Random, given: Mapping, name: str, low: float, high: float, digits: int = 4) -> None:
    """Enter a field in a third of the documents."""
    if rng.random() < 1 / 3:
        given[name] = figure(rng, low, high, digits)


def purchase(rng: Random) -> Mapping:
    """Terms of owned servers: prices, charges, how they are paid, failures."""
    given: Mapping = {"life_months": rng.choice([12, 24, 36, 48, 60])}
    if rng.random() < 0.5:
        given["server_usd"] = figure(rng, 20_000, 400_000, 2)
    maybe(rng, given, "discount_fraction", 0.0, 0.5)
    maybe(rng, given, "network_usd_per_server", 100, 40_000, 2)
    maybe(rng, given, "network_w_per_server", 0, 500, 1)
    maybe(rng, given, "support_fraction_per_year", 0.0, 0.2)
    maybe(rng, given, "software_usd_per_device_year", 100, 4_500, 2)
    maybe(rng, given, "integration_usd_per_server", 100, 9_000, 2)
    maybe(rng, given, "staff_usd_per_server_year", 100, 9_000, 2)
    maybe(rng, given, "residual_fraction", 0.0, 0.4)
    maybe(rng, given, "price_change_fraction_per_year", -0.3, 0.2)
    maybe(rng, given, "duty_fraction", 0.0, 0.2)
    maybe(rng, given, "freight_usd_per_server", 10, 3_000, 2)
    maybe(rng, given, "sales_tax_fraction", 0.0, 0.25)
    maybe(rng, given, "property_tax_fraction_per_year", 0.0, 0.03)
    maybe(rng, given, "insurance_fraction_per_year", 0.0, 0.02)
    maybe(rng, given, "retirement_usd_per_server", 10, 2_000, 2)
    maybe(rng, given, "physical_security_usd_per_year", 1_000, 90_000, 2)
    if rng.random() < 0.3:
        given["book_life_months"] = rng.choice([12, 36, 48, 72])
    if rng.random() < 0.2:
        given["order_lead_months"] = rng.choice([1, 3, 6])
    if rng.random() < 0.2:
        given["property_tax_schedule"] = [{"share_fraction": x} for x in (0.8, 0.5, 0.2)]
    if rng.random() < 0.3:
        given["failures"] = _failures(rng)
    if rng.random() < 0.7:
        given["financing"] = financing(rng, given["life_months"])
    elif rng.random() < 0.5:
        given["instalments"] = [
            {"share_fraction": 0.3},
            {"share_fraction": 0.6, "after_months": rng.choice([1, 3])},
            {"share_fraction": 0.1, "after_months": rng.choice([4, 12])},
        ]
    return given


def _failures(rng: Random) -> Mapping:
    given: Mapping = {
        "lead_months": figure(rng, 0.0, 4.0),
        "warranty_months": rng.choice([0, 12, 36, 60]),
        "labour_usd_per_failure": figure(rng, 50, 900, 2),
    }
    maybe(rng, given, "afr_per_year", 0.0, 0.5)
    maybe(rng, given, "part_usd", 500, 30_000, 2)
    maybe(rng, given, "service_level_fraction", 0.5, 0.99)
    return given


def financing(rng: Random, life_months: int) -> Mapping:
    """Any of the five ways to pay, each with the fields that go with it."""
    kind = rng.choice(["cash", "loan", "finance_lease", "operating_lease", "as_a_service"])
    given: Mapping = {"kind": kind}
    if kind == "cash":
        return given
    given["term_months"] = rng.choice([6, 12, 24, 36, 48])
    if kind == "loan":
        given["rate_fraction_per_year"] = figure(rng, 0.0, 0.15)
        maybe(rng, given, "down_payment_fraction", 0.0, 0.5)
        return given
    given["payment_timing"] = rng.choice(["arrears", "advance"])
    maybe(rng, given, "payment_rise_fraction_per_year", 0.0, 0.06)
    if kind == "as_a_service":
        given["usd_per_unit_month"] = figure(rng, 50, 3_000, 2)
        given["unit"] = rng.choice(["device", "server"])
        if rng.random() < 0.4:
            given["minimum_count"] = rng.choice([0, 8, 40])
        return given
    given["rate_fraction_per_year"] = figure(rng, 0.01, 0.12)
    if rng.random() < 0.5:
        given["payment_usd_per_server_month"] = figure(rng, 500, 9_000, 2)
    else:
        given["rate_factor_fraction_per_month"] = figure(rng, 0.01, 0.05)
    ends = ["renew", "return"] + (["buyout"] if given["term_months"] < life_months else [])
    given["at_end"] = rng.choice(ends)
    if given["at_end"] == "buyout":
        given["buyout_fraction"] = figure(rng, 0.0, 0.3)
    if given["at_end"] == "return":
        given["return_usd_per_server"] = figure(rng, 0, 900, 2)
    return given


def rental(rng: Random) -> Mapping:
    """Terms of rented instances."""
    commitment = rng.choice(["on_demand", "on_demand", "reserved_1y", "reserved_3y", "spot"])
    given: Mapping = {
        "commitment": commitment,
        "usd_per_hour": figure(rng, 2, 90, 2),
        "scaling": rng.choice(["peak", "hourly"]),
    }
    if commitment.startswith("reserved") and rng.random() < 0.5:
        given["committed_instances"] = rng.choice([0, 1, 4])
        given["on_demand_usd_per_hour"] = figure(rng, 2, 90, 2)
    if commitment == "spot":
        given["spot"] = {"between_interruptions_hours": 12, "restart_hours": 0.3}
    maybe(rng, given, "egress_gb_per_month", 0, 200_000, 0)
    maybe(rng, given, "support_fraction", 0.0, 0.1)
    maybe(rng, given, "setup_usd", 100, 50_000, 2)
    maybe(rng, given, "debugging_usd_per_month", 10, 4_000, 2)
    maybe(rng, given, "price_change_fraction_per_year", -0.2, 0.1)
    if rng.random() < 0.2:
        given["warm_up_hours"], given["billing_minimum_hours"] = 0.25, 1
    if rng.random() < 0.2:
        given["quota_instances"] = rng.choice([1, 50])
        given["value_usd_per_request"] = figure(rng, 0.0, 0.01)
    if rng.random() < 0.3:
        given["storage"] = [
            {
                "name": "store",
                "gb": figure(rng, 100, 90_000, 0),
                "usd_per_gb_month": figure(rng, 0.01, 0.1),
                "requests_per_month": 1_000_000,
                "usd_per_1000_requests": figure(rng, 0.0001, 0.01),
            }
        ]
    return given


def api(rng: Random) -> Mapping:
    """An API priced by token."""
    given: Mapping = {
        "provider": "A hosted",
        "input_usd_per_mtok": figure(rng, 0.05, 3.0),
        "output_usd_per_mtok": figure(rng, 0.1, 12.0),
    }
    maybe(rng, given, "cached_input_usd_per_mtok", 0.01, 0.5)
    maybe(rng, given, "price_change_fraction_per_year", -0.3, 0.0)
    return given


def migration(rng: Random, months: int) -> Mapping:
    """A move to other hardware."""
    given: Mapping = {
        "engineer_months": figure(rng, 0, 30),
        "usd_per_engineer_month": figure(rng, 8_000, 25_000, 2),
    }
    maybe(rng, given, "validation_usd", 100, 50_000, 2)
    maybe(rng, given, "dual_running_months", 0, min(4, months))
    maybe(rng, given, "contingency_fraction", 0.0, 0.5)
    return given


def retraining(rng: Random) -> Mapping:
    """Runs in the year, each by its device-hours or for a sum."""
    given: Mapping = {"runs_per_year": figure(rng, 0, 24)}
    if rng.random() < 0.5:
        given["device_hours_per_run"] = figure(rng, 1, 500, 1)
        given["usd_per_device_hour"] = figure(rng, 0.5, 6.0)
    else:
        given["usd_per_run"] = figure(rng, 100, 50_000, 2)
    return given


def staffing(rng: Random) -> Mapping:
    """People who run the machines."""
    given: Mapping = {
        "usd_per_fte_year": figure(rng, 60_000, 250_000, 2),
        "rota": rng.random() < 0.3,
    }
    maybe(rng, given, "base_fte", 0.0, 3.0)
    maybe(rng, given, "fte_per_server", 0.0, 0.2)
    maybe(rng, given, "fte_per_site", 0.0, 1.0)
    maybe(rng, given, "shared_fraction", 0.2, 1.0)
    return given
