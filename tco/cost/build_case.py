"""An undiscounted build of sized nodes against the same nodes rented (F5.1, F20.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tco.cost.breakeven import breakeven_hours, breakeven_months
from tco.power.facility_load import facility_kw
from tco.units import HOURS_PER_YEAR, MONTHS_PER_YEAR


@dataclass(frozen=True, slots=True)
class BuildCase:
    """Nodes bought, fed and kept, in plain sums.

    Parameters
    ----------
    nodes, node_usd, shared_usd
        Nodes, the price of one, and network and storage for all.
    node_kw, pue, usd_per_kwh
        Draw of a node day and night, and its electricity.
    colo_usd_per_kw_month
        Rent of the space per IT kW.
    maintenance_fraction_per_year
        Of all capex.
    people, usd_per_person_year
        Staff.
    spares_usd
        Over the whole horizon: a running cost here, not part of what must pay back.
    """

    nodes: int
    node_usd: float
    shared_usd: float
    node_kw: float
    pue: float
    usd_per_kwh: float
    colo_usd_per_kw_month: float
    maintenance_fraction_per_year: float
    people: float
    usd_per_person_year: float
    spares_usd: float
    horizon_years: float

    @property
    def capex_usd(self) -> float:
        """Nodes, network and storage."""
        return self.nodes * self.node_usd + self.shared_usd

    @property
    def electricity_usd(self) -> float:
        """Electricity of the horizon (F4.1, F4.2)."""
        kw = facility_kw(self.nodes * self.node_kw, self.pue)
        return kw * HOURS_PER_YEAR * self.horizon_years * self.usd_per_kwh

    @property
    def colo_usd(self) -> float:
        """Rent of the horizon (F5.4)."""
        months = self.horizon_years * MONTHS_PER_YEAR
        return self.nodes * self.node_kw * self.colo_usd_per_kw_month * months

    @property
    def running_usd(self) -> float:
        """Everything but the capex, over the horizon."""
        kept = self.capex_usd * self.maintenance_fraction_per_year * self.horizon_years
        staff = self.people * self.usd_per_person_year * self.horizon_years
        return math.fsum((self.electricity_usd, self.colo_usd, kept, staff, self.spares_usd))

    @property
    def total_usd(self) -> float:
        """Capex and running costs."""
        return self.capex_usd + self.running_usd

    @property
    def hours(self) -> float:
        """Hours of the horizon."""
        return self.horizon_years * HOURS_PER_YEAR

    def rented_usd(self, usd_per_node_hour: float, uplift_fraction: float = 0.0) -> float:
        """The same nodes on demand day and night, egress as an uplift (F13.1, F13.4)."""
        return self.nodes * usd_per_node_hour * self.hours * (1.0 + uplift_fraction)

    def breakeven_months(
        self, usd_per_node_hour: float, uplift_fraction: float = 0.0
    ) -> float | None:
        """Months after which the build has paid, None for never (F20.1).

        Examples
        --------
        >>> case = BuildCase(1, 90_000.0, 10_000.0, 10.0, 1.0, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 5.0)
        >>> round(case.breakeven_months(21.0), 3)
        6.849
        """
        rent = self.rented_usd(usd_per_node_hour, uplift_fraction) / self.hours
        hours = breakeven_hours(self.capex_usd, self.running_usd / self.hours, rent)
        return None if hours is None else breakeven_months(hours, HOURS_PER_YEAR / MONTHS_PER_YEAR)
