"""Rack feeds: volts, amperes and redundancy to usable kilowatts (F2.6)."""

from __future__ import annotations

import math

from tco.errors import InputError
from tco.inputs import Feed


def breaker_kva(feed: Feed) -> float:
    """Apparent power of one feed at its breaker, in kVA, before `usable_fraction` (F2.6).

    Single phase: V I / 1000. Three phase: sqrt(3) V_LL I / 1000 = 3 V_LN I / 1000.

    Raises
    ------
    InputError
        Phases other than 1 or 3; a reference other than LL or LN on three phases.
    """
    volt_amperes = feed.voltage_v * feed.breaker_a
    if feed.phases == 1:
        return volt_amperes / 1000
    if feed.phases != 3:
        raise InputError("feed.phases", f"{feed.phases} is not 1 or 3", "enter 1 or 3")
    if feed.voltage_reference == "LL":
        return math.sqrt(3) * volt_amperes / 1000
    if feed.voltage_reference == "LN":
        return 3 * volt_amperes / 1000
    raise InputError(
        "feed.voltage_reference",
        f"{feed.voltage_reference!r} is neither LL nor LN",
        "enter LL (line to line) or LN (line to neutral)",
    )


def feed_kva(feed: Feed) -> float:
    """Usable apparent power of one feed in kVA: breaker times `usable_fraction` (F2.6)."""
    return breaker_kva(feed) * feed.usable_fraction.value


def feeds_counted(feed: Feed) -> int:
    """Feeds of a rack that may be loaded in normal running (F2.6).

    N: all. N+1: all but one. 2N: half, so that either side carries everything.

    Raises
    ------
    InputError
        No feed, too few feeds for the redundancy, or an unknown redundancy.
    """
    count = feed.feeds_per_rack
    if count < 1:
        raise InputError("feed.feeds_per_rack", f"{count} is below 1", "enter 1 or more")
    if feed.redundancy == "N":
        return count
    if feed.redundancy not in ("N+1", "2N"):
        raise InputError("feed.redundancy", f"{feed.redundancy!r} is unknown", "enter N, N+1 or 2N")
    if count < 2:
        raise InputError(
            "feed.feeds_per_rack",
            f"{count} feed cannot be {feed.redundancy}",
            "enter 2 feeds or more, or redundancy N",
        )
    return count - 1 if feed.redundancy == "N+1" else count // 2


def circuits_carrying(feed: Feed, psu_count: int) -> int:
    """Circuits that carry one server when a feed, or a side, is gone (F2.6).

    A server is plugged into min(supplies, feeds) circuits. N: all of them carry it. N+1: all but
    one. 2N: half, since either side must carry everything. At least one.

    Raises
    ------
    InputError
        As `feeds_counted`.

    Examples
    --------
    >>> from tco.inputs import Feed, assumed
    >>> small = Feed("f", "F", 120, "LN", 1, 15, assumed(0.8, "fraction", "NEC"),
    ...              assumed(1.0, "fraction", "unity"), feeds_per_rack=8, redundancy="2N")
    >>> circuits_carrying(small, 4), circuits_carrying(small, 1)
    (2, 1)
    """
    counted = feeds_counted(feed)
    connected = max(1, min(psu_count, feed.feeds_per_rack))
    if feed.redundancy == "N+1":
        return max(1, min(connected - 1, counted))
    return max(1, min(connected // 2, counted)) if feed.redundancy == "2N" else connected


def usable_kw_per_rack(feed: Feed) -> float:
    """Kilowatts a rack may draw from its feeds: kVA x power factor, after redundancy (F2.6)."""
    return feed_kva(feed) * feed.power_factor.value * feeds_counted(feed)


def utilisation_fraction(feed: Feed, load_kva: float) -> float:
    """Load of one feed over its usable kVA; unrounded."""
    return load_kva / feed_kva(feed)


def line_currents_a(ab_a: float, bc_a: float, ca_a: float) -> tuple[float, float, float]:
    """Currents of phases A, B, C in amperes for loads between lines (F2.6).

    I_A = sqrt(I_AB^2 + I_CA^2 + I_AB I_CA), and so round. Loads of equal power factor.

    Examples
    --------
    >>> [round(amperes, 2) for amperes in line_currents_a(10.0, 10.0, 10.0)]
    [17.32, 17.32, 17.32]
    >>> line_currents_a(24.0, 0.0, 0.0)
    (24.0, 24.0, 0.0)
    """

    def joined_a(first_a: float, second_a: float) -> float:
        return math.sqrt(first_a**2 + second_a**2 + first_a * second_a)

    return joined_a(ab_a, ca_a), joined_a(ab_a, bc_a), joined_a(bc_a, ca_a)


def leg_limit_kva(feed: Feed) -> float:
    """Most that one phase may carry for loads between line and neutral: a third (F2.6)."""
    return feed_kva(feed) / feed.phases


def imbalance_fraction(legs_a: tuple[float, ...]) -> float:
    """Largest leg over the mean leg, less 1; 0 without load (F2.6).

    Examples
    --------
    >>> imbalance_fraction((30.0, 20.0, 10.0))
    0.5
    """
    total_a = math.fsum(legs_a)
    if total_a == 0:
        return 0.0
    return max(legs_a) * len(legs_a) / total_a - 1
