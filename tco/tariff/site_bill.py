"""A site's electricity bill in its parts, by month (F4.2 to F4.6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tco.inputs import DemandCharge, Figure, Tariff
from tco.tariff.load_year import FloatArray
from tco.tariff.site_load import (
    Energy,
    SiteLoad,
    coincident_kw,
    energy_by_period,
    lookback_kw,
    peak_kw,
)
from tco.tariff.windows import Mask, period_of_hour, window_mask
from tco.units import MONTHS_PER_YEAR

Priced = Callable[[Figure], FloatArray]  # a price by month, escalated


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One part of a bill; `usd` is what the new load adds to it in each month.

    `quantities` are shown beside it: name, amount, unit. `figures` are the prices and shares it
    rests on.
    """

    key: str
    label: str
    usd: FloatArray
    formula: str
    reference: str
    quantities: tuple[tuple[str, Any, str], ...] = ()
    figures: tuple[tuple[str, Figure], ...] = ()


@dataclass(slots=True, eq=False)
class _Running:
    """Sums of a bill with the new load and without it."""

    with_usd: Any = 0.0
    without_usd: Any = 0.0
    parts: list[Part] = field(default_factory=list)

    def add(self, key: str, label: str, pair: tuple[Any, Any], **more: Any) -> None:
        new, old = pair
        self.with_usd = self.with_usd + new
        self.without_usd = self.without_usd + old
        self.parts.append(Part(key, label, np.asarray(new - old), **more))


def energy_of(load: SiteLoad, tariff: Tariff) -> Energy:
    """Energy of each period of a tariff.

    Raises
    ------
    InputError
        Periods that overlap or leave hours out.
    """
    windows = [
        (f"tariff.periods[{index}]", period.name, period.window)
        for index, period in enumerate(tariff.periods)
    ]
    return energy_by_period(load, period_of_hour(windows), len(windows))


def site_bill(
    load: SiteLoad, tariff: Tariff, priced: Priced, energy: Energy | None = None
) -> tuple[Part, ...]:
    """Every part of the bill: together they are bill(with) - bill(without) (F4.6).

    Parameters
    ----------
    load
        Load of the site by month.
    tariff
        With periods.
    priced
        Price of a figure by month, escalation in it.
    energy
        As `energy_of` gives it, where it is known already.

    Raises
    ------
    InputError
        Periods that overlap or leave hours out.
    """
    energy = energy or energy_of(load, tariff)
    bill = _Running()
    _energy_parts(bill, energy, tariff, priced)
    demand = _demand_parts(bill, load, tariff, priced)
    _power_factor(bill, tariff, demand)
    served = load.served
    old = 1.0 if load.existing else 0.0
    if tariff.fixed_usd_per_month is not None:
        price = tariff.fixed_usd_per_month
        bill.add(
            "electricity_fixed",
            "Electricity, fixed charge",
            (served * priced(price), old * priced(price)),
            formula="USD/month x escalation",
            reference="F4.4",
            figures=(("fixed charge", price),),
        )
    if tariff.minimum_usd_per_month is not None:
        price = tariff.minimum_usd_per_month
        least = priced(price)
        bill.add(
            "electricity_minimum",
            "Electricity, top-up to the minimum bill",
            (
                np.maximum(served * least - bill.with_usd, 0.0),
                np.maximum(old * least - bill.without_usd, 0.0),
            ),
            formula="max(0, minimum bill - energy, demand and fixed charges)",
            reference="F4.4",
            figures=(("minimum bill", price),),
        )
    _levies(bill, energy, tariff, priced)
    return tuple(bill.parts)


def _energy_parts(bill: _Running, energy: Energy, tariff: Tariff, priced: Priced) -> None:
    for index, period in enumerate(tariff.periods):
        below = 0.0
        for tier in period.tiers:
            top = np.inf if tier.up_to_kwh_per_month is None else tier.up_to_kwh_per_month
            new, old = (
                np.clip(kwh[index] - below, 0.0, top - below)
                for kwh in (energy.with_kwh, energy.without_kwh)
            )
            price = priced(tier.usd_per_kwh)
            label = f"Electricity, energy, {period.name}"
            if len(period.tiers) > 1:
                label += f", {_tier_text(below, tier.up_to_kwh_per_month)}"
            bill.add(
                "electricity_energy",
                label,
                (new * price, old * price),
                formula="kWh of the period x USD/kWh x escalation",
                reference="F4.2, F0.4",
                quantities=(("energy over the horizon", np.sum(new - old, axis=-1), "kWh"),),
                figures=(("price of the period", tier.usd_per_kwh),),
            )
            below = top


def _tier_text(below: float, top: float | None) -> str:
    if top is None:
        return f"above {below:,.0f} kWh a month"
    return f"to {top:,.0f} kWh a month"


def _demand_parts(
    bill: _Running, load: SiteLoad, tariff: Tariff, priced: Priced
) -> tuple[FloatArray, FloatArray]:
    """Peak, ratchet and contract of every charge; returns all of it, with and without."""
    total: list[Any] = [0.0, 0.0]
    for charge in () if tariff.demand_included else tariff.demand:
        price = priced(charge.usd_per_kw_month)
        for key, what, formula, pair, figures in _billed(load, charge):
            usd = pair[0] * price, pair[1] * price
            total = [total[0] + usd[0], total[1] + usd[1]]
            bill.add(
                key,
                f"Electricity, {what}, {charge.name}",
                usd,
                formula=formula,
                reference="F4.3, F0.4",
                quantities=(
                    (f"highest month of {what}", np.max(pair[0] - pair[1], axis=-1), "kW"),
                ),
                figures=(("demand rate", charge.usd_per_kw_month), *figures),
            )
    return total[0], total[1]


_Billed = tuple[str, str, str, tuple[FloatArray, FloatArray], tuple[tuple[str, Figure], ...]]


def _billed(load: SiteLoad, charge: DemandCharge) -> list[_Billed]:
    """Kilowatts of a charge: metered, then what ratchet and contract put on top."""
    mask = window_mask(charge.window)
    in_year: Mask = np.asarray(mask.any(axis=(1, 2)))
    applies = in_year[load.month_of]
    if charge.at_hour is not None:
        new, year = coincident_kw(load, charge.at_hour, charge.at_day, charge.at_month)
        formula = "mean facility kW of the named hour x USD/kW-month x escalation"
        new, year = new * applies * load.served, year * in_year
        key, what = "electricity_demand", "coincident peak"
    else:
        new, year = peak_kw(load, mask)
        formula = "highest 15-minute facility kW of the window x USD/kW-month x escalation"
        key, what = "electricity_demand", "demand"
    old = year[load.month_of]
    found: list[_Billed] = [(key, what, formula, (new, old), ())]
    if charge.ratchet_fraction is not None:
        share, months = charge.ratchet_fraction.value, charge.lookback_months
        # the years before the ledger were alike, without the new load
        before = year[(load.month_of[0] + np.arange(1 - months, 0)) % MONTHS_PER_YEAR]
        floors = [share * lookback_kw(kw, months, before) * applies for kw in (new, old)]
        excess = tuple(
            np.maximum(floor - kw, 0.0) for floor, kw in zip(floors, (new, old), strict=True)
        )
        ratio = (("ratchet", charge.ratchet_fraction),)
        text = "max(0, ratchet x highest peak of the lookback - peak) x USD/kW-month x escalation"
        found.append(("electricity_ratchet", "ratchet excess", text, (excess[0], excess[1]), ratio))
        new, old = new + excess[0], old + excess[1]
    if charge.contract_kw is not None:
        contract = charge.contract_kw.value
        short = (
            np.maximum(contract - new, 0.0) * applies * load.served,
            np.maximum(contract - old, 0.0) * applies * float(load.existing),
        )
        text = "max(0, contract kW - billed kW) x USD/kW-month x escalation"
        found.append(
            (
                "electricity_contract",
                "contract minimum",
                text,
                short,
                (("contract", charge.contract_kw),),
            )
        )
    return found


def _power_factor(bill: _Running, tariff: Tariff, demand: tuple[FloatArray, FloatArray]) -> None:
    factor, floor = tariff.power_factor, tariff.power_factor_floor
    if factor is None or floor is None or not np.ndim(demand[0]):
        return
    more = np.maximum(np.asarray(floor.value) / factor.value - 1.0, 0.0)
    bill.add(
        "electricity_power_factor",
        "Electricity, power factor below the limit",
        (more * demand[0], more * demand[1]),
        formula="max(0, limit / power factor - 1) x demand charges",
        reference="F4.4",
        figures=(("power factor", factor), ("limit", floor)),
    )


def _levies(bill: _Running, energy: Energy, tariff: Tariff, priced: Priced) -> None:
    """Levy by kWh, tax on everything before it, credit for what is sent out (untaxed)."""
    drawn = np.asarray(sum(energy.with_kwh)), np.asarray(sum(energy.without_kwh))
    if tariff.levy_usd_per_kwh is not None:
        price = priced(tariff.levy_usd_per_kwh)
        bill.add(
            "electricity_levy",
            "Electricity, levies by kWh",
            (drawn[0] * price, drawn[1] * price),
            formula="kWh x USD/kWh x escalation",
            reference="F4.4",
            quantities=(("energy over the horizon", np.sum(energy.added_kwh, axis=-1), "kWh"),),
            figures=(("levy", tariff.levy_usd_per_kwh),),
        )
    if tariff.tax_fraction is not None:
        rate = tariff.tax_fraction.value
        bill.add(
            "electricity_tax",
            "Electricity, tax on the bill",
            (bill.with_usd * rate, bill.without_usd * rate),
            formula="tax x all charges of the bill",
            reference="F4.4",
            figures=(("tax", tariff.tax_fraction),),
        )
    if tariff.export_usd_per_kwh is not None:
        price = priced(tariff.export_usd_per_kwh)
        sent = energy.exported_with_kwh, energy.exported_without_kwh
        bill.add(
            "electricity_export",
            "Electricity, credit for energy sent out",
            (-sent[0] * price, -sent[1] * price),
            formula="- kWh sent out x USD/kWh x escalation",
            reference="F4.4",
            quantities=(("sent out over the horizon", np.sum(sent[0] - sent[1], axis=-1), "kWh"),),
            figures=(("export price", tariff.export_usd_per_kwh),),
        )
