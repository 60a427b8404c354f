"""What counts as an asset, and when it is placed in service: the basis of depreciation (F12.6).

Cash leaves by the terms of payment; an asset is there when it serves. Both add up to the same.
"""

from __future__ import annotations

import numpy as np

from tco.cost import cooling_lines, fabric_lines
from tco.cost.case import FleetCase
from tco.cost.finance import FloatArray
from tco.cost.owned import price_paid
from tco.results import LedgerLine

# Lines whose amounts are written off over a life, not spent at once.
CAPITALISED = frozenset(
    {
        *("servers", "duty", "freight", "sales_tax", "lease_buyout", "network", "integration"),
        *("racks", "spares", "facility_build", "facility_stranded", "colocation_install"),
        *("redundancy", "second_site"),
        "canary_servers",
        *fabric_lines.CAPITAL,
        *cooling_lines.CAPITAL,
    }
)
# Debt: money that came and goes back. It is no cost, its interest is.
DEBT = frozenset({"loan_drawn", "loan_principal"})


def placed_usd(case: FleetCase | None, line: LedgerLine) -> FloatArray:
    """Cost of a capitalised line by the month it is placed in service.

    Instalments change when the price of servers is paid, not when they serve; every other line is
    paid when what it buys is there.
    """
    purchase = case.fleet.purchase if case is not None else None
    if case is not None and line.key == "servers" and purchase is not None and purchase.instalments:
        price = price_paid(case)
        if price is not None:
            return np.asarray(case.bought * price)
    paid: FloatArray = np.asarray(line.start_usd) + np.asarray(line.end_usd)
    return paid
