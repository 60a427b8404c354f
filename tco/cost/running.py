"""Lines of running and moving: support, software, staff, migration (F8, F9.1)."""

from __future__ import annotations

import numpy as np

from tco.cost.case import FleetCase, computed
from tco.cost.columns import mean, once, summed
from tco.cost.finance import FloatArray
from tco.cost.owned import paid_in_service, price_paid, server_price
from tco.cost.porting import engineering_usd
from tco.inputs import Figure, Migration, Status
from tco.results import LedgerLine, Term
from tco.units import MONTHS_PER_YEAR


def support(case: FleetCase) -> LedgerLine | None:
    """Hardware support: a share of the price paid per year, not escalated (F8)."""
    purchase = case.fleet.purchase
    share = purchase.support_fraction_per_year if purchase else None
    if share is None or share.is_zero:
        return None
    net, price, held = price_paid(case), server_price(case), paid_in_service(case)
    formula = "servers x price paid x support share / 12"
    if net is None or price is None or held is None:
        return case.line(
            "support",
            "Hardware support",
            "software",
            formula=formula,
            reference="F8",
            terms=(Term.of("support share", share),),
            missing="it is a share of the server price, which is not known",
        )
    return case.line(
        "support",
        "Hardware support",
        "software",
        end=held * share.value / MONTHS_PER_YEAR,
        formula=formula,
        reference="F8",
        terms=(
            case.servers_term(),
            computed("price paid for a server", net, "USD", price.status, "list less discount"),
            Term.of("support share", share),
        ),
    )


def software(case: FleetCase) -> LedgerLine | None:
    """Licences per device and year (F8)."""
    figure = case.fleet.purchase.software_usd_per_device_year if case.fleet.purchase else None
    return _yearly(
        case,
        "software",
        "Software licences",
        "software",
        figure,
        per_server=float(case.devices_per_server),
        reference="F8",
    )


def staff(case: FleetCase) -> LedgerLine | None:
    """People who run the servers, per server and year (F9.2)."""
    figure = case.fleet.purchase.staff_usd_per_server_year if case.fleet.purchase else None
    return _yearly(case, "staff", "Staff", "people", figure, per_server=1.0, reference="F9.2")


def migration(case: FleetCase) -> LedgerLine | None:
    """Porting before go-live (F9.1): engineering, validation, contingency on both.

    Engineering = engineer-months x factor x loaded rate.
    """
    move = case.fleet.migration
    if move is None or not case.months:
        return None
    first = min(case.fleet.start_month, case.months - 1)
    start = once(case.months, first, _porting_usd(case, move))
    terms = [
        Term.of("engineer-months", move.engineer_months),
        Term.of("factor", move.factor),
        Term.of("loaded rate", move.usd_per_engineer_month),
    ]
    if move.validation_usd is not None:
        terms.append(Term.of("validation", move.validation_usd))
    if move.contingency_fraction is not None:
        terms.append(Term.of("contingency", move.contingency_fraction))
    return case.line(
        "migration",
        "Migration: porting and validation",
        "people",
        start=start,
        formula="(engineer-months x factor x loaded rate + validation) x (1 + contingency)",
        reference="F9.1",
        terms=terms,
    )


def migration_delay(case: FleetCase) -> LedgerLine | None:
    """Benefit lost while the migration is late: months x benefit (F9.1)."""
    move = case.fleet.migration
    if move is None or move.delay_months is None or move.delay_months.is_zero:
        return None
    formula = "delay months x benefit lost a month"
    if move.benefit_usd_per_month is None:
        return case.line(
            "migration_delay",
            "Migration: delay",
            "people",
            formula=formula,
            reference="F9.1",
            terms=(Term.of("delay", move.delay_months),),
            missing="the benefit lost a month is not given",
        )
    return case.line(
        "migration_delay",
        "Migration: delay",
        "people",
        end=spread_months(case, move.delay_months.value) * case.amount(move.benefit_usd_per_month),
        formula=formula,
        reference="F9.1",
        terms=(
            Term.of("delay", move.delay_months),
            Term.of("benefit lost", move.benefit_usd_per_month),
        ),
    )


def migration_dual_running(case: FleetCase, running: list[LedgerLine]) -> LedgerLine | None:
    """Old and new side by side: dual-running months x run rate (F9.1).

    The run rate is this fleet's own in its first month of service: what it replaces is taken to
    cost as much to run, since the scenario holds no other figure for it.
    """
    move = case.fleet.migration
    months = move.dual_running_months if move else None
    if months is None or months.is_zero or not case.months:
        return None
    first = min(case.fleet.start_month, case.months - 1)
    rate = summed(running, case.months, "end_usd")[..., first : first + 1]
    status = max((line.status for line in running), key=lambda s: s.rank, default=Status.ASSUMED)
    return case.line(
        "migration_dual_running",
        "Migration: dual running",
        "people",
        end=spread_months(case, months.value) * rate,
        formula="dual-running months x run rate of this fleet's first month",
        reference="F9.1",
        terms=(
            Term.of("dual running", months),
            computed(
                "run rate", mean(rate), "USD/month", status, "running lines of the first month"
            ),
        ),
    )


def spread_months(case: FleetCase, months: float) -> FloatArray:
    """1 for each whole month from go-live on, and the part of the last one."""
    since = np.arange(case.months) - case.fleet.start_month
    return np.where(since >= 0, np.clip(months - since, 0.0, 1.0), 0.0)


def _porting_usd(case: FleetCase, move: Migration) -> float:
    engineering = engineering_usd(
        move.engineer_months.value, move.factor.value, case.amount(move.usd_per_engineer_month)
    )
    validation = case.amount(move.validation_usd) if move.validation_usd else 0.0
    contingency = move.contingency_fraction.value if move.contingency_fraction else 0.0
    return (engineering + validation) * (1.0 + contingency)


def _yearly(
    case: FleetCase,
    key: str,
    label: str,
    category: str,
    figure: Figure | None,
    *,
    per_server: float,
    reference: str,
) -> LedgerLine | None:
    if figure is None:
        return None
    rate = case.calendar.finance.opex_escalation_fraction
    factor = case.calendar.escalation(figure, rate)
    unit = "devices" if per_server != 1.0 else "servers"
    terms = [case.servers_term(), Term.of(f"{label.lower()} a year", figure)]
    if per_server != 1.0:
        terms.insert(
            1,
            computed("devices a server", per_server, "devices", Status.PUBLISHED, "server"),
        )
    if rate is not None:
        terms.append(Term.of("escalation of running costs", rate))
    return case.line(
        key,
        label,
        category,
        end=case.servers * per_server * case.amount(figure) / MONTHS_PER_YEAR * factor,
        formula=f"{unit} x USD a year / 12 x escalation",
        reference=reference,
        terms=terms,
    )
