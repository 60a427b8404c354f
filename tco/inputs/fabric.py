"""Networks between servers, and the storage behind them: what is chosen, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass

from tco.inputs.figure import Figure

ROLES = ("front", "storage", "scale_out")
TOPOLOGIES = ("fat_tree", "rail_optimised", "leaf_spine", "dragonfly", "torus")


@dataclass(frozen=True, slots=True)
class Switch:
    """A switch at the rate of its links: an 800 Gb/s port is two of 400."""

    name: str
    ports: int
    port_gbps: float = 0.0  # of one port as the maker counts it; 0: not known
    typical_w: Figure | None = None  # without optics
    rack_units: Figure | None = None
    price_usd: Figure | None = None
    links_per_cage: int = 1  # 2: one module carries two links


@dataclass(frozen=True, slots=True)
class CollectivePoint:
    """One measured all-reduce between servers; latency is inside its time (F7.4)."""

    servers: int
    message_bytes: float
    seconds: Figure


@dataclass(frozen=True, slots=True)
class Fabric:
    """One network of a fleet (F7). A price left out is a blank line, never 0."""

    role: str
    topology: str
    ports_per_server: int
    link_gb_s: Figure  # one direction
    switch: Switch | None  # None: a torus has none
    oversubscription: float = 1.0  # ports down over ports up, at least 1
    torus_dimensions: int = 3
    server_link_m: Figure | None = None
    trunk_link_m: Figure | None = None
    copper_reach_m: Figure | None = None
    module_usd: Figure | None = None  # optical, of one cage
    module_w: Figure | None = None
    fibre_usd: Figure | None = None  # of one link
    copper_usd: Figure | None = None  # of one link, with its ends
    licence_usd_per_switch_year: Figure | None = None
    support_fraction_per_year: Figure | None = None  # of the price of the switches
    all_reduce: tuple[CollectivePoint, ...] = ()

    def device_gb_s(self, devices_per_server: int) -> Figure:
        """Rate of one device to another server, the allowed oversubscription taken off (F7.4)."""
        share = self.ports_per_server / max(1, devices_per_server) / max(1.0, self.oversubscription)
        if share == 1.0:
            return self.link_gb_s
        note = f"{self.ports_per_server} ports for {devices_per_server} devices"
        if self.oversubscription > 1:
            note += f", {self.oversubscription:g}:1"
        return self.link_gb_s.derived(self.link_gb_s.value * share, "GB/s", note)


@dataclass(frozen=True, slots=True)
class Storage:
    """A shared store of a fleet: what it must hold and deliver, and its servers."""

    data_gb: Figure | None  # data sets, beside weights and checkpoints
    checkpoints_kept: int
    usable_gb_per_server: Figure
    read_gb_s_per_server: Figure
    write_gb_s_per_server: Figure
    server_w: Figure | None = None
    server_rack_units: Figure | None = None
    server_usd: Figure | None = None
    support_fraction_per_year: Figure | None = None
    checkpoint_target_s: float | None = None  # the longest stall that a checkpoint may take
    load_target_s: float | None = None  # the longest a new replica may wait for its weights
    fill_fraction: Figure | None = None  # share of the usable room that may be full
    weights_copies: int = 1
    servers: int | None = None  # None: as many as needed
