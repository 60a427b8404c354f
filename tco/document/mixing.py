"""What the optimiser is asked: rules of the section, and the engine's inputs (F1.9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tco.document.nearest import suggestion
from tco.document.parse import path_to
from tco.document.values import shown, values
from tco.errors import InputError
from tco.inputs import (
    Blast,
    FleetLock,
    MixPhase,
    MixRequest,
    SiteLimit,
    VendorCap,
    YearBudget,
)

_LISTS: dict[str, tuple[str, Any]] = {
    "phases": ("mix_phase", MixPhase),
    "budgets": ("year_budget", YearBudget),
    "site_limits": ("site_limit", SiteLimit),
    "vendor_caps": ("vendor_cap", VendorCap),
    "blast": ("blast", Blast),
    "locks": ("fleet_lock", FleetLock),
}


def mix_request(given: Mapping[str, Any] | None) -> MixRequest | None:
    """Return the request of a valid mapping, or None where there is none."""
    if given is None:
        return None
    lists: dict[str, Any] = {
        name: tuple(kind(**_keys(item), **values(section, item)) for item in given.get(name, ()))
        for name, (section, kind) in _LISTS.items()
    }
    plain = {name: value for name, value in values("optimise", given).items() if name not in lists}
    plain["alike_workloads"] = tuple(given.get("alike_workloads", ()))
    return MixRequest(**plain, **lists)


def _keys(item: Mapping[str, Any]) -> dict[str, str]:
    """Keys of other parts of the document."""
    return {name: item[name] for name in ("site", "workload", "option") if name in item}


def broken_mix(document: Mapping[str, Any]) -> Iterator[InputError]:
    """Yield what does not go together in the section; it may be of any shape."""
    given = document.get("optimise")
    if not isinstance(given, Mapping):
        return
    yield from _rising(given)
    for index, cap in enumerate(_mappings(given.get("vendor_caps"))):
        if ("servers" in cap) == ("share_fraction" in cap):
            place = path_to(f"optimise.vendor_caps[{index}]", "servers")
            both = "both a count and a share" if "servers" in cap else "neither a count nor a share"
            yield InputError(place, f"gives {both}", "give one of the two")
    fleets = _fleets(document)
    for index, lock in enumerate(_mappings(given.get("locks"))):
        place = f"optimise.locks[{index}]"
        known = fleets.get(str(lock.get("option")), [])
        if known and lock.get("fleet") not in known:
            message = f"{shown(lock.get('fleet'))} is no fleet of that option"
            mend = suggestion(str(lock.get("fleet")), known) or f"use one of {', '.join(known)}"
            yield InputError(path_to(place, "fleet"), message, mend)
        least, most = lock.get("fewest", 0), lock.get("most")
        if isinstance(least, int) and isinstance(most, int) and most < least:
            message = f"{most} is below the {least} it has at least"
            yield InputError(path_to(place, "most"), message, "enter at least as many")
    yield from _unknown_places(document, given)
    keys = [str(one.get("key")) for one in _mappings(document.get("workloads"))]
    for index, name in enumerate(given.get("alike_workloads") or ()):
        if name not in keys:
            place = f"optimise.alike_workloads[{index}]"
            mend = suggestion(str(name), keys) or f"use one of {', '.join(keys)}"
            yield InputError(place, f"{shown(name)} is no workload", mend)


def _unknown_places(document: Mapping[str, Any], given: Mapping[str, Any]) -> Iterator[InputError]:
    """Sites, workloads and options that the document does not have."""
    named = (("site_limits", "site"), ("blast", "workload"), ("locks", "option"))
    for part, field in named:
        keys = [str(one.get("key")) for one in _mappings(document.get(f"{field}s"))]
        for index, item in enumerate(_mappings(given.get(part))):
            key = item.get(field)
            if isinstance(key, str) and key not in keys:
                place = path_to(f"optimise.{part}[{index}]", field)
                mend = suggestion(key, keys) or f"use one of {', '.join(keys)}"
                yield InputError(place, f"{shown(key)} is none of the {field}s", mend)


def _rising(given: Mapping[str, Any]) -> Iterator[InputError]:
    before = -1
    for index, phase in enumerate(_mappings(given.get("phases"))):
        month = phase.get("month")
        if not isinstance(month, int):
            continue
        place = path_to(f"optimise.phases[{index}]", "month")
        if index == 0 and month != 0:
            yield InputError(place, f"the first phase is month {month}", "let it be month 0")
        if month <= before:
            yield InputError(place, f"{month} is not after {before}", "let months rise")
        before = month


def _fleets(document: Mapping[str, Any]) -> dict[str, list[str]]:
    return {
        str(option.get("key")): [str(one.get("key")) for one in _mappings(option.get("fleets"))]
        for option in _mappings(document.get("options"))
    }


def _mappings(listed: Any) -> list[Mapping[str, Any]]:
    return (
        [one if isinstance(one, Mapping) else {} for one in listed or ()]
        if isinstance(listed, list)
        else []
    )
