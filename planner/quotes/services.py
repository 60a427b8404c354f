"""Levelling of quotes with the rates of an organisation's catalog; nothing is stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planner.scenarios.to_engine import catalog_of
from tco.document.quotes_levelled import Ranking, own_rate, ranked
from tco.errors import InputError

if TYPE_CHECKING:
    from accounts.models import Organisation

MOST = 6  # quotes side by side


def quotes_levelled(
    *,
    organisation: Organisation,
    tables: Sequence[tuple[str, str]],
    scope: str = "",
    currency: str = "USD",
    day: str = "",
    rates: Sequence[str] = (),
) -> Ranking:
    """Return quotes ranked at equal scope.

    Raises
    ------
    tco.errors.InputError, tco.errors.InputErrors
        Fewer than two or more than six tables; see `tco.document.quotes_levelled.ranked`.
    """
    if not 2 <= len(tables) <= MOST:
        message = f"{len(tables)} quotes cannot be compared"
        raise InputError("quotes", message, f"send two to {MOST}")
    return ranked(
        tables,
        scope or None,
        currency=currency,
        day=day,
        own_rates=[own_rate(text, day) for text in rates],
        catalog_rates=catalog_of(organisation).exchange_rates(),
    )
