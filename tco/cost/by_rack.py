"""What a rack costs: the ledger's lines of the fleet that stands in it, by server (F22)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tco.cost.finance import present_value_usd
from tco.inputs import Fleet, Option
from tco.results import Ledger, RackCost, RackLayout
from tco.results.accounting import AccountingViews


def priced_racks(
    layouts: Sequence[RackLayout],
    ledger: Ledger,
    views: AccountingViews,
    option: Option,
) -> tuple[RackLayout, ...]:
    """Return the layouts with what a full rack of each costs.

    A rack has its servers' share of every line of its fleet. Over all racks, the last one with
    fewer servers, the shares sum to the fleet's lines: nothing is counted twice or left over.

    Parameters
    ----------
    ledger, views
        Of the option: present values from the ledger, depreciation from the P&L.
    """
    funding = {fleet.key: _funding(fleet) for fleet in option.fleets}
    return tuple(_priced(layout, ledger, views, funding) for layout in layouts)


def _funding(fleet: Fleet) -> str:
    """Return how the servers of a fleet are paid for."""
    terms = fleet.purchase.financing if fleet.purchase is not None else None
    return terms.kind if terms is not None else "cash"


def servers_in(layout: RackLayout) -> int:
    """Servers of all racks of a layout."""
    if not layout.racks:
        return 0
    return (layout.racks - 1) * layout.servers_per_rack + layout.servers_in_last_rack


def _priced(
    layout: RackLayout, ledger: Ledger, views: AccountingViews, funding: Mapping[str, str]
) -> RackLayout:
    servers = servers_in(layout)
    own = [line for line in ledger.lines if line.fleet == layout.fleet]
    if not servers or any(line.missing for line in own):
        return layout
    share = layout.servers_per_rack / servers
    by_class: dict[str, list[float]] = {}
    for line in own:
        usd = present_value_usd(line.start_usd, line.end_usd, ledger.monthly_rate_fraction)
        by_class.setdefault(line.category, []).append(usd)
    sums = {name: math.fsum(amounts) * share for name, amounts in by_class.items()}
    written_off = math.fsum(
        row.total_usd
        for row in views.pnl
        if row.fleet == layout.fleet and row.kind == "depreciation"
    )
    cost = RackCost(
        total_usd=math.fsum(sums.values()),
        classes=tuple(sums.items()),
        depreciation_usd=written_off * share,
        funding=funding.get(layout.fleet, "cash"),
    )
    return replace(layout, cost=cost)
