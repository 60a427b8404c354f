"""Examples of bills, carbon and water (F4, F5.4, F18, F22.1)."""

from __future__ import annotations

from tco.cost.colo_bill import ColoBill, colo_bill
from tco.cost.showback import hosting_usd_per_year, nameplate_electricity_usd_per_year
from tco.errors import InputError
from tco.examples.given import Given
from tco.examples.sheet import Sheet
from tco.inputs import Tariff, assumed
from tco.power.facility_load import facility_kw, tco2e
from tco.power.footprint import Water, embodied_kg, water
from tco.tariff.bill import MonthlyBill, monthly_bill
from tco.tariff.demand import demand_year_usd, summer_months
from tco.units import MONTHS_PER_YEAR

_KG_PER_TONNE = 1000.0
_G_PER_KG = 1000.0
_LITRES_BY_GRID = "L/kWh"

# --- a flat load ---------------------------------------------------------------------------------

FLAT = Sheet("Electricity", ("F4.2", "F4.3", "F4.1"), ("it_load", "energy_rate"))


def _months(given: Given) -> list[MonthlyBill]:
    kw = facility_kw(given.number("it_load", "kW"), given.number("pue", "ratio"))
    demand = given.number("demand_rate", "USD/kW/month", also="USD/kW", default=0.0)
    tariff = Tariff(
        energy_usd_per_kwh=assumed(given.number("energy_rate", "USD/kWh"), "USD/kWh", "example"),
        demand_usd_per_kw_month=assumed(demand, "USD/kW-month", "example"),
    )
    hours = given.number("hours", "h/yr", also="h", most=8784.0) / MONTHS_PER_YEAR
    month = monthly_bill(average_facility_kw=kw, peak_facility_kw=kw, hours=hours, tariff=tariff)
    return [month] * MONTHS_PER_YEAR


@FLAT.gives("energy", "USD/yr")
def _(given: Given) -> float:
    return sum(month.energy_usd for month in _months(given))


@FLAT.gives("demand", "USD/yr")
def _(given: Given) -> float:
    return sum(month.demand_usd for month in _months(given))


@FLAT.gives("bill", "USD/yr")
def _(given: Given) -> float:
    return sum(month.total_usd for month in _months(given))


@FLAT.gives("blended", "USD/kWh")
def _(given: Given) -> float | None:
    return _months(given)[0].blended_usd_per_kwh


# --- one hour that is billed all year ------------------------------------------------------------

RATCHET = Sheet("Electricity", ("F4.3",), ("base_load", "spike", "ratchet"))


@RATCHET.gives("demand_cost_year", "USD")
def _(given: Given) -> float:
    summer = given.whole("summer_months", "count")
    winter = given.whole("winter_months", "count")
    if summer + winter != MONTHS_PER_YEAR:
        raise InputError(
            f"{given.path}.inputs.summer_months",
            f"{summer} and {winter} winter months are not 12",
            "let the two make a year",
        )
    spike = given.whole("spike_month", "month", also="count", least=1)
    if spike > MONTHS_PER_YEAR:
        raise InputError(
            f"{given.path}.inputs.spike_month", f"{spike} is no month", "enter 1 to 12"
        )
    base, highest = given.number("base_load", "kW"), given.number("spike", "kW")
    warm = summer_months(summer)
    rates = [
        given.number(
            "summer_rate" if month in warm else "winter_rate", "USD/kW", also="USD/kW/month"
        )
        for month in range(1, MONTHS_PER_YEAR + 1)
    ]
    peaks = [max(base, highest) if month == spike else base for month in range(1, 13)]
    return sum(demand_year_usd(peaks, rates, ratchet_fraction=given.number("ratchet", "fraction")))


# --- rented space, charged space -----------------------------------------------------------------

COLO = Sheet("Facility", ("F5.4",), ("kw", "base_rate", "kwh"))


def _colo(given: Given) -> ColoBill:
    return colo_bill(
        given.number("kw", "kW"),
        given.number("base_rate", "USD/kW/month"),
        it_kwh=given.number("kwh", "kWh/month", also="kWh"),
        usd_per_kwh=given.number("electricity", "USD/kWh"),
        pue=given.number("pue", "ratio"),
    )


@COLO.gives("(space|power|total)", "USD/month")
def _(given: Given, part: str) -> float:
    return float(getattr(_colo(given), f"{part}_usd"))


ASSET = Sheet("Facility", ("F22.1",), ("height", "nominal", "u_cost"))


@ASSET.gives("hosting", "USD/yr")
def _(given: Given) -> float:
    return hosting_usd_per_year(given.number("height", "U"), given.number("u_cost", "USD/U/yr"))


@ASSET.gives("electricity", "USD/yr")
def _(given: Given) -> float:
    return nameplate_electricity_usd_per_year(
        given.number("nominal", "W"), given.number("rate", "USD/kWh")
    )


# --- carbon and water ----------------------------------------------------------------------------

CARBON = Sheet("Carbon and water", ("F18.1", "F18.2"), (r"intensity_\w+|embodied_\w+",))


@CARBON.gives(r"use_(\w+)", "kgCO2e")
def _(given: Given, place: str) -> float:
    pue = given.number("pue", "ratio", default=1.0)
    kwh = facility_kw(given.number("power", "kW"), pue) * given.number("hours", "h", also="h/yr")
    grams = given.number(f"intensity_{place}", "kgCO2e/kWh", most=3.0) * _G_PER_KG
    return tco2e(kwh, grams) * _KG_PER_TONNE


@CARBON.gives(r"embodied_(\w+)_per_hour", "kgCO2e/h")
def _(given: Given, what: str) -> float:
    return _embodied(given, what, 1.0)


@CARBON.gives(r"embodied_(\w+)", "kgCO2e")
def _(given: Given, what: str) -> float:
    return _embodied(given, what, None)


def _embodied(given: Given, what: str, hours: float | None) -> float:
    """Of `hours` of the life, or all of it; devices of one kind."""
    kinds = given.names(r"embodied_(\w+)")
    if len(kinds) != 1:
        raise InputError(
            f"{given.path}.inputs", f"{len(kinds)} embodied figures", "give one embodied_DEVICE"
        )
    each = given.number(f"embodied_{kinds[0]}", "kgCO2e")
    life = given.number("life", "h", above=0.0)
    return embodied_kg(given.number(what, "count"), each, life if hours is None else hours, life)


WATER = Sheet("Carbon and water", ("F18.4",), ("it_energy", "wue_onsite", "ewif"))


def _water(given: Given) -> Water:
    return water(
        given.number("it_energy", "kWh"),
        litres_per_it_kwh=given.number("wue_onsite", _LITRES_BY_GRID),
        pue=given.number("pue", "ratio"),
        litres_per_grid_kwh=given.number("ewif", _LITRES_BY_GRID),
    )


@WATER.gives("(onsite|offsite|total)", "L")
def _(given: Given, where: str) -> float:
    return float(getattr(_water(given), f"{where}_litres"))


SHEETS = (FLAT, RATCHET, COLO, ASSET, CARBON, WATER)
