"""Regions, racks, feeds, cooling, PUE benchmarks, cost factors and planning ranges."""

from __future__ import annotations

from hardware_catalog.seed.specs import NOTES, FigureSpec, KindSpec, TextSpec
from tco.fields import field

CURRENCY_CODES = field("finance", "currency").choices

RACK = KindSpec(
    kind="rack",
    label="Rack",
    plural="Racks",
    about="Rack types with height, size and the weight they carry.",
    file="racks",
    key=("name",),
    name=("name",),
    addable=True,
    texts=(TextSpec("rack_standard", "Standard"), NOTES),
    figures=(
        FigureSpec("rack_units", "U", "Height", whole=True, required=True, minimum=1, maximum=100),
        FigureSpec("width_mm", "mm", "Width"),
        FigureSpec("depth_mm", "mm", "Depth"),
        FigureSpec("static_load_kg", "kg", "Static load"),
    ),
    list_columns=("rack_standard", "rack_units", "width_mm", "depth_mm", "static_load_kg"),
)

FEED = KindSpec(
    kind="feed",
    label="Power feed",
    plural="Power feeds",
    about="What a rack feed of a voltage, phases and breaker carries.",
    file="feeds",
    key=("name",),
    name=("name",),
    addable=True,
    texts=(
        TextSpec("voltage_reference", "Voltage between", choices=("LL", "LN", "DC"), required=True),
        TextSpec("connector", "Connector"),
        NOTES,
    ),
    figures=(
        FigureSpec("voltage_v", "V", "Voltage", required=True, minimum=1, maximum=1e5),
        FigureSpec("phases", "phases", "Phases", whole=True, required=True, minimum=1, maximum=3),
        FigureSpec("breaker_a", "A", "Breaker", required=True, minimum=1, maximum=1e5),
        FigureSpec("breaker_kva", "kVA", "Apparent power of the breaker"),
        FigureSpec(
            "usable_fraction",
            "fraction",
            "Usable for continuous load",
            basis="=electrical code",
            evidence="=recall",
            source="=NEC 210.20 and 215.3, continuous load; many IEC sites allow 1.0",
            as_of="=",
            maximum=1,
        ),
        FigureSpec("usable_kw", "kW", "Usable power at unity power factor"),
    ),
    list_columns=("connector", "voltage_v", "phases", "breaker_a", "breaker_kva", "usable_kw"),
)

COOLING = KindSpec(
    kind="cooling",
    label="Cooling design",
    plural="Cooling designs",
    about="Cooling designs with the density they carry, PUE, water and heat capture.",
    file="cooling",
    key=("name",),
    name=("name",),
    addable=True,
    texts=(
        TextSpec(
            "cooling_kind",
            "Type",
            choices=("air", "rear_door", "direct_to_chip", "immersion"),
            required=True,
        ),
        TextSpec("capex_relative", "Cost against other designs"),
        NOTES,
    ),
    figures=(
        FigureSpec(
            "max_kw_per_rack",
            "kW",
            "Most heat per rack",
            column="max_kw_per_rack_high",
            low="max_kw_per_rack_low",
            high="max_kw_per_rack_high",
            required=True,
            maximum=2000,
        ),
        FigureSpec(
            "pue", "ratio", "PUE", column="pue_typical", low="pue_low", high="pue_high", minimum=1
        ),
        FigureSpec(
            "wue_l_per_kwh",
            "L/kWh",
            "Water",
            column="wue_l_per_kwh_typical",
            low="wue_l_per_kwh_low",
            high="wue_l_per_kwh_high",
        ),
        FigureSpec(
            "heat_capture_fraction",
            "fraction",
            "Heat captured",
            low="heat_capture_fraction_low",
            high="heat_capture_fraction_high",
            maximum=1,
        ),
    ),
    list_columns=("cooling_kind", "max_kw_per_rack", "pue", "wue_l_per_kwh"),
)

PUE_BENCHMARK = KindSpec(
    kind="pue_benchmark",
    label="PUE benchmark",
    plural="PUE benchmarks",
    about="PUE and water use that operators and surveys report.",
    file="pue_benchmarks",
    key=("name",),
    name=("name",),
    texts=(NOTES,),
    figures=(
        FigureSpec("pue", "ratio", "PUE", column="pue_typical", minimum=1),
        FigureSpec("wue_l_per_kwh", "L/kWh", "Water", column="wue_l_per_kwh_typical"),
    ),
    list_columns=("pue", "wue_l_per_kwh"),
)


def _electricity(name: str, label: str, column: str) -> FigureSpec:
    return FigureSpec(
        name,
        "USD/kWh",
        label,
        column=column,
        basis="electricity_basis",
        evidence="electricity_evidence",
        source="electricity_source",
        as_of="electricity_date",
        maximum=100,
    )


REGION = KindSpec(
    kind="region",
    label="Region",
    plural="Regions",
    about="Electricity prices, grid carbon, carbon prices and residency rules of a place.",
    file="regions",
    key=("region_code",),
    name=("region_name",),
    vendor="country",
    vendor_label="Country",
    slug=False,
    addable=True,
    texts=(
        TextSpec("level", "Level"),
        TextSpec(
            "electricity_includes_demand_charge",
            "Price holds the demand charge",
            choices=("yes", "no", "unknown"),
        ),
        TextSpec("electricity_local_note", "Price in local currency"),
        TextSpec("electricity_consumption_band", "Consumption band"),
        TextSpec("grid_boundary", "Boundary of the grid figure"),
        TextSpec("carbon_scheme", "Carbon pricing scheme"),
        TextSpec("data_residency_regime", "Data residency rules"),
        TextSpec("residency_note", "About residency"),
        NOTES,
    ),
    figures=(
        _electricity(
            "energy_usd_per_kwh_industrial",
            "Electricity, industrial",
            "electricity_usd_per_kwh_industrial",
        ),
        _electricity(
            "energy_usd_per_kwh_commercial",
            "Electricity, commercial",
            "electricity_usd_per_kwh_commercial",
        ),
        FigureSpec(
            "demand_charge_usd_per_kw_month",
            "USD/kW-month",
            "Demand charge of a named tariff",
            basis="=utility tariff",
            evidence="demand_charge_evidence",
            source="demand_charge_source",
            as_of="demand_charge_date",
            maximum=1000,
        ),
        FigureSpec(
            "grid_gco2_per_kwh",
            "gCO2e/kWh",
            "Grid carbon",
            basis="=official statistics",
            evidence="grid_evidence",
            source="grid_source",
            as_of="grid_year",
            maximum=5000,
        ),
        FigureSpec(
            "grid_gco2_per_kwh_alt",
            "gCO2e/kWh",
            "Grid carbon, operator's figure",
            basis="=vendor-published",
            evidence="grid_alt_evidence",
            source="grid_alt_source",
            as_of="=2024",
            maximum=5000,
        ),
        FigureSpec(
            "carbon_price_usd_per_tco2",
            "USD/tCO2",
            "Carbon price",
            basis="=official statistics",
            evidence="carbon_evidence",
            source="carbon_source",
            as_of="carbon_price_date",
        ),
    ),
    list_columns=(
        "level",
        "energy_usd_per_kwh_industrial",
        "energy_usd_per_kwh_commercial",
        "demand_charge_usd_per_kw_month",
        "grid_gco2_per_kwh",
        "carbon_price_usd_per_tco2",
    ),
)


def _factor(kind: str, label: str, plural: str, about: str, file: str) -> KindSpec:
    return KindSpec(
        kind=kind,
        label=label,
        plural=plural,
        about=about,
        file=file,
        key=("category", "factor", "region_or_scope", "source_date"),
        name=("factor",),
        vendor="category",
        vendor_label="Category",
        texts=(TextSpec("region_or_scope", "Scope"), NOTES),
        figures=(
            FigureSpec(
                "value",
                "",
                "Value",
                column="value_mid",
                low="value_low",
                high="value_high",
                maximum=1e12,
            ),
        ),
        list_columns=("region_or_scope", "value"),
    )


COST_FACTOR = _factor(
    "cost_factor",
    "Cost factor",
    "Cost factors",
    "Construction, colocation, software, support, lives, reliability, staff, finance.",
    "cost_factors",
)
PLANNING_RANGE = _factor(
    "planning_range",
    "Planning range",
    "Planning ranges without a source",
    "Ranges that no source could be found for. All are assumed.",
    "planning_ranges",
)

EXCHANGE_RATE = KindSpec(
    kind="exchange_rate",
    label="Exchange rate",
    plural="Exchange rates",
    about="US dollars for one unit of a currency, from a day on until the next rate.",
    file="exchange_rates",
    key=("currency", "rate_date"),
    name=("currency", "rate_date"),
    addable=True,
    texts=(
        TextSpec(
            "currency",
            "Currency",
            choices=tuple(code for code in CURRENCY_CODES if code != "USD"),
            required=True,
        ),
        NOTES,
    ),
    figures=(
        FigureSpec(
            "usd_per_unit",
            "USD",
            "Dollars for one unit",
            low="rate_low",
            high="rate_high",
            as_of="rate_date",
            required=True,
            minimum=1e-6,
            maximum=1e6,
        ),
    ),
    list_columns=("currency", "usd_per_unit"),
)

SITE_KINDS = (
    REGION,
    RACK,
    FEED,
    COOLING,
    PUE_BENCHMARK,
    COST_FACTOR,
    PLANNING_RANGE,
    EXCHANGE_RATE,
)
