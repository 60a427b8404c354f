"""The halls of an option: every site with a hall, with the fleets that stand there."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from tco.facility.hall.plan import HallFleet, hall_result
from tco.inputs import Fleet, Site
from tco.results import FleetPower, FleetResult, HallResult
from tco.units import date_of, month_start

Sized = tuple[Fleet, FleetResult, FleetPower]


def option_halls(
    sites: Sequence[Site],
    sized: Sequence[Sized],
    valuation_date: str,
    *,
    elsewhere: Collection[str] = (),
) -> Iterator[HallResult]:
    """Yield a hall for each site that describes one; a fleet comes in its month of start.

    `elsewhere` are sites that only other options use: their halls are not this option's.

    Raises
    ------
    InputErrors
        As `hall_result`.
    """
    start = date_of(valuation_date)
    for site in sites:
        here = []
        for fleet, result, power in sized:
            if fleet.site is None or fleet.site.key != site.key or not fleet.owned:
                continue
            later = start is not None and fleet.start_month > 0
            day = month_start(start, fleet.start_month).isoformat() if later and start else ""
            here.append(HallFleet(fleet, result, power, day))
        if site.key in elsewhere and not here:
            continue
        found = hall_result(site, here)
        if found is not None:
            yield found
