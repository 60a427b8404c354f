"""Examples of interest, cash flows, escalation and tax (F0.4, F5.1, F12)."""

from __future__ import annotations

import re

from tco.cost.cost_per_watt import Asset, MonthlyBuckets, WattParts, monthly_buckets, watt_parts
from tco.cost.depreciation import macrs, with_bonus
from tco.cost.escalation import nominal_escalation_fraction, yearly_path_usd
from tco.cost.finance import growing_annuity_factor, irr, npv, payment
from tco.errors import InputError
from tco.examples.given import Given
from tco.examples.sheet import Sheet
from tco.units import HOURS_PER_DAY, MONTHS_PER_YEAR, W_PER_KW

_MODES = {"r/12": "nominal", "nominal": "nominal", "effective": "effective"}


def _mode(given: Given) -> str:
    text = given.text("compounding", default="r/12")
    if text not in _MODES:
        raise InputError(
            f"{given.path}.inputs.compounding", f"{text!r} is not known", "use r/12 or effective"
        )
    return _MODES[text]


def _hours(given: Given) -> float:
    return given.number("hours_per_month", "h", also="h/month", above=0.0, most=744.0)


# --- a watt's month ------------------------------------------------------------------------------

WATT = Sheet("Cost of a watt", ("F5.1", "F12.2"), ("dc_capex", "server_price", "server_power"))


def _parts(given: Given) -> WattParts:
    return watt_parts(
        facility=Asset(given.number("dc_capex", "USD/W"), given.number("dc_life", "yr", above=0.0)),
        facility_opex_usd_per_w=given.number("dc_opex", "USD/W/month"),
        server=_server(given),
        server_w=given.number("server_power", "W", above=0.0),
        server_opex_fraction=given.number("server_opex", "fraction"),
        average_to_peak_fraction=given.number("avg_to_peak_power", "fraction"),
        pue=given.number("pue", "ratio"),
        usd_per_kwh=given.number("electricity", "USD/kWh"),
        hours_per_month=_hours(given),
        annual_fraction=given.number("interest", "1/yr", also="fraction"),
        mode=_mode(given),
    )


def _server(given: Given) -> Asset:
    life = given.number("server_life", "yr", above=0.0)
    return Asset(given.number("server_price", "USD"), life)


for _name, _field in (
    ("dc_amortization", "facility_amortization_usd_per_w"),
    ("dc_interest", "facility_interest_usd_per_w"),
    ("dc_opex", "facility_opex_usd_per_w"),
    ("server_amortization", "server_amortization_usd_per_w"),
    ("server_interest", "server_interest_usd_per_w"),
    ("server_opex", "server_opex_usd_per_w"),
    ("server_power", "server_power_usd_per_w"),
    ("pue_overhead", "pue_overhead_usd_per_w"),
    ("total", "total_usd_per_w"),
):
    WATT.gives(_name, "USD/W/month")(lambda given, field=_field: getattr(_parts(given), field))


@WATT.gives(r"tco_(\d+)yr_per_server", "USD")
def _(given: Given, years: str) -> float:
    given.same("server_life", "yr", f"tco_{years}yr_per_server", float(years))
    months = _server(given).months
    return _parts(given).total_usd_per_w * given.number("server_power", "W") * months


# --- a data centre's month -----------------------------------------------------------------------

MONTH = Sheet("Cost of a watt", ("F12.2",), ("critical_load", "facility_capex", "network_capex"))
# A month of 30 days: the books that quote a server-hour count so, whatever their power bill does.
SERVER_HOURS_PER_MONTH = 30 * HOURS_PER_DAY


def _buckets(given: Given) -> MonthlyBuckets:
    count, life = given.number("servers", "count"), given.number("server_life", "yr", above=0.0)
    return monthly_buckets(
        servers=Asset(count * given.number("server_price", "USD"), life),
        network=_asset(given, "network"),
        facility=_asset(given, "facility"),
        power_cooling_fraction=given.number("power_cooling_share", "fraction"),
        critical_kw=given.number("critical_load", "kW"),
        average_load_fraction=given.number("avg_load", "fraction"),
        pue=given.number("pue", "ratio"),
        usd_per_kwh=given.number("electricity", "USD/kWh"),
        hours_per_month=_hours(given),
        annual_fraction=given.number("interest", "1/yr", also="fraction"),
        mode=_mode(given),
        people_usd=given.number("people", "USD/month", default=0.0),
    )


def _asset(given: Given, what: str) -> Asset:
    life = given.number(f"{what}_life", "yr", above=0.0)
    return Asset(given.number(f"{what}_capex", "USD"), life)


_BUCKETS = {
    "servers": "servers_usd",
    "network": "network_usd",
    "power_cooling_infra": "power_cooling_usd",
    "other_infra": "other_infrastructure_usd",
    "other": "other_infrastructure_usd",
    "power": "power_usd",
    "people": "people_usd",
    "total": "total_usd",
}


@MONTH.gives("usd_per_server_hour", "USD/h")
def _(given: Given) -> float:
    hours = given.number("server_hours_per_month", "h", default=SERVER_HOURS_PER_MONTH, above=0.0)
    return _buckets(given).total_usd / (given.number("servers", "count", above=0.0) * hours)


@MONTH.gives("fully_burdened_usd_per_watt_year", "USD/W/yr")
def _(given: Given) -> float:
    month = _buckets(given)
    watts = given.number("critical_load", "kW", above=0.0) * W_PER_KW
    return (month.power_cooling_usd + month.power_usd) * MONTHS_PER_YEAR / watts


@MONTH.gives(f"share_({'|'.join(_BUCKETS)})", "fraction")
def _(given: Given, what: str) -> float:
    month = _buckets(given)
    return float(getattr(month, _BUCKETS[what])) / month.total_usd


@MONTH.gives(f"({'|'.join(_BUCKETS)})", "USD/month")
def _(given: Given, what: str) -> float:
    return float(getattr(_buckets(given), _BUCKETS[what]))


# --- flows in time -------------------------------------------------------------------------------

BILL = Sheet("Time value", ("F0.4", "F0.5"), ("year1_bill", "real_escalation", "inflation"))


@BILL.gives("(additive|multiplicative)_mode", "USD")
def _(given: Given, mode: str) -> list[float]:
    rate = nominal_escalation_fraction(
        given.number("real_escalation", "1/yr", also="fraction", least=None),
        given.number("inflation", "1/yr", also="fraction", least=None),
        mode,
    )
    return yearly_path_usd(
        given.number("year1_bill", "USD"), rate, given.whole("years", "yr", most=1000)
    )


WORTH = Sheet("Time value", ("F12.5",), ("year1", "escalation", "discount"))


def _factor(given: Given) -> float:
    return growing_annuity_factor(
        given.number("escalation", "1/yr", also="fraction", least=None, above=-1.0),
        given.number("discount", "1/yr", also="fraction", least=None, above=-1.0),
        given.whole("years", "yr", most=1000),
    )


@WORTH.gives("present_worth_factor", "x")
def _(given: Given) -> float:
    return _factor(given)


@WORTH.gives("(after_tax_)?present_cost", "USD")
def _(given: Given, after_tax: str | None) -> float:
    kept = 1.0 - given.number("tax", "fraction") if after_tax else 1.0
    return given.number("year1", "USD") * _factor(given) * kept


FLOWS = Sheet("Time value", ("F12.3", "F12.2"), ("npv_flows|irr_flows|pmt_pv",))


@FLOWS.gives("npv", "USD")
def _(given: Given) -> float:
    rate = given.number("npv_rate", "1/yr", also="fraction", least=None, above=-1.0)
    return npv(rate, given.numbers("npv_flows", "USD", least=None))


@FLOWS.gives("irr", "1/yr")
def _(given: Given) -> float | list[float] | None:
    roots = irr(given.numbers("irr_flows", "USD", least=None))
    return roots[0] if len(roots) == 1 else list(roots) or None


@FLOWS.gives("pmt", "USD/month")
def _(given: Given) -> float:
    return payment(
        given.number("pmt_pv", "USD"),
        given.number("pmt_rate", "1/month", also="fraction", least=None, above=-1.0),
        given.number("pmt_n", "month", above=0.0),
    )


# --- deductions ----------------------------------------------------------------------------------

MACRS = Sheet("Tax", ("F12.6",), ("basis", "class"))


def _class(given: Given) -> tuple[float, ...]:
    text = given.text("class")
    years = re.match(r"\s*(\d+)-year", text)
    quarter = re.search(r"mid-quarter\D*([1-4])", text)
    if not years or ("mid-quarter" in text and not quarter):
        raise InputError(
            f"{given.path}.inputs.class",
            f"{text!r} is no class",
            "write 5-year, half-year convention, or 5-year, mid-quarter convention, quarter 4",
        )
    return macrs(int(years.group(1)), int(quarter.group(1)) if quarter else None)


@MACRS.gives("deductions", "USD")
def _(given: Given) -> list[float]:
    return [given.number("basis", "USD") * share for share in _class(given)]


@MACRS.gives("sum", "USD")
def _(given: Given) -> float:
    return sum(given.number("basis", "USD") * share for share in _class(given))


@MACRS.gives(r"bonus_(\d+)_year(\d+)_shield", "USD")
def _(given: Given, per_cent: str, year: str) -> float:
    shares = with_bonus(_class(given), int(per_cent) / 100.0)
    if not 1 <= int(year) <= len(shares):
        raise InputError(
            f"{given.path}.expected", f"year {year} has no deduction", f"ask 1 to {len(shares)}"
        )
    basis = given.number("basis", "USD")
    return given.number("tax_rate", "fraction") * basis * shares[int(year) - 1]


SHEETS = (WATT, MONTH, BILL, WORTH, FLOWS, MACRS)
