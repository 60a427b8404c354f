"""The ledger: dated, typed, sourced lines; every view of money is a view of it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tco.inputs import Figure, Status


@dataclass(frozen=True, slots=True)
class Term:
    """One named input or intermediate value of a formula."""

    name: str
    value: float
    unit: str
    status: Status
    source: str
    verified: bool = True
    as_of: str = ""

    @classmethod
    def of(cls, name: str, figure: Figure) -> Term:
        """Term of a figure."""
        return cls(
            name,
            figure.value,
            figure.unit,
            figure.status,
            figure.source + _converted(figure),
            figure.verified,
            figure.as_of,
        )


def _converted(figure: Figure) -> str:
    """What a price was in its own currency, and the rate that converted it."""
    foreign = figure.foreign
    if foreign is None:
        return ""
    price = f"{foreign.value:,.10g} {foreign.currency}"
    dated = f" of {foreign.rate_date}" if foreign.rate_date else ""
    return (
        f"; converted from {price} at {foreign.account_per_unit:.6g}{dated} ({foreign.rate_source})"
    )


@dataclass(frozen=True, slots=True)
class Original:
    """The part of a line that was priced in another currency (F0.6)."""

    currency: str
    value: float  # not discounted, in that currency
    reported_usd: float  # the same in the unit of account, each month at its rate
    account_per_unit: float  # unit of account for one of the currency, month 0
    rate_date: str
    rate_source: str
    rates: int = 1  # how many rates the months use


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """One typed, sourced line. `monthly_usd[m]` is None nowhere; a missing price has `missing`.

    Costs are positive, revenue and residual negative (F0.8). Index 0 of `start_usd` is paid at
    the start of month m, of `end_usd` at its end (F0.1).
    """

    key: str
    label: str
    category: str  # capex | facility | energy | network | software | people | cloud | residual ...
    fleet: str
    start_usd: tuple[float, ...]
    end_usd: tuple[float, ...]
    status: Status
    formula: str
    terms: tuple[Term, ...] = ()
    missing: str = ""  # reason; then all amounts are 0 and totals are marked incomplete
    reference: str = ""
    originals: tuple[Original, ...] = ()

    @property
    def total_usd(self) -> float:
        """Undiscounted sum, exact."""
        return math.fsum(self.start_usd) + math.fsum(self.end_usd)


@dataclass(frozen=True, slots=True)
class Ledger:
    """Dated lines of one option."""

    months: int
    monthly_rate_fraction: float
    lines: tuple[LedgerLine, ...]

    @property
    def complete(self) -> bool:
        """False when a price is missing."""
        return not any(line.missing for line in self.lines)
