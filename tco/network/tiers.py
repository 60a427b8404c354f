"""A network as tiers of switches and groups of links."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tier:
    """Switches of one tier; `ports_used` of all of them."""

    name: str
    switches: int
    ports_used: int


@dataclass(frozen=True, slots=True)
class Links:
    """Links of one kind, with the switches at their ends: one for a server's link, else two."""

    name: str
    count: int
    to_server: bool

    def trunk(self, name: str, count: int) -> Links:
        """Links between switches."""
        return Links(name, count, to_server=False)


@dataclass(frozen=True, slots=True)
class Layout:
    """Switches by tier and links by kind."""

    tiers: tuple[Tier, ...]
    links: tuple[Links, ...]
    oversubscription: float = 1.0  # as built
    groups: int = 0  # of a dragonfly

    @property
    def switches(self) -> int:
        """Of all tiers."""
        return sum(tier.switches for tier in self.tiers)

    @property
    def upper_switches(self) -> int:
        """Above the leaves."""
        return sum(tier.switches for tier in self.tiers[1:])


def server_links(ports: int) -> Links:
    """Return the links from servers to switches, one for each port (F7.1)."""
    return Links("server to leaf", ports, to_server=True)
