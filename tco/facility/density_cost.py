"""Facility capex by density against an air-cooled hall at 10 kW a rack (F5.3).

One vendor study of 2019, immersion at 2 MW. Off by default in a scenario; never beside a price per
kW that is already for the density; nothing is extrapolated. Surveys say the opposite of builds for
AI: 7 to 10 % dearer.
"""

from __future__ import annotations

from itertools import pairwise

from tco.errors import InputError

SOURCE = "Schneider Electric white paper 282 (2019): immersion, 2 MW"
STUDY: tuple[tuple[float, float], ...] = ((10.0, 1.0), (20.0, 0.90), (40.0, 0.86))


def density_capex_ratio(kw_per_rack: float) -> float:
    """Capex per kW over that of air at 10 kW a rack, straight between the study's points (F5.3).

    Raises
    ------
    InputError
        A density outside the study.

    Examples
    --------
    >>> [density_capex_ratio(kw) for kw in (10.0, 20.0, 30.0, 40.0)]
    [1.0, 0.9, 0.88, 0.86]
    """
    for (low, at_low), (high, at_high) in pairwise(STUDY):
        if low <= kw_per_rack <= high:
            share = (kw_per_rack - low) / (high - low)
            return at_low * (1.0 - share) + at_high * share
    raise InputError(
        "density",
        f"{kw_per_rack:g} kW a rack is outside the study's {STUDY[0][0]:g} to {STUDY[-1][0]:g}",
        "enter a density of the study, or a price per kW of your own",
    )
