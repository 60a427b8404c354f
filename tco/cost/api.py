"""Lines of a model served by its provider and priced by token (F13.9)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tco.cost.case import FleetCase, computed
from tco.cost.columns import mean
from tco.cost.finance import FloatArray
from tco.cost.unserved import requests_per_s, unserved_requests
from tco.inputs import Api, Figure
from tco.results import LedgerLine, Term
from tco.units import HOURS_PER_DAY, SECONDS_PER_HOUR, TOKENS_PER_MTOK


def input_tokens(case: FleetCase) -> LedgerLine | None:
    """Input that is not in the cache; all of it where the cache has no price of its own."""
    api, work = case.fleet.api, case.fleet.workload
    if api is None:
        return None
    fresh = 1.0
    if api.cached_input_usd_per_mtok is not None:
        fresh = 1.0 - _cached(case)
    return _line(case, api, "api_input", "input", work.input_tokens, fresh, api.input_usd_per_mtok)


def cached_input_tokens(case: FleetCase) -> LedgerLine | None:
    """Input found in the provider's prefix cache."""
    api, work = case.fleet.api, case.fleet.workload
    price = api.cached_input_usd_per_mtok if api is not None else None
    if api is None or price is None or work.cached_input_fraction is None:
        return None
    share = _cached(case)
    return _line(case, api, "api_cached_input", "cached input", work.input_tokens, share, price)


def output_tokens(case: FleetCase) -> LedgerLine | None:
    """Output, reasoning included."""
    api, work = case.fleet.api, case.fleet.workload
    if api is None:
        return None
    return _line(
        case, api, "api_output", "output", work.output_tokens, 1.0, api.output_usd_per_mtok
    )


def _cached(case: FleetCase) -> Any:
    found = case.fleet.workload.cached_input_fraction
    return 0.0 if found is None else found.value


def _line(
    case: FleetCase, api: Api, key: str, words: str, each: Figure, share: Any, price: Figure
) -> LedgerLine:
    shape = case.fleet.workload.daily_shape or (1.0,) * int(HOURS_PER_DAY)
    seconds = case.calendar.hours * SECONDS_PER_HOUR
    requests = requests_per_s(case, math.fsum(shape) / len(shape)) * seconds
    left = unserved_requests(case)
    if left is not None:
        requests = requests - left
    mtok = requests * each.value * share / TOKENS_PER_MTOK
    change = api.price_change_fraction_per_year
    usd: FloatArray | float = case.amount(price)
    formula = f"million {words} tokens x USD/Mtok"
    terms = [
        Term.of(f"{words} tokens of a request", each),
        computed(
            f"million {words} tokens",
            mean(np.sum(mtok, axis=-1)),
            "Mtok",
            each.status,
            "requests served x tokens",
        ),
        Term.of(f"price of {words}", price),
    ]
    if change is not None:
        usd = usd * case.calendar.escalation(price, change)
        formula += " x price path"
        terms.append(Term.of("price change a year", change))
    return case.line(
        key,
        f"{api.provider} API, {words} tokens",
        "cloud",
        end=mtok * usd,
        formula=formula,
        reference="F13.9",
        terms=terms,
    )
