"""What one machine of a fleet carries, costs, draws and emits: the ledger's own lines.

The fleet is sized and priced as if it served its workload alone. What one machine more costs is
the difference of two ledgers; what does not change with the count is paid once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tco.cost.case import FleetCase, life_months, with_replacements
from tco.cost.cloud import follows_the_day, rental_of
from tco.cost.columns import summed
from tco.cost.finance import FloatArray
from tco.cost.ledger import fleet_lines
from tco.cost.tax import tax_lines
from tco.errors import InputError
from tco.results import CountRule, LedgerLine
from tco.units import MONTHS_PER_YEAR

KG_PER_TONNE = 1000.0
_BY_VOLUME = frozenset({"egress"})


@dataclass(frozen=True, slots=True)
class Machine:
    """One fleet of the scenario as the optimiser sees it.

    Parameters
    ----------
    carries_per_s, loses_per_s
        Requests that one machine carries within the targets, and that go with one replica lost.
    usd
        Present value of one machine from the start of each phase on; shape (phases,).
    once_usd
        Paid once if the fleet is used at all, whatever its size.
    spent_usd_by_year
        Purchases of one machine by year, shape (phases, years).
    carbon_kg, peak_kw, it_kw
        Of one machine: over the horizon by phase; at the facility; at the plug.
    """

    option: str
    case: FleetCase
    carries_per_s: float
    loses_per_s: float
    design_per_s: float
    usd: FloatArray
    once_usd: float
    spent_usd_by_year: FloatArray
    carbon_kg: FloatArray
    peak_kw: float
    it_kw: float

    @property
    def key(self) -> str:
        """Option and fleet."""
        return f"{self.option}/{self.case.fleet.key}"

    @property
    def vendor(self) -> str:
        """Maker of the devices."""
        machine = self.case.fleet.server or self.case.fleet.offer
        return machine.device.vendor if machine else ""

    @property
    def servers_per_rack(self) -> int:
        """Of the packing; 0 where it says nothing."""
        return self.case.racks.servers_per_rack if self.case.racks is not None else 0


def machine_of(option: str, case: FleetCase, starts: Sequence[int]) -> Machine:
    """Return what one machine of a sized fleet is to the optimiser.

    Parameters
    ----------
    starts
        First month of each phase.

    Raises
    ------
    InputError
        A fleet whose count is given or that follows another rule than demand, or a line that has
        no price.
    """
    rule = _rule(case)
    work = case.fleet.workload
    headroom = work.headroom_fraction.value if work.headroom_fraction is not None else 0.0
    design = work.peak_requests_per_s.value * (1.0 + headroom) * case.fleet.share_fraction
    each = design / rule.month_0_replicas
    one, two = (_lines(case, starts, count) for count in (1.0, 2.0))
    first, second = (_present_usd(case, lines) for lines in (one, two))
    more = second - first
    volume = _volume_usd(case, one)
    once = float(np.max(first - more)) - volume
    if abs(once) < 1e-6 * max(1.0, float(np.abs(more).max())):
        once = 0.0
    share = 1.0 / max(1, case.result.servers)
    years = _years_served(case, starts)
    power = case.power
    tonnes = power.tco2e_per_year if power is not None and power.tco2e_per_year is not None else 0.0
    return Machine(
        option=option,
        case=case,
        carries_per_s=each * rule.replicas_per_server,
        loses_per_s=each,
        design_per_s=design,
        usd=more + volume / max(1, case.result.servers),
        once_usd=max(0.0, once),
        spent_usd_by_year=_spent(case, one),
        carbon_kg=tonnes * KG_PER_TONNE * share * years,
        peak_kw=power.facility_peak_kw * share if power is not None else 0.0,
        it_kw=power.it_provisioned_kw * share if power is not None else 0.0,
    )


def _rule(case: FleetCase) -> CountRule:
    rule = case.result.count_rule
    if rule is None or rule.month_0_replicas <= 0:
        raise InputError(
            case.fleet.key,
            "its count does not follow a demand of requests",
            "leave out `count`; training and pipelines are not mixed",
        )
    return rule


def servers_from(case: FleetCase, starts: Sequence[int], count: float) -> FloatArray:
    """Machines by month, shape (phases, months): owned ones stay, rented ones for their phase."""
    months = case.months
    found = np.zeros((len(starts), months))
    ends = [*starts[1:], months]
    for row, (start, end) in enumerate(zip(starts, ends, strict=True)):
        found[row, start : months if case.fleet.owned else end] = count
    return found


def _lines(case: FleetCase, starts: Sequence[int], count: float) -> list[LedgerLine]:
    servers = servers_from(case, starts, count)
    bought = np.diff(servers, prepend=0.0, axis=-1)
    if case.fleet.owned:
        bought = with_replacements(np.maximum(bought, 0.0), life_months(case.fleet))
    drawn = replace(case, servers=servers, bought=bought)
    own = fleet_lines(drawn)
    lines = [*own, *tax_lines(drawn, own)]
    for line in lines:
        if line.missing:
            raise InputError(
                f"{case.fleet.name}: {line.label}",
                f"has no price: {line.missing}",
                "give one, or leave the fleet out of the mix",
            )
    return lines


def _present_usd(case: FleetCase, lines: Sequence[LedgerLine]) -> FloatArray:
    months = case.months
    factor = (1.0 + case.calendar.rate_fraction) ** -np.arange(months, dtype=np.float64)
    start, end = summed(lines, months, "start_usd"), summed(lines, months, "end_usd")
    usd = start * factor + end * factor / (1.0 + case.calendar.rate_fraction)
    total: FloatArray = np.atleast_2d(usd).sum(axis=-1)
    return total


def _volume_usd(case: FleetCase, lines: Sequence[LedgerLine]) -> float:
    """Present value of what goes with the requests and not with the machines: data out."""
    by_volume = [line for line in lines if line.key in _BY_VOLUME]
    return float(np.max(_present_usd(case, by_volume))) if by_volume else 0.0


def _spent(case: FleetCase, lines: Sequence[LedgerLine]) -> FloatArray:
    """Purchases by year: what is paid at the start of a month for things that stay."""
    months = case.months
    capex = [line for line in lines if line.category == "capex"]
    paid = np.atleast_2d(summed(capex, months, "start_usd", "end_usd"))
    years = -(-months // MONTHS_PER_YEAR)
    padded = np.zeros((paid.shape[0], years * MONTHS_PER_YEAR))
    padded[:, :months] = paid
    total: FloatArray = padded.reshape(paid.shape[0], years, MONTHS_PER_YEAR).sum(axis=-1)
    return total


def _years_served(case: FleetCase, starts: Sequence[int]) -> FloatArray:
    years: FloatArray = servers_from(case, starts, 1.0).sum(axis=-1) / MONTHS_PER_YEAR
    return years


def bursts(case: FleetCase) -> bool:
    """Whether instances of this fleet come and go with the load of the day."""
    return not case.fleet.owned and follows_the_day(rental_of(case))
