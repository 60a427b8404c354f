"""Tariffs in parts, part load, carbon and water of a site: what goes together (F3.1, F4, F18)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tco.document.parse import path_to
from tco.document.values import number, plain_number, values
from tco.errors import InputError
from tco.inputs import (
    CoolingPlant,
    DemandCharge,
    EnergyPeriod,
    ExistingLoad,
    Figure,
    HeatReuse,
    PartLoad,
    Region,
    Status,
    Surroundings,
    Tariff,
    Tier,
    Window,
    weakest,
)
from tco.inputs.tariff import ALL_MONTHS
from tco.power.part_load import Losses
from tco.tariff.windows import period_of_hour, window_mask

_WINDOW = ("months", "days", "from_hour", "to_hour")
_SURROUNDINGS = tuple(
    item.name for item in dataclasses.fields(Surroundings) if item.name != "heat_reuse"
)
_FLAT = ("energy_usd_per_kwh", "demand_usd_per_kw_month", "fixed_usd_per_month")
_BY_PARTS = (
    *("part_load", "plant", "existing_load"),
    *("load_shape", "month_shape", "own_generation_kw"),
)
_ALL_HOURS = "all hours"


def surroundings(given: Mapping[str, Any], found: Mapping[str, Any]) -> Surroundings:
    """Return carbon and water of a valid site."""
    heat = given.get("heat_reuse")
    return Surroundings(
        **{name: found[name] for name in _SURROUNDINGS},
        heat_reuse=HeatReuse(**values("heat_reuse", heat)) if heat else None,
    )


def part_load(given: Mapping[str, Any]) -> PartLoad | None:
    """Return the part load of a valid site, or None."""
    curve = given.get("part_load")
    return PartLoad(**values("part_load", curve)) if curve else None


def rated_pue(hall: PartLoad | CoolingPlant | None) -> Figure | None:
    """PUE of a hall at its rating; below it, it is higher (F3.1).

    That of a plant without a UPS is at a load so high that what is fixed does not count. None
    without either.
    """
    if hall is None:
        return None
    if isinstance(hall, PartLoad):
        rated, losses = hall.rated_it_kw, Losses.of_curve(hall)
    else:
        losses = Losses.of_plant(hall)
        if hall.ups_rated_kw is None:
            note = "cooling in proportion to the load"
            return hall.air_kw_per_kw.derived(losses.linear_ratio, "ratio", note)
        rated = hall.ups_rated_kw
    pue = losses.facility_kw(rated.value) / rated.value
    return rated.derived(pue, "ratio", "at the rated load of the hall")


def existing_load(given: Mapping[str, Any]) -> ExistingLoad | None:
    """Return what stands behind the meter of a valid site, or None."""
    load = given.get("existing_load")
    return ExistingLoad(**values("existing_load", load)) if load else None


def tariff(given: Mapping[str, Any], demand_included: bool) -> Tariff:
    """Return a valid tariff in parts."""
    periods = tuple(_period(item) for item in given["periods"])
    return Tariff(
        energy_usd_per_kwh=_mean_price(periods),
        demand_included=demand_included,
        energy_holds_demand=demand_included,
        periods=periods,
        demand=tuple(_demand(item) for item in given.get("demand", ())),
        **values("tariff", given),
    )


def flat_tariff(
    path: str,
    found: Mapping[str, Any],
    region: Region | None,
    refuse: Callable[[InputError], None],
) -> Tariff | None:
    """Own price, else the region's; the region's demand charge goes with its price only."""
    energy: Figure | None = found["energy_usd_per_kwh"]
    demand: Figure | None = found["demand_usd_per_kw_month"]
    included = bool(found["demand_included"])
    holds_demand = included
    if energy is None and region is not None:
        energy = region.energy_usd_per_kwh
        holds_demand = holds_demand or region.demand_included
        if found["demand_included"] is None:
            included = region.demand_included
        if demand is None and not included:
            demand = region.demand_usd_per_kw_month
    if energy is None:
        name = region.name if region else "the region"
        message = f"is missing, and the catalog has no price for {name}"
        where = path_to(path, "energy_usd_per_kwh")
        refuse(InputError(where, message, "enter the price in USD/kWh"))
        return None
    return Tariff(
        energy_usd_per_kwh=energy,
        demand_usd_per_kw_month=demand,
        fixed_usd_per_month=found["fixed_usd_per_month"],
        demand_included=included,
        energy_holds_demand=holds_demand,
    )


def by_parts(flat: Tariff, site: Mapping[str, Any]) -> Tariff:
    """One price as a tariff of one period, where the site has what only such a bill can hold."""
    if flat.in_parts or not any(name in site for name in _BY_PARTS):
        return flat
    charge = flat.demand_usd_per_kw_month
    return dataclasses.replace(
        flat,
        periods=(EnergyPeriod(_ALL_HOURS, Window(), (Tier(flat.energy_usd_per_kwh),)),),
        demand=(DemandCharge("month's peak", Window(), charge),) if charge is not None else (),
    )


def _window(found: dict[str, Any]) -> Window:
    parts = {name: found.pop(name) for name in _WINDOW}
    months = tuple(int(month) for month in parts.pop("months"))
    return Window(months=months or ALL_MONTHS, **parts)


def _period(given: Mapping[str, Any]) -> EnergyPeriod:
    found = values("tariff_period", given)
    window, price = _window(found), found["usd_per_kwh"]
    if price is not None:
        return EnergyPeriod(found["name"], window, (Tier(price),))
    tiers = tuple(Tier(**values("energy_tier", item)) for item in given["tiers"])
    return EnergyPeriod(found["name"], window, tiers)


def _demand(given: Mapping[str, Any]) -> DemandCharge:
    found = values("demand_charge", given)
    return DemandCharge(window=_window(found), **found)


def _mean_price(periods: tuple[EnergyPeriod, ...]) -> Figure:
    """Mean of the first tiers over the hours of the year; shown, never billed."""
    hours = [window_mask(period.window)[:, 0].sum() * 5 for period in periods]
    for index, period in enumerate(periods):
        hours[index] += window_mask(period.window)[:, 1].sum() * 2
    firsts = [period.tiers[0].usd_per_kwh for period in periods]
    total = sum(float(part) * price.value for part, price in zip(hours, firsts, strict=True))
    sources = "; ".join(dict.fromkeys(price.source for price in firsts))
    return Figure(
        value=total / float(sum(hours)),
        unit="USD/kWh",
        status=weakest([Status.ESTIMATED, *(price.status for price in firsts)]),
        source=f"mean of the tariff's periods over the hours ({sources})",
        as_of=firsts[0].as_of,
    )


# --- what does not go together ------------------------------------------------------------------


def broken_tariff(path: str, site: Mapping[str, Any]) -> Iterator[InputError]:
    """Yield what does not go together in a site's electricity; it may be of any shape."""
    given = site.get("tariff")
    if isinstance(given, Mapping):
        for name in _FLAT:
            if name in site:
                message = "stands beside a tariff in parts"
                yield InputError(path_to(path, name), message, "leave one of the two out")
        rent = site.get("colocation")
        if isinstance(rent, Mapping) and rent.get("power_included") is True:
            message = "the rent holds the electricity already (power_included)"
            yield InputError(path_to(path, "tariff"), message, "leave one of the two out")
        yield from _broken_parts(path_to(path, "tariff"), given, site)
    for first, second in (
        ("pue", "part_load"),
        ("pue", "plant"),
        ("part_load", "plant"),
        ("grid_gco2_per_kwh", "grid_gco2_by_hour"),
    ):
        if first in site and second in site:
            message = f"stands beside {second}"
            yield InputError(path_to(path, first), message, "leave one of the two out")
    before = site.get("existing_load")
    if isinstance(before, Mapping):
        yield from _broken_existing(path_to(path, "existing_load"), before)
    years = "load_shape" in site or (isinstance(before, Mapping) and "year_kw" in before)
    if "load_year" in site and not years:
        message = "no hours of a year are given"
        yield InputError(path_to(path, "load_year"), message, "leave it out")
    if "month_shape" in site and "load_shape" in site:
        message = "stands beside load_shape, which has its months"
        yield InputError(path_to(path, "month_shape"), message, "leave one of the two out")
    if _nothing(site.get("month_shape")):
        message = "no month has any load"
        yield InputError(path_to(path, "month_shape"), message, "enter the shape of the year")
    shape = site.get("load_shape")
    if _nothing(shape):
        message = "no hour of the year has any load"
        yield InputError(path_to(path, "load_shape"), message, "enter the load of the year")


def _broken_existing(path: str, before: Mapping[str, Any]) -> Iterator[InputError]:
    named = [name for name in ("average_kw", "typical_day_kw", "year_kw") if name in before]
    if len(named) != 1:
        message = "is given twice" if named else "is missing"
        place = path_to(path, named[1] if named else "average_kw")
        yield InputError(place, message, "give one of average_kw, typical_day_kw, year_kw")
    for name in ("month_shape", "month_peaks_kw"):
        if name in before and "year_kw" in before:
            message = "stands beside year_kw, which has its months"
            yield InputError(path_to(path, name), message, "leave one of the two out")
    if _nothing(before.get("month_shape")):
        message = "no month has any load"
        yield InputError(path_to(path, "month_shape"), message, "enter the shape of the year")
    if "peak_kw" in before and "month_peaks_kw" in before:
        message = "stands beside month_peaks_kw"
        yield InputError(path_to(path, "peak_kw"), message, "leave one of the two out")
    mean, peak = (_size(before.get(name), "kW") for name in ("average_kw", "peak_kw"))
    if mean is not None and peak is not None and peak < mean:
        message = f"{plain_number(peak)} kW is below the mean of {plain_number(mean)} kW"
        yield InputError(path_to(path, "peak_kw"), message, "enter the highest quarter-hour")


def _broken_parts(
    path: str, given: Mapping[str, Any], site: Mapping[str, Any]
) -> Iterator[InputError]:
    windows: list[tuple[str, str, Window]] = []
    periods = _members(path, given, "periods")
    for place, period in periods:
        before = len(windows)
        yield from _broken_window(place, period)
        window = _window_of(period)
        if window is not None:
            windows.append((place, str(period.get("name", before)), window))
        yield from _broken_prices(place, period)
    if periods and len(windows) == len(periods) == len(given["periods"]):
        try:
            period_of_hour(windows)
        except InputError as error:
            yield error
    for place, charge in _members(path, given, "demand"):
        yield from _broken_window(place, charge)
        yield from _broken_demand(place, charge)
    for name, other in (
        ("power_factor", "power_factor_floor"),
        ("power_factor_floor", "power_factor"),
    ):
        if name in given and other not in given:
            yield InputError(path_to(path, other), "is missing", f"{name} needs it")
    if "power_factor" in given and not given.get("demand"):
        message = "nothing is charged by it: the tariff has no demand charge"
        yield InputError(path_to(path, "power_factor"), message, "enter demand, or leave it out")
    if "export_usd_per_kwh" in given and "own_generation_kw" not in site:
        message = "nothing is generated that could be sent out"
        mend = "enter own_generation_kw of the site, or leave it out"
        yield InputError(path_to(path, "export_usd_per_kwh"), message, mend)


def _broken_window(path: str, given: Mapping[str, Any]) -> Iterator[InputError]:
    window = _window_of(given)
    if window is not None and window.from_hour == window.to_hour:
        message = f"the window ends at {window.to_hour}:00, where it starts"
        yield InputError(path_to(path, "to_hour"), message, "leave both out for the whole day")
    if isinstance(given.get("months"), list) and not given["months"]:
        message = "no month is listed"
        yield InputError(path_to(path, "months"), message, "list months, or leave it out for all")


def _window_of(given: Mapping[str, Any]) -> Window | None:
    """The window, or None where its parts are of no use; that is told elsewhere."""
    months = given.get("months", list(ALL_MONTHS))
    days = given.get("days", "all")
    first, last = given.get("from_hour", 0), given.get("to_hour", 24)
    words = {str(month) for month in ALL_MONTHS}
    if not isinstance(months, list) or not all(str(month) in words for month in months):
        return None
    if days not in ("all", "weekday", "weekend"):
        return None
    if any(isinstance(hour, bool) or not isinstance(hour, int) for hour in (first, last)):
        return None
    if not (0 <= first <= 23 and 1 <= last <= 24):
        return None
    return Window(tuple(int(month) for month in months), days, first, last)


def _broken_prices(path: str, period: Mapping[str, Any]) -> Iterator[InputError]:
    """One price or tiers; tiers rise without a gap to an open end."""
    if ("usd_per_kwh" in period) == ("tiers" in period):
        message = "stands beside tiers" if "tiers" in period else "is missing"
        mend = "leave one of the two out" if "tiers" in period else "enter a price, or tiers"
        yield InputError(path_to(path, "usd_per_kwh"), message, mend)
    tiers = period.get("tiers")
    if not isinstance(tiers, list):
        return
    if not tiers:
        message = "the list is empty"
        yield InputError(path_to(path, "tiers"), message, "enter at least one tier")
    below = 0.0
    for index, tier in enumerate(tiers):
        if not isinstance(tier, Mapping):
            continue
        place = path_to(path_to(path_to(path, "tiers"), index), "up_to_kwh_per_month")
        if "up_to_kwh_per_month" not in tier:
            if index < len(tiers) - 1:
                message = "is missing: the tiers after it would never be reached"
                yield InputError(place, message, "enter where the tier ends")
            continue
        top = _size(tier["up_to_kwh_per_month"], "kWh/month")
        if top is None:
            continue
        if index == len(tiers) - 1:
            message = f"leaves a gap: no tier prices what is above {plain_number(top)} kWh"
            yield InputError(place, message, "leave it out of the last tier")
        if top <= below:
            message = f"{plain_number(top)} kWh does not rise above {plain_number(below)} kWh"
            yield InputError(place, message, "order the tiers by their limits, the lowest first")
        below = top


def _broken_demand(path: str, charge: Mapping[str, Any]) -> Iterator[InputError]:
    if "lookback_months" in charge and "ratchet_fraction" not in charge:
        message = "no ratchet looks back"
        mend = "enter ratchet_fraction, or leave it out"
        yield InputError(path_to(path, "lookback_months"), message, mend)
    for name in ("at_day", "at_month"):
        if name in charge and "at_hour" not in charge:
            mend = f"enter at_hour, or leave {name} out"
            yield InputError(path_to(path, name), "names no hour", mend)
    for name in ("days", "from_hour", "to_hour"):
        if name in charge and "at_hour" in charge:
            message = "does not go with a named hour"
            yield InputError(path_to(path, name), message, "leave it out")


def _members(path: str, given: Mapping[str, Any], name: str) -> list[tuple[str, Mapping[str, Any]]]:
    listed = given.get(name)
    place = path_to(path, name)
    return [
        (path_to(place, index), item)
        for index, item in enumerate(listed if isinstance(listed, list) else ())
        if isinstance(item, Mapping)
    ]


def _nothing(given: Any) -> bool:
    return isinstance(given, list) and bool(given) and all(item in (0, 0.0) for item in given)


def _size(given: Any, unit: str) -> float | None:
    value = given.get("value") if isinstance(given, Mapping) else given
    try:
        return number(value, unit)
    except ValueError:
        return None
