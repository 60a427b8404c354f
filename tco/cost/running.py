"""Lines of running: support, software, staff (F8, F9.2)."""

from __future__ import annotations

from tco.cost.case import FleetCase, computed
from tco.cost.owned import paid_in_service, price_paid, server_price
from tco.inputs import Figure, Status
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
