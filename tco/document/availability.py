"""Availability of a fleet: what goes together, and the engine's inputs (F16)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tco.document.nearest import suggestion
from tco.document.parse import path_to
from tco.document.values import plain_number, shown, values
from tco.errors import InputError
from tco.inputs import Availability, Layer, SecondSite, SupportContract

_PRICES = ("usd_per_server_year", "price_fraction_per_year")
_OF_OWNED = ("contracts", "contract", "second_site")


def availability(given: Mapping[str, Any] | None) -> Availability | None:
    """Return the availability of a valid mapping, or None where there is none."""
    if given is None:
        return None
    second = given.get("second_site")
    return Availability(
        **values("availability", given),
        layers=tuple(Layer(**values("layer", item)) for item in given.get("layers", ())),
        contracts=tuple(
            SupportContract(**values("support_contract", item))
            for item in given.get("contracts", ())
        ),
        second_site=SecondSite(**values("second_site", second)) if second else None,
    )


def broken_availability(path: str, fleet: Mapping[str, Any]) -> Iterator[InputError]:
    """Yield what does not go together in a fleet's availability; it may be of any shape."""
    given = fleet.get("availability")
    if not isinstance(given, Mapping):
        return
    place = path_to(path, "availability")
    yield from _layers(place, given.get("layers"))
    yield from _contracts(place, given, fleet)
    if "server" not in fleet:
        for name in _OF_OWNED:
            if name in given:
                message = "goes with servers that are owned"
                yield InputError(path_to(place, name), message, "leave it out")
        if "server_failures_per_year" not in given and "offer" in fleet:
            mend = "enter how often an instance fails: the provider's devices are not ours to count"
            yield InputError(path_to(place, "server_failures_per_year"), "is missing", mend)


def _mappings(path: str, listed: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for index, item in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(item, Mapping):
            yield path_to(path, index), item


def _layers(path: str, listed: Any) -> Iterator[InputError]:
    place = path_to(path, "layers")
    yield from _unique(place, listed, "layers")
    for where, layer in _mappings(place, listed):
        named = [name for name in ("availability_fraction", "mtbf_hours") if name in layer]
        if not named:
            mend = "enter it, or the time between failures (mtbf_hours)"
            yield InputError(path_to(where, "availability_fraction"), "is missing", mend)
        elif len(named) == 2:
            message = "the unit's availability is given twice"
            mend = "leave out mtbf_hours or availability_fraction"
            yield InputError(path_to(where, "mtbf_hours"), message, mend)
        needed, installed = layer.get("needed", 1), layer.get("installed")
        if installed is None:
            continue
        if "scheme" in layer:
            message = "the number of units is given twice"
            yield InputError(path_to(where, "installed"), message, "leave out scheme or installed")
        if _whole(needed) and _whole(installed) and needed > installed:
            message = f"{plain_number(needed)} of {plain_number(installed)} units cannot be up"
            mend = "enter as many units as are needed, or more"
            yield InputError(path_to(where, "installed"), message, mend)


def _contracts(
    path: str, given: Mapping[str, Any], fleet: Mapping[str, Any]
) -> Iterator[InputError]:
    place = path_to(path, "contracts")
    listed = given.get("contracts")
    yield from _unique(place, listed, "contracts")
    for where, contract in _mappings(place, listed):
        named = [name for name in _PRICES if name in contract]
        if not named:
            mend = "enter what it costs, 0 where it is free"
            yield InputError(path_to(where, _PRICES[0]), "is missing", mend)
        elif len(named) == 2:
            message = "the price is given twice"
            yield InputError(path_to(where, _PRICES[1]), message, "leave one of the two out")
    chosen = given.get("contract")
    keys = [item["key"] for _, item in _mappings(place, listed) if _text(item.get("key"))]
    if _text(chosen) and chosen not in keys:
        mend = suggestion(str(chosen), keys) or "add it to contracts"
        message = f"no contract has the key {shown(chosen)}"
        yield InputError(path_to(path, "contract"), message, mend)
    bought = fleet.get("purchase")
    twice = isinstance(bought, Mapping) and "support_fraction_per_year" in bought
    if _text(chosen) and twice:
        message = "support is paid twice: as a share in purchase and by this contract"
        mend = "leave out purchase.support_fraction_per_year"
        yield InputError(path_to(path, "contract"), message, mend)


def _unique(place: str, listed: Any, plural: str) -> Iterator[InputError]:
    first: dict[str, str] = {}
    for where, item in _mappings(place, listed):
        key = item.get("key")
        if not _text(key):
            continue
        if key in first:
            message = f"{shown(key)} is already the key of {first[key]}"
            yield InputError(path_to(where, "key"), message, f"give each of the {plural} its own")
        first.setdefault(str(key), where)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _text(value: Any) -> bool:
    return isinstance(value, str)
