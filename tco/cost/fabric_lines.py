"""Lines of networks and the shared store: switches, modules, cables, licences, servers (F7.3).

Counted switch by switch for the servers of each month, so that a network grows with its fleet; what
leaves service after a life is bought again with the servers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from tco.cost.case import FleetCase, computed, life_months, with_replacements
from tco.cost.columns import mean, months_with, once
from tco.cost.finance import FloatArray
from tco.inputs import ROLES, Fabric, Figure, Status
from tco.network.bill import Parts, parts_of
from tco.results import LedgerLine, Term
from tco.units import MONTHS_PER_YEAR

Count = Callable[[Parts], int]
# what is bought: key, words, count, its price, and why it may not be left out
_BOUGHT: tuple[tuple[str, str, Count, str], ...] = (
    ("network_switches", "switches", lambda parts: parts.switches, "switch"),
    ("network_modules", "optical modules", lambda parts: parts.modules, "module_usd"),
    ("network_fibre", "fibre cables", lambda parts: parts.fibres, "fibre_usd"),
    ("network_copper", "copper cables", lambda parts: parts.coppers, "copper_usd"),
)
_INSIDE = frozenset({"fibre_usd"})  # left out: inside the price of the modules
CAPITAL = frozenset(
    {*(f"{key}_{role}" for key, *_ in _BOUGHT for role in ROLES), "storage_servers"}
)
RUNNING = frozenset(
    {
        *(f"network_licences_{role}" for role in ROLES),
        *(f"network_support_{role}" for role in ROLES),
        "storage_support",
    }
)
_WORDS = {"front": "front", "storage": "storage", "scale_out": "scale-out"}


def infrastructure_lines(case: FleetCase) -> list[LedgerLine]:
    """Lines of every network of a fleet, and of its store."""
    if not case.fleet.owned:
        return []
    lines = [line for fabric in case.fleet.fabrics for line in _fabric(case, fabric)]
    return [*lines, *_store(case)]


def _fabric(case: FleetCase, fabric: Fabric) -> Iterator[LedgerLine]:
    name = f"Network, {_WORDS[fabric.role]}"
    for key, words, count, priced in _BOUGHT:
        figure = _price(fabric, priced)
        held = counted(case, fabric, count)
        if not np.any(held) or (figure is None and priced in _INSIDE):
            continue
        terms = [_held(words, held)]
        start = None
        if figure is not None:
            terms.append(Term.of(f"price of {_one(words)}", figure))
            bought = with_replacements(np.diff(held, prepend=0.0), life_months(case.fleet))
            start = bought * case.amount(figure)
        yield case.line(
            f"{key}_{fabric.role}",
            f"{name}: {words}",
            "network",
            start=start,
            formula=f"{words} x price, counted for the servers of each month",
            reference="F7.3",
            terms=terms,
            missing="" if figure is not None else f"no price is known for {_one(words)}",
        )
    yield from _yearly(case, fabric, name)


def _price(fabric: Fabric, priced: str) -> Figure | None:
    if priced == "switch":
        return fabric.switch.price_usd if fabric.switch else None
    figure: Figure | None = getattr(fabric, priced)
    return figure


def _yearly(case: FleetCase, fabric: Fabric, name: str) -> Iterator[LedgerLine]:
    switches = counted(case, fabric, lambda parts: parts.switches)
    licence, share = fabric.licence_usd_per_switch_year, fabric.support_fraction_per_year
    rate = case.calendar.finance.opex_escalation_fraction
    if licence is not None and np.any(switches):
        terms = [_held("switches", switches), Term.of("licence of a switch a year", licence)]
        if rate is not None:
            terms.append(Term.of("escalation of running costs", rate))
        yield case.line(
            f"network_licences_{fabric.role}",
            f"{name}: licences",
            "software",
            end=switches
            * case.amount(licence)
            / MONTHS_PER_YEAR
            * case.calendar.escalation(licence, rate),
            formula="switches x USD a year / 12 x escalation",
            reference="F7.3",
            terms=terms,
        )
    price = _price(fabric, "switch")
    if share is not None and not share.is_zero and np.any(switches):
        yield _support(
            case, f"network_support_{fabric.role}", f"{name}: support", switches, price, share
        )


def _support(
    case: FleetCase,
    key: str,
    label: str,
    held: FloatArray,
    price: Figure | None,
    share: Figure,
) -> LedgerLine:
    terms = [_held("units in service", held), Term.of("support share a year", share)]
    end = None
    if price is not None:
        terms.insert(1, Term.of("price", price))
        end = held * case.amount(price) * share.value / MONTHS_PER_YEAR
    return case.line(
        key,
        label,
        "software",
        end=end,
        formula="units x price x support share / 12",
        reference="F7.3",
        terms=terms,
        missing="" if price is not None else "it is a share of a price that is not known",
    )


def _store(case: FleetCase) -> Iterator[LedgerLine]:
    found, store = case.store, case.fleet.store
    if found is None or store is None:
        return
    months = months_with(case.servers)
    if not months:
        return
    held = np.zeros(case.months)
    held[months[0] :] = found.servers
    price = store.server_usd
    terms = [
        Term("storage servers", float(found.servers), "servers", found.status, found.binds),
    ]
    start = None
    if price is not None:
        terms.append(Term.of("price of a storage server", price))
        first = once(case.months, months[0], found.servers * case.amount(price))
        start = with_replacements(first, life_months(case.fleet))
    yield case.line(
        "storage_servers",
        "Shared storage",
        "storage",
        start=start,
        formula="storage servers x price",
        reference="P12",
        terms=terms,
        missing="" if price is not None else "no price is known for a storage server",
    )
    share = store.support_fraction_per_year
    if share is not None and not share.is_zero:
        yield _support(
            case, "storage_support", "Shared storage: support", held, store.server_usd, share
        )


def counted(case: FleetCase, fabric: Fabric, count: Count) -> FloatArray:
    """Parts in service by month, for the servers of each; also over draws of the servers."""
    servers = np.ceil(np.maximum.accumulate(case.servers, axis=-1) - 1e-9).astype(np.int64)
    sizes, place = np.unique(servers, return_inverse=True)
    table = np.array([count(parts_of(fabric, int(size))) for size in sizes], dtype=np.float64)
    held = table[place].reshape(servers.shape)
    kept: FloatArray = np.maximum.accumulate(held, axis=-1)
    return kept


def _held(words: str, held: FloatArray) -> Term:
    return computed(
        f"{words}, last month", mean(held[..., -1]), "pieces", Status.ESTIMATED, "layout (F7.2)"
    )


def _one(words: str) -> str:
    """The singular with its article: ``optical modules`` is ``an optical module``."""
    one = words.removesuffix("es") if words.endswith("ches") else words.removesuffix("s")
    return f"{'an' if one[0] in 'aeiou' else 'a'} {one}"
