"""Records as inputs of the engine. Seed files and database both go through these functions."""

from __future__ import annotations

import dataclasses

from hardware_catalog.seed.record import FigureRecord, PriceRecord, Record
from hardware_catalog.seed.spec_hardware import DTYPE_COLUMNS
from hardware_catalog.seed.specs import SECURITY_FEATURES
from hardware_catalog.seed.status import ESTIMATED, worse
from tco.inputs import (
    CloudOffer,
    Cooling,
    Device,
    Feed,
    Figure,
    LanguageModel,
    Lifecycle,
    MeasuredRates,
    Rack,
    Region,
    Server,
    Status,
    assumed,
)

# Devices are 60 to 70 % of the cost of an eight-device server (catalog, cost factors).
DEVICE_SHARE_OF_PRICE = (0.60, 0.65, 0.70)


# The engine computes weights from the shape; a part beside it (a vision encoder) it does not know.
MOST_UNKNOWN_SHARE = 0.005


def figure(record: FigureRecord | None) -> Figure | None:
    """Return the engine's figure of a record's."""
    if record is None:
        return None
    return Figure(
        value=record.value,
        unit=record.unit,
        status=Status(record.status),
        source=record.source,
        as_of=record.as_of,
        low=record.low,
        high=record.high,
        verified=record.verified,
        evidence=record.evidence,
    )


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


def _get(record: Record, name: str) -> Figure | None:
    return figure(record.figures.get(name))


def _whole(record: Record, name: str, default: int = 0) -> int:
    found = record.figures.get(name)
    return default if found is None else round(found.value)


def value_of(record: Record, name: str, default: float = 0.0) -> float:
    """Return the value of a figure, or `default`."""
    found = record.figures.get(name)
    return default if found is None else found.value


def _scaled(source: Figure | None, factor: float, unit: str) -> Figure | None:
    """Return the same figure in another unit: a conversion, not an estimate."""
    if source is None:
        return None
    low, high = (None if bound is None else bound * factor for bound in (source.low, source.high))
    return dataclasses.replace(source, value=source.value * factor, unit=unit, low=low, high=high)


def _lifecycle(record: Record) -> Lifecycle:
    return Lifecycle(record.release_date, record.end_of_sale, record.end_of_support)


def features(record: Record) -> frozenset[str]:
    """Return the security features as words of `SECURITY_FEATURES`."""
    return frozenset(record.text("features").split(";")) & frozenset(SECURITY_FEATURES)


def device(record: Record, measured: MeasuredRates | None = None) -> Device:
    """Return the device of a record; `measured` rates are attached as they are."""
    peaks = [(dtype, _get(record, name)) for dtype, name in DTYPE_COLUMNS]
    return Device(
        key=record.key,
        name=record.name,
        vendor=record.vendor,
        kind=record.text("device_kind") or "other",
        memory_gb=_get(record, "memory_gb"),
        memory_bandwidth_gb_s=_get(record, "memory_bandwidth_gb_s"),
        peak_tflops=tuple((dtype, peak) for dtype, peak in peaks if peak is not None),
        board_w=_get(record, "tdp_w"),
        idle_w=_get(record, "idle_w_typical"),
        scaleup_gb_s=_get(record, "scaleup_gb_s_per_direction"),
        scaleup_domain=max(1, _whole(record, "scaleup_domain_size", 1)),
        price_usd=price_figure(record.price("price_usd")),
        lifecycle=_lifecycle(record),
        features=features(record),
        software_stack=record.text("software_stack"),
        form_factor=record.text("form_factor"),
        measured=measured,
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
    count = max(1, _whole(record, "accelerator_slots", 1))
    most = _get(record, "max_system_w")
    ceiling = _get(record, "psu_usable_w_derived")
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
        rack_units=_get(record, "rack_units"),
        slot_w=_get(record, "max_w_per_slot"),
        max_system_w=most,
        typical_load_w=_get(record, "typical_load_w"),
        idle_w=_get(record, "idle_w"),
        psu_efficiency_fraction=_get(record, "psu_efficiency_fraction"),
        psu_count=_whole(record, "psu_count"),
        psu_w_each=_get(record, "psu_w_each"),
        weight_kg=_get(record, "weight_kg"),
        cooling=record.text("cooling_kind") or "air",
        price_usd=_server_price(record, chosen, count),
        fabric_nics=_whole(record, "fabric_nics"),
        fabric_gb_s=_scaled(_get(record, "fabric_gbps_per_nic"), 1 / 8, "GB/s"),
        lifecycle=_lifecycle(record),
        features=features(record) or chosen.features,
    )


def offer(record: Record, chosen: Device) -> CloudOffer:
    """Return the cloud offer of a record; its device is `chosen`."""
    count = max(1, _whole(record, "device_count", 1))
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


def why_unsupported(record: Record) -> str:
    """Return why the engine cannot size a model yet, or an empty text."""
    architecture, attention = record.text("arch_type"), record.text("attention_pattern")
    if "decoder-only" not in architecture:
        return f"not a decoder-only language model: {architecture or 'no architecture given'}"
    if architecture != "decoder-only dense":
        return f"{architecture}: only dense grouped-query transformers are sized so far"
    if "num_kv_heads" not in record.figures:
        return f"key-value heads differ by layer: {attention}"
    if attention != "full causal":
        return f"attention is not full: {attention}"
    if _whole(record, "mlp_matrices", 3) != 3:
        return "the feed-forward block has two matrices; the engine counts the gated three"
    published_g = value_of(record, "total_params_billion_published")
    computed_g = value_of(record, "total_params_billion_computed")
    if published_g and computed_g and abs(computed_g / published_g - 1) > MOST_UNKNOWN_SHARE:
        return (
            f"the shape gives {computed_g:g} billion parameters and {published_g:g} are published:"
            " a part beside the text model, such as a vision encoder, is not in it"
        )
    return ""


def language_model(record: Record) -> LanguageModel:
    """Return the model of a record; one the engine cannot size says why."""
    why = why_unsupported(record)
    parameters = _get(record, "total_params_billion_published") or _get(
        record, "total_params_billion_computed"
    )
    if parameters is None:
        parameters = assumed(0.0, "10^9", "not known")
        why = why or "the number of parameters is not known"
    return LanguageModel(
        key=record.key,
        name=record.name,
        layers=_whole(record, "num_layers"),
        hidden=_whole(record, "hidden_size"),
        heads=_whole(record, "num_attention_heads"),
        kv_heads=_whole(record, "num_kv_heads"),
        head_dim=_whole(record, "head_dim"),
        feed_forward=_whole(record, "intermediate_size_dense"),
        vocabulary=_whole(record, "vocab_size"),
        tied_embeddings=record.text("tied_embeddings") == "true",
        max_context_tokens=_whole(record, "max_context_tokens"),
        native_dtype=record.text("native_dtype") or "bf16",
        parameters_g=parameters,
        supported=not why,
        why_unsupported=why,
    )


def region(record: Record) -> Region:
    """Return the region of a record."""
    return Region(
        key=record.key,
        name=record.name,
        country=record.vendor,
        energy_usd_per_kwh=_get(record, "energy_usd_per_kwh_industrial"),
        demand_included=record.text("electricity_includes_demand_charge") == "yes",
        demand_usd_per_kw_month=_get(record, "demand_charge_usd_per_kw_month"),
        grid_gco2_per_kwh=_get(record, "grid_gco2_per_kwh"),
        residency_regime=record.text("data_residency_regime"),
    )


def cooling(record: Record) -> Cooling | None:
    """Return the cooling design of a record, or None without a density."""
    most = _get(record, "max_kw_per_rack")
    if most is None:
        return None
    return Cooling(record.key, record.name, record.text("cooling_kind") or "air", most)


def rack(record: Record) -> Rack:
    """Return the rack of a record."""
    return Rack(
        key=record.key,
        name=record.name,
        rack_units=_whole(record, "rack_units"),
        static_load_kg=_get(record, "static_load_kg"),
    )


def feed(record: Record) -> Feed:
    """Return one feed without redundancy; the site says how many there are (F2.6).

    A DC shelf has no breaker in the catalog: its usable power stands for it, undivided.
    """
    voltage_v = value_of(record, "voltage_v")
    direct = record.text("voltage_reference") == "DC"
    usable = _get(record, "usable_fraction")
    breaker_a = value_of(record, "breaker_a")
    if direct:
        breaker_a = value_of(record, "usable_kw") * 1000 / voltage_v
        usable = assumed(1.0, "fraction", "the shelf's power without its spare supply")
    return Feed(
        key=record.key,
        name=record.name,
        voltage_v=voltage_v,
        voltage_reference="LN" if direct else record.text("voltage_reference") or "LL",
        phases=_whole(record, "phases", 1),
        breaker_a=breaker_a,
        usable_fraction=usable or assumed(0.8, "fraction", "continuous load"),
        power_factor=assumed(1.0, "fraction", "unity; server supplies correct it"),
        feeds_per_rack=1,
        redundancy="N",
    )
