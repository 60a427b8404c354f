"""Lines that come back: models trained again, machines held for canaries (F9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tco.cost.case import FleetCase, computed, status_of
from tco.cost.columns import mean, summed
from tco.cost.site_power import BILL_LINES
from tco.results import LedgerLine, Term
from tco.units import MONTHS_PER_YEAR

# What servers held for canaries cost as the others do: bought in cash, whatever the rest is.
CANARY_CAPEX = frozenset(
    {
        *("servers", "duty", "freight", "sales_tax", "network", "integration", "racks", "spares"),
    }
)
CANARY_RUNNING = frozenset(
    {
        *("colocation", *BILL_LINES, "carbon_price", "support", "software"),
        *("staff", "repairs", "property_tax", "insurance"),
        *("lease_payments", "lease_interest", "lease_principal", "lease_return"),
        *("sales_tax_on_payments", "as_a_service", "as_a_service_unused"),
        *("instances", "commitment_unused", "instances_on_demand", "spot_overhead"),
    }
)


def model_retraining(case: FleetCase) -> LedgerLine | None:
    """Training runs a year x (device hours x rate + cost of a run), while the fleet serves."""
    given = case.fleet.retraining
    if given is None:
        return None
    hours, rate, run = given.device_hours_per_run, given.usd_per_device_hour, given.usd_per_run
    terms = [Term.of("runs a year", given.runs_per_year)]
    terms += [
        Term.of(name, figure)
        for name, figure in (
            ("device hours of a run", hours),
            ("device hour", rate),
            ("cost of a run", run),
        )
        if figure is not None
    ]
    missing, each = "", 0.0
    if hours is not None and rate is None:
        missing = "what a device hour costs is not given"
    elif hours is None and run is None:
        missing = "neither device hours nor the cost of a run is given"
    else:
        if hours is not None and rate is not None:
            each = hours.value * case.amount(rate)
        if run is not None:
            each = each + case.amount(run)
    escalation = case.calendar.finance.opex_escalation_fraction
    priced = rate if rate is not None else run
    factor: Any = 1.0
    if priced is not None:
        factor = case.calendar.escalation(priced, escalation)
        terms += [Term.of("escalation of running costs", escalation)] if escalation else []
    serving = np.where(_in_service(case), 1.0, 0.0)
    return case.line(
        "model_retraining",
        "Model trained again",
        "software",
        end=serving * given.runs_per_year.value * each / MONTHS_PER_YEAR * factor,
        formula="runs a year x (device hours x USD an hour + USD a run) / 12 x escalation",
        reference="F9",
        terms=terms,
        missing=missing,
    )


def canaries(case: FleetCase, lines: Sequence[LedgerLine]) -> list[LedgerLine]:
    """What machines held for canaries cost: share / (1 - share) of what the serving ones do.

    Pro rata, so that a part of a server may be held; their resale and retirement and an own
    building are left out. A fleet whose count is fixed holds them
    within its count, at no cost beyond it.
    """
    share = case.fleet.canary_fraction
    if share is None or share.is_zero or case.fleet.count is not None:
        return []
    extra = share.value / (1.0 - share.value)
    found = []
    for key, label, category, keys in (
        ("canary_servers", "Canaries: servers", "capex", CANARY_CAPEX),
        ("canary_running", "Canaries: running", "software", CANARY_RUNNING),
    ):
        of = [line for line in lines if line.key in keys and not line.key.startswith("canary")]
        if not of:
            continue
        start = summed(of, case.months, "start_usd")
        end = summed(of, case.months, "end_usd")
        missing = next((f"{x.label}: {x.missing}" for x in of if x.missing), "")
        base = 0.0 if missing else mean(np.sum(start + end, axis=-1))
        status = status_of(line.status for line in of)
        names = ", ".join(line.label.lower() for line in of)
        found.append(
            case.line(
                key,
                label,
                category,
                start=start * extra,
                end=end * extra,
                formula="share / (1 - share) x what the serving machines cost",
                reference="F9",
                terms=(
                    Term.of("share held", share),
                    computed("serving machines", base, "USD", status, names),
                ),
                missing=missing,
            )
        )
    return found


def _in_service(case: FleetCase) -> Any:
    if case.fleet.server is None and case.fleet.offer is None:  # an API serves from go-live on
        return np.arange(case.months) >= case.fleet.start_month
    return case.servers > 0
