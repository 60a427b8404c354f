"""All lines of an option in one monthly ledger (F0.1). Every view is a view of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tco.cost import (
    api,
    availability,
    charges,
    cloud,
    cloud_terms,
    cooling_lines,
    egress,
    energy,
    fabric_lines,
    late,
    leasing,
    loans,
    moving,
    owned,
    premises,
    recurring,
    running,
    sovereign,
    spares,
    staffing,
    surroundings,
    unserved,
)
from tco.cost.case import Calendar, FleetCase
from tco.cost.columns import months_with, once
from tco.cost.exchange import moved
from tco.cost.finance import FloatArray, end_factors, present_value_usd, start_factors
from tco.cost.placed import CAPITALISED
from tco.cost.site_power import BILL_LINES, FleetBill, billed_in_parts, bills_of
from tco.cost.tax import tax_lines
from tco.errors import InputError
from tco.inputs import Option, Site
from tco.results import FleetPower, FleetResult, Ledger, LedgerLine, RackLayout, Term
from tco.results.networks import CoolingResult, StorageResult

Chosen = Callable[[LedgerLine], bool]
LineFunction = Callable[[FleetCase], LedgerLine | None]

_MOVING: tuple[LineFunction, ...] = (
    moving.migration,
    moving.migration_training,
    moving.migration_validation,
    moving.migration_contingency,
    moving.migration_delay,
)
# A new line is one function, entered here.
OWNED_LINES: tuple[LineFunction, ...] = (
    owned.servers,
    loans.drawn,
    loans.principal,
    loans.interest,
    leasing.lease_payments,
    leasing.lease_interest,
    leasing.lease_principal,
    leasing.lease_buyout,
    leasing.lease_return,
    leasing.service,
    leasing.service_unused,
    charges.duty,
    charges.freight,
    charges.sales_tax,
    charges.sales_tax_on_payments,
    owned.network,
    owned.integration,
    owned.racks,
    spares.spares,
    premises.build,
    premises.colocation,
    energy.energy,
    energy.demand,
    running.support,
    availability.support_contract,
    spares.repairs,
    running.software,
    running.staff,
    charges.property_tax,
    charges.insurance,
    charges.physical_security,
    recurring.model_retraining,
    *_MOVING,
    charges.retirement,
    *late.LATE_LINES,
    owned.residual,
)
RENTED_LINES: tuple[LineFunction, ...] = (
    cloud.instances,
    cloud.commitment_unused,
    cloud.instances_on_demand,
    cloud_terms.spot_overhead,
    egress.egress,
    cloud_terms.storage,
    cloud_terms.storage_requests,
    cloud_terms.storage_retrieval,
    api.input_tokens,
    api.cached_input_tokens,
    api.output_tokens,
    unserved.unserved,
    cloud_terms.setup,
    cloud_terms.debugging,
    recurring.model_retraining,
    *_MOVING,
)
NOT_COMPUTED = "not_computed"  # key of the blank line of a fleet that could not be priced
# Costs that stop when a machine is not run; the rest is paid anyway (F20.3).
VARIABLE_LINES = frozenset(
    {
        "late_energy",
        *("electricity_energy", "electricity_levy", "carbon_price", "instances"),
        *("instances_on_demand", "spot_overhead", "egress"),
        *("cloud_support", "api_input", "api_cached_input", "api_output"),
    }
)
# What a provider's support is a share of (F13.6).
_BILLED = frozenset(
    {
        *("instances", "commitment_unused", "instances_on_demand", "spot_overhead", "egress"),
        *("storage", "storage_requests", "storage_retrieval"),
    }
)
_RUN_RATE = frozenset(
    {
        *("colocation", *BILL_LINES, "carbon_price", "support"),
        *("software", "staff", "instances", "egress", "cloud_support"),
        *("repairs", "property_tax", "insurance", "physical_security"),
        *("commitment_unused", "instances_on_demand", "spot_overhead", "cloud_debugging"),
        *("storage", "storage_requests", "storage_retrieval"),
        *("api_input", "api_cached_input", "api_output"),
        *("model_retraining", "canary_running"),
        *fabric_lines.RUNNING,
    }
)


@dataclass(frozen=True, slots=True)
class OptionCase:
    """An option's fleets as cases, at one bound of the prices."""

    option: Option
    calendar: Calendar
    fleets: tuple[FleetCase, ...]

    @classmethod
    def of(
        cls,
        option: Option,
        calendar: Calendar,
        results: Sequence[FleetResult],
        powers: Sequence[FleetPower],
        racks: Sequence[RackLayout],
        bound: str = "value",
        *,
        stores: Sequence[StorageResult] = (),
        cooling: Sequence[CoolingResult] = (),
    ) -> OptionCase:
        """Match the results of the other rooms to the option's fleets by key."""
        result_of = {result.fleet: result for result in results}
        power_of = {power.fleet: power for power in powers}
        racks_of = {layout.fleet: layout for layout in racks}
        store_of = {store.fleet: store for store in stores}
        cooling_of = {found.site: found for found in cooling}
        return cls(
            option,
            calendar,
            tuple(
                FleetCase.of(
                    fleet,
                    result_of[fleet.key],
                    power_of.get(fleet.key),
                    racks_of.get(fleet.key),
                    calendar,
                    bound,
                    store=store_of.get(fleet.key),
                    cooling=cooling_of.get(fleet.site.key) if fleet.site else None,
                )
                for fleet in option.fleets
            ),
        )

    def at(self, bound: str) -> OptionCase:
        """The same at the low or high end of every price."""
        return replace(self, fleets=tuple(replace(case, bound=bound) for case in self.fleets))

    @property
    def owned(self) -> bool:
        """True when every fleet is bought."""
        return bool(self.fleets) and all(case.fleet.owned for case in self.fleets)


def build_ledger(case: OptionCase) -> Ledger:
    """Every line of every fleet, then what a site pays once, then tax.

    Prices in other currencies follow their rates month by month (F0.6). A fleet whose figures
    cannot be computed with has one blank line that says so: the option is incomplete and the
    other fleets keep their lines.
    """
    return moved(case, case.calendar.finance, lines_at_first_rates(case), lines_at_first_rates)


def lines_at_first_rates(case: OptionCase) -> Ledger:
    """The ledger with every currency at its rate of month 0."""
    lines: list[LedgerLine] = []
    # an overflow is caught by the line's own range check, with the line's name
    with np.errstate(over="ignore", invalid="ignore"):
        bills = bills_of(case.fleets)
        for fleet_case in case.fleets:
            lines += _guarded(fleet_case, bills.get(fleet_case.fleet.key))
        lines += _site_lines(case)
    return Ledger(case.calendar.months, case.calendar.rate_fraction, tuple(lines))


def _guarded(case: FleetCase, bill: FleetBill | InputError | None) -> list[LedgerLine]:
    try:
        own = fleet_lines(case, bill)
        return [*own, *tax_lines(case, own)]
    except (ValueError, ArithmeticError, LookupError) as error:
        return [
            case.line(
                NOT_COMPUTED,
                "All lines",
                "capex",
                formula="sum of the fleet's lines",
                reference="F0.1",
                terms=(case.servers_term(),),
                missing=str(error),
            )
        ]


def fleet_lines(case: FleetCase, bill: FleetBill | InputError | None = None) -> list[LedgerLine]:
    """Lines of one fleet, before tax and before what its site pays once.

    `bill` is its share of a site's bill in parts; without one, the fleet stands there alone.

    Raises
    ------
    InputError
        What keeps a line from being computed.
    """
    functions = OWNED_LINES if case.fleet.owned else RENTED_LINES
    lines = [line for function in functions if (line := function(case)) is not None]
    if bill is None and billed_in_parts(case.fleet.site):
        bill = bills_of([case]).get(case.fleet.key)
    if isinstance(bill, InputError):
        raise bill
    lines += bill.lines if bill is not None else ()
    around = [surroundings.carbon_price(case, bill), surroundings.heat_credit(case)]
    if bill is not None:
        around.append(late.shorter_service(case, bill))
    lines += [line for line in around if line is not None]
    if not case.fleet.owned:
        support = cloud.support(case, [line for line in lines if line.key in _BILLED])
        lines += [support] if support else []
    lines += fabric_lines.infrastructure_lines(case)
    lines += recurring.canaries(case, lines)
    rate = [line for line in lines if line.key in _RUN_RATE]
    moved = (moving.migration_dual_running(case, rate), moving.exit_cost(case, rate))
    lines += [line for line in moved if line is not None]
    lines += availability.layer_lines(case)
    lines += availability.second_site_lines(case, lines, CAPITALISED)
    down = availability.downtime(case)
    return [*lines, down] if down is not None else lines


@dataclass(frozen=True, slots=True, eq=False)
class Book:
    """A ledger with the value of each line and the discounted flow of all, worked out once."""

    ledger: Ledger
    pv_usd: tuple[float, ...]  # of each line, in order (F12.3)
    total_usd: tuple[float, ...]  # undiscounted
    flow_usd: FloatArray  # discounted, of all lines: start and end of month 0, of month 1 ...

    @classmethod
    def of(cls, ledger: Ledger) -> Book:
        """Values of every line."""
        rate = ledger.monthly_rate_fraction
        return cls(
            ledger,
            tuple(present_value_usd(x.start_usd, x.end_usd, rate) for x in ledger.lines),
            tuple(line.total_usd for line in ledger.lines),
            _discounted_flow(ledger),
        )

    def present_usd(self, chosen: Chosen | None = None) -> float:
        """Present value of the chosen lines, or of all: PV of costs = TCO (F0.8)."""
        return self._sum(self.pv_usd, chosen)

    def plain_usd(self, chosen: Chosen | None = None) -> float:
        """Undiscounted sum of the chosen lines, or of all."""
        return self._sum(self.total_usd, chosen)

    def _sum(self, values: tuple[float, ...], chosen: Chosen | None) -> float:
        pairs = zip(self.ledger.lines, values, strict=True)
        return math.fsum(usd for line, usd in pairs if chosen is None or chosen(line))


def cumulative_usd(ledger: Ledger, *, discounted: bool = True) -> FloatArray:
    """Cost so far at the end of each month, capex of the month included (F20.5)."""
    if discounted:
        return np.cumsum(_discounted_flow(ledger))[1::2]
    start, end = columns_usd(ledger.lines, ledger.months)
    return np.cumsum(start + end)


def _discounted_flow(ledger: Ledger) -> FloatArray:
    """Present values of what is paid at the start and at the end of each month, in turn."""
    start, end = columns_usd(ledger.lines, ledger.months)
    flow = np.empty(2 * ledger.months)
    flow[0::2] = start * start_factors(ledger.monthly_rate_fraction, ledger.months)
    flow[1::2] = end * end_factors(ledger.monthly_rate_fraction, ledger.months)
    return flow


def columns_usd(lines: Sequence[LedgerLine], months: int) -> tuple[FloatArray, FloatArray]:
    """Sum of the lines by month: paid at the starts, paid at the ends."""
    if not lines:
        return np.zeros(months), np.zeros(months)
    start = np.sum(np.array([line.start_usd for line in lines]), axis=0)
    end = np.sum(np.array([line.end_usd for line in lines]), axis=0)
    return start, end


def _site_lines(case: OptionCase) -> list[LedgerLine]:
    """Unused hall, fixed charge of the meter and installation, once per site; run staff."""
    at_site: dict[str, tuple[Site, list[FleetCase]]] = {}
    for fleet_case in case.fleets:
        site = fleet_case.fleet.site
        if fleet_case.fleet.owned and site is not None and fleet_case.servers.any():
            at_site.setdefault(site.key, (site, []))[1].append(fleet_case)
    lines = []
    for site, cases in at_site.values():
        for line in (
            premises.stranded(site, cases),
            energy.site_fixed(site, cases),
            _install(site, cases),
        ):
            if line is not None:
                lines.append(line)
        lines += cooling_lines.cooling_lines(site, cases)
    lines += sovereign.zone_lines(case.fleets)
    team = staffing.run_staff(case.option.staffing, case.fleets)
    return [*lines, team] if team is not None else lines


def _install(site: Site, cases: list[FleetCase]) -> LedgerLine | None:
    figure = site.colocation.install_usd if site.colocation else None
    if figure is None:
        return None
    first = min(months_with(case.servers)[0] for case in cases)
    start = once(cases[0].months, first, cases[0].amount(figure))
    line = cases[0].line(
        "colocation_install",
        f"Colocation, installation at {site.name}",
        "facility",
        start=start,
        formula="one-time installation",
        reference="F5.4",
        terms=(Term.of("installation", figure),),
    )
    return replace(line, fleet=cases[0].fleet.key if len(cases) == 1 else "")
