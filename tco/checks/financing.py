"""Checks of how servers are paid for: what runs past the horizon, what a lessor pays (F12)."""

from __future__ import annotations

from collections.abc import Iterator

from tco.checks.view import FleetView
from tco.cost.case import Calendar, FleetCase
from tco.cost.columns import months_with
from tco.cost.leasing import outside_usd
from tco.cost.loans import owed_at_horizon_usd
from tco.cost.owned import belongs_to_us, financing
from tco.cost.wording import list_text, money_text
from tco.results import Finding

# Charges that the owner of a leased server pays; a finance lease leaves property tax with us.
_OWNERS = {
    "duty_fraction": "import duty",
    "property_tax_fraction_per_year": "property tax",
    "retirement_usd_per_server": "retirement",
    "insurance_fraction_per_year": "insurance",
    "failures": "failures and spares",
}
_LESSEES: dict[str, tuple[str, ...]] = {
    "finance_lease": ("property_tax_fraction_per_year", "insurance_fraction_per_year", "failures"),
    "operating_lease": ("insurance_fraction_per_year", "failures"),
    "as_a_service": (),
}


def contract_past_the_horizon(view: FleetView) -> Iterator[Finding]:
    """A lease, commitment or loan that is longer than the horizon is named with what is left."""
    case = _case(view)
    given = financing(case)
    path = f"{view.path}.purchase.financing.term_months"
    if given.kind == "loan":
        owed = owed_at_horizon_usd(case)
        if owed > 0.5:
            yield view.finding(
                "loan_past_the_horizon",
                "info",
                path,
                f"the loan of {view.fleet.name} runs past the horizon of {case.months} months:"
                f" {money_text(owed)} still owed is paid back in the last month",
                "lengthen finance.horizon_months, or shorten the term",
            )
        return
    months, usd = outside_usd(case)
    if months > 0 and (usd > 0.0 or given.leased):
        what = "commitment" if given.kind == "as_a_service" else "lease"
        yield view.finding(
            "lease_past_the_horizon",
            "warning",
            path,
            f"the {what} of {view.fleet.name} runs {months} month{'s' if months > 1 else ''} past"
            f" the horizon of {case.months}: {money_text(usd)} due then is in no total",
            "lengthen finance.horizon_months, or shorten the term",
        )


def paid_outside_the_horizon(view: FleetView) -> Iterator[Finding]:
    """Instalments that fall before month 0 or after the last month are moved to it."""
    purchase = view.fleet.purchase
    if not view.fleet.owned or purchase is None:
        return
    case = _case(view)
    early = late = 0
    for month in months_with(case.bought):
        ordered = month - purchase.order_lead_months
        for part in purchase.instalments:
            early += ordered + part.after_months < 0
            late += ordered + part.after_months > case.months - 1
    if early:
        yield view.finding(
            "paid_before_month_0",
            "info",
            f"{view.path}.purchase.order_lead_months",
            f"{_instalments(early)} of {view.fleet.name} fell due before month 0:"
            " counted in month 0",
            "raise start_month, or shorten the lead",
        )
    if late:
        yield view.finding(
            "paid_after_the_horizon",
            "info",
            f"{view.path}.purchase.instalments",
            f"{_instalments(late)} of {view.fleet.name} due after the horizon:"
            " counted in its last month",
            "lengthen finance.horizon_months",
        )


def owner_pays(view: FleetView) -> Iterator[Finding]:
    """Prices that a lessor or a service pays are given and not counted: said, not dropped."""
    purchase = view.fleet.purchase
    if not view.fleet.owned or purchase is None:
        return
    case = _case(view)
    if belongs_to_us(case):
        return
    kind = financing(case).kind
    ours = _LESSEES[kind]
    if financing(case).leased and financing(case).at_end == "buyout":
        ours = (*ours, "retirement_usd_per_server")
    unread = [
        words
        for name, words in _OWNERS.items()
        if getattr(purchase, name) is not None and name not in ours
    ]
    if unread:
        owner = "the service" if kind == "as_a_service" else "the lessor"
        yield view.finding(
            "owner_pays",
            "info",
            f"{view.path}.purchase",
            f"{list_text(unread)} of {view.fleet.name} {'are' if len(unread) > 1 else 'is'} with"
            f" {owner} and not counted",
            "leave them out, or raise the payment if they are passed on",
        )


def failures_by_default(view: FleetView) -> Iterator[Finding]:
    """A failure rate that nobody entered is named with its source (F10.1)."""
    purchase = view.fleet.purchase
    failures = purchase.failures if purchase is not None else None
    terms = purchase.financing if purchase is not None else None
    if failures is None or (terms is not None and terms.kind == "as_a_service"):
        return
    rate, part = failures.afr_per_year, failures.part_share_fraction
    if rate.source.startswith("default"):
        yield view.finding(
            "failure_rate_by_default",
            "info",
            f"{view.path}.purchase.failures.afr_per_year",
            f"devices of {view.fleet.name} are taken to fail {rate.value:g} times a year"
            f" ({rate.source})",
            "enter what the vendor or your own log says",
        )
    if failures.part_usd is None and part is not None and part.source.startswith("default"):
        yield view.finding(
            "part_price_by_default",
            "info",
            f"{view.path}.purchase.failures.part_usd",
            f"a spare device of {view.fleet.name} is priced at {part.value:.0%} of its server"
            f" over the devices in it ({part.source})",
            "enter the price of a part",
        )


def _instalments(count: int) -> str:
    return f"{count} instalment{'s' if count > 1 else ''}"


def _case(view: FleetView) -> FleetCase:
    calendar = Calendar.of(view.scenario.finance)
    return FleetCase.of(view.fleet, view.result, view.power, view.racks, calendar)
