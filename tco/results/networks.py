"""What a projection says of networks, storage and cooling."""

from __future__ import annotations

from dataclasses import dataclass

from tco.inputs import Status


@dataclass(frozen=True, slots=True)
class NetworkTier:
    """Switches of one tier and the ports that are used on all of them."""

    name: str
    switches: int
    ports_used: int


@dataclass(frozen=True, slots=True)
class NetworkLinks:
    """Links of one kind and what carries them."""

    name: str
    count: int
    medium: str  # copper | optical
    modules: int  # optical, both sides
    reason: str  # why this medium


@dataclass(frozen=True, slots=True)
class FabricResult:
    """One network of a fleet, for the most servers it has (F7)."""

    fleet: str
    role: str
    topology: str
    servers: int
    ports: int
    switch: str
    tiers: tuple[NetworkTier, ...]
    links: tuple[NetworkLinks, ...]
    oversubscription: float  # as built
    rack_units: int | None  # None: the switch's height is not known
    power_w: float  # switches and modules; what is not known is 0 here and told in `reason`
    device_gb_s: float  # of one device to the outside, oversubscription taken off
    status: Status
    reason: str = ""

    @property
    def switches(self) -> int:
        """Of all tiers."""
        return sum(tier.switches for tier in self.tiers)

    @property
    def modules(self) -> int:
        """Optical modules at both ends of every link."""
        return sum(links.modules for links in self.links)


@dataclass(frozen=True, slots=True)
class StorageResult:
    """The shared store of a fleet."""

    fleet: str
    servers: int
    binds: str  # capacity | reading | writing | count
    needed_gb: float
    usable_gb: float
    read_gb_s: float
    write_gb_s: float
    checkpoint_gb: float
    checkpoint_s: float | None  # of one checkpoint written by the whole job
    load_s: float | None  # of one replica's weights, alone on the store
    power_w: float
    rack_units: float | None
    status: Status
    reason: str = ""  # what is not known
    short: str = ""  # what a given number of servers lacks


@dataclass(frozen=True, slots=True)
class CoolingResult:
    """Cooling of a site under an option's load (F3)."""

    site: str
    it_peak_kw: float  # expected
    it_provisioned_kw: float  # what units and flow are sized for (F2.5)
    liquid_kw: float  # of it
    air_kw: float
    cooling_kw: float  # what cooling draws at the expected peak, hottest hour
    ups_loss_kw: float
    pue: float  # of the year, energy over energy
    peak_pue: float
    itue: float
    flow_litres_per_min: float | None
    cdus: int
    cdu_lost_kw: float  # to shed with one more lost than is spare, 0 where the rest carries all
    chillers: int
    chiller_lost_kw: float
    minutes: float | None  # to shed in; None: no thermal mass is given
    water_litres_per_year: float | None
    status: Status
    reason: str = ""

    @property
    def tue(self) -> float:
        """ITUE x PUE: facility energy over that of the computing parts (F3.4)."""
        return self.itue * self.pue
