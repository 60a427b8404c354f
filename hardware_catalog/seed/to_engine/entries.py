"""Records as inputs of the engine. Seed files and database both go through these functions."""

from __future__ import annotations

import dataclasses

from hardware_catalog.seed.record import PriceRecord, Record
from hardware_catalog.seed.spec_hardware import DTYPE_COLUMNS
from hardware_catalog.seed.specs import SECURITY_FEATURES
from hardware_catalog.seed.status import ESTIMATED, worse
from hardware_catalog.seed.to_engine.figures import get, value_of, whole
from tco.inputs import (
    CloudOffer,
    Cooling,
    Device,
    Feed,
    Figure,
    Lifecycle,
    MeasuredRates,
    Rack,
    Region,
    Server,
    Status,
    Support,
    Switch,
    assumed,
)

# Devices are 60 to 70 % of the cost of an eight-device server (catalog, cost factors).
DEVICE_SHARE_OF_PRICE = (0.60, 0.65, 0.70)


def price_figure(price: PriceRecord | None, unit: str = "") -> Figure | None:
    """Return a price as a figure: its middle, else the midpoint, then estimated at best."""
    if price is None:
        return None
    status, evidence, value = price.status, price.evidence, price.mid
    if value is None:
        bounds = [bound for bound in (price.low, price.high) if bound is not None]
        if not bounds:
            return None
        value = sum(bounds) / len(bounds)
        if len(set(bounds)) > 1:
            status, evidence = worse(status, ESTIMATED), f"{evidence}; midpoint of the range"
    return Figure(
        value=value,
        unit=unit or price.unit,
        status=Status(status),
        source=price.source,
        as_of=price.price_date,
        low=price.low,
        high=price.high,
        verified=price.verified,
        evidence=evidence,
    )


def _scaled(source: Figure | None, factor: float, unit: str) -> Figure | None:
    """Return the same figure in another unit: a conversion, not an estimate."""
    if source is None:
        return None
    low, high = (None if bound is None else bound * factor for bound in (source.low, source.high))
    return dataclasses.replace(source, value=source.value * factor, unit=unit, low=low, high=high)


# one generic model for every device: vendors' own figures differ from it several times over, and
# must not stand beside it in one comparison
EMBODIED = "embodied_kgco2e_boavizta"


def _lifecycle(record: Record) -> Lifecycle:
    return Lifecycle(record.release_date, record.end_of_sale, record.end_of_support)


def features(record: Record) -> frozenset[str]:
    """Return the security features as words of `SECURITY_FEATURES`."""
    return frozenset(record.text("features").split(";")) & frozenset(SECURITY_FEATURES)


def device(record: Record, measured: MeasuredRates | None = None) -> Device:
    """Return the device of a record; `measured` rates are attached as they are."""
    peaks = [(dtype, get(record, name)) for dtype, name in DTYPE_COLUMNS]
    return Device(
        key=record.key,
        name=record.name,
        vendor=record.vendor,
        kind=record.text("device_kind") or "other",
        memory_gb=get(record, "memory_gb"),
        memory_bandwidth_gb_s=get(record, "memory_bandwidth_gb_s"),
        peak_tflops=tuple((dtype, peak) for dtype, peak in peaks if peak is not None),
        board_w=get(record, "tdp_w"),
        idle_w=get(record, "idle_w_typical"),
        scaleup_gb_s=get(record, "scaleup_gb_s_per_direction"),
        scaleup_domain=max(1, whole(record, "scaleup_domain_size", 1)),
        price_usd=price_figure(record.price("price_usd")),
        lifecycle=_lifecycle(record),
        features=features(record),
        software_stack=record.text("software_stack"),
        form_factor=record.text("form_factor"),
        architecture=record.text("architecture"),
        measured=measured,
        embodied_kgco2e=get(record, EMBODIED),
        pending=record.pending,
    )


def _server_price(record: Record, chosen: Device, count: int) -> Figure | None:
    """Return the server's price, else the one derived from the chosen device's.

    The derived price of the catalog is for one of the devices the server takes. For another one
    the same formula is used with that device's price; without a price there is none.
    """
    listed = price_figure(record.price("price_usd"))
    if listed is not None:
        return listed
    derived = record.price("price_derived_usd")
    if derived is None:
        return None
    low_share, share, high_share = DEVICE_SHARE_OF_PRICE
    if record.text("price_derived_device_key") == chosen.key:
        found = price_figure(derived)
        if found is None:
            return None
        devices_usd = found.value * share
    elif chosen.price_usd is None:
        return None
    else:
        devices_usd = chosen.price_usd.value * count
        found = chosen.price_usd.derived(
            round(devices_usd / share), "USD", f"{count} x mid price / {share}"
        )
    return dataclasses.replace(
        found, low=round(devices_usd / high_share), high=round(devices_usd / low_share)
    )


def devices_of(record: Record) -> tuple[str, ...]:
    """Return the keys of the devices that a server takes, the first one first."""
    return tuple(key.strip() for key in record.text("device_keys").split(";") if key.strip())


def server(record: Record, chosen: Device) -> Server:
    """Return the server of a record with `chosen` in its slots."""
    count = max(1, whole(record, "accelerator_slots", 1))
    most = get(record, "max_system_w")
    ceiling = get(record, "psu_usable_w_derived")
    if most is None and ceiling is not None:
        most = dataclasses.replace(
            ceiling,
            source=f"ceiling: power supplies without the redundant ones ({ceiling.source})",
        )
    return Server(
        key=record.key,
        name=f"{record.vendor} {record.name}".strip(),
        vendor=record.vendor,
        device=chosen,
        device_count=count,
        rack_units=get(record, "rack_units"),
        slot_w=get(record, "max_w_per_slot"),
        max_system_w=most,
        typical_load_w=get(record, "typical_load_w"),
        idle_w=get(record, "idle_w"),
        psu_efficiency_fraction=get(record, "psu_efficiency_fraction"),
        psu_count=whole(record, "psu_count"),
        psu_w_each=get(record, "psu_w_each"),
        weight_kg=get(record, "weight_kg"),
        cooling=record.text("cooling_kind") or "air",
        price_usd=_server_price(record, chosen, count),
        liquid_heat_fraction=get(record, "liquid_heat_fraction"),
        fabric_nics=whole(record, "fabric_nics"),
        fabric_gb_s=_scaled(get(record, "fabric_gbps_per_nic"), 1 / 8, "GB/s"),
        embodied_kgco2e=get(record, EMBODIED),
        lifecycle=_lifecycle(record),
        features=features(record) or chosen.features,
    )


def offer(record: Record, chosen: Device) -> CloudOffer:
    """Return the cloud offer of a record; its device is `chosen`."""
    count = max(1, whole(record, "device_count", 1))
    on_demand = price_figure(record.price("on_demand_usd_per_hour"))
    each = price_figure(record.price("on_demand_usd_per_device_hour"))
    if on_demand is None and each is not None:
        on_demand = (
            each if count == 1 else each.derived(each.value * count, "USD/h", f"{count} devices")
        )
    return CloudOffer(
        key=record.key,
        provider=record.vendor,
        instance_type=record.text("instance_type") or record.name,
        region=record.text("region"),
        device=chosen,
        device_count=count,
        on_demand_usd_per_hour=on_demand,
        reserved_1y_usd_per_hour=price_figure(record.price("reserved_1y_usd_per_hour")),
        reserved_3y_usd_per_hour=price_figure(record.price("reserved_3y_usd_per_hour")),
        spot_usd_per_hour=price_figure(record.price("spot_usd_per_hour")),
        country=record.text("country"),
    )


def region(record: Record) -> Region:
    """Return the region of a record."""
    return Region(
        key=record.key,
        name=record.name,
        country=record.vendor,
        energy_usd_per_kwh=get(record, "energy_usd_per_kwh_industrial"),
        demand_included=record.text("electricity_includes_demand_charge") == "yes",
        demand_usd_per_kw_month=get(record, "demand_charge_usd_per_kw_month"),
        grid_gco2_per_kwh=get(record, "grid_gco2_per_kwh"),
        residency_regime=record.text("data_residency_regime"),
    )


def cooling(record: Record) -> Cooling | None:
    """Return the cooling design of a record, or None without a density."""
    most = get(record, "max_kw_per_rack")
    if most is None:
        return None
    return Cooling(record.key, record.name, record.text("cooling_kind") or "air", most)


# Generations whose switches hold two links in each cage: OSFP twin-port modules.
TWIN_PORT = ("NDR", "XDR")


def switch(record: Record) -> Switch | None:
    """Return the switch of a record, or None where it is a link, or without ports and rate."""
    ports, rate = whole(record, "switch_ports"), value_of(record, "switch_port_gbps")
    if ports < 2 or rate <= 0:
        return None
    return Switch(
        name=record.name,
        ports=ports,
        port_gbps=rate,
        typical_w=get(record, "switch_typical_w"),
        rack_units=get(record, "switch_rack_units"),
        price_usd=price_figure(record.price("price_usd")),
        links_per_cage=2 if record.text("generation") in TWIN_PORT else 1,
    )


def rack(record: Record) -> Rack:
    """Return the rack of a record."""
    return Rack(
        key=record.key,
        name=record.name,
        rack_units=whole(record, "rack_units"),
        static_load_kg=get(record, "static_load_kg"),
    )


def feed(record: Record) -> Feed:
    """Return one feed without redundancy; the site says how many there are (F2.6).

    A DC shelf has no breaker in the catalog: its usable power stands for it, undivided.
    """
    voltage_v = value_of(record, "voltage_v")
    direct = record.text("voltage_reference") == "DC"
    usable = get(record, "usable_fraction")
    breaker_a = value_of(record, "breaker_a")
    if direct:
        breaker_a = value_of(record, "usable_kw") * 1000 / voltage_v
        usable = assumed(1.0, "fraction", "the shelf's power without its spare supply")
    return Feed(
        key=record.key,
        name=record.name,
        voltage_v=voltage_v,
        voltage_reference="LN" if direct else record.text("voltage_reference") or "LL",
        phases=whole(record, "phases", 1),
        breaker_a=breaker_a,
        usable_fraction=usable or assumed(0.8, "fraction", "continuous load"),
        power_factor=assumed(1.0, "fraction", "unity; server supplies correct it"),
        feeds_per_rack=1,
        redundancy="N",
    )


def support(record: Record) -> Support:
    """Return one cell of the support matrix."""
    return Support(
        device=record.text("device_key"),
        framework=record.vendor,
        feature=record.text("feature"),
        works=record.text("works"),
        status=Status(record.text("status") or "assumed"),
        source=record.text("source") or "catalog",
        as_of=record.text("source_date"),
        efficiency_fraction=get(record, "efficiency_fraction"),
    )
