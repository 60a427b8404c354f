"""KPIs of an option: money, unit costs, power, latency; each can be recomputed by hand (U4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tco.cost import cooling_lines, fabric_lines
from tco.cost.case import computed, status_of
from tco.cost.ledger import Book, Chosen, OptionCase
from tco.cost.physical_kpis import physical_kpis
from tco.cost.ranges import Range, price_range
from tco.cost.unit_costs import unit_costs
from tco.inputs import Status
from tco.results import Explained, FleetPower, Ledger, LedgerLine, RackLayout, Term

CAPEX_KEYS = frozenset(
    (
        "servers",
        "duty",
        "freight",
        "sales_tax",
        "lease_buyout",
        "network",
        "integration",
        "racks",
        "spares",
        "facility_build",
        "facility_stranded",
        "colocation_install",
        "redundancy",
        "second_site",
        "canary_servers",
        *fabric_lines.CAPITAL,
        *cooling_lines.CAPITAL,
    )
)
_NOT_RUNNING = frozenset(("residual", "retirement", "tax", "finance"))

Measure = Callable[[Book], float]


def kpis(
    case: OptionCase,
    ledger: Ledger,
    powers: Sequence[FleetPower],
    racks: Sequence[RackLayout],
) -> dict[str, Explained]:
    """All KPIs by key, in the order they are read.

    A range stands beside a figure when a price has one: all prices at their low, then all at
    their high end, at once. It bounds the prices, not the sizing.
    """
    reason = why_incomplete(case, ledger)
    bounds = None if reason else price_range(case)
    book = Book.of(ledger)
    found = [
        *_money(book, bounds, reason),
        *unit_costs(case, book, bounds, reason),
        *physical_kpis(case, powers, racks),
    ]
    return {kpi.key: kpi for kpi in found}


def why_incomplete(case: OptionCase, ledger: Ledger) -> str:
    """Why a total cannot be given; empty when it can."""
    reasons = [f"{line.label}: {line.missing}" for line in ledger.lines if line.missing]
    for fleet_case in case.fleets:
        result = fleet_case.result
        if result.servers == 0 and not result.feasible and fleet_case.fleet.count is None:
            reasons.append(f"{result.name} could not be sized: {result.binds}")
    return "; ".join(dict.fromkeys(reasons))


def money_range(bounds: Range | None, value: float, measure: Measure) -> tuple[float, float] | None:
    """Lowest and highest of a measure over value, low and high prices."""
    if bounds is None:
        return None
    ends = (value, measure(bounds.low), measure(bounds.high))
    return min(ends), max(ends)


def _money(book: Book, bounds: Range | None, reason: str) -> list[Explained]:
    def is_capex(line: LedgerLine) -> bool:
        return line.key in CAPEX_KEYS

    def is_running(line: LedgerLine) -> bool:
        return line.key not in CAPEX_KEYS and line.category not in _NOT_RUNNING

    def undiscounted(chosen: Chosen | None = None) -> Measure:
        return lambda each: each.plain_usd(chosen)

    ledger = book.ledger
    months = max(1, ledger.months)
    running = undiscounted(is_running)
    valued = list(zip(ledger.lines, book.pv_usd, book.total_usd, strict=True))
    rate = Term(
        "discount rate a month",
        ledger.monthly_rate_fraction,
        "1/month",
        Status.ASSUMED,
        "finance.discount_rate_fraction (F0.3)",
    )

    def explained(
        key: str,
        label: str,
        unit: str,
        formula: str,
        reference: str,
        measure: Measure,
        terms: Iterable[Term],
        lines: Iterable[LedgerLine],
    ) -> Explained:
        value = None if reason else measure(book)
        ends = None if value is None else money_range(bounds, value, measure)
        return Explained(
            key=key,
            label=label,
            value=value,
            unit=unit,
            status=status_of(line.status for line in lines),
            formula=formula,
            terms=tuple(terms),
            low=ends[0] if ends else None,
            high=ends[1] if ends else None,
            reason=reason,
            reference=reference,
        )

    capex_lines = [line for line in ledger.lines if is_capex(line)]
    running_lines = [line for line in ledger.lines if is_running(line)]
    return [
        explained(
            "tco_usd",
            f"Total cost over {ledger.months} months, present value",
            "USD",
            "sum of the present values of all lines; a line's is the sum of start(m) / (1 + r)^m"
            " + end(m) / (1 + r)^(m + 1)",
            "F12.3, F0.1",
            Book.present_usd,
            [rate, *(_line_term(line, pv, "PV") for line, pv, _ in valued)],
            ledger.lines,
        ),
        explained(
            "undiscounted_usd",
            f"Total cost over {ledger.months} months, undiscounted",
            "USD",
            "sum of all lines",
            "F0.8",
            Book.plain_usd,
            [_line_term(line, usd) for line, _, usd in valued],
            ledger.lines,
        ),
        explained(
            "capex_usd",
            "Capital cost",
            "USD",
            "sum of servers with duty, freight and sales tax, lease buyout, network, integration,"
            " racks, spares, facility, installation, redundancy, a second site; undiscounted",
            "F6, F5.2",
            undiscounted(is_capex),
            [_line_term(line, usd) for line, _, usd in valued if is_capex(line)],
            capex_lines,
        ),
        explained(
            "opex_usd_per_month",
            "Running cost, mean of a month",
            "USD/month",
            "sum of the lines that are neither capital, financing, retirement, resale nor tax"
            " / months; undiscounted",
            "F4, F8, F9, F13",
            lambda each: running(each) / months,
            [
                Term("months", float(months), "months", Status.ASSUMED, "finance.horizon_months"),
                *(_line_term(line, usd) for line, _, usd in valued if is_running(line)),
            ],
            running_lines,
        ),
    ]


def _line_term(line: LedgerLine, usd: float, what: str = "") -> Term:
    name = ", ".join(part for part in (line.label, line.fleet, what) if part)
    return computed(name, usd, "USD", line.status, f"ledger ({line.reference})")
