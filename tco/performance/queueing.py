"""Queues in closed form: the M/D/1 wait, and tails fitted by two moments (P6.3)."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaincinv

from tco.performance.operators import Array

_GRID = 160


def md1_wait_s(rate_per_s: Array, service_s: Array) -> Array:
    """Return the mean wait of M/D/1: rho·S / (2(1 - rho)).

    Examples
    --------
    >>> wait = md1_wait_s(np.array([8.0]), np.array([0.0859]))
    >>> round(float(wait[0] + 0.0859) * 1000)  # serial prefill of 85.9 ms, mean TTFT in ms
    180
    """
    rho = rate_per_s * service_s
    wait: Array = rho * service_s / (2 * (1 - rho))
    return wait


def md1_decay(rho: Array) -> Array:
    """Return x = eta·S > 0 with rho·(e^x - 1) = x: the decay of the M/D/1 tail per service."""
    # starts right of the root, where Newton on a convex function falls without crossing it
    x = -np.log(rho) + np.log1p(-np.log(rho)) + 2 * (1 - rho)
    for _ in range(8):
        growth = rho * np.exp(x)
        x = x - (growth - rho - x) / (growth - 1)
    return np.maximum(x, 1e-9)


def wait_quantiles_s(
    rate_per_s: Array,
    service_s: Array,
    vacation_s: Array,
    vacation_share: Array,
    quantiles: Array,
    slot_share: Array,
    slot_rate_per_s: Array,
) -> Array:
    """Return wait quantiles [load, quantile] of a serial prefill queue with vacations.

    The wait is that of M/D/1, exact up to two services and its exact asymptote beyond, plus the
    rest of a decode iteration under way (uniform over `vacation_s`, met with `vacation_share`),
    plus an exponential wait for a KV slot (probability `slot_share`).
    """
    rho = np.clip(rate_per_s * service_s, 1e-9, 1 - 1e-6)
    x = md1_decay(rho)
    eta = x / service_s
    factor = (1 - rho) / (rho * np.exp(x) - 1)
    rate = rho / service_s
    slot_s = np.where(
        slot_share > 1e-5, np.log(np.maximum(slot_share, 1e-5) * 1e4) / slot_rate_per_s, 0
    )
    reach = vacation_s + 1.5 * service_s + np.log1p(factor * 1e4) / eta + np.maximum(slot_s, 0)
    # finer near zero, where light loads sit
    t = reach[:, None] * (np.linspace(0.0, 1.0, _GRID) ** 2)[None, :]

    s, r, e = service_s[:, None], rate[:, None], eta[:, None]
    idle, at_two = (1 - rho)[:, None], factor[:, None] * np.exp(-2 * x)[:, None]

    def integral(u: Array) -> Array:
        """Integral of the M/D/1 distribution function from 0 to u."""
        one = r * np.clip(u, 0.0, 2 * s)
        two = r * np.clip(u - s, 0.0, s)
        exact = idle * (np.expm1(one) - (np.exp(two) * (two - 1) + 1)) / r
        beyond = np.maximum(u - 2 * s, 0.0)
        return np.asarray(exact + beyond + at_two * np.expm1(-e * beyond) / e)

    later = r * np.clip(t - s, 0.0, s)
    plain = np.where(
        t < 2 * s,
        idle * (np.exp(np.minimum(r * t, 2.0)) - later * np.exp(later)),
        1 - at_two * np.exp(-e * (t - 2 * s)),
    )
    width = np.maximum(vacation_s, 1e-9)[:, None]
    spread = (integral(t) - integral(t - width)) / width
    share = vacation_share[:, None]
    above = 1 - ((1 - share) * plain + share * spread)
    slot = slot_share[:, None] * np.exp(-slot_rate_per_s[:, None] * t)
    below = np.maximum.accumulate(np.clip(1 - above - slot, 0.0, 1.0), axis=1)
    return np.array([np.interp(quantiles, below[row], t[row]) for row in range(len(rate_per_s))])


def gamma_quantiles(least: Array, mean: Array, variance: Array, quantiles: Array) -> Array:
    """Return quantiles [load, quantile] of a gamma law that starts at `least`.

    Examples
    --------
    >>> one = np.array([1.0])
    >>> gamma_quantiles(0 * one, one, one, np.array([0.5])).round(4).tolist()  # exponential
    [[0.6931]]
    """
    over = np.maximum(mean - least, 1e-12)
    spread = np.maximum(variance, 1e-18)
    shape = np.minimum(over**2 / spread, 1e6)
    values = gammaincinv(shape[:, None], quantiles[None, :]) * (over / shape)[:, None]
    return np.asarray(least[:, None] + values)
