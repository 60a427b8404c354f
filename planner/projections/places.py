"""Which colour a fleet and an option have: by their place in the scenario, on every page alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Places:
    """Numbers of fleets and options; charts turn them into colours."""

    fleets: dict[tuple[str, str], int]
    options: dict[str, int]
    names: dict[str, str]  # option key to name
    fleet_names: dict[tuple[str, str], str]

    def fleet_label(self, option: str, fleet: str) -> str:
        """Name of a fleet, unlike any other: the option's where it has no second fleet."""
        if sum(1 for key, _ in self.fleets if key == option) == 1:
            return self.names[option]
        name = self.fleet_names[(option, fleet)]
        alike = [place for place, other in self.fleet_names.items() if other == name]
        if len(alike) == 1:
            return name
        twins = [place for place in alike if place[0] == option]
        if len(twins) == 1:
            return f"{self.names[option]}: {name}"
        return f"{self.names[option]}, fleet {twins.index((option, fleet)) + 1}"


def places_of(result: dict[str, Any]) -> Places:
    """Return the places of a stored result. An option has the colour of its first fleet."""
    fleets: dict[tuple[str, str], int] = {}
    names: dict[tuple[str, str], str] = {}
    options: dict[str, int] = {}
    for option in result["options"]:
        key = option["key"]
        options[key] = len(fleets)
        for fleet in result["latency"][key]:
            fleets[(key, fleet["fleet"])] = len(fleets)
            names[(key, fleet["fleet"])] = fleet["name"]
    return Places(
        fleets, options, {option["key"]: option["name"] for option in result["options"]}, names
    )
