"""Order and choice of KPIs for people."""

from __future__ import annotations

from typing import Any

# As a buyer reads them: money, unit costs, latency, power, counts.
KPI_ORDER = (
    "tco_usd",
    "usd_per_mtok_output",
    "usd_per_mtok_output_marginal",
    "usd_per_mtok_total",
    "usd_per_1000_requests",
    "usd_per_training_run",
    "usd_per_device_hour",
    "capex_usd",
    "opex_usd_per_month",
    "undiscounted_usd",
    "ttft_ms",
    "tpot_ms",
    "e2e_ms",
    "utilisation_fraction",
    "requests_in_flight",
    "servers",
    "devices",
    "racks",
    "peak_kw",
    "it_provisioned_kw",
    "average_kw",
    "j_per_token",
    "tokens_per_s_per_mw",
    "kwh_per_year",
    "tco2e_per_year",
    "carbon_location_t",
    "carbon_market_t",
    "carbon_embodied_t",
    "water_onsite_m3",
    "water_offsite_m3",
)
# The few that stand on cards and in the preview; the rest is one table below.
HEAD_KPIS = (
    "tco_usd",
    "usd_per_mtok_output",
    "usd_per_1000_requests",
    "usd_per_training_run",
    "ttft_ms",
    "tpot_ms",
    "servers",
    "peak_kw",
    "average_kw",
    "racks",
    "tco2e_per_year",
)


def ordered(kpis: dict[str, Any]) -> list[Any]:
    """Return KPIs in the order people read them; unknown ones come last."""
    known = [kpis[key] for key in KPI_ORDER if key in kpis]
    return known + [kpi for key, kpi in kpis.items() if key not in KPI_ORDER]


def head(kpis: dict[str, Any]) -> list[Any]:
    """Return the KPIs for cards; those without a meaning here (no value, no cost) are left out."""
    chosen = [kpis[key] for key in HEAD_KPIS if key in kpis]
    return [kpi for kpi in chosen if _value(kpi) is not None or _key(kpi) in {"tco_usd", "ttft_ms"}]


def _value(kpi: Any) -> float | None:
    value: float | None = kpi["value"] if isinstance(kpi, dict) else kpi.value
    return value


def _key(kpi: Any) -> str:
    return str(kpi["key"] if isinstance(kpi, dict) else kpi.key)
