"""Which options can be drawn at all."""

from __future__ import annotations

from tco.cost.ledger import OptionCase, build_ledger


def is_priced(case: OptionCase) -> bool:
    """Whether the option has every price and a size for every fleet."""
    sized = all(one.result.feasible or one.fleet.count is not None for one in case.fleets)
    return sized and bool(case.fleets) and build_ledger(case).complete
