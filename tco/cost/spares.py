"""Spares and repairs: how many are kept, what failures cost (F10.1 to F10.3)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import pdtr

from tco.cost.case import FleetCase, computed, life_months, status_of
from tco.cost.columns import blank, last, mean, months_with
from tco.cost.finance import FloatArray
from tco.cost.owned import financing, net_price_usd, price_status
from tco.errors import InputError
from tco.inputs import Failures, SupportContract
from tco.results import LedgerLine, Term
from tco.units import HOURS_PER_YEAR, MONTHS_PER_YEAR

MOST_SPARES = 1_000_000  # beyond it a rate or a lead time was mistyped


def spares_needed(expected: Any, service_level_fraction: Any) -> FloatArray:
    """Least s with Poisson CDF(s; expected failures in the lead time) >= service level (F10.2).

    Parameters
    ----------
    expected
        Devices x failures a year x lead months / 12; nothing expected needs no spare.
    service_level_fraction
        0 to below 1.

    Examples
    --------
    >>> spares_needed(2.0, 0.95).tolist(), spares_needed(0.0, 0.99).tolist()
    (5.0, 0.0)
    """
    level = np.asarray(service_level_fraction, dtype=np.float64)
    if np.any(level < 0.0) or np.any(level >= 1.0):
        raise InputError(
            "service_level_fraction",
            f"{mean(level):g} is not in 0 to below 1",
            "no stock of spares serves every case: enter 0.99",
        )
    rate = np.asarray(expected, dtype=np.float64)
    if np.any(rate < 0.0) or np.any(rate > MOST_SPARES):
        raise InputError(
            "failures", f"{np.max(np.abs(rate)):g} failures in the lead time", "check rate and lead"
        )
    rate, level = np.broadcast_arrays(rate, level)
    # bisection over whole numbers: the CDF rises with s
    low = np.full(rate.shape, -1.0)
    high = np.ceil(rate + 10.0 * np.sqrt(rate) + 20.0)
    while np.any(high - low > 1.0):
        middle = np.floor((low + high) / 2.0)
        enough = pdtr(np.maximum(middle, 0.0), rate) >= level
        high = np.where(enough & (high - low > 1.0), middle, high)
        low = np.where(~enough & (high - low > 1.0), middle, low)
    return np.asarray(np.where((rate <= 0.0) | (level <= 0.0), 0.0, high))


def spares(case: FleetCase) -> LedgerLine | None:
    """Spare devices, bought as the fleet grows (F10.2)."""
    given = _failures(case)
    if given is None or given.service_level_fraction.is_zero:
        return None
    formula = (
        "least s with Poisson CDF(s; devices x failures a year x lead / 12) >= service level,"
        " x price of a part"
    )
    part = _part_usd(case, given)
    if part is None:
        return _told(case, "spares", "Spare devices", "capex", formula, given)
    devices = case.servers * case.devices_per_server
    lead, lead_term = _lead_years(case, given)
    due = devices * given.afr_per_year.value * lead
    kept = np.maximum.accumulate(
        np.atleast_1d(spares_needed(due, given.service_level_fraction.value)), axis=-1
    )
    kept = np.where(case.servers > 0, kept, 0.0) if case.months else kept
    return case.line(
        "spares",
        "Spare devices",
        "capex",
        start=np.diff(kept, prepend=0.0, axis=-1) * part,
        formula=formula,
        reference="F10.2",
        terms=(
            computed("spares kept", last(kept), "devices", case.result.status, "Poisson (F10.2)"),
            case.servers_term(),
            Term.of("failures of a device a year", given.afr_per_year),
            lead_term,
            Term.of("service level", given.service_level_fraction),
            *_part_terms(case, given),
        ),
    )


def repairs(case: FleetCase) -> LedgerLine | None:
    """Failures of each month x labour, and parts once the warranty is over (F10.1, F10.3)."""
    given = _failures(case)
    if given is None or not case.months:
        return None
    formula = "devices x failures a year / 12 x (labour, and the part after the warranty)"
    contract = _contract(case)
    free = contract is not None and contract.parts_included
    part = 0.0 if free else _part_usd(case, given)
    if part is None:
        return _told(case, "repairs", "Repairs", "maintenance", formula, given)
    labour = case.amount(given.labour_usd_per_failure)
    rate = given.afr_per_year.value / MONTHS_PER_YEAR * case.devices_per_server
    late, life = blank(case.months, case.servers), life_months(case.fleet)
    for month in months_with(case.bought):
        over = month + given.warranty_months
        if over < month + life:
            late[..., over : month + life] += case.bought[..., month : month + 1]
    return case.line(
        "repairs",
        "Repairs",
        "maintenance",
        end=rate * (case.servers * labour + late * part),
        formula=formula,
        reference="F10.1, F10.3",
        terms=(
            case.servers_term(),
            computed(
                "servers past their warranty, last month",
                last(late),
                "servers",
                case.result.status,
                f"warranty of {given.warranty_months} months",
            ),
            Term.of("failures of a device a year", given.afr_per_year),
            Term.of("labour of a repair", given.labour_usd_per_failure),
            *([] if free else _part_terms(case, given)),
        ),
    )


def _failures(case: FleetCase) -> Failures | None:
    """The fleet's failures; a service repairs its own."""
    if case.fleet.purchase is None or financing(case).kind == "as_a_service":
        return None
    return case.fleet.purchase.failures


def _contract(case: FleetCase) -> SupportContract | None:
    given = case.fleet.availability
    return given.bought_contract if given is not None else None


def _lead_years(case: FleetCase, given: Failures) -> tuple[Any, Term]:
    """Time until a part is there: what the support contract promises, else as ordered."""
    contract = _contract(case)
    if contract is None:
        term = Term.of("lead time of a part", given.lead_months)
        return given.lead_months.value / MONTHS_PER_YEAR, term
    hours = contract.response_hours.value + np.asarray(contract.parts_hours.value)
    status = status_of((contract.response_hours.status, contract.parts_hours.status))
    term = computed("part at hand after", hours, "h", status, f"contract {contract.key} (F8)")
    return hours / HOURS_PER_YEAR, term


def _part_usd(case: FleetCase, given: Failures) -> Any:
    if given.part_usd is not None:
        return case.amount(given.part_usd)
    net = net_price_usd(case)
    if net is None or given.part_share_fraction is None:
        return None
    return net * given.part_share_fraction.value / max(1, case.devices_per_server)


def _part_terms(case: FleetCase, given: Failures) -> list[Term]:
    if given.part_usd is not None:
        return [Term.of("price of a part", given.part_usd)]
    terms: list[Term] = []
    net = net_price_usd(case)
    if net is not None:
        status = price_status(case)
        terms.append(computed("price paid for a server", net, "USD", status, "list less discount"))
    if given.part_share_fraction is not None:
        terms.append(Term.of("share of the devices in it", given.part_share_fraction))
    return terms


def _told(
    case: FleetCase, key: str, label: str, category: str, formula: str, given: Failures
) -> LedgerLine:
    return case.line(
        key,
        label,
        category,
        formula=formula,
        reference="F10",
        terms=(Term.of("failures of a device a year", given.afr_per_year),),
        missing="the price of a part is a share of the server price, which is not known",
    )
