"""Checks of prices: what is left out, what no market asks, what is bought for one month."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tco.checks.view import FleetView, ScenarioView
from tco.cost.case import Calendar, FleetCase, life_months
from tco.cost.cloud import hourly_rate
from tco.cost.owned import belongs_to_us, net_price_usd, server_price
from tco.cost.unpriced import unpriced_classes
from tco.cost.wording import list_text, money_text, number_text
from tco.inputs import Figure, Site
from tco.results import Finding

LATE_SHARE = 0.1  # of a life: a replacement so short before the end has no time to serve


@dataclass(frozen=True, slots=True)
class Band:
    """Values that a price or ratio is expected to have; outside it was probably mistyped."""

    name: str
    unit: str
    low: float
    high: float
    source: str  # what the band was drawn around


BANDS = {
    "device_hour": Band(
        "rate of a device",
        "USD/h",
        0.05,
        100.0,
        "offers of the catalog: US$ 0.48 to 34 an hour a device",
    ),
    "server": Band(
        "price of a server",
        "USD",
        500.0,
        10e6,
        "servers of the catalog: US$ 0.18 to 3.1 million; a small machine from US$ 500",
    ),
    "energy": Band(
        "electricity price",
        "USD/kWh",
        0.005,
        1.0,
        "regions of the catalog: US$ 0.058 to 0.28 a kWh",
    ),
    "demand": Band(
        "demand charge",
        "USD/kW-month",
        0.5,
        100.0,
        "published tariffs of the catalog: 13 to 17.5 USD/kW-month; parts of a charge from 1",
    ),
    "token": Band(
        "price of a million tokens",
        "USD/Mtok",
        0.005,
        1000.0,
        "public price lists of 2023 to 2026: US$ 0.01 to 600 a million",
    ),
    "pue": Band("PUE", "ratio", 1.0, 3.0, "reported sites: 1.04 to about 2.5"),
}


def classes_left_out(scenario: ScenarioView) -> Iterator[Finding]:
    """Each cost class of owned servers has a price, or an explicit 0 (F6, F8, F9.2)."""
    for index, option in enumerate(scenario.inputs.options):
        classes = unpriced_classes(scenario.inputs.options)[option.key]
        if not classes:
            continue
        first = next(i for i, fleet in enumerate(option.fleets) if fleet.owned)
        yield Finding(
            "cost_class_left_out",
            "warning",
            f"options[{index}].fleets[{first}].purchase",
            f"{list_text(list(classes))} of {option.name}"
            f" {'are' if len(classes) > 1 else 'is'} not priced and not in its totals",
            "enter a price, or 0 with a source if there is none to pay",
            option.key,
        )


def prices_in_band(view: FleetView) -> Iterator[Finding]:
    """The fleet's own prices lie where markets are."""
    case = case_of(view)
    if view.fleet.owned:
        yield from _outside(
            view, "server", server_price(case), f"{view.path}.purchase.server_usd", view.fleet.name
        )
    elif view.fleet.offer is not None:
        devices = max(1, view.fleet.offer.device_count)
        yield from _outside(
            view,
            "device_hour",
            hourly_rate(case),
            f"{view.path}.rental.usd_per_hour",
            view.fleet.name,
            each=devices,
        )


def site_in_band(scenario: ScenarioView) -> Iterator[Finding]:
    """Electricity price and PUE of each site lie where sites are."""
    for index, site in enumerate(scenario.inputs.sites):
        in_rent = site.colocation is not None and site.colocation.power_included
        for key, name, figure in (
            ("energy", "energy_usd_per_kwh", site.tariff.energy_usd_per_kwh),
            ("pue", "pue", site.pue),
        ):
            if key == "energy" and (in_rent or len(site.tariff.periods) > 1):
                continue
            per_usd = scenario.inputs.finance.per_usd if key == "energy" else 1.0
            message = outside_band(BANDS[key], figure.value, site.name, per_usd)
            if message:
                yield Finding(
                    "outside_usual_band",
                    "warning",
                    f"sites[{index}].{name}",
                    message,
                    "check the value and its unit",
                )


def tariff_in_band(scenario: ScenarioView) -> Iterator[Finding]:
    """Prices of a tariff in parts lie where tariffs are; a price of another period does not."""
    for index, site in enumerate(scenario.inputs.sites):
        for place, key, figure in _tariff_prices(site):
            if figure.value == 0.0:  # free hours are written so
                continue
            per_usd = scenario.inputs.finance.per_usd
            message = outside_band(BANDS[key], figure.value, site.name, per_usd)
            if message:
                yield Finding(
                    "outside_usual_band",
                    "warning",
                    f"sites[{index}].{place}",
                    message,
                    "check the value and its unit: per hour, per month, per kWh",
                )


def _tariff_prices(site: Site) -> Iterator[tuple[str, str, Figure]]:
    tariff = site.tariff
    if tariff.energy_usd_per_kwh in [tier.usd_per_kwh for x in tariff.periods for tier in x.tiers]:
        return  # the site's one price, looked at already
    for number, period in enumerate(tariff.periods):
        path = f"tariff.periods[{number}]"
        if len(period.tiers) == 1:
            yield f"{path}.usd_per_kwh", "energy", period.tiers[0].usd_per_kwh
        else:
            for step, tier in enumerate(period.tiers):
                yield f"{path}.tiers[{step}].usd_per_kwh", "energy", tier.usd_per_kwh
    for number, charge in enumerate(tariff.demand):
        yield f"tariff.demand[{number}].usd_per_kw_month", "demand", charge.usd_per_kw_month


def replaced_just_before_the_end(view: FleetView) -> Iterator[Finding]:
    """No server is bought again for the last months of the horizon only (F12.4, F11)."""
    purchase = view.fleet.purchase
    if not view.fleet.owned or (
        purchase and purchase.residual_fraction is not None and purchase.residual_fraction.value > 0
    ):
        return
    case = case_of(view)
    price, life = net_price_usd(case), life_months(view.fleet)
    if price is None or not belongs_to_us(case):
        return
    each = price + sum(
        case.amount(figure)
        for figure in (
            (purchase.network_usd_per_server, purchase.integration_usd_per_server)
            if purchase
            else ()
        )
        if figure is not None
    )
    before = 0.0
    for month in range(case.months):
        replaced = case.bought[month] - (case.servers[month] - before)
        before = case.servers[month]
        left = case.months - month
        if replaced > 0 and left <= LATE_SHARE * life:
            yield view.finding(
                "replaced_before_the_end",
                "info",
                f"{view.path}.purchase.life_months",
                f"{number_text(float(replaced))} servers of {view.fleet.name} are bought again at"
                f" the start of month {month + 1} for {money_text(float(replaced) * each)} and"
                f" serve {left} month{'s' if left > 1 else ''} of a life of {life} within the"
                " horizon; no resale is credited",
                f"shorten finance.horizon_months to {month}, or enter purchase.residual_fraction",
            )


def case_of(view: FleetView) -> FleetCase:
    """The fleet as the cost lines see it."""
    calendar = Calendar.of(view.scenario.finance)
    return FleetCase.of(view.fleet, view.result, view.power, view.racks, calendar)


def _outside(
    view: FleetView, key: str, figure: Figure | None, field: str, owner: str, *, each: int = 1
) -> Iterator[Finding]:
    if figure is None:
        return
    message = outside_band(BANDS[key], figure.value / each, owner, view.scenario.finance.per_usd)
    if message:
        yield view.finding(
            "outside_usual_band",
            "warning",
            field,
            message,
            "check the value and its unit; mark it assumed if it is meant",
        )


def outside_band(band: Band, value: float, owner: str, per_usd: float = 1.0) -> str:
    """What is outside the band, or nothing; `per_usd` is the unit of account for one dollar."""
    low, high = band.low * per_usd, band.high * per_usd
    if low <= value <= high:
        return ""
    way = "below" if value < low else "above"
    bound = low if value < low else high
    return (
        f"{band.name} of {owner}: {number_text(value)} {band.unit} is {way}"
        f" {number_text(bound)} {band.unit} ({band.source})"
    )
