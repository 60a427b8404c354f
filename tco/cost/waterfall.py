"""From the cost of one option to that of another, step by step (F23.11)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from tco.cost.finance import present_value_usd
from tco.errors import InputError
from tco.results import Ledger


@dataclass(frozen=True, slots=True)
class Step:
    """What one class of cost adds on the way from the first option to the second."""

    category: str
    before_usd: float  # present value in the first option
    after_usd: float  # in the second
    reached_usd: float  # total of the first option and of all steps up to this one

    @property
    def change_usd(self) -> float:
        """Positive: the second option pays more here."""
        return self.after_usd - self.before_usd


@dataclass(frozen=True, slots=True)
class Waterfall:
    """The steps; with the first total they give the second one."""

    before_usd: float
    after_usd: float
    steps: tuple[Step, ...]


def waterfall(before: Ledger, after: Ledger) -> Waterfall:
    """Present value of one ledger, the change in each class of cost, present value of the other.

    Classes stand in the order of the lines, those that do not change are left out. The last step
    reaches the second total: nothing is left over.

    Parameters
    ----------
    before, after
        Ledgers of one scenario, in its base currency, with one discount rate.

    Raises
    ------
    InputError
        A ledger with a missing price: a step would take the gap for a saving.

    Examples
    --------
    >>> from tco.inputs import Status
    >>> from tco.results import LedgerLine
    >>> def paid(category, usd):
    ...     return LedgerLine("x", "X", category, "f", (usd,), (0.0,), Status.ASSUMED, "")
    >>> a = Ledger(1, 0.0, (paid("capex", 100.0), paid("energy", 30.0)))
    >>> b = Ledger(1, 0.0, (paid("energy", 45.0), paid("cloud", 10.0)))
    >>> [(step.category, step.change_usd, step.reached_usd) for step in waterfall(a, b).steps]
    [('capex', -100.0, 30.0), ('energy', 15.0, 45.0), ('cloud', 10.0, 55.0)]
    """
    for ledger in (before, after):
        for line in ledger.lines:
            if line.missing:
                raise InputError(f"{line.fleet}: {line.label}", line.missing, "enter the price")
    sides = (_by_category(before), _by_category(after))
    first, second = (math.fsum(side.values()) for side in sides)
    steps: list[Step] = []
    changes: list[float] = []
    for category in dict.fromkeys((*sides[0], *sides[1])):
        was, now = sides[0].get(category, 0.0), sides[1].get(category, 0.0)
        if was == now:
            continue
        changes += [-was, now]
        steps.append(Step(category, was, now, math.fsum((*sides[0].values(), *changes))))
    return Waterfall(first, second, tuple(steps))


def _by_category(ledger: Ledger) -> Mapping[str, float]:
    values: dict[str, list[float]] = {}
    for line in ledger.lines:
        usd = present_value_usd(line.start_usd, line.end_usd, ledger.monthly_rate_fraction)
        values.setdefault(line.category, []).append(usd)
    return {category: math.fsum(usd) for category, usd in values.items()}
