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
        """Name of a fleet; the option's where that is clearer (one fleet each)."""
        alone = sum(1 for key, _ in self.fleets if key == option) == 1
        return self.names[option] if alone else self.fleet_names[(option, fleet)]


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
