"""Financing of a purchase: which fields go with which kind, and the engine's inputs (F12.1)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from tco.document.parse import path_to
from tco.document.values import number, plain_number, shown, values
from tco.errors import InputError
from tco.fields import section
from tco.inputs import Assessment, Delivery, Failures, Financing, Instalment, Purchase

_LEASE = frozenset(
    {
        *("term_months", "rate_fraction_per_year", "payment_usd_per_server_month"),
        *("rate_factor_fraction_per_month", "payment_rise_fraction_per_year", "payment_timing"),
        *("at_end", "buyout_fraction", "return_usd_per_server"),
    }
)
_TAKES: dict[str, frozenset[str]] = {
    "cash": frozenset(),
    "loan": frozenset({"term_months", "rate_fraction_per_year", "down_payment_fraction"}),
    "finance_lease": _LEASE,
    "operating_lease": _LEASE,
    "as_a_service": frozenset(
        {
            *("term_months", "usd_per_unit_month", "unit", "minimum_count"),
            *("payment_rise_fraction_per_year", "payment_timing"),
        }
    ),
}
_NEEDS: dict[str, tuple[str, ...]] = {
    "loan": ("term_months", "rate_fraction_per_year"),
    "finance_lease": ("term_months", "rate_fraction_per_year"),
    "operating_lease": ("term_months",),
    "as_a_service": ("term_months", "usd_per_unit_month"),
}
_PAYMENTS = ("payment_usd_per_server_month", "rate_factor_fraction_per_month")
_BRIDGE = "bridge_usd_per_server_month"  # of what comes late
SHARE_TOLERANCE = 1e-9


def purchase(given: Mapping[str, Any]) -> Purchase:
    """Return the purchase of a valid mapping, with what is inside it."""
    financing, failures = given.get("financing"), given.get("failures")
    delivery = given.get("delivery")
    return Purchase(
        **values("purchase", given),
        financing=Financing(**values("financing", financing)) if financing else None,
        delivery=Delivery(**values("delivery", delivery)) if delivery else None,
        failures=Failures(**values("failures", failures)) if failures else None,
        instalments=tuple(
            Instalment(**values("instalment", item)) for item in given.get("instalments", ())
        ),
        property_tax_schedule=tuple(
            Assessment(**values("assessment", item))
            for item in given.get("property_tax_schedule", ())
        ),
    )


def broken_purchase(path: str, fleet: Mapping[str, Any]) -> Iterator[InputError]:
    """Yield what does not go together in a fleet's purchase; it may be of any shape."""
    given = fleet.get("purchase")
    if not isinstance(given, Mapping):
        return
    place = path_to(path, "purchase")
    yield from _instalments(place, given)
    delivery = given.get("delivery")
    held = delivery if isinstance(delivery, Mapping) else {}
    if "bridged_fraction" in held and _BRIDGE not in held:
        mend = "enter what renting one server's work costs a month, or leave the share out"
        yield InputError(path_to(path_to(place, "delivery"), _BRIDGE), "is missing", mend)
    financing = given.get("financing")
    if isinstance(financing, Mapping) and str(financing.get("kind")) in _TAKES:
        yield from _financing(path_to(place, "financing"), financing, given)


def _financing(
    path: str, given: Mapping[str, Any], purchase_given: Mapping[str, Any]
) -> Iterator[InputError]:
    kind = str(given["kind"])
    words = kind.replace("_", " ")
    own_words = {"cash": "a purchase in cash", "as_a_service": "a service"}
    what = own_words.get(kind, f"{'an' if words[0] in 'aeiou' else 'a'} {words}")
    for name in given:
        if name != "kind" and name in section("financing") and name not in _TAKES[kind]:
            yield InputError(path_to(path, name), f"does not go with {what}", "leave it out")
    for name in _NEEDS.get(kind, ()):
        if name not in given:
            label = section("financing")[name].label
            mend = f"enter {label[0].lower()}{label[1:]}: {what} needs it"
            yield InputError(path_to(path, name), "is missing", mend)
    if kind.endswith("lease"):
        yield from _lease(path, given, purchase_given)


def _lease(
    path: str, given: Mapping[str, Any], purchase_given: Mapping[str, Any]
) -> Iterator[InputError]:
    named = [name for name in _PAYMENTS if name in given]
    if not named:
        yield InputError(path_to(path, _PAYMENTS[0]), "is missing", "enter it, or a rate factor")
    elif len(named) == 2:
        message = "the payment is given twice, as an amount and as a rate factor"
        yield InputError(path_to(path, named[1]), message, "leave one of the two out")
    at_end = given.get("at_end", "renew")
    if at_end == "buyout" and "buyout_fraction" not in given:
        mend = "enter the share of the price that the servers are bought for"
        yield InputError(path_to(path, "buyout_fraction"), "is missing", mend)
    for name, end in (("buyout_fraction", "buyout"), ("return_usd_per_server", "return")):
        if name in given and at_end != end:
            message = f"does not go with at_end {shown(at_end)}"
            yield InputError(path_to(path, name), message, f"leave it out, or set at_end to {end}")
    term = given.get("term_months")
    life = purchase_given.get("life_months", int(section("purchase")["life_months"].default))
    whole = all(isinstance(x, int) and not isinstance(x, bool) for x in (term, life))
    if at_end == "buyout" and whole and term >= life:
        message = f"{term} months leave nothing of a life of {life} months to buy"
        mend = "lengthen purchase.life_months, or end the lease otherwise"
        yield InputError(path_to(path, "term_months"), message, mend)


def _instalments(path: str, given: Mapping[str, Any]) -> Iterator[InputError]:
    listed = given.get("instalments")
    if not isinstance(listed, list) or not listed:
        return
    place = path_to(path, "instalments")
    financing = given.get("financing")
    kind = financing.get("kind", "cash") if isinstance(financing, Mapping) else "cash"
    if kind != "cash":
        message = f"instalments do not go with {str(kind).replace('_', ' ')}"
        yield InputError(place, message, "leave out financing or instalments")
    try:
        shares = [number(item["share_fraction"], "fraction") for item in listed]
    except (ValueError, TypeError, KeyError):  # told at the item
        return
    total = math.fsum(shares)
    if abs(total - 1.0) > SHARE_TOLERANCE:
        message = f"the instalments add up to {plain_number(round(total, 9))}"
        yield InputError(place, message, "make them add up to 1")
