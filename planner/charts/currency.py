"""The currency that a stored result is in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def currency_of(result: Mapping[str, Any]) -> str:
    """Return the code; results stored before there were others are in US dollars.

    >>> currency_of({"currency": {"code": "EUR"}}), currency_of({})
    ('EUR', 'USD')
    """
    return str(result.get("currency", {}).get("code", "USD"))


def decimals_of(result: Mapping[str, Any]) -> int:
    """Return the digits behind the point of its smallest coin.

    >>> decimals_of({"currency": {"code": "JPY", "decimals": 0}}), decimals_of({})
    (0, 2)
    """
    return int(result.get("currency", {}).get("decimals", 2))
