"""Invariants that one projection shows by itself, or on ledgers built anew on its sizes (F23)."""

from __future__ import annotations

import csv
import datetime as dt
import io
import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from planner.reports.csv_ledger import build_csv
from tco.cost.finance import present_value_usd
from tco.cost.waterfall import waterfall
from tco.inputs import canonical_json
from tco.projection import project
from tco.results import Ledger, OptionResult
from tests.generated.drawn import Drawn, amounts, at_end, every_price, priced, times, whole

CENT = 0.005


def plain_usd(ledger: Ledger) -> float:
    """All that is paid."""
    return math.fsum(line.total_usd for line in ledger.lines)


def value_usd(ledger: Ledger) -> float:
    """Present value of all lines."""
    rate = ledger.monthly_rate_fraction
    return math.fsum(present_value_usd(x.start_usd, x.end_usd, rate) for x in ledger.lines)


def apart(left: float, right: float, scale: float = 1.0) -> bool:
    """Whether two amounts differ by more than half a cent and the last digits of a float."""
    return not abs(left - right) <= CENT + 1e-12 * abs(scale)


def _scale(option: OptionResult) -> float:
    return math.fsum(abs(line.total_usd) for line in option.ledger.lines)


def lines_give_every_total(drawn: Drawn) -> Iterator[str]:
    """F23.1: KPIs and views hold the sum of the lines."""
    for option in drawn.projection.options:
        if not whole(option) or option.views is None:
            continue
        plain, scale = plain_usd(option.ledger), _scale(option)
        found = {
            "undiscounted_usd": option.kpis["undiscounted_usd"].value or 0.0,
            "cash view": math.fsum(option.views.cash_usd),
            "cash rows": math.fsum(row.total_usd for row in option.views.cash),
        }
        for name, usd in found.items():
            if apart(usd, plain, scale):
                yield f"{option.key}: {name} {usd!r} is not the sum of the lines {plain!r}"
        tco = option.kpis["tco_usd"].value or 0.0
        if apart(tco, value_usd(option.ledger), scale):
            yield f"{option.key}: TCO {tco!r} is not the value of its lines"


def exports_hold_the_lines(drawn: Drawn) -> Iterator[str]:
    """F23.1: the JSON and the CSV have the lines' amounts, month by month and in total."""
    stored = drawn.projection.to_dict()
    rows = list(csv.DictReader(io.StringIO(build_csv(stored).decode("utf-8-sig"))))
    for option in drawn.projection.options:
        plain, scale = plain_usd(option.ledger), _scale(option)
        mine = [row for row in rows if row["option"] == option.name]
        months = [name for name in (mine[0] if mine else {}) if name.startswith("month_")]
        lines = stored["ledger"][option.key]["lines"]
        sides = [usd for line in lines for usd in (*line["start_usd"], *line["end_usd"])]
        found = {
            "JSON": math.fsum(sides),
            "CSV totals": math.fsum(float(row["total_usd"]) for row in mine if row["total_usd"]),
            "CSV months": math.fsum(
                float(row[month]) for row in mine for month in months if row[month]
            ),
        }
        for name, usd in found.items():
            if apart(usd, plain, scale):
                yield f"{option.key}: {name} {usd!r} is not the sum of the lines {plain!r}"


def no_rate_no_discount(drawn: Drawn) -> Iterator[str]:
    """F23.2: at r = 0 the present value is the plain sum."""
    finance = drawn.inputs.finance
    rate = replace(finance.discount_rate_fraction, value=0.0, low=None, high=None)
    free = replace(drawn.inputs, finance=replace(finance, discount_rate_fraction=rate))
    for option, ledger in zip(
        drawn.projection.options, priced(free, drawn.projection), strict=True
    ):
        if apart(value_usd(ledger), plain_usd(ledger), 1e3 * _scale(option)):
            yield f"{option.key}: {value_usd(ledger)!r} is not {plain_usd(ledger)!r}"


def twice_the_prices_cost_twice(drawn: Drawn) -> Iterator[str]:
    """F23.4: each line doubles with every price; shares, rates and counts stay."""
    once = priced(drawn.inputs, drawn.projection)
    twice = priced(every_price(drawn.inputs, times(2.0)), drawn.projection)
    for left, right in zip(once, twice, strict=True):
        for a, b in zip(left.lines, right.lines, strict=True):
            for was, now in zip(amounts(a), amounts(b), strict=True):
                off = [
                    (2 * x, y)
                    for x, y in zip(was, now, strict=True)
                    if abs(y - 2 * x) > 1e-9 * (1 + abs(x))
                ]
                if off:
                    yield f"{a.fleet} {a.key}: {off[0][1]!r} is not twice, {off[0][0]!r}"


def ranges_are_those_of_the_prices(drawn: Drawn) -> Iterator[str]:
    """F21.1: low and high of the total are the totals at the prices' ends, whoever's they are."""
    ends = [
        priced(every_price(drawn.inputs, at_end(name)), drawn.projection)
        for name in ("low", "high")
    ]
    for option, low, high in zip(drawn.projection.options, *ends, strict=True):
        if not whole(option):
            continue
        kpi = option.kpis["tco_usd"]
        value = kpi.value or 0.0
        totals = (value, value_usd(low), value_usd(high))
        found = (value if kpi.low is None else kpi.low, value if kpi.high is None else kpi.high)
        for name, shown, right in zip(
            ("low", "high"), found, (min(totals), max(totals)), strict=True
        ):
            if apart(shown, right, 1e3 * _scale(option)):
                yield f"{option.key}: {name} {shown!r} is not the total there, {right!r}"


def roll_ups_agree(drawn: Drawn) -> Iterator[str]:
    """F23.9: months, quarters and fiscal years of every line, cut by the calendar itself."""
    finance = drawn.inputs.finance
    start = dt.date.fromisoformat(finance.valuation_date)
    shift = finance.fiscal_year_start_month - 1
    counted = [start.month - 1 - shift + month + 12 * start.year for month in range(240)]
    for option in drawn.projection.options:
        if option.views is None:
            continue
        for line, row in zip(option.ledger.lines, option.views.cash, strict=True):
            quarters: dict[int, list[float]] = defaultdict(list)
            years: dict[int, list[float]] = defaultdict(list)
            for month, (a, b) in enumerate(zip(line.start_usd, line.end_usd, strict=True)):
                quarters[counted[month] // 3] += [a, b]
                years[counted[month] // 12] += [a, b]
            by_year = [math.fsum(years[year]) for year in sorted(years)]
            by_quarter = [
                math.fsum(math.fsum(quarters[q]) for q in sorted(quarters) if q // 4 == year)
                for year in sorted(years)
            ]
            scale = abs(line.total_usd)
            if len(by_year) != len(row.years_usd):
                yield f"{option.key} {line.key}: {len(row.years_usd)} fiscal years"
            elif any(apart(a, b, scale) for a, b in zip(by_year, row.years_usd, strict=True)):
                yield f"{option.key} {line.key}: fiscal years {row.years_usd} are not {by_year}"
            elif any(apart(a, b, scale) for a, b in zip(by_year, by_quarter, strict=True)):
                yield f"{option.key} {line.key}: quarters do not make the years"
            elif apart(math.fsum(by_year), row.total_usd, scale):
                yield f"{option.key} {line.key}: years do not make {row.total_usd!r}"


def same_input_same_bytes(drawn: Drawn) -> Iterator[str]:
    """F23.10: read and projected again, the result is the same text."""
    again = Drawn(drawn.document, drawn.seed)
    if canonical_json(again.inputs) != canonical_json(drawn.inputs):
        yield "the inputs differ"
    if canonical_json(project(again.inputs).to_dict()) != canonical_json(
        drawn.projection.to_dict()
    ):
        yield "the results differ"


def waterfalls_reach_the_other_total(drawn: Drawn) -> Iterator[str]:
    """F23.11: first total, steps, second total; the way back has the same steps, turned."""
    options = [option for option in drawn.projection.options if whole(option)]
    for left in options:
        for right in options:
            fall = waterfall(left.ledger, right.ledger)
            back = waterfall(right.ledger, left.ledger)
            scale = _scale(left) + _scale(right)
            changes = math.fsum(step.change_usd for step in fall.steps)
            ends = (left.kpis["tco_usd"].value or 0.0, right.kpis["tco_usd"].value or 0.0)
            if apart(ends[0] + changes, ends[1], scale):
                yield f"{left.key} to {right.key}: {ends[0]!r} + {changes!r} is not {ends[1]!r}"
            if fall.steps and apart(fall.steps[-1].reached_usd, ends[1], scale):
                yield f"{left.key} to {right.key} ends at {fall.steps[-1].reached_usd!r}"
            turned = {step.category: -step.change_usd for step in back.steps}
            if turned != {step.category: step.change_usd for step in fall.steps}:
                yield f"{left.key} to {right.key} is not the way back, turned"


def cash_and_cost_agree(drawn: Drawn) -> Iterator[str]:
    """F23.13: over the life, what is paid and what is spent in the accounts are one sum."""
    for option in drawn.projection.options:
        if option.views is None:
            continue
        cash, cost = math.fsum(option.views.cash_usd), math.fsum(option.views.pnl_usd)
        if apart(cash, cost, 1e3 * _scale(option)):
            yield f"{option.key}: cash {cash!r}, cost {cost!r}"
        if not all(math.isfinite(usd) for row in option.views.pnl for usd in row.years_usd):
            yield f"{option.key}: a year of the P&L is no number"
