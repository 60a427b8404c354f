"""Checks of when servers come (F5.5)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tco.checks.view import FleetView
from tco.cost.case import Calendar, FleetCase
from tco.cost.late import absent_servers, delivery, idle_depreciation_usd, late_months
from tco.cost.wording import list_text, money_text, number_text
from tco.results import Finding

_PARTS = {
    "late_bridge": "renting meanwhile",
    "late_carrying": "carrying of what is paid",
    "late_benefit": "benefit lost",
    "late_energy": "electricity not used",
}


def delivered_in_time(view: FleetView) -> Iterator[Finding]:
    """A delivery after the month of need, or that may be: how late, and what it costs."""
    if not view.fleet.owned or view.fleet.purchase is None:
        return
    case = FleetCase.of(
        view.fleet, view.result, view.power, view.racks, Calendar.of(view.scenario.finance)
    )
    given = delivery(case)
    if given is None:
        return
    path = f"{view.path}.purchase.delivery"
    lead, promised = given.lead_months, view.fleet.purchase.order_lead_months
    late = float(late_months(case))
    low, high = (max(0.0, (lead.value if end is None else end) - promised)
                 for end in (lead.low, lead.high))  # fmt: skip
    span = "" if low == high else f" ({number_text(low)} to {number_text(high)} over its range)"
    if late <= 0.0:
        if high > 0.0:
            yield view.finding(
                "delivery_may_be_late",
                "info",
                f"{path}.lead_months",
                f"servers of {view.fleet.name} come in time, but up to {number_text(high)} months"
                " late over the range of their lead time",
                "order earlier: raise purchase.order_lead_months",
            )
        return
    costs = {line.key: sum(line.start_usd) + sum(line.end_usd) for line in view.lines}
    parts = [f"{words} {money_text(costs[key])}" for key, words in _PARTS.items() if key in costs]
    away = float(np.sum(absent_servers(case)))
    yield view.finding(
        "delivery_late",
        "warning",
        f"{path}.lead_months",
        f"servers of {view.fleet.name} come {number_text(late)} months late{span}:"
        f" {number_text(lead.value)} months expected, {promised} promised,"
        f" {number_text(away)} server-months not there; in cash {list_text(parts)}; in the P&L"
        f" depreciation of {money_text(idle_depreciation_usd(case))} runs meanwhile, which is no"
        " further cost",
        "order earlier: raise purchase.order_lead_months, or start later",
    )
    if given.bridge_usd_per_server_month is None and given.benefit_usd_per_month is None:
        yield view.finding(
            "late_service_unpriced",
            "warning",
            path,
            f"nobody serves what {view.fleet.name} should while it is late, and that costs nothing"
            " in this scenario",
            "enter bridge_usd_per_server_month or benefit_usd_per_month",
        )
