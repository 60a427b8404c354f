"""Cost classes of owned servers that nobody priced: they are not in the totals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tco.cost.wording import list_text
from tco.inputs import Fleet, Option, Purchase
from tco.results import Crossing

# Every owned fleet has these; the others count as left out once another option prices them.
_ALWAYS = ("network", "support", "staff")
_FIELDS = {
    "network": "network_usd_per_server",
    "support": "support_fraction_per_year",
    "staff": "staff_usd_per_server_year",
    "software": "software_usd_per_device_year",
    "integration": "integration_usd_per_server",
    "sales tax": "sales_tax_fraction",
    "freight": "freight_usd_per_server",
    "insurance": "insurance_fraction_per_year",
    "failures and spares": "failures",
}
# A service holds these in its price.
_IN_SERVICE = frozenset({"support", "freight", "insurance", "failures and spares"})


def unpriced_classes(options: Sequence[Option]) -> dict[str, tuple[str, ...]]:
    """Cost classes that owned fleets of each option leave out, by option key.

    Network, support and staff go with every owned server; the others count when an owned fleet of
    any option prices them. An explicit 0 is a price.
    """
    owned = [fleet for option in options for fleet in option.fleets if fleet.owned]
    expected = [
        name for name in _FIELDS if name in _ALWAYS or any(_prices(fleet, name) for fleet in owned)
    ]
    return {
        option.key: tuple(
            name
            for name in expected
            if not (name == "staff" and option.staffing is not None)
            and any(fleet.owned and not _prices(fleet, name) for fleet in option.fleets)
        )
        for option in options
    }


def before_what(pair: Sequence[tuple[str, str]], unpriced: Mapping[str, tuple[str, ...]]) -> str:
    """Say what a comparison of two options leaves out on one side only; empty when alike.

    Parameters
    ----------
    pair
        Key and name of each option.
    unpriced
        Result of `unpriced_classes`.

    Examples
    --------
    >>> before_what([("a", "A"), ("b", "B")], {"a": ("network", "staff"), "b": ()})
    'before network and staff of A'
    >>> before_what([("a", "A"), ("b", "B")], {"a": ("staff",), "b": ("staff",)})
    ''
    """
    left = {key: unpriced.get(key, ()) for key, _ in pair}
    if len(set(left.values())) <= 1:
        return ""
    parts = [f"{list_text(list(left[key]))} of {name}" for key, name in pair if left[key]]
    return f"before {list_text(parts)}"


def _prices(fleet: Fleet, name: str) -> bool:
    purchase: Purchase | None = fleet.purchase
    if purchase is None:
        return False
    in_service = purchase.financing is not None and purchase.financing.kind == "as_a_service"
    if name == "network" and fleet.fabrics:
        return True
    if name == "support" and fleet.availability is not None and fleet.availability.contract:
        return True
    return getattr(purchase, _FIELDS[name]) is not None or (in_service and name in _IN_SERVICE)


def marked(
    crossing: Crossing, options: Sequence[Option], unpriced: Mapping[str, tuple[str, ...]]
) -> Crossing:
    """The threshold; its sentence says which costs only one of the two options leaves out."""
    names = {option.key: option.name for option in options}
    before = before_what([(key, names[key]) for key in crossing.between], unpriced)
    if not before:
        return crossing
    return replace(crossing, sentence=f"{crossing.sentence.rstrip('.')} ({before}).")
