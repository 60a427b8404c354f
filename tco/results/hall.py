"""What a projection says of a hall: every rack, what binds, what a failure takes, when."""

from __future__ import annotations

from dataclasses import dataclass

from tco.results.limit import Limit


@dataclass(frozen=True, slots=True)
class HallDeviceResult:
    """A device where it stands; `unit` is None for what takes no units."""

    name: str
    kit: str
    unit: float | None
    height_u: float
    face: str
    full_depth: bool
    state: str  # installed | planned | reserved | blocked | failed | offline
    kw: float
    parent: str = ""
    tenant: str = ""
    came: str = ""  # date on which it is placed, empty: it stands


@dataclass(frozen=True, slots=True)
class HallRackResult:
    """One rack with its five bars."""

    key: str
    group: str
    row: str
    place: int
    rack_units: int
    reserved_units: int
    limits: tuple[Limit, ...]  # power, cooling, weight, ports, units
    heat_kw: float
    air_kw: float
    liquid_kw: float
    average_kw: float
    imbalance_fraction: float | None  # of the phase legs, where they are known
    legs_a: tuple[float, ...]
    line_limit_a: float | None
    binds: str  # fullest limit
    available_from: str
    devices: tuple[HallDeviceResult, ...]
    tenant: str = ""


@dataclass(frozen=True, slots=True)
class KitResult:
    """The watts of a kind side by side (F2.5), and its gap."""

    key: str
    name: str
    nameplate_kw: float | None
    expected_kw: float | None
    measured_kw: float | None
    provisioned_kw: float
    average_kw: float | None
    height_u: float
    weight_kg: float | None
    liquid_fraction: float
    ports: int
    fleet: str = ""


@dataclass(frozen=True, slots=True)
class ShortOf:
    """A limit in the way of one more device."""

    limit: str
    unit: str
    racks: int
    short_units: float
    reason: str


@dataclass(frozen=True, slots=True)
class UnplacedResult:
    """Devices that find no place, and why."""

    kit: str
    name: str
    count: int
    of: int
    short_of: tuple[ShortOf, ...]


@dataclass(frozen=True, slots=True)
class FitResult:
    """How many of a kind an empty rack of a group holds (F2.7)."""

    kit: str
    racks: str
    count: int
    binds: str
    next_needs: tuple[tuple[str, float, str], ...]
    stranded_kw: float
    stranded_u: float
    reason: str


@dataclass(frozen=True, slots=True)
class RoomResult:
    """How many more of a kind the hall takes, and what a step more of a limit would add."""

    kit: str
    more: int
    stops: str  # limit in the way of the one after, empty where nothing stops it
    gains: tuple[tuple[str, float, str, int], ...]  # limits, step, unit, devices more


@dataclass(frozen=True, slots=True)
class PartResult:
    """A part of the power tree in its most loaded state."""

    key: str
    name: str
    kind: str
    parent: str
    kw: float
    kva: float
    limit_kw: float | None
    limit_kva: float | None
    share_fraction: float | None
    part: str


@dataclass(frozen=True, slots=True)
class LossResult:
    """The hall without one part: racks by state, parts above their limit."""

    key: str
    name: str
    kind: str
    states: dict[str, tuple[str, ...]]
    overloaded: tuple[str, ...]
    left_fraction: float
    sentence: str


@dataclass(frozen=True, slots=True)
class EventResult:
    """The hall on a day of its growth: what is there, what is powered, what waits."""

    day: str
    racks: int
    delivered: int
    powered: int
    waiting: int
    provisioned_kw: float
    binds: str


@dataclass(frozen=True, slots=True)
class WindowResult:
    """A window of maintenance: what is out, and what goes on."""

    key: str
    name: str
    start: str
    hours: float
    devices_out: int
    out_kw: float
    racks_exposed: int
    sentence: str


@dataclass(frozen=True, slots=True)
class SiteCheckResult:
    """The site as a whole (F2.8); None with a reason where a figure is missing."""

    rack_kw: float
    hall_kw: float
    hall_limit_kw: float | None
    site_kw: float | None
    utility_kw: float | None
    peak_pue: float | None
    reason: str
    above_hall_fraction: float | None  # chance that the sum is above the hall's limit
    mean_kw: float
    deviation_kw: float
    assumed_averages: int  # devices whose average was not known: provisioned stands for it


@dataclass(frozen=True, slots=True)
class HallResult:
    """One hall under one option."""

    site: str
    name: str
    kits: tuple[KitResult, ...]
    racks: tuple[HallRackResult, ...]
    unracked: tuple[HallDeviceResult, ...]
    wanted: int
    placed: int
    unplaced: tuple[UnplacedResult, ...]
    binds: str
    verdict: str
    method: str
    racks_used: int
    rack_bound: int
    relaxations: tuple[tuple[tuple[str, float, str], ...], ...]
    fits: tuple[FitResult, ...]
    room: tuple[RoomResult, ...]
    stranded_kw: float
    stranded_u: float
    floor_m2: float
    floor_formula: str
    parts: tuple[PartResult, ...]
    losses: tuple[LossResult, ...]
    events: tuple[EventResult, ...]
    windows: tuple[WindowResult, ...]
    site_check: SiteCheckResult
    over_limit: tuple[str, ...]  # what stands already is above these
    notes: tuple[str, ...]
