"""A mix as a scenario document of its own, to be opened, changed and projected."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]  # of `tco.mix.plain.plain_rows`


def mix_document(document: Mapping[str, Any], rows: Sequence[Row], name: str) -> dict[str, Any]:
    """Return the document with a mix in it.

    Where a mix is bought at once and runs all day it becomes an option of its own, before the
    options it was chosen from: each fleet with its count and its share of the requests by what
    it carries. Another one is settled in the section `optimise`, fleet by fleet, so that the
    optimiser has no other choice.

    Parameters
    ----------
    document
        The scenario that the mix was chosen for.
    rows
        Machines of the mix as JSON values; `carries_per_s` of each.
    name
        Of the new scenario and of the option.
    """
    found: dict[str, Any] = copy.deepcopy(dict(document))
    found["name"] = f"{document['name']}: {name}"
    if _at_once(document, rows):
        option = _option(document, rows, name)
        found["options"] = [option, *found["options"]]
        found.pop("optimise", None)
        return found
    asked = dict(found.get("optimise") or {})
    counts: dict[tuple[str, str], int] = {}
    for row in rows:
        key = (row["option"], row["fleet"])
        counts[key] = counts.get(key, 0) + row["count"]
    locks = []
    for option in document["options"]:
        for fleet in option["fleets"]:
            most = counts.get((option["key"], fleet["key"]), 0)
            locks.append({"option": option["key"], "fleet": fleet["key"], "most": most})
    asked["locks"] = locks
    found["optimise"] = asked
    return found


def _at_once(document: Mapping[str, Any], rows: Sequence[Row]) -> bool:
    return all(
        row["from_month"] == 0 and row["hours_per_day"] == 24 and not row["follows_the_day"]
        for row in rows
    )


def _option(document: Mapping[str, Any], rows: Sequence[Row], name: str) -> dict[str, Any]:
    given = {
        (option["key"], fleet["key"]): fleet
        for option in document["options"]
        for fleet in option["fleets"]
    }
    served: dict[str, float] = {}
    for row in rows:
        served[row["workload"]] = served.get(row["workload"], 0.0) + row["carries_per_s"]
    fleets: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        place = (row["option"], row["fleet"])
        share = row["carries_per_s"] / served[row["workload"]]
        if place not in fleets:
            fleet = copy.deepcopy(dict(given[place]))
            fleet |= {"key": f"{place[0]}-{place[1]}", "count": 0, "share_fraction": 0.0}
            fleets[place] = fleet
        fleets[place]["count"] += row["count"]
        fleets[place]["share_fraction"] += share
    taken = {option["key"] for option in document["options"]}
    key = next(one for one in ("mix", *(f"mix-{n}" for n in range(2, 99))) if one not in taken)
    return {"key": key, "name": name, "fleets": list(fleets.values())}
