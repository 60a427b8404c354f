"""Which fields of the dictionary the builder shows, and in which groups.

What is not listed here is kept as the document has it, and the page says so. Labels, units, limits,
defaults and help all come from ``tco/fields.csv``.
"""

from __future__ import annotations

from dataclasses import dataclass

from tco.fields import Field, section, sections


@dataclass(frozen=True, slots=True)
class Group:
    """Fields under one heading; a folded group opens when something in it is filled."""

    title: str
    names: tuple[str, ...]  # names in the section, or ``inner.name`` of a part of it
    folded: bool = True


def _inner(name: str, part: str) -> tuple[str, ...]:
    return tuple(f"{name}.{field}" for field in section(part) if _simple(section(part)[field]))


def _simple(field: Field) -> bool:
    return field.kind not in {"one", "many", "map"}


LAYOUT: dict[str, tuple[Group, ...]] = {
    "scenario": (
        Group("", ("name", "description"), folded=False),
        Group("Run staff", _inner("staffing", "staffing")),
    ),
    "finance": (
        Group(
            "",
            (
                "valuation_date",
                "horizon_months",
                "discount_rate_fraction",
                "electricity_escalation_fraction",
            ),
            folded=False,
        ),
        Group(
            "Conventions",
            (
                "discount_basis",
                "monthly_rate",
                "hours_mode",
                "escalation_mode",
                "opex_escalation_fraction",
                "currency",
                "fiscal_year_start_month",
                "lease_standard",
            ),
        ),
        Group("Income tax", _inner("tax", "tax")),
    ),
    "site": (
        Group(
            "",
            (
                "name",
                "region",
                "energy_usd_per_kwh",
                "demand_usd_per_kw_month",
                "pue",
                "slot_w",
                "cooling",
                "rack",
                "feed",
            ),
            folded=False,
        ),
        Group("Rented space", _inner("colocation", "colocation")),
        Group("Own building", _inner("build", "build")),
        Group(
            "More about the site",
            (
                "feeds_per_rack",
                "feed_redundancy",
                "hall_kw",
                "utility_kw",
                "demand_included",
                "fixed_usd_per_month",
                "country",
                "residency_regime",
            ),
        ),
        Group(
            "Carbon and water",
            (
                "grid_gco2_per_kwh",
                "market_gco2_per_kwh",
                "carbon_usd_per_t",
                "carbon_included",
                "carbon_basis",
                "wue_l_per_kwh",
                "ewif_l_per_kwh",
            ),
        ),
    ),
    "workload": (
        Group(
            "",
            (
                "name",
                "model",
                "requests_per_minute",
                "input_tokens",
                "output_tokens",
                "weight_dtype",
                "kv_dtype",
                "growth_fraction_per_year",
                "daily_shape",
            ),
            folded=False,
        ),
        Group(
            "Reserve and rules",
            (
                "cached_input_fraction",
                "headroom_fraction",
                "replicas_lost",
                "residency",
                "requires",
                "framework_features",
                "numeric_tolerance",
            ),
        ),
        Group("What downtime costs", ("downtime_usd_per_hour", "downtime_usd_per_event")),
        Group("Training run in place of serving", _inner("training", "training")),
    ),
    "target": (Group("", ("metric", "percentile", "limit_ms"), folded=False),),
    "option": (Group("", ("name",), folded=False),),
    "fleet": (
        Group("", ("name", "workload", "share_fraction", "count"), folded=False),
        Group("Owned servers", ("server", "device", "site", *_inner("purchase", "purchase"))),
        Group("Financing", _inner("purchase.financing", "financing")),
        Group("Failures and spares", _inner("purchase.failures", "failures")),
        Group("Delivery", _inner("purchase.delivery", "delivery")),
        Group("Availability", _inner("availability", "availability")),
        Group("Rented instances", ("offer", *_inner("rental", "rental"))),
        Group(
            "Start and parallelism",
            (
                "start_month",
                "tensor_parallel",
                "pipeline_parallel",
                "expert_parallel",
                "attention_data_parallel",
                "engine",
            ),
        ),
        Group("Porting to another stack", ("framework", *_inner("migration", "migration"))),
        Group(
            "Leaving the stack", ("exit.probability_fraction", *_inner("exit.move", "migration"))
        ),
        Group(
            "Keeping the model current", ("canary_fraction", *_inner("retraining", "retraining"))
        ),
    ),
}

# Lists whose rows the builder can add, duplicate and remove.
ROWS = {
    "sites": "site",
    "workloads": "workload",
    "targets": "target",
    "options": "option",
    "fleets": "fleet",
}
WORDS = {
    "site": "site",
    "workload": "workload",
    "target": "latency target",
    "option": "option",
    "fleet": "fleet",
}


def field_of(section_name: str, name: str) -> Field:
    """Return the dictionary's field for a name of the layout.

    >>> field_of("fleet", "purchase.server_usd").unit
    'USD/server'
    """
    outer, _, inner = name.partition(".")
    field = section(section_name)[outer]
    return field_of(field.of, inner) if inner else field


def hidden_parts(section_name: str) -> tuple[str, ...]:
    """Names of the section that the builder does not show."""
    shown = {name.partition(".")[0] for group in LAYOUT[section_name] for name in group.names}
    rows = set(ROWS)
    always = {"key", "schema", "finance"}
    return tuple(
        name
        for name in sections()[section_name]
        if name not in shown and name not in rows and name not in always
    )
