"""Lines of bought hardware: servers, network, integration, racks, residual (F6, F11)."""

from __future__ import annotations

from typing import Any

import numpy as np

from tco.cost.case import FleetCase, computed, life_months
from tco.cost.columns import blank, last, mean, months_with
from tco.cost.finance import FloatArray
from tco.inputs import Figure, Financing, Status
from tco.results import LedgerLine, Term


def server_price(case: FleetCase) -> Figure | None:
    """List price of one server: the scenario's own, else the catalog's."""
    purchase = case.fleet.purchase
    if purchase is not None and purchase.server_usd is not None:
        return purchase.server_usd
    return case.fleet.server.price_usd if case.fleet.server else None


def net_price_usd(case: FleetCase) -> float | None:
    """Price paid for one server, list x (1 - discount) (F6)."""
    price = server_price(case)
    if price is None:
        return None
    discount = case.fleet.purchase.discount_fraction.value if case.fleet.purchase else 0.0
    return case.amount(price) * (1.0 - discount)


def financing(case: FleetCase) -> Financing:
    """How the servers are paid for; cash where nothing is said."""
    purchase = case.fleet.purchase
    return (purchase.financing if purchase else None) or Financing()


def belongs_to_us(case: FleetCase) -> bool:
    """Whether the servers are bought, in cash or with a loan."""
    return financing(case).kind in ("cash", "loan")


def price_path(case: FleetCase) -> FloatArray | None:
    """Price of each month's servers over today's, by the month of their order (F6, F0.4).

    None where the price stays: the lines then multiply by one number, as they always did.
    """
    purchase, price = case.fleet.purchase, server_price(case)
    change = purchase.price_change_fraction_per_year if purchase else None
    if purchase is None or change is None or change.is_zero or price is None:
        return None
    ordered = np.maximum(0, np.arange(case.months) - purchase.order_lead_months)
    return np.asarray(case.calendar.escalation(price, change)[..., ordered])


def price_paid(case: FleetCase) -> Any:
    """Price of one server: a number, or a column by the month it is needed in; None: not known."""
    net, path = net_price_usd(case), price_path(case)
    return net if net is None or path is None else net * path


def at_month(price: Any, case: FleetCase, month: int) -> Any:
    """The price of one month, from a number or a column by month."""
    by_month = price_path(case) is not None
    return price[..., month : month + 1] if by_month else price


def paid_in_service(case: FleetCase) -> FloatArray | None:
    """Price paid for the servers in service, by month; None where no price is known."""
    price = price_paid(case)
    if price is None:
        return None
    if price_path(case) is None:
        return np.asarray(case.servers * price)
    life, held = life_months(case.fleet), blank(case.months, case.bought, price)
    for month in months_with(case.bought):
        cohort = case.bought[..., month : month + 1] * at_month(price, case, month)
        held[..., month : month + life] += cohort
    return held


def by_instalments(case: FleetCase, cost: FloatArray) -> FloatArray:
    """When a price is paid: by its instalments from the order on (F6).

    What falls before month 0 is paid in month 0, what falls after the horizon in its last month:
    nothing of a price is lost (`tco.checks.financing` says so).
    """
    purchase = case.fleet.purchase
    if purchase is None or not purchase.instalments:
        return cost
    paid = np.zeros(cost.shape)
    for month in months_with(cost):
        for part in purchase.instalments:
            due = month - purchase.order_lead_months + part.after_months
            paid[..., min(max(due, 0), case.months - 1)] += cost[..., month] * part.share_fraction
    return paid


def servers(case: FleetCase) -> LedgerLine | None:
    """Servers bought at the start of the month they are needed in, or by instalments (F6)."""
    if not belongs_to_us(case):
        return None
    price, net = server_price(case), price_paid(case)
    formula = "servers bought x list price x (1 - discount)"
    if price is None or net is None:
        name = case.fleet.server.name if case.fleet.server else case.fleet.name
        return case.line(
            "servers",
            "Servers",
            "capex",
            formula=formula,
            reference="F6",
            terms=(bought_term(case),),
            missing=f"no price is known for {name}",
        )
    terms = [bought_term(case), Term.of("list price of a server", price)]
    purchase = case.fleet.purchase
    if purchase:
        terms.append(Term.of("discount", purchase.discount_fraction))
        if purchase.price_change_fraction_per_year is not None:
            formula += " x price path by month of order"
            terms.append(Term.of("price change a year", purchase.price_change_fraction_per_year))
        if purchase.instalments:
            parts = " / ".join(f"{100 * x.share_fraction:g}" for x in purchase.instalments)
            formula += f", paid {parts} %"
    return case.line(
        "servers",
        "Servers",
        "capex",
        start=by_instalments(case, case.bought * net),
        formula=formula,
        reference="F6",
        terms=terms,
    )


def network(case: FleetCase) -> LedgerLine | None:
    """Switches, optics and cables, bought with the servers (F6)."""
    figure = case.fleet.purchase.network_usd_per_server if case.fleet.purchase else None
    return _per_server(case, "network", "Network", figure, "network per server")


def integration(case: FleetCase) -> LedgerLine | None:
    """Integration and burn-in, paid with the servers (F6)."""
    figure = case.fleet.purchase.integration_usd_per_server if case.fleet.purchase else None
    return _per_server(case, "integration", "Integration", figure, "integration per server")


def racks(case: FleetCase) -> LedgerLine | None:
    """Racks with their power strips, bought as the fleet fills them (F6)."""
    layout, site = case.racks, case.fleet.site
    if layout is None or site is None or site.rack.price_usd is None or not layout.racks:
        return None
    per_rack = max(1, layout.servers_per_rack)
    needed = np.ceil(np.maximum.accumulate(case.servers, axis=-1) / per_rack)
    return case.line(
        "racks",
        "Racks",
        "capex",
        start=np.diff(needed, prepend=0.0) * case.amount(site.rack.price_usd),
        formula="racks x price of a rack",
        reference="F6",
        terms=(
            computed("racks", last(needed), "racks", case.result.status, "packing (F2.7)"),
            Term.of("price of a rack", site.rack.price_usd),
        ),
    )


def residual(case: FleetCase) -> LedgerLine | None:
    """Resale of servers at the end of their life or of the horizon, negative (F11).

    V(age) = P x rho^(age / life): exponential in age, the given share rho at the end of life.
    """
    purchase, net = case.fleet.purchase, price_paid(case)
    rho = purchase.residual_fraction if purchase else None
    if rho is None or net is None or not np.any(np.greater(rho.value, 0.0)):
        return None
    given = financing(case)
    if not belongs_to_us(case) and not (given.leased and given.at_end == "buyout"):
        return None
    life = life_months(case.fleet)
    end = blank(case.months, case.bought, net, rho.value)
    for month in months_with(case.bought):
        if given.leased and month + (given.term_months or 0) >= case.months:
            continue  # still the lessor's
        sold = min(month + life, case.months)
        cohort = case.bought[..., month : month + 1]
        price = at_month(net, case, month)
        end[..., sold - 1 : sold] -= cohort * price * rho.value ** ((sold - month) / life)
    return case.line(
        "residual",
        "Resale",
        "residual",
        end=end,
        formula="- servers x price paid x residual^(age / life), at the end of life or horizon",
        reference="F11",
        terms=(
            bought_term(case),
            computed("price paid for a server", net, "USD", price_status(case), "this line (F6)"),
            Term.of("residual at the end of life", rho),
            computed("life", float(life), "months", Status.ASSUMED, "purchase.life_months"),
        ),
    )


def _per_server(
    case: FleetCase, key: str, label: str, figure: Figure | None, name: str
) -> LedgerLine | None:
    if figure is None:
        return None
    return case.line(
        key,
        label,
        "network" if key == "network" else "capex",
        start=case.bought * case.amount(figure),
        formula=f"servers bought x {name}",
        reference="F6",
        terms=(bought_term(case), Term.of(name, figure)),
    )


def bought_term(case: FleetCase) -> Term:
    return computed(
        "servers bought",
        mean(np.sum(case.bought, axis=-1)),
        "servers",
        case.result.status,
        "sizing (P8)",
    )


def price_status(case: FleetCase) -> Status:
    price = server_price(case)
    return price.status if price else Status.ASSUMED
