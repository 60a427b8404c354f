"""From the first column to each other one, class of cost by class of cost (F23.11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planner.actuals.to_engine import plan_of
from planner.charts.currency import currency_of
from planner.charts.encode import Chart, chart
from planner.charts.theme import colour, layout
from planner.templatetags.units import si
from tco.cost.waterfall import Waterfall, waterfall
from tco.errors import InputError


@dataclass(frozen=True, slots=True)
class Way:
    """The steps from the base to one other option; they add up to its total exactly."""

    to: str
    base: str
    currency: str
    total: Waterfall
    chart: Chart | None


def ways(columns: Sequence[tuple[str, str, Mapping[str, Any]]]) -> tuple[Way, ...]:
    """Return the way from the first column to each other one that can be added up.

    Parameters
    ----------
    columns
        Name, key of the option and stored result of each. Columns in another currency, over
        another horizon or with a missing price are left out: their classes do not compare.
    """
    if len(columns) < 2:
        return ()
    base_name, base_key, base = columns[0]
    code, first = currency_of(base), plan_of(base, base_key)
    found = []
    for number, (name, key, result) in enumerate(columns[1:], start=1):
        ledger = plan_of(result, key)
        alike = (
            currency_of(result) == code
            and ledger.months == first.months
            and ledger.monthly_rate_fraction == first.monthly_rate_fraction
        )
        if not alike:
            continue
        try:
            steps = waterfall(first, ledger)
        except InputError:  # a price is missing: a gap is not a saving
            continue
        drawn = _chart(number, base_name, name, steps, code)
        found.append(Way(name, base_name, code, steps, drawn))
    return tuple(found)


def _chart(number: int, base: str, name: str, steps: Waterfall, code: str) -> Chart | None:
    if not steps.steps:
        return None
    widest = max(steps.steps, key=lambda step: abs(step.change_usd))
    word = "more" if widest.change_usd > 0 else "less"
    names = [base, *(step.category for step in steps.steps), name]
    return chart(
        f"chart-way-{number}",
        f"{name}: {si(abs(widest.change_usd))} {code} {word} for {widest.category} than {base}",
        "Each bar is what one class of cost adds or saves; together they lead from one total to "
        "the other.",
        [
            {
                "type": "waterfall",
                "x": names,
                "measure": ["absolute", *("relative" for _ in steps.steps), "total"],
                "y": [steps.before_usd, *(step.change_usd for step in steps.steps), 0],
                "increasing": {"marker": {"color": colour(3)}},
                "decreasing": {"marker": {"color": colour(2)}},
                "totals": {"marker": {"color": colour(0)}},
                "connector": {"line": {"width": 1, "color": "rgba(128,128,128,0.5)"}},
                "hovertemplate": f"%{{x}}: %{{delta:,.4~s}} {code}<extra></extra>",
            }
        ],
        layout("", f"present value, {code}", xaxis={"type": "category"}, hovermode="closest"),
        ("Class of cost", f"{base}, {code}", f"{name}, {code}", f"Change, {code}"),
        [
            (
                step.category,
                round(step.before_usd, 2),
                round(step.after_usd, 2),
                round(step.change_usd, 2),
            )
            for step in steps.steps
        ],
    )
