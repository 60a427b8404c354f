"""Own the base, rent the peak: the cost of every number of owned servers (F14).

A server of the base carries what it can of each hour; what is beyond the base goes to instances
switched on for it. Both sides are the ledger's own lines, so that all owned and all rented cost
what their options cost.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tco.cost.breakeven import breakeven_utilisation
from tco.cost.case import FleetCase
from tco.cost.cloud import billed_by_day, hourly_rate, rental_of
from tco.cost.cut_fleet import cut_fleet, scaled_power, server_kw
from tco.cost.finance import FloatArray, end_factors, present_value_usd
from tco.cost.hybrid_days import Beyond, Days, continuous_optimum
from tco.cost.ledger import VARIABLE_LINES, Book, OptionCase, build_ledger
from tco.cost.staffing import run_staff
from tco.errors import InputError
from tco.inputs import Option, Staffing
from tco.results import CountRule
from tco.units import HOURS_PER_DAY

MOST_OWNED = 2000  # each number is a ledger of its own


@dataclass(frozen=True, slots=True)
class HybridPoint:
    """So many owned servers, the rest rented by the hour; present values."""

    owned_servers: int
    rented_instances: int  # switched on at most
    rented_instance_hours: float  # paid over the horizon
    rented_share_fraction: float  # of the requests
    owned_usd: float  # with the people who run both
    rented_usd: float
    total_usd: float
    allowed: bool = True  # within the provider's quota (F14.3)


@dataclass(frozen=True, slots=True)
class Hybrid:
    """The curve of one owned and one rented fleet of a workload, and its lowest point."""

    workload: str
    own: tuple[str, str]  # option and fleet
    rent: tuple[str, str]
    own_name: str
    rent_name: str
    curve: tuple[HybridPoint, ...]  # from none owned to all owned
    best: int  # index into the curve, of what is allowed
    fixed_usd_per_hour: float  # an owned server, used or not
    variable_usd_per_hour: float  # more when it is used
    cloud_usd_per_hour: float  # renting what an owned server carries
    threshold_fraction: float | None  # of the hours; None: renting is never dearer than running
    continuous_server_units: float  # where P(demand > q) falls to the threshold (F14.2)
    barred: str  # why nothing may burst; empty: it may

    @property
    def optimum(self) -> HybridPoint:
        """Cheapest number that is allowed."""
        return self.curve[self.best]

    @property
    def neighbours(self) -> tuple[HybridPoint, ...]:
        """The points beside the optimum, and the whole numbers beside the continuous one."""
        near = {self.best - 1, self.best + 1}
        near |= {math.floor(self.continuous_server_units), math.ceil(self.continuous_server_units)}
        return tuple(self.curve[q] for q in sorted(near) if 0 <= q < len(self.curve))

    @property
    def saving_usd(self) -> float:
        """What the optimum saves against the better of all owned and all rented (F23.6)."""
        ends = [self.curve[-1]]
        if self.curve[0].allowed and not self.barred:
            ends.append(self.curve[0])
        return min(point.total_usd for point in ends) - self.optimum.total_usd


def hybrids(
    cases: Sequence[OptionCase], barred: Mapping[tuple[str, str], str] | None = None
) -> tuple[Hybrid, ...]:
    """Every owned fleet of the options with every rented one of the same workload.

    Parameters
    ----------
    cases
        The options, sized.
    barred
        Reasons by (option, fleet): a rented fleet that may not serve the workload, for residency
        or a missing feature, takes no peak either (F14.3).

    Raises
    ------
    InputError
        No such pair, or a pair that cannot be shared as it stands: the reason of the first.
    """
    reasons = barred or {}
    sides = [(case.option.key, fleet) for case in cases for fleet in case.fleets]
    pairs = [
        (own, rent)
        for own in sides
        for rent in sides
        if own[1].fleet.owned
        and not rent[1].fleet.owned
        and own[1].fleet.workload.key == rent[1].fleet.workload.key
        and own[1].fleet.stage == rent[1].fleet.stage
    ]
    if not pairs:
        raise InputError(
            "options",
            "no workload has an owned fleet in one option and a rented one in another",
            "add an option that rents what another one owns",
        )
    found, refused = [], []
    for (own_option, own), (rent_option, rent) in pairs:
        try:
            why = reasons.get((rent_option, rent.fleet.key), "")
            ends = (own_option, rent_option)
            found.append(hybrid(own, rent, ends, why, staffing=cases[0].option.staffing))
        except InputError as error:
            refused.append(error)
    if not found:
        raise refused[0]
    return tuple(found)


def hybrid(
    own: FleetCase,
    rent: FleetCase,
    options: tuple[str, str] = ("own", "rent"),
    barred: str = "",
    *,
    staffing: Staffing | None = None,
) -> Hybrid:
    """Cost of every number of owned servers from none to all, the rest rented (F14.1).

    `staffing` is the scenario's: its people run what is owned and what is rented together.

    Owned servers come when the demand of their year asks for them and stay. An hour's load beyond
    them is rented: instances by the sizing rule of the rented fleet, billed with warm-up, minimum
    and increment of its terms; egress by the share of the requests that leaves.

    Raises
    ------
    InputError
        Fleets that are not sized for the whole workload from the same month on, or have no price.
    """
    own_rule, rent_rule = _rule(own), _rule(rent)
    _comparable(own, rent)
    most, quota = int(own.servers.max(initial=0.0)), rental_of(rent).quota_instances
    if most > MOST_OWNED:
        raise InputError(
            own.fleet.key, f"{most:,} servers are more than {MOST_OWNED:,}", "divide the workload"
        )
    # what the quota forbids is not chosen, so nothing is unserved
    free = replace(rental_of(rent), quota_instances=None)
    rent = replace(rent, fleet=replace(rent.fleet, rental=free))
    days = Days.of(own, own_rule, rent_rule)
    peak_per_s = own.fleet.workload.peak_requests_per_s.value
    ends = [_valued(own), _valued(rent)]
    curve = []
    for owned_servers in range(most + 1):
        base, peak, shape = 0.0, 0.0, days.beyond(owned_servers)
        if owned_servers == most:
            base = ends[0] + _people(staffing, [own])
        elif owned_servers == 0:
            peak = ends[1] + _people(staffing, [rent])
        else:
            run = [cut_fleet(own, owned_servers, days.held(owned_servers) * peak_per_s)]
            base = _valued(run[0])
            if shape.instances.any():
                run.append(_peak(rent, days, shape))
                peak = _valued(run[1])
            base += _people(staffing, run)
        curve.append(
            HybridPoint(
                owned_servers,
                int(shape.instances.max(initial=0.0)) if owned_servers < most else 0,
                _hours(rent, days, shape) if owned_servers < most else 0.0,
                shape.share_fraction if owned_servers < most else 0.0,
                base,
                peak,
                base + peak,
                owned_servers == most or quota is None or shape.instances.max() <= quota,
            )
        )
    totals = [point.total_usd if point.allowed else math.inf for point in curve]
    best = len(curve) - 1 if barred else int(np.argmin(totals))
    more_people = _people(staffing, [own]) - _people(staffing, [rent])
    rates = _rates(own, rent, days, more_people)
    threshold = breakeven_utilisation(rates[0], rates[2], rates[1])
    return Hybrid(
        workload=own.fleet.workload.key,
        own=(options[0], own.fleet.key),
        rent=(options[1], rent.fleet.key),
        own_name=own.fleet.name,
        rent_name=rent.fleet.name,
        curve=tuple(curve),
        best=best,
        fixed_usd_per_hour=rates[0],
        variable_usd_per_hour=rates[1],
        cloud_usd_per_hour=rates[2],
        threshold_fraction=threshold,
        continuous_server_units=continuous_optimum(days.wanted, days.weights, threshold),
        barred=barred,
    )


def _rule(case: FleetCase) -> CountRule:
    fleet, rule = case.fleet, case.result.count_rule
    if not case.result.feasible and not case.result.servers:
        raise InputError(fleet.key, f"cannot be sized: {case.result.binds}", "see its findings")
    if fleet.count is not None:
        raise InputError(
            f"{fleet.key}.count", "a fixed count follows no demand", "leave it out for the hybrid"
        )
    if rule is None or rule.month_0_replicas <= 0:
        raise InputError(
            fleet.key, "its machines do not follow the hours of the day", "compare whole options"
        )
    if fleet.share_fraction != 1.0:
        raise InputError(
            f"{fleet.key}.share_fraction",
            f"it serves {fleet.share_fraction:g} of {fleet.workload.name}",
            "give the owned and the rented fleet the whole workload, each in its own option",
        )
    return rule


def _comparable(own: FleetCase, rent: FleetCase) -> None:
    if own.fleet.start_month != rent.fleet.start_month:
        raise InputError(
            f"{rent.fleet.key}.start_month",
            f"month {rent.fleet.start_month} is not month {own.fleet.start_month} of"
            f" {own.fleet.name}",
            "let both go live in the same month",
        )
    terms = rental_of(rent)
    if terms.scaling != "hourly" or terms.commitment.startswith("reserved"):
        raise InputError(
            f"{rent.fleet.key}.rental",
            "instances that are always paid for cannot take only the peak",
            "set scaling to hourly and commitment to on_demand or spot",
        )
    if terms.committed_instances is not None:
        raise InputError(
            f"{rent.fleet.key}.rental.committed_instances",
            "a commitment is a base of its own",
            "leave it out for the hybrid, or compare whole options",
        )
    if hourly_rate(rent) is None:
        raise InputError(f"{rent.fleet.key}.rental.usd_per_hour", "no rate is known", "enter it")


def _valued(case: FleetCase) -> float:
    """Present value of all that one fleet costs, with what its site pays once."""
    return _book(case).present_usd()


def _book(case: FleetCase) -> Book:
    option = Option("", "", (case.fleet,))
    ledger = build_ledger(OptionCase(option, case.calendar, (case,)))
    missing = [f"{line.label}: {line.missing}" for line in ledger.lines if line.missing]
    if missing:
        raise InputError(case.fleet.key, missing[0], "enter the price")
    return Book.of(ledger)


def _peak(rent: FleetCase, days: Days, shape: Beyond) -> FleetCase:
    """The rented fleet for the peak alone: as many instances as are paid on average."""
    terms = rental_of(rent)
    egress = terms.egress_gb_per_month
    if egress is not None:
        share = float(np.average(shape.share_by_year))
        egress = replace(egress, value=egress.value * share)
    # averages are always on: what the day does to them is in them already
    plain = replace(terms, scaling="peak", egress_gb_per_month=egress)
    servers = days.active * _mean_instances(rent, days, shape)
    return replace(rent, servers=servers, fleet=replace(rent.fleet, rental=plain))


def _mean_instances(rent: FleetCase, days: Days, shape: Beyond) -> FloatArray:
    terms = rental_of(rent)
    by_year = np.array([billed_by_day(terms, list(day)) for day in shape.instances])
    return np.asarray(by_year[list(days.year_of)] / HOURS_PER_DAY, dtype=np.float64)


def _hours(rent: FleetCase, days: Days, shape: Beyond) -> float:
    mean_on = days.active * _mean_instances(rent, days, shape)
    return math.fsum((mean_on * rent.calendar.hours).tolist())


def _people(staffing: Staffing | None, run: Sequence[FleetCase]) -> float:
    """Present value of those who run these fleets together (F9.2)."""
    line = run_staff(staffing, run)
    if line is None:
        return 0.0
    return present_value_usd(line.start_usd, line.end_usd, run[0].calendar.rate_fraction)


def _rates(
    own: FleetCase, rent: FleetCase, days: Days, people_usd: float
) -> tuple[float, float, float]:
    """c_fixed, c_var and c_cloud of F14.2 [USD/h], each for what one owned server carries.

    `people_usd` is what running owned servers takes beyond running rented ones.
    """
    factors = end_factors(own.calendar.rate_fraction, own.months)
    hours = math.fsum((own.servers * own.calendar.hours * factors).tolist())
    idle = busy = _valued(own)
    if own.power is not None and own.result.hours and any(h.servers_on for h in own.result.hours):
        _, kw_each = server_kw(own.power, own.result)
        ends = []
        for kw in (kw_each[0], kw_each[-1]):
            hourly = [hour.servers_on * float(kw) for hour in own.result.hours]
            power = scaled_power(own.power, own.result, own.result, hourly)
            ends.append(_valued(replace(own, power=power)))
        idle, busy = ends
    by_year = days.beyond(0).instances.mean(axis=1)
    used = days.active * by_year[list(days.year_of)] * rent.calendar.hours
    used_hours = math.fsum((used * factors).tolist())
    bill = _book(rent).present_usd(lambda line: line.key in VARIABLE_LINES)
    each = days.rent_rule.month_0_replicas / days.rent_rule.replicas_per_server
    each /= days.own_rule.month_0_replicas / days.own_rule.replicas_per_server
    cloud = bill / used_hours * each if used_hours else 0.0
    idle, busy = idle + people_usd, busy + people_usd
    return (idle / hours, (busy - idle) / hours, cloud) if hours else (0.0, 0.0, cloud)
