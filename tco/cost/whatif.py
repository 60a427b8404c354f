"""A controller's what-ifs over a ledger: demand that falls, and what can be done then (F24).

Each answer is a ledger again, so that every view and every total of it is the usual one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from tco.cost import fabric_lines
from tco.cost.finance import FloatArray
from tco.cost.ledger import VARIABLE_LINES, Book
from tco.errors import InputError
from tco.inputs import Status
from tco.results import Ledger, LedgerLine, Term

# Paid by contract, used or not: what is due of them at an exit is a term of the contract.
CONTRACT_LINES = frozenset(
    {
        *("colocation", "lease_payments", "lease_interest", "lease_principal"),
        *("as_a_service", "as_a_service_unused", "sales_tax_on_payments"),
    }
)
# Follow the machines that stay, once some are sold.
MACHINE_LINES = frozenset(
    {
        *("support", "software", "staff", "repairs", "property_tax", "insurance", "retirement"),
        *("electricity_demand", "electricity_ratchet", "electricity_power_factor"),
        *("residual", "servers", "duty", "freight", "sales_tax"),
        *("network", "integration", "spares", "canary_servers", "canary_running"),
        *fabric_lines.CAPITAL,
        *fabric_lines.RUNNING,
    }
)
_SPACE_LINES = frozenset({"colocation"})


@dataclass(frozen=True, slots=True)
class Fall:
    """Demand from a month on, and what the market gives for what is left over."""

    month: int
    demand_left_fraction: float  # 0.5: it halves
    take_or_pay_fraction: float = 1.0  # of contract payments due whatever is used
    sublet_fraction: float = 0.0  # of the rent of idle space that a subtenant pays
    resale_fraction: float = 0.0  # of the price paid for servers that a sale returns in that month
    exit_usd: float = 0.0  # paid to leave: dismantling, people
    contract_left_fraction: float = 1.0  # of the contract payments left, due at an exit


@dataclass(frozen=True, slots=True)
class WayOut:
    """One answer to the fall."""

    key: str  # planned | kept | sublet | resold | left
    label: str
    ledger: Ledger
    present_usd: float
    over_kept_usd: float  # against carrying on; negative saves


def ways_out(ledger: Ledger, fall: Fall) -> tuple[WayOut, ...]:
    """The plan, carrying on under less demand, subletting, selling what is idle, leaving.

    Raises
    ------
    InputError
        A month outside the ledger, a share that is none, a price missing, or income tax in the
        ledger: it would be that of the plan.
    """
    _check(ledger, fall)
    answers = (
        ("planned", "as planned", ledger),
        ("kept", "demand falls, nothing is done", carried_on(ledger, fall)),
        ("sublet", "idle space is sublet", sublet(ledger, fall)),
        ("resold", "idle servers are sold", resold(ledger, fall)),
        ("left", "everything is left", left(ledger, fall)),
    )
    values = {key: Book.of(each).present_usd() for key, _, each in answers}
    return tuple(
        WayOut(key, label, each, values[key], values[key] - values["kept"])
        for key, label, each in answers
    )


def carried_on(ledger: Ledger, fall: Fall) -> Ledger:
    """Only what follows use falls; contracts fall to what must be taken or paid for."""
    _check(ledger, fall)
    due = max(fall.demand_left_fraction, fall.take_or_pay_fraction)

    def share(line: LedgerLine) -> float:
        if line.key in VARIABLE_LINES:
            return fall.demand_left_fraction
        return due if line.key in CONTRACT_LINES else 1.0

    return _scaled(ledger, fall.month, share)


def sublet(ledger: Ledger, fall: Fall) -> Ledger:
    """As carrying on, and a subtenant pays part of the rent of the idle space."""
    kept = carried_on(ledger, fall)
    idle = 1.0 - fall.demand_left_fraction
    lines = []
    for line in kept.lines:
        if line.key in _SPACE_LINES and not line.missing:
            rent = _from(line.end_usd, fall.month) * idle * fall.sublet_fraction
            lines.append(
                _added(
                    ledger,
                    "sublet",
                    f"{line.label}, sublet",
                    "facility",
                    line.fleet,
                    end=-rent,
                    formula="- rent x idle share x what a subtenant pays of it",
                    terms=_terms(
                        ("idle share", idle), ("paid by a subtenant", fall.sublet_fraction)
                    ),
                )
            )
    return replace(kept, lines=(*kept.lines, *lines))


def resold(ledger: Ledger, fall: Fall) -> Ledger:
    """As carrying on, with the idle servers sold, and what goes with servers no longer paid."""
    kept = _scaled(
        carried_on(ledger, fall),
        fall.month,
        lambda line: fall.demand_left_fraction if line.key in MACHINE_LINES else 1.0,
    )
    sales = _sales(ledger, fall, 1.0 - fall.demand_left_fraction)
    return replace(kept, lines=(*kept.lines, *sales))


def left(ledger: Ledger, fall: Fall) -> Ledger:
    """Everything stops: servers sold, loans settled, the rest of the contracts due at once."""
    _check(ledger, fall)
    month = fall.month
    stopped = _scaled(ledger, month, lambda line: 0.0)
    lines = _sales(ledger, fall, 1.0)
    for line in ledger.lines:
        share = fall.contract_left_fraction if line.key in CONTRACT_LINES else 0.0
        share = 1.0 if line.key == "loan_principal" else share
        rest = float(np.sum(_from(line.start_usd, month)) + np.sum(_from(line.end_usd, month)))
        if line.key == "loan_principal":  # what was drawn later is not drawn now
            drawn = [x for x in ledger.lines if x.key == "loan_drawn" and x.fleet == line.fleet]
            rest += sum(float(np.sum(_from(x.start_usd, month))) for x in drawn)
        if share and rest:
            lines.append(
                _added(
                    ledger,
                    f"{line.key}_settled",
                    f"{line.label}, settled at the exit",
                    line.category,
                    line.fleet,
                    start=_once(ledger.months, month, share * rest),
                    formula="what was left to pay x share that is due",
                    terms=_terms(("left to pay", rest), ("share due", share)),
                )
            )
    if fall.exit_usd:
        lines.append(
            _added(
                ledger,
                "exit",
                "Exit",
                "people",
                "",
                start=_once(ledger.months, month, fall.exit_usd),
                formula="cost of leaving",
                terms=_terms(("cost of leaving", fall.exit_usd)),
            )
        )
    return replace(stopped, lines=(*stopped.lines, *lines))


def _sales(ledger: Ledger, fall: Fall, share: float) -> list[LedgerLine]:
    """Sale of a share of the servers bought before the month, at its start."""
    found = []
    for line in ledger.lines:
        if line.key != "servers":
            continue
        paid = float(np.sum(line.start_usd[: fall.month]) + np.sum(line.end_usd[: fall.month]))
        usd = paid * share * fall.resale_fraction
        if usd:
            found.append(
                _added(
                    ledger,
                    "early_resale",
                    "Early resale",
                    "residual",
                    line.fleet,
                    start=_once(ledger.months, fall.month, -usd),
                    formula="- price paid so far x share sold x what a sale returns",
                    terms=_terms(
                        ("price paid so far", paid),
                        ("share sold", share),
                        ("returned by a sale", fall.resale_fraction),
                    ),
                )
            )
    return found


def _scaled(ledger: Ledger, month: int, share: Callable[[LedgerLine], float]) -> Ledger:
    """Each line times its share from a month on."""
    lines = []
    for line in ledger.lines:
        factor = np.where(np.arange(ledger.months) < month, 1.0, share(line))
        lines.append(
            replace(
                line,
                start_usd=tuple((np.asarray(line.start_usd) * factor).tolist()),
                end_usd=tuple((np.asarray(line.end_usd) * factor).tolist()),
            )
        )
    return replace(ledger, lines=tuple(lines))


def _from(amounts: tuple[float, ...], month: int) -> FloatArray:
    column = np.array(amounts, dtype=np.float64)
    column[:month] = 0.0
    return column


def _once(months: int, month: int, usd: float) -> FloatArray:
    column = np.zeros(months)
    column[month] = usd
    return column


def _terms(*pairs: tuple[str, float]) -> tuple[Term, ...]:
    return tuple(
        Term(name, value, "USD" if abs(value) > 1.0 else "fraction", Status.ASSUMED, "what-if")
        for name, value in pairs
    )


def _added(
    ledger: Ledger,
    key: str,
    label: str,
    category: str,
    fleet: str,
    *,
    formula: str,
    terms: tuple[Term, ...],
    start: FloatArray | None = None,
    end: FloatArray | None = None,
) -> LedgerLine:
    blank = (0.0,) * ledger.months
    return LedgerLine(
        key=key,
        label=label,
        category=category,
        fleet=fleet,
        start_usd=blank if start is None else tuple((start + 0.0).tolist()),
        end_usd=blank if end is None else tuple((end + 0.0).tolist()),
        status=Status.ASSUMED,
        formula=formula,
        terms=terms,
        reference="F24",
    )


def _check(ledger: Ledger, fall: Fall) -> None:
    if not 0 <= fall.month < ledger.months:
        raise InputError(
            "month", f"{fall.month} is not in the ledger of {ledger.months} months", "0 to the last"
        )
    shares: Mapping[str, float] = {
        "demand_left_fraction": fall.demand_left_fraction,
        "take_or_pay_fraction": fall.take_or_pay_fraction,
        "sublet_fraction": fall.sublet_fraction,
        "resale_fraction": fall.resale_fraction,
        "contract_left_fraction": fall.contract_left_fraction,
    }
    for name, value in shares.items():
        if not 0.0 <= value <= 1.0:
            raise InputError(name, f"{value} is not in 0 to 1", "enter a share, 0.5 for a half")
    missing = _labels(line for line in ledger.lines if line.missing)
    if missing:
        raise InputError("ledger", f"no price is known for {missing}", "enter it first")
    taxed = _labels(line for line in ledger.lines if line.category == "tax")
    if taxed:
        raise InputError(
            "ledger", f"{taxed} would be those of the plan", "leave out finance.tax for a what-if"
        )


def _labels(lines: Iterable[LedgerLine]) -> str:
    return ", ".join(line.label.lower() for line in lines)
