"""Devices, servers, links and language models."""

from __future__ import annotations

from hardware_catalog.seed.specs import (
    NOTES,
    SECURITY_FEATURES,
    FigureSpec,
    KindSpec,
    PriceSpec,
    TextSpec,
)

DTYPE_COLUMNS = (  # (dtype of the engine, figure); peaks are dense
    ("fp64", "tflops_fp64_vector_dense"),
    ("fp32", "tflops_fp32_vector_dense"),
    ("tf32", "tflops_tf32_dense"),
    ("bf16", "tflops_bf16_dense"),
    ("fp16", "tflops_fp16_dense"),
    ("fp8", "tflops_fp8_dense"),
    ("fp6", "tflops_fp6_dense"),
    ("fp4", "tflops_fp4_dense"),
    ("int8", "tops_int8_dense"),
)


def _peak(name: str, label: str, unit: str = "TFLOP/s") -> FigureSpec:
    return FigureSpec(name, unit, label, basis="tflops_basis", maximum=1e6)


def _embodied() -> tuple[FigureSpec, ...]:
    return (
        FigureSpec(
            "embodied_kgco2e",
            "kg CO2e",
            "Embodied carbon, vendor or life-cycle study",
            basis="=life-cycle study",
            evidence="=secondary",
            source="embodied_source",
            as_of="=",
        ),
        FigureSpec(
            "embodied_kgco2e_boavizta",
            "kg CO2e",
            "Embodied carbon, Boavizta model",
            basis="=computed",
            evidence="=derived",
            source="embodied_source",
            as_of="=",
        ),
    )


def _idle(name: str, label: str, low: str = "", high: str = "") -> FigureSpec:
    return FigureSpec(
        name,
        "W",
        label,
        low=low,
        high=high,
        basis="idle_basis",
        evidence="idle_evidence",
        source="idle_source",
        as_of="=",
        maximum=1e6,
    )


DEVICE = KindSpec(
    kind="device",
    label="Device",
    plural="Devices",
    about="Accelerators and CPU sockets: compute peaks, memory, power, price, support dates.",
    file="devices",
    key=("device_key",),
    name=("name",),
    vendor="vendor",
    slug=False,
    lifecycle=True,
    addable=True,
    texts=(
        TextSpec(
            "device_kind", "Type", choices=("gpu", "cpu", "tpu", "npu", "other"), required=True
        ),
        TextSpec("device_class", "Class"),
        TextSpec("architecture", "Architecture"),
        TextSpec("form_factor", "Form factor"),
        TextSpec("slot_type", "Slot"),
        TextSpec("memory_type", "Memory type"),
        TextSpec("host_link", "Host link"),
        TextSpec("scaleup_link", "Scale-up link"),
        TextSpec("cooling", "Cooling"),
        TextSpec("tdp_term", "Power rating as the vendor calls it"),
        TextSpec("dense_derivation", "How the dense peaks were taken"),
        TextSpec("features", "Security features", choices=SECURITY_FEATURES, many=True),
        TextSpec("confidential_computing", "Confidential computing, as published"),
        TextSpec("secure_boot_attestation", "Secure boot and attestation, as published"),
        TextSpec("software_stack", "Software stack"),
        TextSpec("lifecycle_source", "Source of the dates"),
        TextSpec("price_note", "About the price"),
        NOTES,
    ),
    figures=(
        FigureSpec("memory_gb", "GB", "Memory", maximum=1e5),
        FigureSpec("memory_bandwidth_gb_s", "GB/s", "Memory bandwidth", maximum=1e6),
        FigureSpec("tdp_w", "W", "Board power", maximum=1e5),
        _idle("idle_w_typical", "Idle power", "idle_w_low", "idle_w_high"),
        _peak("tflops_fp64_vector_dense", "FP64 vector peak"),
        _peak("tflops_fp64_matrix_dense", "FP64 matrix peak"),
        _peak("tflops_fp32_vector_dense", "FP32 peak"),
        _peak("tflops_tf32_dense", "TF32 peak"),
        _peak("tflops_bf16_dense", "BF16 peak"),
        _peak("tflops_fp16_dense", "FP16 peak"),
        _peak("tflops_fp8_dense", "FP8 peak"),
        _peak("tflops_fp6_dense", "FP6 peak"),
        _peak("tflops_fp4_dense", "FP4 peak"),
        _peak("tops_int8_dense", "INT8 peak", "TOP/s"),
        FigureSpec(
            "measured_bf16_matmul_tflops",
            "TFLOP/s",
            "BF16 matrix product, measured by others",
            basis="=measured",
            evidence="=secondary",
            source="matmul_source",
            as_of="=2026-08-22",
            maximum=1e6,
        ),
        FigureSpec("host_link_gb_s_per_direction", "GB/s", "Host link, per direction", maximum=1e5),
        FigureSpec("scaleup_gb_s_per_direction", "GB/s", "Scale-up, per direction", maximum=1e5),
        FigureSpec("scaleup_domain_size", "devices", "Scale-up domain", whole=True, maximum=1e6),
        *_embodied(),
    ),
    prices=(
        PriceSpec(
            "price_usd", "USD", "Price of one", "price_usd_mid", "price_usd_low", "price_usd_high"
        ),
    ),
    list_columns=(
        "device_kind",
        "memory_gb",
        "memory_bandwidth_gb_s",
        "tflops_bf16_dense",
        "tflops_fp8_dense",
        "tdp_w",
        "price_usd",
    ),
)


def _power(name: str, label: str, basis: str) -> FigureSpec:
    return FigureSpec(
        name,
        "W",
        label,
        basis=basis,
        evidence="power_evidence",
        source="power_source",
        maximum=1e7,
    )


SERVER = KindSpec(
    kind="server",
    label="Server",
    plural="Servers",
    about="Chassis with their slots, power, weight, cooling and price.",
    file="servers",
    key=("vendor", "model"),
    name=("model",),
    vendor="vendor",
    lifecycle=True,
    addable=True,
    texts=(
        TextSpec("class", "Class"),
        TextSpec("slot_type", "Slot"),
        TextSpec("accelerators_supported", "Devices it takes"),
        TextSpec(
            "device_keys",
            "Catalog keys of the devices it takes",
            required=True,
            help="One key, or several with a semicolon between them.",
        ),
        TextSpec("cpu_examples", "CPUs"),
        TextSpec("other_nics", "Other network ports"),
        TextSpec("psu_redundancy", "Supply redundancy"),
        TextSpec("psu_efficiency", "Supply class"),
        TextSpec(
            "cooling_kind", "Cooling", choices=("air", "liquid", "air or liquid"), required=True
        ),
        TextSpec("cooling", "Cooling, as published"),
        TextSpec("features", "Security features", choices=SECURITY_FEATURES, many=True),
        TextSpec("price_derived_device_key", "Device behind the derived price"),
        TextSpec("lifecycle_source", "Source of the dates"),
        TextSpec("price_note", "About the price"),
        NOTES,
    ),
    figures=(
        FigureSpec(
            "accelerator_slots",
            "devices",
            "Device slots",
            whole=True,
            required=True,
            minimum=1,
            maximum=1e4,
        ),
        FigureSpec("rack_units", "U", "Height", maximum=100),
        FigureSpec("max_w_per_slot", "W", "Power a slot can feed and cool", maximum=1e5),
        _power("max_system_w", "Maximum power", "max_system_basis"),
        _power("typical_load_w", "Power under load", "typical_load_basis"),
        _power("idle_w", "Idle power", "idle_basis"),
        FigureSpec("psu_count", "supplies", "Power supplies", whole=True, maximum=1000),
        FigureSpec("psu_w_each", "W", "Power of one supply", maximum=1e6),
        FigureSpec(
            "psu_usable_w_derived",
            "W",
            "Supplies without the redundant ones: a ceiling",
            basis="=computed",
            maximum=1e7,
        ),
        FigureSpec(
            "psu_efficiency_fraction",
            "fraction",
            "Supply efficiency at half load",
            basis="=computed",
            evidence="=recall",
            source="=80 PLUS class of the supplies",
            as_of="=",
            maximum=1,
        ),
        FigureSpec("weight_kg", "kg", "Weight", maximum=1e5),
        FigureSpec("cpu_sockets", "sockets", "CPU sockets", whole=True, maximum=1000),
        FigureSpec("ram_gb_typical", "GB", "Host memory, typical", maximum=1e6),
        FigureSpec("ram_gb_max", "GB", "Host memory, most", maximum=1e6),
        FigureSpec("fabric_nics", "NICs", "Fabric NICs", whole=True, maximum=1000),
        FigureSpec("fabric_gbps_per_nic", "Gb/s", "Rate of a fabric NIC", maximum=1e5),
        FigureSpec("liquid_heat_fraction", "fraction", "Heat into liquid", maximum=1),
        *_embodied(),
    ),
    prices=(
        PriceSpec(
            "price_usd",
            "USD",
            "Price with devices",
            "price_usd_mid",
            "price_usd_low",
            "price_usd_high",
        ),
        PriceSpec(
            "price_derived_usd",
            "USD",
            "Derived price: devices / 0.65",
            "price_derived_usd",
            basis="=computed",
            evidence="=derived",
            source="=devices x mid price / 0.65; devices are 60 to 70 % of the cost of such a "
            "server (amcompute.com, 2026-03)",
            as_of="=2026-11",
        ),
    ),
    list_columns=(
        "accelerators_supported",
        "accelerator_slots",
        "rack_units",
        "max_system_w",
        "cooling_kind",
        "price_usd",
        "price_derived_usd",
    ),
)

LINK = KindSpec(
    kind="link",
    label="Link",
    plural="Links, switches and optics",
    about="Scale-up and scale-out links, switches, cables and optics.",
    file="links",
    key=("name",),
    name=("name",),
    vendor="category",
    vendor_label="Category",
    texts=(
        TextSpec("generation", "Generation"),
        TextSpec("direction", "Counted per"),
        TextSpec("lanes_or_links", "Lanes or links"),
        TextSpec("latency_scope", "What the latency covers"),
        TextSpec("domain_or_radix", "Domain or radix"),
        TextSpec("switch_model", "Switch model"),
        TextSpec("media_type", "Medium"),
        TextSpec("reach_m", "Reach in metres"),
        TextSpec("price_note", "About the price"),
        NOTES,
    ),
    figures=(
        FigureSpec("line_rate_gbps_per_port", "Gb/s", "Line rate of a port"),
        FigureSpec("bandwidth_gb_s_per_direction", "GB/s", "Bandwidth per direction"),
        FigureSpec("bandwidth_gb_s_bidirectional", "GB/s", "Bandwidth, both directions"),
        FigureSpec("latency_us", "us", "Latency", low="latency_us_low", high="latency_us_high"),
        FigureSpec("switch_ports", "ports", "Switch ports", whole=True),
        FigureSpec("switch_port_gbps", "Gb/s", "Rate of a switch port"),
        FigureSpec("switch_capacity_tbps", "Tb/s", "Switch capacity, one direction"),
        FigureSpec("switch_rack_units", "U", "Switch height"),
        FigureSpec("switch_typical_w", "W", "Switch power, typical"),
        FigureSpec("switch_max_w", "W", "Switch power, most"),
        FigureSpec("power_w_per_port", "W", "Power of a port"),
    ),
    prices=(
        PriceSpec("price_usd", "USD", "Price", "price_usd_mid", "price_usd_low", "price_usd_high"),
    ),
    list_columns=(
        "generation",
        "bandwidth_gb_s_per_direction",
        "line_rate_gbps_per_port",
        "switch_ports",
        "switch_typical_w",
        "power_w_per_port",
        "price_usd",
    ),
)

HARDWARE_KINDS = (DEVICE, SERVER, LINK)
