"""What is asked of the optimiser: machines that can be had, needs, limits (F1.9).

A column is one kind of machine: a server configuration at a site, for one workload, owned from a
phase on or rented in it. Its count is a whole number. Everything else is a row over the columns,
with a name and a unit that a user knows, so that what binds can be said.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tco.errors import InputError, InputErrors

Array = NDArray[np.float64]
OWNED, RENTED = "owned", "rented"


@dataclass(frozen=True, slots=True)
class Column:
    """A machine that can be had in any whole number.

    Parameters
    ----------
    configuration, site, workload, tenure, phase
        What it is, where it stands, what it serves, ``owned`` or ``rented``, from which phase on.
    vendor, numerics
        Who makes the devices; class of devices that answer alike within the tolerance (P15).
    latency_ms
        Latency it was sized at, of the percentile asked for; None where there is no target.
    fewest, most
        Locked from below or above; ``most`` None: as many as wanted.
    """

    configuration: str
    site: str = ""
    workload: str = ""
    tenure: str = OWNED
    phase: int = 0
    vendor: str = ""
    numerics: str = ""
    latency_ms: float | None = None
    fewest: int = 0
    most: int | None = None

    @property
    def label(self) -> str:
        """One line for a table."""
        where = f" at {self.site}" if self.site else ""
        what = f" for {self.workload}" if self.workload else ""
        return f"{self.configuration}{where}{what}, {self.tenure}"


@dataclass(frozen=True, slots=True)
class Demand:
    """What must be served, with `lost` of the largest parts gone (P8); see `Problem.loses`."""

    name: str
    needed_units: float
    unit: str
    lost: int = 0


@dataclass(frozen=True, slots=True)
class Limit:
    """At most so much of something: ``use`` of a machine of each column, summed.

    Parameters
    ----------
    name, unit, field
        As the user reads them; ``field`` is where it is set in the scenario.
    use
        Of one machine of each column, shape (columns,). A share is written as use less the share
        of the whole, with ``most_units`` 0.
    relaxable
        False: a fact that no money changes; it is never proposed to be loosened.
    scale_units
        Size that a relaxation is measured against; 0: ``most_units``.
    """

    name: str
    unit: str
    use: Array
    most_units: float
    field: str = ""
    relaxable: bool = True
    scale_units: float = 0.0
    share: bool = False  # of a whole: a bound in machines says little, the share does


@dataclass(frozen=True, slots=True)
class Step:
    """Something bought whole as machines need parts of it: racks, switches, staff.

    Parameters
    ----------
    use
        Parts that one machine of each column takes, of the step as 1.
    step_usd
        Of one step.
    most
        Steps there are; None: as many as wanted.
    """

    name: str
    unit: str
    use: Array
    step_usd: float
    most: int | None = None
    field: str = ""


@dataclass(frozen=True, slots=True)
class Once:
    """A cost paid once if any machine of these columns is taken: porting, a site, a licence."""

    name: str
    members: tuple[int, ...]
    once_usd: float


@dataclass(frozen=True, slots=True)
class OneOf:
    """At most `most` of these sets of columns are used: devices that don't answer alike (P15)."""

    name: str
    sets: tuple[tuple[int, ...], ...]
    set_names: tuple[str, ...]
    most: int = 1
    field: str = ""


@dataclass(frozen=True)
class Problem:
    """Machines, needs and limits.

    Parameters
    ----------
    cost
        By the name of an objective, of one machine of each column; ``usd`` is one of them.
    serves
        Units served of each demand by one machine, shape (demands, columns).
    loses
        Units that go when one part of such a machine is lost; None: the whole machine.
    """

    columns: tuple[Column, ...]
    cost: Mapping[str, Array]
    demands: tuple[Demand, ...]
    serves: Array
    limits: tuple[Limit, ...] = ()
    steps: tuple[Step, ...] = ()
    once: tuple[Once, ...] = ()
    one_of: tuple[OneOf, ...] = ()
    units: Mapping[str, str] = field(default_factory=lambda: {"usd": "USD"})
    loses: Array | None = None

    @property
    def lost_parts(self) -> Array:
        """`loses`, or what a whole machine serves."""
        return self.serves if self.loses is None else self.loses

    @property
    def size(self) -> int:
        """Columns."""
        return len(self.columns)

    def check(self) -> None:
        """Name everything that cannot be solved as it stands.

        Raises
        ------
        InputErrors
            A cost, use or need that is no number, lengths that differ, a workload that no machine
            serves, locks that contradict each other.
        """
        found = [*self._shapes(), *self._numbers(), *self._locks()]
        if not found:
            found = list(self._unserved())
        if found:
            raise InputErrors(tuple(found))

    def _shapes(self) -> list[InputError]:
        rows: list[tuple[str, Array]] = [*self.cost.items()]
        rows += [(limit.name, limit.use) for limit in self.limits]
        rows += [(step.name, step.use) for step in self.steps]
        mend = "give one value a column"
        found = [
            InputError(name, f"{len(row)} values for {self.size} columns", mend)
            for name, row in rows
            if np.shape(row) != (self.size,)
        ]
        for name, table in (("serves", self.serves), ("loses", self.lost_parts)):
            if np.shape(table) != (len(self.demands), self.size):
                found.append(InputError(name, f"has shape {np.shape(table)}", mend))
        return found

    def _numbers(self) -> list[InputError]:
        found = []
        for name, row in self.cost.items():
            for place in np.flatnonzero(~np.isfinite(row)):
                label = self.columns[place].label
                found.append(
                    InputError(label, f"its {name} is {row[place]}", "give a price or leave it out")
                )
        for limit in self.limits:
            if not np.isfinite(limit.use).all():
                found.append(InputError(limit.name, "a use is no number", "give what each takes"))
            if math.isnan(limit.most_units) or (limit.most_units < 0 and not limit.share):
                said = f"{limit.most_units:g} {limit.unit} is below 0"
                found.append(InputError(limit.field or limit.name, said, "enter 0 or more"))
        for step in self.steps:
            if not (np.isfinite(step.use).all() and (step.use >= 0).all()):
                found.append(InputError(step.name, "a part is below 0 or no number", "enter 0..1"))
            if not (math.isfinite(step.step_usd) and step.step_usd >= 0):
                found.append(InputError(step.name, f"{step.step_usd} USD", "enter 0 or more"))
        for demand in self.demands:
            if not (math.isfinite(demand.needed_units) and demand.needed_units >= 0):
                said = f"{demand.needed_units} {demand.unit}"
                found.append(InputError(demand.name, said, "enter 0 or more"))
        if self.serves.size and not (np.isfinite(self.serves).all() and (self.serves >= 0).all()):
            found.append(
                InputError("serves", "a capacity is below 0 or no number", "enter 0 or more")
            )
        return found

    def _locks(self) -> list[InputError]:
        return [
            InputError(
                column.label,
                f"locked to at least {column.fewest} and at most {column.most}",
                "let the least be at most the most",
            )
            for column in self.columns
            if column.fewest < 0 or (column.most is not None and column.most < column.fewest)
        ]

    def _unserved(self) -> list[InputError]:
        served = self.serves.max(axis=1) if self.size else np.zeros(len(self.demands))
        return [
            InputError(
                demand.name,
                "no machine that is allowed serves it",
                "loosen its latency target, its residency or what it requires",
            )
            for demand, most in zip(self.demands, served, strict=True)
            if demand.needed_units > 0 and most <= 0
        ]

    def totals(self, counts: Sequence[int]) -> dict[str, float]:
        """Sum of each objective over a mix; ``usd`` with its steps and costs paid once, exact."""
        n = np.asarray(counts)
        found = {
            name: math.fsum((row * n)[np.flatnonzero(n)].tolist())
            for name, row in self.cost.items()
        }
        if "usd" in found:
            more = [step.step_usd * self.steps_of(step, n) for step in self.steps]
            more += [one.once_usd for one in self.once if n[list(one.members)].any()]
            found["usd"] = math.fsum([found["usd"], *more])
        return found

    @staticmethod
    def steps_of(step: Step, counts: NDArray[np.int64]) -> int:
        """Whole steps that a mix needs.

        Examples
        --------
        >>> Problem.steps_of(Step("racks", "racks", np.array([0.25]), 0.0), np.array([4]))
        1
        """
        return math.ceil(float(step.use @ counts) - 1e-7)
