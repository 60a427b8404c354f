"""One changed input changes what depends on it and nothing else (F23.10).

The table says of each input which lines hang on it, written from the formulas and not from the
code. What is not named must be the same to the last bit; of what is named something must move.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from tco.errors import InputErrors
from tests.generated.drawn import Drawn, amounts, ledger_of, lines_of

_TAX = {"tax_shield_depreciation", "tax_on_running_costs", "tax_on_disposal"}
_RUN_RATE = {"migration_dual_running", "stack_exit", "canary_running", "canary_capital"}
_PRICE = {
    *("servers", "duty", "sales_tax", "support", "property_tax", "insurance", "residual"),
    *("loan_drawn", "loan_principal", "loan_interest", "lease_payments", "lease_interest"),
    *("lease_principal", "lease_buyout", "sales_tax_on_payments", "spares", "repairs"),
}
_LEASE = {"lease_payments", "lease_interest", "lease_principal", "sales_tax_on_payments"}
_SERVICE = {"as_a_service", "as_a_service_unused", "sales_tax_on_payments"}
_HOURS = {"instances", "commitment_unused", "instances_on_demand", "spot_overhead"}
_ENERGY = {"electricity_energy", "electricity_demand", "electricity_fixed"}

# Of one fleet: input -> its lines.
OF_FLEET: dict[str, set[str]] = {
    "purchase.server_usd": _PRICE,
    "purchase.discount_fraction": _PRICE,
    "purchase.network_usd_per_server": {"network"},
    "purchase.integration_usd_per_server": {"integration"},
    "purchase.support_fraction_per_year": {"support"},
    "purchase.software_usd_per_device_year": {"software"},
    "purchase.staff_usd_per_server_year": {"staff"},
    "purchase.residual_fraction": {"residual"},
    "purchase.duty_fraction": {"duty", "sales_tax"},
    "purchase.freight_usd_per_server": {"freight"},
    "purchase.sales_tax_fraction": {"sales_tax", "sales_tax_on_payments"},
    "purchase.property_tax_fraction_per_year": {"property_tax"},
    "purchase.insurance_fraction_per_year": {"insurance"},
    "purchase.retirement_usd_per_server": {"retirement"},
    "purchase.physical_security_usd_per_year": {"physical_security"},
    "purchase.failures.labour_usd_per_failure": {"repairs"},
    "purchase.failures.part_usd": {"repairs", "spares"},
    "purchase.financing.payment_usd_per_server_month": _LEASE,
    "purchase.financing.rate_factor_fraction_per_month": _LEASE,
    "purchase.financing.buyout_fraction": {"lease_buyout"},
    "purchase.financing.return_usd_per_server": {"lease_return"},
    "purchase.financing.usd_per_unit_month": _SERVICE,
    "purchase.financing.down_payment_fraction": {
        *("loan_drawn", "loan_principal", "loan_interest"),
    },
    "rental.usd_per_hour": _HOURS | {"cloud_support"},
    "rental.on_demand_usd_per_hour": {"instances_on_demand", "cloud_support"},
    "rental.egress_gb_per_month": {"egress", "cloud_support"},
    "rental.support_fraction": {"cloud_support"},
    "rental.setup_usd": {"cloud_setup"},
    "rental.debugging_usd_per_month": {"cloud_debugging"},
    "rental.value_usd_per_request": {"unserved"},
    "rental.storage[0].usd_per_gb_month": {"storage", "cloud_support"},
    "rental.storage[0].usd_per_1000_requests": {"storage_requests", "cloud_support"},
    "api.input_usd_per_mtok": {"api_input", "api_cached_input"},
    "api.cached_input_usd_per_mtok": {"api_cached_input"},
    "api.output_usd_per_mtok": {"api_output"},
    "migration.engineer_months": {"migration", "migration_contingency"},
    "migration.usd_per_engineer_month": {"migration", "migration_contingency"},
    "migration.validation_usd": {"migration_validation", "migration_contingency"},
    "exit.probability_fraction": {"stack_exit"},
    "exit.move.usd_per_engineer_month": {"stack_exit"},
    "retraining.runs_per_year": {"model_retraining"},
    "retraining.usd_per_run": {"model_retraining"},
    "retraining.usd_per_device_hour": {"model_retraining"},
    "migration.dual_running_months": {"migration_dual_running"},
    "migration.contingency_fraction": {"migration_contingency"},
}
# Of a site: the lines of the fleets there.
OF_SITE: dict[str, set[str]] = {
    "energy_usd_per_kwh": {"electricity_energy"},
    "demand_usd_per_kw_month": {"electricity_demand"},
    "fixed_usd_per_month": {"electricity_fixed"},
    "colocation.usd_per_kw_month": {"colocation"},
    "colocation.install_usd": {"colocation_install"},
    "build.usd_per_kw": {"facility_build", "facility_stranded"},
}
# Of the whole scenario.
OF_FINANCE: dict[str, set[str]] = {
    "discount_rate_fraction": set(),
    "electricity_escalation_fraction": _ENERGY,
    "opex_escalation_fraction": {
        *("support", "software", "staff", "repairs", "spares", "colocation", "retirement"),
        *("physical_security", "cloud_debugging", "model_retraining", "run_staff"),
    },
}
# May stay for reasons of their own: paid by its own rate, in warranty, all by the commitment,
# after the end.
_MAY_STAY = {
    *("lease_payments", "lease_interest", "lease_principal", "sales_tax_on_payments"),
    *("repairs", "spares", "cloud_support", "instances", "instances_on_demand"),
    "migration_dual_running",
}
RISE = 1.125


def moved(document: Any, path: str) -> bool:
    """Multiply the figure at a path by 1.125; False where there is none that can rise."""
    *steps, last = path.replace("[0]", ".0").split(".")
    for step in steps:
        if isinstance(document, list):
            document = document[int(step)] if int(step) < len(document) else None
        else:
            document = document.get(step) if isinstance(document, dict) else None
        if document is None:
            return False
    if not isinstance(document, dict) or last not in document:
        return False
    value = document[last]
    if isinstance(value, str):
        low, high = (float(end) * RISE for end in value.split(" to "))
        document[last] = f"{low!r} to {high!r}"
    elif isinstance(value, dict):
        document[last] = {**value, **{k: v * RISE for k, v in value.items() if k in _NUMBERS}}
    else:
        document[last] = value * RISE
    return True


_NUMBERS = ("value", "low", "high")


def _candidates(drawn: Drawn) -> list[tuple[str, int, int, str]]:
    """Every input of the tables that the document gives: kind, indices, path."""
    found: list[tuple[str, int, int, str]] = []
    document = drawn.document
    for path in OF_FINANCE:
        found.append(("finance", 0, 0, path))
    for index, _ in enumerate(document.get("sites", [])):
        found += [("site", index, 0, path) for path in OF_SITE]
    for option, given in enumerate(document["options"]):
        for fleet, _ in enumerate(given["fleets"]):
            found += [("fleet", option, fleet, path) for path in OF_FLEET]
    return [each for each in found if _given(document, each)]


def _place(document: Any, candidate: tuple[str, int, int, str]) -> Any:
    kind, first, second, _ = candidate
    if kind == "finance":
        return document["finance"]
    if kind == "site":
        return document["sites"][first]
    return document["options"][first]["fleets"][second]


def _given(document: Any, candidate: tuple[str, int, int, str]) -> bool:
    place = _place(document, candidate)
    for step in candidate[3].replace("[0]", "").split("."):
        if isinstance(place, list):
            place = place[0] if place else None
        if not isinstance(place, dict) or step not in place:
            return False
        place = place[step]
    return place not in (0, 0.0)


MOST = 10


def given_inputs(drawn: Drawn) -> list[tuple[str, int, int, str]]:
    """Inputs of the tables that the document gives, in an order of its own."""
    candidates = _candidates(drawn)
    Random(drawn.seed).shuffle(candidates)
    return candidates


def only_descendants_change(drawn: Drawn, which: int) -> Iterator[str]:
    """F23.10, for one of the inputs that the document gives."""
    candidate = given_inputs(drawn)[which]
    kind, first, second, path = candidate
    name = f"{kind}[{first}][{second}].{path}"
    try:
        after = drawn.changed(lambda document: moved(_place(document, candidate), path))
        moved_inputs = after.inputs
    except InputErrors:
        return  # the moved value passes a limit that another one sets: there is nothing to compare
    keys = {"finance": OF_FINANCE, "site": OF_SITE, "fleet": OF_FLEET}[kind][path]
    site = drawn.document["sites"][first]["key"] if kind == "site" else ""
    any_moved, could_move = False, False
    for index, option in enumerate(moved_inputs.options):
        if kind != "finance" and option == drawn.inputs.options[index]:
            continue  # the same inputs give the same lines: that is the other half of F23.10
        old = lines_of(drawn.projection.options[index].ledger)
        new = lines_of(ledger_of(after.inputs, index, drawn.projection))
        fleets = drawn.document["options"][index]["fleets"]
        if kind == "fleet":
            allowed = {fleets[second]["key"]} if index == first else set()
        else:
            there = [fleet for fleet in fleets if kind == "finance" or fleet.get("site") == site]
            allowed = {fleet["key"] for fleet in there}
        if kind != "fleet" and allowed:
            allowed.add("")  # what a site pays once
        for where in {**old, **new}:
            fleet, key, _ = where
            same = where in old and where in new and amounts(old[where]) == amounts(new[where])
            hangs_on = fleet in allowed and key in (keys | _TAX | _RUN_RATE)
            if not same and not hangs_on:
                yield f"{name} changed {key} of {fleet or 'the site'} of option {index}"
            any_moved |= not same
            named = fleet in allowed and key in keys - _MAY_STAY and where in old
            could_move |= named and any(map(any, amounts(old[where]))) and kind != "finance"
    if could_move and not any_moved:
        yield f"{name} changed nothing"
