"""Who pays for a shared asset: showback by kW, rack units or device-hours (F22.1, F22.2)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from tco.errors import InputError

Basis = Literal["provisioned_kw", "rack_u", "device_hours"]
IdlePolicy = Literal["kept", "shared", "owner"]
IDLE = "idle"
CENTS_PER_USD = 100


@dataclass(frozen=True, slots=True)
class Claim:
    """What one user of the asset asked for and used, in units of the basis.

    `weight` shares the idle cost; without one the allocated amount is the weight.
    """

    name: str
    requested_units: float
    used_units: float = 0.0
    weight: float | None = None

    @property
    def charged_units(self) -> float:
        """The greater of asked and used: room held is room paid for (F22.2)."""
        return max(self.requested_units, self.used_units)


@dataclass(frozen=True, slots=True)
class Share:
    """One line of the showback: own use, its part of the idle, USD and whole cents."""

    name: str
    charged_units: float
    allocated_usd: float
    idle_usd: float
    cents: int

    @property
    def total_usd(self) -> float:
        """Own use and part of the idle, before rounding."""
        return self.allocated_usd + self.idle_usd


@dataclass(frozen=True, slots=True)
class Allocation:
    """An asset's cost by user; the lines sum to the asset, in whole cents exactly (F22.2).

    `missing_units` is what was claimed beyond the capacity stated: above 0 the capacity is wrong
    or oversold, and the users share the whole asset by their claims.
    """

    basis: Basis
    asset_usd: float
    usd_per_unit: float
    idle_units: float
    missing_units: float
    shares: tuple[Share, ...]

    @property
    def idle_usd(self) -> float:
        """Cost of what nobody claimed, whoever pays it."""
        return math.fsum(
            share.total_usd if share.name == IDLE else share.idle_usd for share in self.shares
        )

    def share(self, name: str) -> Share:
        """The line of that name; KeyError where there is none."""
        return {share.name: share for share in self.shares}[name]


def allocate(
    asset_usd: float,
    capacity_units: float,
    claims: Sequence[Claim],
    *,
    basis: Basis,
    idle: IdlePolicy = "kept",
    owner: str = "",
) -> Allocation:
    """Allocated = max(request, use) x rate; idle = asset less allocated (F22.1, F22.2).

    Parameters
    ----------
    asset_usd
        What the asset cost in the period [USD], at or above 0.
    capacity_units
        What it offers in the period, in kW, rack units or device-hours after `basis`.
    claims
        The users, each named once. The order changes no line's amount.
    idle
        `kept`: a row of its own; `shared`: by weight, and kept where all weights are 0, so that
        no cost vanishes; `owner`: charged to the pool's `owner`.
    owner
        Who answers for the idle part under `owner`; need not be a user.

    Raises
    ------
    InputError
        A negative or infinite number, a name twice or reserved, an unknown basis or policy.

    Examples
    --------
    >>> pods = [Claim(f"pod {i}", 0.25) for i in range(4)]
    >>> found = allocate(16.0, 8.0, pods, basis="device_hours")
    >>> found.share("pod 0").cents, found.share("idle").cents
    (50, 1400)
    """
    _check(asset_usd, capacity_units, claims, basis, idle, owner)
    claimed = math.fsum(claim.charged_units for claim in claims)
    base = max(capacity_units, claimed)
    usd_per_unit = asset_usd / base if base else 0.0
    own = {claim.name: claim.charged_units * usd_per_unit for claim in claims}
    # Where the claims fill the asset nothing is idle: no rest of rounding may stand as a cost.
    idle_usd = max(0.0, asset_usd - math.fsum(own.values())) if claimed < base or not base else 0.0
    parts = _idle_parts(idle_usd, claims, own, idle, owner)
    units = {claim.name: claim.charged_units for claim in claims}
    names = [*own, *(name for name in parts if name not in own)]
    totals = [own.get(name, 0.0) + parts.get(name, 0.0) for name in names]
    cents = whole_cents(dict(zip(names, totals, strict=True)), asset_usd)
    return Allocation(
        basis,
        asset_usd,
        usd_per_unit,
        base - claimed,
        max(0.0, claimed - capacity_units),
        tuple(
            Share(
                name,
                units.get(name, 0.0),
                own.get(name, 0.0),
                parts.get(name, 0.0),
                cents[name],
            )
            for name in names
        ),
    )


def whole_cents(amounts_usd: dict[str, float], total_usd: float) -> dict[str, int]:
    """Whole cents that sum to the rounded total: the largest rests are rounded up first (F22.2).

    Equal rests go by name, so that the order of the lines changes nothing.

    Examples
    --------
    >>> whole_cents({"a": 1 / 3, "b": 1 / 3, "c": 1 / 3}, 1.0)
    {'a': 34, 'b': 33, 'c': 33}
    """
    # Rounded to a ten-thousandth of a cent first: 0.29 x 100 is 28.999999999999996.
    exact = {name: round(usd * CENTS_PER_USD, 4) for name, usd in amounts_usd.items()}
    cents = {name: math.floor(amount) for name, amount in exact.items()}
    left = round(total_usd * CENTS_PER_USD) - sum(cents.values())
    by_rest = sorted(exact, key=lambda name: (round(cents[name] - exact[name], 4), name))
    step = 1 if left > 0 else -1
    ordered = by_rest if left > 0 else by_rest[::-1]
    for place in range(abs(left)):
        cents[ordered[place % len(ordered)]] += step
    return cents


def _idle_parts(
    idle_usd: float,
    claims: Sequence[Claim],
    own: dict[str, float],
    idle: IdlePolicy,
    owner: str,
) -> dict[str, float]:
    """Who bears the idle cost, by name; a reserved row where nobody does."""
    if idle == "owner":
        return {owner: idle_usd}
    weights = {
        claim.name: own[claim.name] if claim.weight is None else claim.weight for claim in claims
    }
    total = math.fsum(weights.values())
    if idle == "kept" or total == 0:
        return {IDLE: idle_usd}
    return {name: idle_usd * weight / total for name, weight in weights.items()}


def _check(
    asset_usd: float,
    capacity_units: float,
    claims: Sequence[Claim],
    basis: str,
    idle: str,
    owner: str,
) -> None:
    """Refuse what cannot be shared, by field."""
    if basis not in get_args(Basis):
        raise InputError("basis", f"{basis!r} is none", f"use {_one_of(get_args(Basis))}")
    if idle not in get_args(IdlePolicy):
        raise InputError("idle", f"{idle!r} is none", f"use {_one_of(get_args(IdlePolicy))}")
    if idle == "owner" and owner in ("", IDLE):
        raise InputError("owner", f"{owner!r} owns no pool", "name who pays for the idle part")
    numbers = {"asset_usd": asset_usd, "capacity_units": capacity_units}
    names: set[str] = set()
    for place, claim in enumerate(claims):
        if claim.name in names or claim.name in ("", IDLE):
            raise InputError(
                f"claims[{place}].name",
                f"{claim.name!r} is empty, taken or reserved",
                "give every user a name of its own",
            )
        names.add(claim.name)
        for field in ("requested_units", "used_units"):
            numbers[f"claims[{place}].{field}"] = getattr(claim, field)
        if claim.weight is not None:
            numbers[f"claims[{place}].weight"] = claim.weight
    for field, number in numbers.items():
        if not (math.isfinite(number) and number >= 0):
            raise InputError(field, f"{number} is below 0 or no number", "enter 0 or more")


def _one_of(words: Iterable[str]) -> str:
    """Words to choose from."""
    return " or ".join(words)
