"""Watts from utilisation alone: the straight line and the curve of host CPUs (F2.1).

Accelerators go by what they do (`tco.power.device_power`); measured points win over either.
"""

from __future__ import annotations

import math

from tco.errors import InputError

EXPONENT = 1.4


def fan_share(utilisation_fraction: float, exponent: float = EXPONENT) -> float:
    """Share of the way from idle to full power, 2u - u^h (F2.1).

    Examples
    --------
    >>> round(fan_share(0.5), 4), fan_share(1.0)
    (0.6211, 1.0)
    """
    return 2 * utilisation_fraction - math.pow(utilisation_fraction, exponent)


def linear_w(idle_w: float, max_w: float, utilisation_fraction: float) -> float:
    """Straight line from idle to full power.

    Examples
    --------
    >>> linear_w(70.0, 700.0, 0.5)
    385.0
    """
    _check(idle_w, max_w, utilisation_fraction)
    return idle_w + (max_w - idle_w) * utilisation_fraction


def fan_w(
    idle_w: float, max_w: float, utilisation_fraction: float, exponent: float = EXPONENT
) -> float:
    """P_idle + (P_max - P_idle)(2u - u^h) with h = 1.4 for host CPUs (F2.1, Fan et al.).

    Examples
    --------
    >>> round(fan_w(70.0, 700.0, 0.5), 2), fan_w(70.0, 700.0, 1.0)
    (461.27, 700.0)
    """
    _check(idle_w, max_w, utilisation_fraction)
    if not exponent > 0:
        raise InputError("exponent", f"{exponent} is not above 0", "enter 1.4")
    return idle_w + (max_w - idle_w) * fan_share(utilisation_fraction, exponent)


def _check(idle_w: float, max_w: float, utilisation_fraction: float) -> None:
    if not 0.0 <= utilisation_fraction <= 1.0:
        raise InputError(
            "utilisation_fraction", f"{utilisation_fraction} is outside 0..1", "enter 0 to 1"
        )
    if not 0.0 <= idle_w <= max_w:
        raise InputError(
            "idle_w", f"{idle_w:g} W idle against {max_w:g} W at most", "enter idle below the most"
        )
