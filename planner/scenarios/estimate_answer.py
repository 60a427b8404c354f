"""The answer of the front page: the shortlist, projected."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from planner.charts.cards import Card, card
from planner.scenarios.catalog_cache import catalog_stamp, kept
from planner.scenarios.estimate import (
    HORIZON_MONTHS,
    OPTIONS_OF_A_SCENARIO,
    EstimateQuery,
    Excluded,
    estimate_document,
    owned_candidates,
    rented_candidates,
    without,
)
from planner.scenarios.to_engine import catalog_of
from tco.cost.finance import crf
from tco.document import resolve
from tco.errors import InputError, InputErrors
from tco.performance.dtypes import BYTES
from tco.projection import project

if TYPE_CHECKING:
    from hardware_catalog.to_engine import DatabaseCatalog
    from tco.results import OptionResult

SHOWN = 8
ANSWER_KPIS = (
    "tco_usd",
    "opex_usd_per_month",
    "usd_per_mtok_output",
    "ttft_ms",
    "tpot_ms",
    "servers",
    "peak_kw",
    "average_kw",
)
KEPT_ANSWERS = 64


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to buy or rent."""

    key: str
    name: str
    owned: bool
    best: bool
    usd_per_month: float  # level cost of the same present value (F12.4)
    range_usd_per_month: tuple[float, float] | None
    cards: dict[str, Card]
    evidence: str  # what the speed rests on (P13.1)


@dataclass(frozen=True, slots=True)
class Answer:
    """What to buy or rent, and what was left out."""

    verdict: str
    choices: tuple[Choice, ...]
    more: int  # choices that hold but are not shown
    excluded: tuple[Excluded, ...]
    document: dict[str, Any]  # the shortlist as a scenario
    figures: int
    unverified: int


def answer(query: EstimateQuery, *, valuation_date: str) -> Answer:
    """Return the answer to a query from the shared catalog alone.

    Raises
    ------
    tco.errors.InputErrors
        If the model or the region is unknown, the model cannot be sized, or a number is out of
        range; the fields are those of the query.
    """
    stamp = catalog_stamp()
    memory: OrderedDict[Any, Answer] = kept("answers", None, stamp, OrderedDict)
    key = (query, valuation_date)
    if key not in memory:
        memory[key] = _answer(query, valuation_date, catalog_of(None))
        while len(memory) > KEPT_ANSWERS:
            memory.popitem(last=False)
    return memory[key]


def answerable(kind: str, choices: Any) -> list[str]:
    """Return the names of models or regions that the front page can answer for."""
    stamp = catalog_stamp()
    memory: dict[str, list[str]] = kept("answerable", None, stamp, dict)
    if kind not in memory:
        catalog = catalog_of(None)
        names = []
        for name in choices.names(kind):
            key = choices.key(kind, name)
            if kind == "model":
                model = catalog.model(key)
                usable = model is not None and model.supported and model.kind == "decoder"
            else:
                region = catalog.region(key)
                usable = region is not None and region.energy_usd_per_kwh is not None
            if usable:
                names.append(name)
        memory[kind] = names
    return memory[kind]


def _answer(query: EstimateQuery, valuation_date: str, catalog: DatabaseCatalog) -> Answer:
    model, region = catalog.model(query.model), catalog.region(query.region)
    errors = []
    if model is None:
        errors.append(InputError("model", "the catalog has no such model", "pick one of the list"))
    elif not model.supported:
        errors.append(
            InputError("model", f"{model.name}: {model.why_unsupported}", "pick a language model")
        )
    elif model.kind != "decoder":
        errors.append(
            InputError("model", f"{model.name} reads text and writes none", "pick one that writes")
        )
    if region is None:
        errors.append(
            InputError("region", "the catalog has no such region", "pick one of the list")
        )
    elif region.energy_usd_per_kwh is None:
        errors.append(
            InputError(
                "region",
                f"the catalog has no electricity price for {region.name}",
                "pick another region, or sign in and enter the price in a scenario",
            )
        )
    if errors or model is None or region is None:
        raise InputErrors(tuple(errors))
    weights_gb = model.parameters_g.value * BYTES.get(model.native_dtype, 2.0)
    own = owned_candidates(catalog, valuation_date=valuation_date, weights_gb=weights_gb)
    rent = rented_candidates(catalog, country=region.country, weights_gb=weights_gb)
    document = estimate_document(
        query,
        options=own.options + rent.options,
        valuation_date=valuation_date,
        model_name=model.name,
        weight_dtype=model.native_dtype,
        region_name=region.name,
    )
    try:
        projection = project(resolve(document, catalog))
    except InputErrors as error:
        raise InputErrors(tuple(_of_query(item) for item in error.errors)) from error
    good = [o for o in projection.options if o.feasible and o.complete]
    good.sort(key=lambda option: option.kpis["tco_usd"].value or 0.0)
    shown = _shortlist(good)
    excluded = [*own.excluded, *rent.excluded]
    for option in projection.options:
        if option not in good:
            excluded.append(Excluded(option.name, _why_not(option)))
    kept_keys = _of_scenario(good)
    best = good[0].key if good else ""
    return Answer(
        verdict=_verdict(good),
        choices=tuple(_choice(option, best) for option in shown),
        more=len(good) - len(shown),
        excluded=tuple(excluded),
        document=without(document, kept_keys),
        figures=len(projection.figures),
        unverified=sum(1 for figure in projection.figures if not figure.verified),
    )


def _owned(option: OptionResult) -> bool:
    return all(fleet.owned for fleet in option.fleets)


def _shortlist(good: list[OptionResult]) -> list[OptionResult]:
    """The cheapest to own and the cheapest to rent, cheapest first."""
    own = [option for option in good if _owned(option)][: SHOWN // 2]
    rent = [option for option in good if not _owned(option)][: SHOWN // 2]
    return sorted(own + rent, key=lambda option: option.kpis["tco_usd"].value or 0.0)


def _of_scenario(good: list[OptionResult]) -> set[str]:
    """Keys of the options that a scenario opens with: as many to own as to rent."""
    half = OPTIONS_OF_A_SCENARIO // 2
    own = [option.key for option in good if _owned(option)]
    rent = [option.key for option in good if not _owned(option)]
    return {*own[:half], *rent[:half]}


def _why_not(option: OptionResult) -> str:
    if not option.complete:
        missing = [line.missing for line in option.ledger.lines if line.missing]
        if missing:
            return missing[0]
    return "; ".join(fleet.binds for fleet in option.fleets if fleet.binds)


def _verdict(good: list[OptionResult]) -> str:
    """The answer in one sentence."""
    if not good:
        return "Nothing in the catalog serves this load within the target."
    best = good[0]
    other = next((o for o in good if _owned(o) != _owned(best)), None)
    first = card(best.kpis["tco_usd"])
    servers = sum(fleet.servers for fleet in best.fleets)
    what = "server" if _owned(best) else "instance"
    text = f"{best.name}: {servers} {what}{'s' if servers != 1 else ''}, {first.value} USD"
    text += f" over {HORIZON_MONTHS // 12} years"
    if other is None:
        return f"{text}."
    second = card(other.kpis["tco_usd"])
    return f"{text}; {other.name} would cost {second.value} USD."


def _choice(option: OptionResult, best: str) -> Choice:
    total = option.kpis["tco_usd"].value or 0.0
    low, high = option.kpis["tco_usd"].low, option.kpis["tco_usd"].high
    known = low is not None and high is not None and low != high
    level = crf(option.ledger.monthly_rate_fraction, HORIZON_MONTHS)
    return Choice(
        key=option.key,
        name=option.name,
        owned=_owned(option),
        best=option.key == best,
        usd_per_month=total * level,
        range_usd_per_month=(((low or 0.0) * level, (high or 0.0) * level) if known else None),
        cards={key: card(option.kpis[key]) for key in ANSWER_KPIS if key in option.kpis},
        evidence="; ".join(dict.fromkeys(f.evidence for f in option.fleets if f.evidence)),
    )


# Fields of the document that come straight from the query.
_QUERY_FIELDS = {
    "requests_per_minute": "requests_per_minute",
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "limit_ms": "ttft_ms",
    "model": "model",
    "region": "region",
}


def _of_query(error: InputError) -> InputError:
    name = error.field.rpartition(".")[2]
    return InputError(_QUERY_FIELDS.get(name, error.field), error.message, error.mend)
