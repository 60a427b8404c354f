"""A hall as it is described: power tree, racks, kinds of devices, what stands, what comes when."""

from __future__ import annotations

from dataclasses import dataclass

from tco.inputs.figure import Figure
from tco.inputs.hardware import Server
from tco.inputs.site import Feed, Rack


def rack_names(key: str, count: int) -> tuple[str, ...]:
    """Names of the racks of a group: the key of one, else numbered.

    Examples
    --------
    >>> rack_names("r", 1), rack_names("r", 2)
    (('r',), ('r-01', 'r-02'))
    """
    if count == 1:
        return (key,)
    width = max(2, len(str(count)))
    return tuple(f"{key}-{number:0{width}d}" for number in range(1, count + 1))


@dataclass(frozen=True, slots=True)
class PowerPart:
    """A part of the power tree (F2.6, F2.8); it carries the least of kVA, kW and its circuit."""

    key: str
    name: str
    kind: str  # utility | transformer | generator | ups | switchboard | busway | pdu | branch
    parent: str
    kva: Figure | None
    kw: Figure | None
    voltage_v: float | None
    voltage_reference: str  # LL | LN
    phases: int
    breaker_a: float | None
    plug_a: float | None
    cord_a: float | None
    usable_fraction: Figure
    thermal_factor: Figure
    diversity_fraction: Figure
    available_from: str  # date, empty: it stands


@dataclass(frozen=True, slots=True)
class HallRacks:
    """Racks that are alike, or one rack; `count` above 1 numbers them ``key-01``, ``key-02``."""

    key: str
    name: str
    count: int
    row: str
    first_place: int  # in the row, from 1
    rack: Rack
    feed: Feed
    sources: tuple[str, ...]  # a part of the power tree for every feed, in turn
    plug_a: float | None
    cord_a: float | None
    pdu_a: float | None
    outlets: str  # three_phase | line_neutral | line_line
    thermal_factor: Figure
    cooling_kw: Figure | None
    air_kw: Figure | None
    liquid_kw: Figure | None
    own_kg: Figure | None
    floor_kg: Figure | None
    ports: int | None
    cable_m: float | None
    reserved_units: int
    available_from: str
    tenant: str = ""


@dataclass(frozen=True, slots=True)
class Kit:
    """A kind of device, with the watts people know of it side by side (F2.5)."""

    key: str
    name: str
    server: Server | None
    units: float | None
    depth: str  # full | half
    mount: str  # rail | zero_u | child | own_rack
    provisioned_w: Figure | None
    nameplate_w: Figure | None
    expected_w: Figure | None
    measured_w: Figure | None
    average_w: Figure | None
    weight_kg: Figure | None
    ports: int | None
    psu_count: int | None
    liquid_fraction: Figure | None
    reach_m: float | None
    work: str  # serving | training | other
    resource: str = ""  # as Kubernetes counts it, e.g. nvidia.com/gpu
    devices_each: int | None = None


@dataclass(frozen=True, slots=True)
class HallDevice:
    """What stands in the hall, or is reserved in it."""

    name: str
    kit: str  # empty: a reservation or a blocked place
    rack: str  # empty: not racked
    unit: float | None  # lowest, from 1
    height_u: float | None  # of a reservation
    face: str  # front | rear
    parent: str
    state: str  # installed | planned | reserved | blocked | failed
    tenant: str = ""


@dataclass(frozen=True, slots=True)
class HallNeed:
    """Devices that shall come: a phase of growth."""

    key: str
    name: str
    kit: str
    count: int
    available_from: str


@dataclass(frozen=True, slots=True)
class HallWindow:
    """A window of maintenance: parts switched off, or a share of a kind taken out in turn."""

    key: str
    name: str
    part: str  # of the tree, a cooling unit or racks; empty for a kind
    kit: str
    share_fraction: Figure | None
    start: str
    hours: float


@dataclass(frozen=True, slots=True)
class CoolingUnitPart:
    """A cooling unit that racks share, by what it carries."""

    key: str
    name: str
    kind: str  # cdu | crah | in_row | chiller
    medium: str  # air | liquid
    kw: Figure
    racks: tuple[str, ...]  # keys of `HallRacks`; empty: all


@dataclass(frozen=True, slots=True)
class HallPool:
    """Servers of a cluster that no rack is known for yet."""

    key: str
    kit: str
    count: int
    labels: tuple[str, ...]  # key=value


@dataclass(frozen=True, slots=True)
class Hall:
    """One hall of a site."""

    power: tuple[PowerPart, ...]
    racks: tuple[HallRacks, ...]
    kit: tuple[Kit, ...]
    devices: tuple[HallDevice, ...]
    needs: tuple[HallNeed, ...]
    windows: tuple[HallWindow, ...]
    cooling_units: tuple[CoolingUnitPart, ...]
    pools: tuple[HallPool, ...]
    diversity_fraction: Figure
    peak_pue: Figure | None
    recharge_kw: Figure | None
    air_kw: Figure | None
    liquid_kw: Figure | None
    fabric_ports: int | None
    fabric_rack: str
    serving_correlation: Figure
    training_correlation: Figure
    rack_width_m: float
    rack_depth_m: float
    cold_aisle_m: float
    hot_aisle_m: float
    cable_slack_m: float
