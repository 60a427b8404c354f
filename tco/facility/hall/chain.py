"""One circuit from its breaker to the rack: every part multiplied down, the least wins (F2.6)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tco.errors import InputError


@dataclass(frozen=True, slots=True)
class ChainPart:
    """A part that the current of a circuit passes: breaker, plug, cord, branch or PDU."""

    name: str
    rated_a: float


@dataclass(frozen=True, slots=True)
class ChainLimit:
    """What a circuit carries continuously, and the part that decides it."""

    kva: float
    part: str


def circuit_kva(rated_a: float, voltage_v: float, phases: int, reference: str) -> float:
    """Apparent power of a circuit in kVA at its rating (F2.6).

    Single phase V I / 1000, three phase sqrt(3) V_LL I / 1000 = 3 V_LN I / 1000.

    Raises
    ------
    InputError
        Phases other than 1 or 3; a reference other than LL or LN on three phases.

    Examples
    --------
    >>> round(circuit_kva(32.0, 230.0, 3, "LN"), 3), round(circuit_kva(32.0, 400.0, 3, "LL"), 3)
    (22.08, 22.17)
    """
    if phases == 1:
        return voltage_v * rated_a / 1000
    if phases != 3:
        raise InputError("phases", f"{phases} is not 1 or 3", "enter 1 or 3")
    if reference == "LL":
        return math.sqrt(3) * voltage_v * rated_a / 1000
    if reference == "LN":
        return 3 * voltage_v * rated_a / 1000
    raise InputError(
        "voltage_reference",
        f"{reference!r} is neither LL nor LN",
        "enter LL (line to line) or LN (line to neutral)",
    )


def chain_limit(
    parts: Sequence[ChainPart],
    *,
    voltage_v: float,
    phases: int,
    reference: str,
    usable_fraction: float,
    thermal_factor: float = 1.0,
) -> ChainLimit:
    """Continuous kVA of a circuit: each part times both multipliers, the least wins (F2.6).

    Parameters
    ----------
    parts
        Every part with its rating in amperes; the first of equals is named.
    usable_fraction
        Share of a rating allowed for continuous load, 0.8 under the NEC.
    thermal_factor
        Multiplier for a warm room or a bundled cable, 1 for none.

    Raises
    ------
    InputError
        No part; a rating that is not above 0; multipliers outside 0..1.

    Examples
    --------
    >>> chain_limit([ChainPart("breaker", 30.0), ChainPart("plug", 20.0)], voltage_v=200.0,
    ...             phases=1, reference="LL", usable_fraction=0.8)
    ChainLimit(kva=3.2, part='plug')
    """
    if not parts:
        raise InputError("parts", "a circuit without a breaker", "enter the breaker in amperes")
    for part in parts:
        if not part.rated_a > 0:
            raise InputError(part.name, f"{part.rated_a:g} A is not above 0", "enter amperes")
    for name, share in (("usable_fraction", usable_fraction), ("thermal_factor", thermal_factor)):
        if not 0 < share <= 1:
            raise InputError(name, f"{share:g} is not within 0 and 1", "enter a share, 0.8 or 1")
    least = min(parts, key=lambda part: part.rated_a)
    kva = circuit_kva(least.rated_a, voltage_v, phases, reference)
    return ChainLimit(kva * usable_fraction * thermal_factor, least.name)


def carried(feeds_kva: Sequence[float], redundancy: str) -> float:
    """Kilovolt-amperes that a rack may draw from feeds of any size (F2.6).

    N: their sum. N+1: the sum without the largest. 2N: the lesser of sides A and B, which take
    the feeds in turn.

    Raises
    ------
    InputError
        No feed, one feed where a second is needed, or an unknown redundancy.

    Examples
    --------
    >>> carried([10.0, 8.0], "2N"), carried([10.0, 8.0, 8.0], "N+1"), carried([10.0, 8.0], "N")
    (8.0, 16.0, 18.0)
    """
    if not feeds_kva:
        raise InputError("feeds", "no feed", "enter 1 or more")
    if redundancy == "N":
        return math.fsum(feeds_kva)
    if redundancy not in ("N+1", "2N"):
        raise InputError("redundancy", f"{redundancy!r} is unknown", "enter N, N+1 or 2N")
    if len(feeds_kva) < 2:
        raise InputError("feeds", f"one feed cannot be {redundancy}", "enter 2 or more, or use N")
    if redundancy == "N+1":
        return math.fsum(feeds_kva) - max(feeds_kva)
    return min(math.fsum(feeds_kva[0::2]), math.fsum(feeds_kva[1::2]))


def share_after_loss(feeds_here: int, feeds: int, redundancy: str) -> float:
    """Most of a rack's load that a part upstream of `feeds_here` of its feeds must carry (F2.6).

    N: its even share. N+1: its share when another feed is gone. 2N: its share of one side, all of
    it when it feeds a whole side. Never more than all.

    Examples
    --------
    >>> share_after_loss(1, 2, "2N"), share_after_loss(2, 2, "2N"), share_after_loss(1, 3, "N+1")
    (1.0, 1.0, 0.5)
    """
    carrying = {"N": feeds, "N+1": feeds - 1, "2N": feeds // 2}[redundancy]
    return min(1.0, feeds_here / max(1, carrying))
