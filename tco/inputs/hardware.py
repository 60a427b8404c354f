"""Devices, servers, cloud offers: what can be bought or rented."""

from __future__ import annotations

from dataclasses import dataclass, field

from tco.inputs.figure import Figure


@dataclass(frozen=True, slots=True)
class GemmPoint:
    """One measured matrix product: ``m`` rows against an ``n x k`` weight."""

    dtype: str
    m: int
    n: int
    k: int
    tflops: Figure  # achieved, TFLOP/s


@dataclass(frozen=True, slots=True)
class CapPoint:
    """A measured power cap: watts and the share of full throughput left (F2.2)."""

    cap_w: Figure
    throughput_fraction: Figure


@dataclass(frozen=True, slots=True)
class FidelityPoint:
    """Measured numeric error of one operation against the reference run (P15)."""

    operation: str  # e.g. gemm, attention
    dtype: str
    relative_error: Figure  # largest relative error, fraction


@dataclass(frozen=True, slots=True)
class Partition:
    """A hardware slice of a device: its share of what the whole device has."""

    profile: str  # e.g. 1g.10gb
    per_device: int  # slices of this profile on one device
    memory_gb: Figure
    compute_fraction: Figure
    bandwidth_fraction: Figure
    isolation_fraction: Figure | None = None  # speed lost beyond the shares


@dataclass(frozen=True, slots=True)
class CoLocation:
    """Time on a shared device, without hardware slices."""

    time_fraction: Figure  # of the device's time for this workload
    memory_fraction: Figure  # of the device's memory
    interference_fraction: Figure | None = None  # speed lost to the neighbours beyond that
    adapters: int = 0  # low-rank adapters served beside the base model
    adapter_rank: int = 16
    adapters_resident: int | None = None  # None: all; the others are swapped in on demand


@dataclass(frozen=True, slots=True)
class MeasuredRates:
    """What trusted runs of the agent say about a device (P3.1, P13.1)."""

    gemm: tuple[GemmPoint, ...] = ()
    memory_bandwidth_gb_s: Figure | None = None
    launch_us: Figure | None = None
    run_ids: tuple[str, ...] = ()
    fidelity: tuple[FidelityPoint, ...] = ()


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """Dates as ISO text, empty where unknown."""

    release_date: str = ""
    end_of_sale: str = ""
    end_of_support: str = ""


@dataclass(frozen=True, slots=True)
class Device:
    """One accelerator or one CPU socket. Peaks are dense (P0.3)."""

    key: str
    name: str
    vendor: str
    kind: str  # gpu | cpu | tpu | npu | other
    memory_gb: Figure | None = None  # 10^9 bytes
    memory_bandwidth_gb_s: Figure | None = None
    peak_tflops: tuple[tuple[str, Figure], ...] = ()  # (dtype, dense TFLOP/s)
    board_w: Figure | None = None
    idle_w: Figure | None = None
    cap_points: tuple[CapPoint, ...] = ()
    scaleup_gb_s: Figure | None = None  # per direction and device
    scaleup_domain: int = 1
    price_usd: Figure | None = None
    lifecycle: Lifecycle = field(default_factory=Lifecycle)
    features: frozenset[str] = frozenset()
    software_stack: str = ""
    form_factor: str = ""
    architecture: str = ""
    measured: MeasuredRates | None = None
    embodied_kgco2e: Figure | None = None  # of making one
    pending: bool = False  # uploaded, not yet confirmed by a person

    def peak(self, dtype: str) -> Figure | None:
        """Dense peak of `dtype` in TFLOP/s, or None if the device does not execute it."""
        return dict(self.peak_tflops).get(dtype)


@dataclass(frozen=True, slots=True)
class Server:
    """A server with its devices in its slots."""

    key: str
    name: str
    vendor: str
    device: Device
    device_count: int
    rack_units: Figure | None = None
    slot_w: Figure | None = None  # what one slot can feed and cool
    max_system_w: Figure | None = None  # AC nameplate
    typical_load_w: Figure | None = None
    idle_w: Figure | None = None
    host_w: Figure | None = None  # CPU, DRAM, NIC, storage, fans at load, without devices
    psu_efficiency_fraction: Figure | None = None
    psu_count: int = 0
    psu_w_each: Figure | None = None
    weight_kg: Figure | None = None
    cooling: str = "air"  # air | liquid | air or liquid
    price_usd: Figure | None = None  # whole server, devices included
    liquid_heat_fraction: Figure | None = None  # of its heat, to the liquid
    fabric_nics: int = 0
    fabric_gb_s: Figure | None = None  # per NIC, per direction
    embodied_kgco2e: Figure | None = None  # of making one, devices included
    lifecycle: Lifecycle = field(default_factory=Lifecycle)
    features: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class CloudOffer:
    """One instance type in one region."""

    key: str
    provider: str
    instance_type: str
    region: str
    device: Device
    device_count: int
    on_demand_usd_per_hour: Figure | None = None
    reserved_1y_usd_per_hour: Figure | None = None
    reserved_3y_usd_per_hour: Figure | None = None
    spot_usd_per_hour: Figure | None = None
    country: str = ""  # ISO code of the region's country; empty: not known

    def rate(self, commitment: str) -> Figure | None:
        """Return the hourly rate of ``on_demand``, ``reserved_1y``, ``reserved_3y`` or ``spot``."""
        return {
            "on_demand": self.on_demand_usd_per_hour,
            "reserved_1y": self.reserved_1y_usd_per_hour,
            "reserved_3y": self.reserved_3y_usd_per_hour,
            "spot": self.spot_usd_per_hour,
        }[commitment]
