"""The site check of a filled hall: diversity, peak hour, chance of oversubscription (F2.8)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tco.facility.hall.kit import Known
from tco.facility.hall.site_check import WorkClass, oversubscription, peak_hour
from tco.inputs import Hall, Site
from tco.results.hall import HallRackResult, SiteCheckResult


def site_check(
    given: Hall, site: Site, racks: Sequence[HallRackResult], kits: Mapping[str, Known]
) -> SiteCheckResult:
    """Sum of the racks against the hall, and of the hall's peak hour against the utility (F2.8).

    Servers whose average is not known are taken as always drawing what is provisioned: that is the
    safe side, and their number is told.
    """
    rack_kw = math.fsum(rack.heat_kw for rack in racks)
    diversity = float(given.diversity_fraction.value)
    hall_limit_kw = None if site.hall_kw is None else float(site.hall_kw.value)
    utility_kw = None if site.utility_kw is None else float(site.utility_kw.value)
    site_kw, reason = None, ""
    peak_pue = None if given.peak_pue is None else float(given.peak_pue.value)
    if peak_pue is None:
        reason = "PUE of the peak hour not given: the mean of the year does not stand for it"
    else:
        recharge_kw = 0.0 if given.recharge_kw is None else float(given.recharge_kw.value)
        site_kw = peak_hour(
            rack_kw, diversity_fraction=diversity, peak_pue=peak_pue, recharge_kw=recharge_kw
        ).site_kw
        if utility_kw is None:
            reason = "utility connection not given"
    classes, unknown = _classes(given, racks, kits)
    above, mean_kw, deviation_kw = (
        None,
        math.fsum(one.servers * one.average_kw for one in classes),
        0.0,
    )
    if hall_limit_kw is not None:
        found = oversubscription(classes, hall_limit_kw)
        above, deviation_kw = found.probability_fraction, found.deviation_kw
    return SiteCheckResult(
        rack_kw=rack_kw,
        hall_kw=rack_kw * diversity,
        hall_limit_kw=hall_limit_kw,
        site_kw=site_kw,
        utility_kw=utility_kw,
        peak_pue=peak_pue,
        reason=reason,
        above_hall_fraction=above,
        mean_kw=mean_kw,
        deviation_kw=deviation_kw,
        assumed_averages=unknown,
    )


def _classes(
    given: Hall, racks: Sequence[HallRackResult], kits: Mapping[str, Known]
) -> tuple[list[WorkClass], int]:
    counts: dict[str, int] = {}
    for rack in racks:
        for device in rack.devices:
            counts[device.kit] = counts.get(device.kit, 0) + 1
    found, unknown = [], 0
    for key, count in counts.items():
        known = kits.get(key)
        if known is None or known.kind.kw == 0:
            continue
        average_kw = known.shown.average_kw
        if average_kw is None:
            unknown += count
            average_kw = known.kind.kw
        training = known.work == "training"
        correlation = given.training_correlation if training else given.serving_correlation
        found.append(
            WorkClass(known.shown.name, count, average_kw, known.kind.kw, float(correlation.value))
        )
    return found, unknown
