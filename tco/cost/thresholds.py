"""Thresholds instead of verdicts: price per board watt, price, hours of use (F20.3, F21.4, F25)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tco.cost import owned
from tco.cost.breakeven import breakeven_hours, breakeven_utilisation
from tco.cost.case import FleetCase, computed, status_of
from tco.cost.cloud import instance_hours
from tco.cost.finance import end_factors
from tco.cost.kpis import CAPEX_KEYS
from tco.cost.ledger import VARIABLE_LINES, Book, OptionCase
from tco.cost.moving import MOVING_LINES
from tco.cost.premises import life_share
from tco.cost.site_power import BILL_LINES
from tco.cost.wording import money_text, number_text, percent_text
from tco.results import Crossing, Ledger, LedgerLine, Term
from tco.units import HOURS_PER_DAY, MONTHS_PER_YEAR

LIVES_YEARS = (15.0, 20.0)  # of a facility, the range of F25
_POWER_LINES = frozenset(
    (
        *("facility_build", "facility_stranded", "colocation"),
        *(BILL_LINES - {"electricity_fixed"}),
    )
)
_PRICE_LINES = frozenset(
    (
        *("servers", "support", "residual", "duty", "sales_tax", "property_tax", "insurance"),
        *("loan_drawn", "loan_principal", "loan_interest"),
    )
)
_PORTING_LINES = MOVING_LINES
_BUILD_LINES = frozenset(("facility_build", "facility_stranded"))


@dataclass(frozen=True, slots=True)
class Side:
    """One option of a pair, with its ledger."""

    case: OptionCase
    book: Book

    @property
    def ledger(self) -> Ledger:
        """Ledger of the option."""
        return self.book.ledger

    @property
    def key(self) -> str:
        """Key of the option."""
        return self.case.option.key

    @property
    def name(self) -> str:
        """Name of the option."""
        return self.case.option.name

    def pv_usd(self, keys: frozenset[str] | None = None) -> float:
        """Present value of the lines named, or of all."""
        return self.book.present_usd(None if keys is None else lambda line: line.key in keys)

    def lines(self, keys: frozenset[str]) -> list[LedgerLine]:
        """Lines by key."""
        return [line for line in self.ledger.lines if line.key in keys]


def threshold_usd_per_board_w(
    usd_per_board_w: float, price_cut_fraction: float, power_rise_fraction: float
) -> float:
    """Price per board watt of the dearer device above which the cheaper one wins (F21.4, F25).

    The cheaper card saves cut x price and draws rise x watts more, each of which costs
    `usd_per_board_w` over the horizon: threshold = cost per watt x rise / cut.

    Parameters
    ----------
    usd_per_board_w
        Facility and electricity of one board watt over the horizon [USD/W].
    price_cut_fraction, power_rise_fraction
        How much cheaper, and how much more power, against the dearer device.

    Examples
    --------
    >>> energy = 5 * 8760 * 1.5 * 0.10 / 1000
    >>> round(threshold_usd_per_board_w(10 + energy, 0.2, 0.4), 2)
    33.14
    >>> [round(threshold_usd_per_board_w(10 * 5 / life + energy, 0.2, 0.4), 1) for life in (15, 20)]
    [19.8, 18.1]
    """
    if price_cut_fraction <= 0:
        return math.inf
    return usd_per_board_w * power_rise_fraction / price_cut_fraction


def pair_thresholds(a: Side, b: Side) -> list[Crossing]:
    """Every threshold that has a meaning between two complete options."""
    found = [price_against_power(a, b), porting_capex(a, b), server_price(a, b)]
    for own, rent in ((a, b), (b, a)):
        if own.case.owned and rent.case.fleets and not any(c.fleet.owned for c in rent.case.fleets):
            found += [use_hours(own, rent), undiscounted_hours(own, rent)]
    return [crossing for crossing in found if crossing is not None]


def price_against_power(a: Side, b: Side) -> Crossing | None:
    """USD per board watt above which the cheaper, hungrier device wins (F21.4, F25).

    For two options of one owned fleet each with the same number of devices. Range: the facility
    charged by share of life at 15 and 20 years, and whole.
    """
    pair = _dear_and_cheap(a, b)
    if pair is None:
        return None
    dear, cheap = pair
    price_0, watts_0 = _device(dear)
    price_1, watts_1 = _device(cheap)
    devices = dear.case.fleets[0].servers[-1] * dear.case.fleets[0].devices_per_server
    extra_w = devices * (watts_1 - watts_0)
    cut, rise = 1.0 - price_1 / price_0, watts_1 / watts_0 - 1.0
    build = cheap.pv_usd(_BUILD_LINES) - dear.pv_usd(_BUILD_LINES)
    rest = (cheap.pv_usd(_POWER_LINES) - dear.pv_usd(_POWER_LINES)) - build
    saved = dear.pv_usd(_PRICE_LINES) - cheap.pv_usd(_PRICE_LINES)
    multiple = saved / (devices * (price_0 - price_1))
    if multiple <= 0:
        return None
    per_w = (build + rest) / extra_w / multiple
    value = threshold_usd_per_board_w(per_w, cut, rise)
    charges = _facility_charges(cheap, build)
    ends = [
        threshold_usd_per_board_w((charge + rest) / extra_w / multiple, cut, rise)
        for charge in (*charges.values(), build)
    ]
    here = price_0 / watts_0
    winner = cheap if here > value else dear
    span = (
        f" (range {number_text(min(ends))} to {number_text(max(ends))}: the facility charged by"
        " its share of life or whole)"
        if charges
        else ""
    )
    sentence = (
        f"{percent_text(cut)} cheaper for {percent_text(rise)} more power pays above"
        f" {number_text(value)} USD per board watt{span}; at {number_text(here)} here,"
        f" {winner.name} wins."
    )
    lines = dear.lines(_POWER_LINES | _PRICE_LINES) + cheap.lines(_POWER_LINES | _PRICE_LINES)
    status = status_of(line.status for line in lines)
    return Crossing(
        between=(dear.key, cheap.key),
        what="price_usd_per_board_w",
        value=value,
        unit="USD/W",
        sentence=sentence,
        low=min(ends) if charges else None,
        high=max(ends) if charges else None,
        terms=(
            computed("facility of the extra power", build, "USD", status, "ledger, PV (F25)"),
            computed("electricity and space of it", rest, "USD", status, "ledger, PV"),
            computed("extra board power", extra_w, "W", status, "devices x board watts"),
            computed("price cut", cut, "fraction", status, "device prices"),
            computed("power rise", rise, "fraction", status, "board watts"),
            computed(
                "saved per USD of price", multiple, "ratio", status, "servers, support, resale, PV"
            ),
            computed("price per board watt here", here, "USD/W", status, dear.name),
            *(
                computed(f"facility if charged {name}", charge, "USD", status, "F25")
                for name, charge in charges.items()
            ),
        ),
    )


def porting_capex(a: Side, b: Side) -> Crossing | None:
    """Server capex below which porting costs more than the cheaper devices save (F9.1, F21.4).

    Threshold = extra porting cost / (price cut x what a USD of price saves with its support and
    resale), all else equal. Fleets that are the same in both options are left out.
    """
    stay, port = sorted((a, b), key=lambda side: side.pv_usd(_PORTING_LINES))
    extra = port.pv_usd(_PORTING_LINES) - stay.pv_usd(_PORTING_LINES)
    capex = [_differing_servers_usd(side, other) for side, other in ((stay, port), (port, stay))]
    if extra <= 0.0 or capex[0] <= 0.0 or capex[1] >= capex[0]:
        return None
    cut = 1.0 - capex[1] / capex[0]
    saved = stay.pv_usd(_PRICE_LINES) - port.pv_usd(_PRICE_LINES)
    multiple = saved / (capex[0] - capex[1])
    if multiple <= 0.0:
        return None
    value = extra / (cut * multiple)
    pays = "pays" if capex[0] > value else "does not pay"
    sentence = (
        f"Porting for {percent_text(cut)} less capex pays above {money_text(value)} of servers;"
        f" at {money_text(capex[0])} here it {pays}."
    )
    lines = stay.lines(_PORTING_LINES | _PRICE_LINES) + port.lines(_PORTING_LINES | _PRICE_LINES)
    status = status_of(line.status for line in lines)
    return Crossing(
        (stay.key, port.key),
        "porting_capex_usd",
        value,
        "USD",
        sentence,
        terms=(
            computed("extra cost of porting", extra, "USD", status, "migration lines, PV (F9.1)"),
            computed("price cut", cut, "fraction", status, "servers that differ"),
            computed("saved per USD of price", multiple, "ratio", status, "with support, resale"),
            computed("capex here", capex[0], "USD", status, stay.name),
        ),
    )


def _differing_servers_usd(side: Side, other: Side) -> float:
    """PV of the server lines that the other option does not have just so."""
    same = {(line.fleet, line.start_usd) for line in other.lines(frozenset(("servers",)))}
    return side.book.present_usd(
        lambda line: line.key == "servers" and (line.fleet, line.start_usd) not in same
    )


def server_price(a: Side, b: Side) -> Crossing | None:
    """Server price at which the dearer option would cost no more than the cheaper (F21.4)."""
    tco = {side.key: side.pv_usd() for side in (a, b)}
    less, more = sorted((a, b), key=lambda side: tco[side.key])
    if len(more.case.fleets) != 1 or not more.case.owned:
        return None
    fleet = more.case.fleets[0]
    if not owned.belongs_to_us(fleet):  # nobody asks us for a price
        return None
    price = owned.server_price(fleet)
    moves = more.pv_usd(_PRICE_LINES)
    if price is None or moves <= 0.0 or price.value <= 0.0:
        return None
    value = price.value * (1.0 - (tco[more.key] - tco[less.key]) / moves)
    keys = (less.key, more.key)
    terms = (
        Term.of("server price here", price),
        computed("TCO of the dearer", tco[more.key], "USD", price.status, more.name),
        computed("TCO of the cheaper", tco[less.key], "USD", price.status, less.name),
        computed("part that moves with the price", moves, "USD", price.status, "ledger, PV"),
    )
    if value <= 0.0:
        sentence = f"{more.name} would cost more than {less.name} even if its servers were free."
        return Crossing(keys, "server_price_usd", None, "USD", sentence, terms=terms)
    change = percent_text(1.0 - value / price.value)
    sentence = (
        f"{more.name} would match {less.name} at {money_text(value)} a server, {change} less."
    )
    return Crossing(keys, "server_price_usd", value, "USD", sentence, terms=terms)


def use_hours(own: Side, rent: Side) -> Crossing | None:
    """Hours of use a day below which renting costs less (F20.3).

    U* = c_fixed / (c_cloud - c_var), each levelised over the hours of the horizon: own energy and
    the rented fleet's bill count per hour of use, all else is paid anyway.
    """
    months = own.ledger.months
    rate = own.ledger.monthly_rate_fraction
    hours = math.fsum((own.case.calendar.hours * end_factors(rate, months)).tolist())
    on = _on_fraction(rent)
    if hours <= 0.0 or on <= 0.0:
        return None
    variable = own.pv_usd(VARIABLE_LINES) / hours
    fixed = own.pv_usd() / hours - variable
    cloud_fixed = (rent.pv_usd() - rent.pv_usd(VARIABLE_LINES)) / hours
    cloud = rent.pv_usd(VARIABLE_LINES) / hours / on
    share = breakeven_utilisation(fixed - cloud_fixed, cloud, variable)
    keys = (own.key, rent.key)
    status = status_of(line.status for side in (own, rent) for line in side.ledger.lines)
    terms = (
        computed("own fixed cost less rented fixed", fixed - cloud_fixed, "USD/h", status, "PV"),
        computed("own variable cost", variable, "USD/h", status, "energy, PV / PV of hours"),
        computed("rented, an hour of use", cloud, "USD/h", status, "bill, PV / PV of hours used"),
    )
    what = "use_hours_per_day"
    if share is None or share > 1.0:
        sentence = f"{rent.name} costs less than {own.name} at any hours of use a day."
        return Crossing(keys, what, None, "h/day", sentence, terms=terms)
    if share <= 0.0:
        sentence = f"{own.name} costs less than {rent.name} at any hours of use a day."
        return Crossing(keys, what, None, "h/day", sentence, terms=terms)
    value = share * HOURS_PER_DAY
    sentence = f"Below {number_text(value)} h of use a day {rent.name} costs less than {own.name}."
    return Crossing(keys, what, value, "h/day", sentence, terms=terms)


def undiscounted_hours(own: Side, rent: Side) -> Crossing | None:
    """Hours of use after which buying has paid, undiscounted (F20.1)."""
    hours = math.fsum(own.case.calendar.hours.tolist())
    on = _on_fraction(rent)
    if hours <= 0.0 or on <= 0.0:
        return None
    capex = own.book.plain_usd(lambda line: line.key in CAPEX_KEYS)
    running = own.book.plain_usd() - capex
    cloud = rent.book.plain_usd() / (hours * on)
    value = breakeven_hours(capex, running / hours, cloud)
    status = status_of(line.status for side in (own, rent) for line in side.ledger.lines)
    keys = (own.key, rent.key)
    terms = (
        computed("capital cost", capex, "USD", status, "ledger"),
        computed("own running cost", running / hours, "USD/h", status, "ledger / hours"),
        computed("cloud rate of the fleet", cloud, "USD/h", status, "ledger / hours used"),
    )
    if value is None:
        sentence = f"Running {own.name} costs as much an hour as renting: it never pays back."
    else:
        sentence = f"{own.name} pays back after {number_text(value)} hours of use, undiscounted."
    return Crossing(keys, "breakeven_hours", value, "h", sentence, terms=terms)


def _dear_and_cheap(a: Side, b: Side) -> tuple[Side, Side] | None:
    """The dearer device first, when the other is cheaper and draws more; else None."""
    for side in (a, b):
        if len(side.case.fleets) != 1 or not side.case.owned or not side.ledger.months:
            return None
        price, watts = _device(side)
        if price <= 0.0 or watts <= 0.0 or not owned.belongs_to_us(side.case.fleets[0]):
            return None
    fleets = [side.case.fleets[0] for side in (a, b)]
    counts = [(fleet.servers * fleet.devices_per_server).tolist() for fleet in fleets]
    if counts[0] != counts[1] or not counts[0][-1]:
        return None
    dear, cheap = (a, b) if _device(a)[0] > _device(b)[0] else (b, a)
    if _device(cheap)[0] < _device(dear)[0] and _device(cheap)[1] > _device(dear)[1]:
        return dear, cheap
    return None


def _device(side: Side) -> tuple[float, float]:
    """Price paid per device and board watts; zeros when not known."""
    fleet: FleetCase = side.case.fleets[0]
    net = owned.net_price_usd(fleet)
    server = fleet.fleet.server
    if net is None or server is None or server.device.board_w is None:
        return 0.0, 0.0
    return net / max(1, server.device_count), server.device.board_w.value


def _facility_charges(side: Side, build_usd: float) -> dict[str, float]:
    """The facility's part under each way to charge it (F25); empty without an own build."""
    site = side.case.fleets[0].fleet.site
    if site is None or site.build is None or build_usd == 0.0:
        return {}
    months = float(side.ledger.months)
    now = life_share(site.build, months)
    whole = build_usd / now
    charges = {"whole": whole}
    for years in LIVES_YEARS:
        charges[f"by share of {years:g} years"] = whole * min(
            1.0, months / (years * MONTHS_PER_YEAR)
        )
    return charges


def _on_fraction(rent: Side) -> float:
    """Share of the hours the rented machines are on: paid hours over all hours."""
    paid = math.fsum(math.fsum(instance_hours(c).tolist()) for c in rent.case.fleets)
    full = math.fsum(math.fsum((c.servers * c.calendar.hours).tolist()) for c in rent.case.fleets)
    return paid / full if full else 0.0
