"""Lines of redundancy, support contracts, second sites and downtime (F16).

What a service stands on is a chain: its servers, of which the sizing spares some (P7, P8), and
the layers that they depend on. A change of scheme, contract or site moves these lines and, by the
chain, the hours of downtime.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tco.cost.case import FleetCase, computed, status_of
from tco.cost.columns import mean, months_with, once, summed
from tco.cost.owned import financing, paid_in_service, price_status
from tco.cost.reliability import (
    NEVER,
    Down,
    in_series,
    installed_units,
    k_of_n,
    sides_of,
    two_sites,
    unit_unavailability,
)
from tco.defaults import default
from tco.inputs import Availability, Figure, Layer, Status
from tco.results import LedgerLine, Term
from tco.units import HOURS_PER_YEAR, MONTHS_PER_YEAR

DOWNTIME = "downtime"
# Lines that pay for being up; a second site doubles the others, not these two.
_NOT_DOUBLED = frozenset({DOWNTIME, "second_site", "second_site_running"})
_WORTH = "what an hour down costs is not given"


@dataclass(frozen=True, slots=True)
class Chain:
    """How often a fleet's service is down, part by part."""

    servers: Down
    layers: tuple[Down, ...]
    site: Down  # servers and layers in series
    service: Down  # with the second site
    repair_hours: Any  # of a server, from failure to service
    server_failures_per_year: Figure
    server_down: Any  # share of the time that one server is down


def server_failures(case: FleetCase, given: Availability) -> Figure:
    """Failures a year that take one server out: given, or those of its devices (F10.1)."""
    if given.server_failures_per_year is not None:
        return given.server_failures_per_year
    purchase = case.fleet.purchase
    if purchase is not None and purchase.failures is not None:
        each = purchase.failures.afr_per_year
    else:
        each = default("failures.afr_per_year")
    note = f"{case.devices_per_server} devices, each"
    value = np.asarray(each.value) * case.devices_per_server
    if value.ndim:
        base = replace(each, value=float(np.mean(value)), source=f"{note}: {each.source}")
        return base.drawn(value)
    return replace(each, value=float(value), low=None, high=None, source=f"{note}: {each.source}")


def spare_at_hand_fraction(case: FleetCase) -> Any:
    """Chance that a repair finds a spare on site: the service level, 0 without spares (F10.2)."""
    purchase = case.fleet.purchase
    failures = purchase.failures if purchase is not None else None
    return failures.service_level_fraction.value if failures is not None else 0.0


def repair_hours(case: FleetCase, given: Availability) -> Any:
    """Mean hours from the failure of a server to its service, MTTR (F16.2).

    Response, then the part unless a spare is at hand, then the work; without a contract, the
    repair hours hold all of it.
    """
    contract = given.bought_contract
    if contract is None:
        return given.repair_hours.value
    waits = (1.0 - np.asarray(spare_at_hand_fraction(case))) * contract.parts_hours.value
    return contract.response_hours.value + waits + given.repair_hours.value


def servers_spared(case: FleetCase) -> int:
    """Servers that may be gone while the targets hold: what the sizing lost, in whole ones (P7).

    A lost replica of several in a server spares no server: the others are lost with it.
    """
    rule = case.result.count_rule
    spare, per_server = case.fleet.workload.replicas_lost, 1
    if rule is not None:
        spare, per_server = rule.spare_replicas, max(1, rule.replicas_per_server)
    elif case.result.servers and case.result.replicas:
        per_server = max(1, -(-case.result.replicas // case.result.servers))
    return spare // per_server


def installed(layer: Layer) -> int:
    """Units of a layer that are put up."""
    return layer.installed or installed_units(layer.needed, layer.scheme)


def layer_down(layer: Layer) -> Down:
    """How often a layer is down (F16.2)."""
    if layer.availability_fraction is not None:
        unit: Any = 1.0 - np.asarray(layer.availability_fraction.value)
    else:
        assert layer.mtbf_hours is not None
        unit = unit_unavailability(layer.mtbf_hours.value, layer.repair_hours.value)
    sides = 1 if layer.installed else sides_of(layer.scheme)
    return k_of_n(
        unit,
        layer.needed,
        installed(layer),
        layer.repair_hours.value,
        common_cause_fraction=_value(layer.common_cause_fraction),
        sides=sides,
    )


def chain(case: FleetCase, given: Availability) -> Chain:
    """Availability of every part, by month where the servers change (F16.2)."""
    failures, hours = server_failures(case, given), repair_hours(case, given)
    per_year = np.maximum(np.asarray(failures.value, dtype=np.float64), 1e-12)
    unit = unit_unavailability(HOURS_PER_YEAR / per_year, hours)
    live = case.servers > 0
    count = np.maximum(case.servers, 1.0)
    needed = np.maximum(count - servers_spared(case) - case.spare_servers, 1.0)
    servers = k_of_n(
        unit,
        needed,
        count,
        hours,
        common_cause_fraction=_value(given.server_common_cause_fraction),
    )
    if case.devices_per_server == 0:  # an API: its provider's servers are not seen
        servers = NEVER
    servers = Down(
        np.where(live, servers.fraction, 0.0), np.where(live, servers.events_per_year, 0.0)
    )
    layers = tuple(layer_down(layer) for layer in given.layers)
    site = in_series(servers, *layers)
    second, service = given.second_site, site
    if second is not None:
        service = two_sites(
            site,
            second.mode,
            failover_hours=second.failover_hours.value,
            failover_success_fraction=second.failover_success_fraction.value,
            common_cause_fraction=_value(second.common_cause_fraction),
        )
    return Chain(servers, layers, site, service, hours, failures, unit)


def layer_lines(case: FleetCase) -> Iterator[LedgerLine]:
    """Units of each layer, bought once and maintained each year (F16.3)."""
    given = case.fleet.availability
    if given is None or not case.months or not np.any(case.servers):
        return
    first = months_with(case.servers)[0]
    live = np.arange(case.months) >= first
    for layer in given.layers:
        name, units = layer.name or layer.key, installed(layer)
        count = computed("units installed", units, "units", Status.ASSUMED, _scheme_words(layer))
        if layer.usd_per_unit is not None:
            yield case.line(
                "redundancy",
                f"Redundancy: {name}",
                "facility",
                start=once(case.months, first, units * case.amount(layer.usd_per_unit)),
                formula="units installed x price of a unit",
                reference="F16.3",
                terms=(count, Term.of("price of a unit", layer.usd_per_unit)),
            )
        if layer.usd_per_unit_year is not None:
            rate = case.calendar.finance.opex_escalation_fraction
            path = case.calendar.escalation(layer.usd_per_unit_year, rate)
            yearly = units * case.amount(layer.usd_per_unit_year)
            terms = [count, Term.of("maintenance of a unit a year", layer.usd_per_unit_year)]
            if rate is not None:
                terms.append(Term.of("escalation of running costs", rate))
            yield case.line(
                "redundancy_running",
                f"Maintenance: {name}",
                "facility",
                end=live * yearly / MONTHS_PER_YEAR * path,
                formula="units installed x maintenance a year / 12 x escalation",
                reference="F16.3",
                terms=terms,
            )


def support_contract(case: FleetCase) -> LedgerLine | None:
    """The support contract that was chosen (F8): by server, or by the price paid."""
    given = case.fleet.availability
    contract = given.bought_contract if given is not None else None
    if contract is None or financing(case).kind == "as_a_service":
        return None
    label = f"Support contract: {contract.name or contract.key}"
    if contract.usd_per_server_year is not None:
        rate = case.calendar.finance.opex_escalation_fraction
        path = case.calendar.escalation(contract.usd_per_server_year, rate)
        yearly = case.servers * case.amount(contract.usd_per_server_year)
        terms = [case.servers_term(), Term.of("price a year", contract.usd_per_server_year)]
        if rate is not None:
            terms.append(Term.of("escalation of running costs", rate))
        return case.line(
            "support_contract",
            label,
            "software",
            end=yearly / MONTHS_PER_YEAR * path,
            formula="servers x price a year / 12 x escalation",
            reference="F8",
            terms=terms,
        )
    assert contract.price_fraction_per_year is not None
    held, share = paid_in_service(case), contract.price_fraction_per_year
    worth = (
        ()
        if held is None
        else (
            computed(
                "price of the servers in service", mean(held), "USD", price_status(case), "F6"
            ),
        )
    )
    return case.line(
        "support_contract",
        label,
        "software",
        end=None if held is None else held * share.value / MONTHS_PER_YEAR,
        formula="servers x price paid x share a year / 12",
        reference="F8",
        terms=(case.servers_term(), *worth, Term.of("share a year", share)),
        missing="it is a share of the server price, which is not known" if held is None else "",
    )


def downtime(case: FleetCase) -> LedgerLine | None:
    """Hours down x USD an hour, and USD for each outage, of this fleet's share (F16.1, F16.4)."""
    given, work = case.fleet.availability, case.fleet.workload
    hourly, fixed = work.downtime_usd_per_hour, work.downtime_usd_per_event
    if hourly is None and fixed is None:
        return None
    formula = "(1 - availability) x hours x USD an hour + outages x USD each, x share of the load"
    prices = [Term.of("cost of an hour down", hourly)] if hourly is not None else []
    prices += [Term.of("cost of an outage", fixed)] if fixed is not None else []
    if given is None:
        return case.line(
            DOWNTIME,
            "Downtime",
            "downtime",
            formula=formula,
            reference="F16.4",
            terms=prices,
            missing="how often this fleet is down is not given (availability)",
        )
    found = chain(case, given)
    usd: Any = np.zeros(case.months)
    if hourly is not None:
        usd = usd + found.service.fraction * case.calendar.hours * case.amount(hourly)
    if fixed is not None:
        usd = usd + found.service.events_per_year / MONTHS_PER_YEAR * case.amount(fixed)
    live = case.servers > 0 if case.devices_per_server else np.ones(case.months)
    shown = last_month(case, found.service)
    status = chain_status(case, given, found)
    hours = shown.fraction * case.calendar.hours_per_year
    return case.line(
        DOWNTIME,
        "Downtime",
        "downtime",
        end=np.asarray(usd * live * case.fleet.share_fraction),
        formula=formula,
        reference="F16.1, F16.4",
        terms=(
            computed("hours down a year, last month", hours, "h/year", status, "chain (F16.2)"),
            computed("outages a year", shown.events_per_year, "1/year", status, "chain (F16.2)"),
            computed("share", case.fleet.share_fraction, "fraction", Status.ASSUMED, "this fleet"),
            *prices,
        ),
    )


def second_site_lines(
    case: FleetCase, lines: Sequence[LedgerLine], capital: frozenset[str]
) -> Iterator[LedgerLine]:
    """The second site, by its share of the first one's capital and running lines (F16.3)."""
    given = case.fleet.availability
    second = given.second_site if given is not None else None
    if second is None or not case.months:
        return
    doubled = [line for line in lines if line.key not in _NOT_DOUBLED]
    for key, label, chosen, share in (
        ("second_site", "Second site, capital", True, second.capex_fraction),
        ("second_site_running", "Second site, running", False, second.running_fraction),
    ):
        of_it = [line for line in doubled if (line.key in capital) is chosen]
        missing = next((line.missing for line in of_it if line.missing), "")
        start = summed(of_it, case.months, "start_usd")
        end = summed(of_it, case.months, "end_usd")
        status = status_of(line.status for line in of_it)
        sums = [
            computed(
                f"first site, paid at {when}", np.sum(usd, axis=-1), "USD", status, "its lines"
            )
            for when, usd in (("the start of months", start), ("the end of months", end))
        ]
        yield case.line(
            key,
            label,
            "facility",
            start=start * share.value,
            end=end * share.value,
            formula="lines of the first site x share",
            reference="F16.3",
            terms=(*sums, Term.of("share of the first site's", share)),
            missing=missing,
        )


def chain_status(case: FleetCase, given: Availability, found: Chain) -> Status:
    """The weakest of what the chain was worked out from."""
    figures = [given.repair_hours, found.server_failures_per_year]
    for layer in given.layers:
        figures += [x for x in (layer.availability_fraction, layer.mtbf_hours) if x is not None]
    contract = given.bought_contract
    if contract is not None:
        figures += [contract.response_hours, contract.parts_hours]
    return status_of([case.result.status, *(figure.status for figure in figures)])


def last_month(case: FleetCase, down: Down) -> Down:
    """How often something is down in the last month, the mean over draws."""
    fraction, events = np.asarray(down.fraction), np.asarray(down.events_per_year)
    if case.months and fraction.shape[-1:] == (case.months,):
        return Down(mean(fraction[..., -1]), mean(np.atleast_1d(events)[..., -1]))
    return Down(mean(fraction), mean(events))


def _scheme_words(layer: Layer) -> str:
    how = f"{layer.installed} installed" if layer.installed else layer.scheme
    return f"{how}, {layer.needed} needed (F16.3)"


def _value(figure: Figure | None) -> Any:
    return 0.0 if figure is None else figure.value
