"""Lines of bought hardware: servers, network, integration, racks, residual (F6, F11)."""

from __future__ import annotations

import numpy as np

from tco.cost.case import FleetCase, computed, life_months
from tco.cost.columns import blank, last, mean, months_with
from tco.inputs import Figure, Status
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


def servers(case: FleetCase) -> LedgerLine | None:
    """Servers bought at the start of the month they are needed in (F6)."""
    price, net = server_price(case), net_price_usd(case)
    formula = "servers bought x list price x (1 - discount)"
    if price is None or net is None:
        name = case.fleet.server.name if case.fleet.server else case.fleet.name
        return case.line(
            "servers",
            "Servers",
            "capex",
            formula=formula,
            reference="F6",
            terms=(_bought(case),),
            missing=f"no price is known for {name}",
        )
    terms = [_bought(case), Term.of("list price of a server", price)]
    if case.fleet.purchase:
        terms.append(Term.of("discount", case.fleet.purchase.discount_fraction))
    return case.line(
        "servers",
        "Servers",
        "capex",
        start=case.bought * net,
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
    purchase, net = case.fleet.purchase, net_price_usd(case)
    rho = purchase.residual_fraction if purchase else None
    if rho is None or net is None or not np.any(np.greater(rho.value, 0.0)):
        return None
    life = life_months(case.fleet)
    end = blank(case.months, case.bought, net, rho.value)
    for month in months_with(case.bought):
        sold = min(month + life, case.months)
        cohort = case.bought[..., month : month + 1]
        end[..., sold - 1 : sold] -= cohort * net * rho.value ** ((sold - month) / life)
    return case.line(
        "residual",
        "Resale",
        "residual",
        end=end,
        formula="- servers x price paid x residual^(age / life), at the end of life or horizon",
        reference="F11",
        terms=(
            _bought(case),
            computed("price paid for a server", net, "USD", _price_status(case), "this line (F6)"),
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
        terms=(_bought(case), Term.of(name, figure)),
    )


def _bought(case: FleetCase) -> Term:
    return computed(
        "servers bought",
        mean(np.sum(case.bought, axis=-1)),
        "servers",
        case.result.status,
        "sizing (P8)",
    )


def _price_status(case: FleetCase) -> Status:
    price = server_price(case)
    return price.status if price else Status.ASSUMED
