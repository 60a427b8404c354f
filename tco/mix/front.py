"""Mixes of which none is better in everything, each with its machines (F1.9)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tco.inputs import ScenarioInputs
from tco.mix.best import MixRow, rows_of
from tco.mix.lower import Lowered, lower
from tco.mix.plain import plain_rows
from tco.optimise.pareto import LATENCY, front
from tco.optimise.problem import RENTED

UNITS = {"usd": "USD", "carbon_kg": "kg CO2e", "peak_kw": "kW", LATENCY: "ms"}
OTHERS = ("carbon_kg", "peak_kw", LATENCY)
POINTS = 4
OWN_ONLY = "+ of owned machines alone: what rented ones draw and emit, their provider does not say."


@dataclass(frozen=True, slots=True)
class MixPoint:
    """One mix of the front.

    Parameters
    ----------
    values
        Every axis by its name (`UNITS`); latency is that of the slowest machine in it.
    proven
        Whether its cost is proven the least under its ceilings.
    """

    values: dict[str, float]
    ceilings: dict[str, float]
    rows: tuple[MixRow, ...]
    proven: bool

    @property
    def rents(self) -> bool:
        """True where some machines are rented: their watts and carbon are not known."""
        return any(row.tenure == RENTED for row in self.rows)


@dataclass(frozen=True, slots=True)
class MixFront:
    """The front, cheapest first, and how many mixes were solved for it."""

    axes: tuple[str, ...]
    points: tuple[MixPoint, ...]
    solved: int
    left_out: dict[str, str]

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "axes": [{"name": axis, "unit": UNITS[axis]} for axis in self.axes],
            "points": [
                {
                    "values": one.values,
                    "ceilings": one.ceilings,
                    "mix": plain_rows(one.rows),
                    "proven": one.proven,
                    "rents": one.rents,
                }
                for one in self.points
            ],
            "solved": self.solved,
            "left_out": self.left_out,
        }


def mix_front(
    inputs: ScenarioInputs,
    *,
    objective: str = "usd",
    others: Sequence[str] = OTHERS,
    points: int = POINTS,
    seconds: float = 5.0,
    cancel: threading.Event | None = None,
    report: Callable[[int, int], None] | None = None,
) -> MixFront:
    """Return the mixes that no other one found beats in cost, latency, power and carbon.

    Parameters
    ----------
    points
        Ceilings tried on each other axis.
    seconds
        For each mix at most; one that ran out of it says that it is not proven.

    Raises
    ------
    InputError
        As `tco.optimise.pareto.front`, `tco.mix.lower`.
    """
    lowered: Lowered = lower(inputs)
    solved = 0

    def told(done: int, total: int) -> None:
        nonlocal solved
        solved = done
        if report is not None:
            report(done, total)

    found = front(
        lowered.problem,
        objective,
        others,
        points=points,
        seconds=seconds,
        cancel=cancel,
        report=told,
    )
    return MixFront(
        axes=(objective, *others),
        points=tuple(
            MixPoint(
                {axis: one.values[axis] for axis in (objective, *others) if axis in one.values},
                one.ceilings,
                rows_of(lowered, one.solution.counts),
                one.solution.gap_fraction == 0,
            )
            for one in found
        ),
        solved=solved,
        left_out=dict(lowered.left_out),
    )
