"""The reporting currency in every unit and sentence of a projection (F0.6)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from tco.inputs import BASE
from tco.results import Crossing, Explained, Finding, Ledger, LedgerLine, Projection, Term


def in_currency(text: str, currency: str, names: Iterable[str] = ()) -> str:
    """Return a unit or sentence with the unit of account called by its code.

    `names` are people's own and stay as they are.

    Examples
    --------
    >>> in_currency("USD/kWh", "EUR"), in_currency("USD pool costs 3 k USD", "EUR", ["USD pool"])
    ('EUR/kWh', 'USD pool costs 3 k EUR')
    """
    if currency == BASE or BASE not in text:
        return text
    own = sorted((re.escape(name) for name in names if BASE in name), key=len, reverse=True)
    pattern = "|".join([*(f"(?:{name})" for name in own), rf"\b{BASE}\b"])
    return re.sub(pattern, lambda found: currency if found[0] == BASE else found[0], text)


def named(projection: Projection, names: Iterable[str]) -> Projection:
    """Return the projection with its reporting currency wherever the engine writes USD.

    Sources and mends stay: they quote others, or speak of a field whose own unit is the dollar.
    """
    currency, own = projection.currency, tuple(names)
    if currency == BASE:
        return projection

    def text(value: str) -> str:
        return in_currency(value, currency, own)

    def terms(listed: tuple[Term, ...]) -> tuple[Term, ...]:
        return tuple(replace(x, name=text(x.name), unit=text(x.unit)) for x in listed)

    def kpi(found: Explained) -> Explained:
        return replace(
            found,
            label=text(found.label),
            unit=text(found.unit),
            formula=text(found.formula),
            reason=text(found.reason),
            terms=terms(found.terms),
        )

    def line(found: LedgerLine) -> LedgerLine:
        formula, missing = text(found.formula), text(found.missing)
        return replace(found, formula=formula, missing=missing, terms=terms(found.terms))

    def ledger(found: Ledger) -> Ledger:
        return replace(found, lines=tuple(line(item) for item in found.lines))

    def crossing(found: Crossing) -> Crossing:
        return replace(
            found, unit=text(found.unit), sentence=text(found.sentence), terms=terms(found.terms)
        )

    def finding(found: Finding) -> Finding:
        return replace(found, message=text(found.message))

    return replace(
        projection,
        verdict=text(projection.verdict),
        options=tuple(
            replace(
                option,
                kpis={key: kpi(found) for key, found in option.kpis.items()},
                ledger=ledger(option.ledger),
                zones=option.zones and replace(option.zones, sentence=text(option.zones.sentence)),
            )
            for option in projection.options
        ),
        findings=tuple(finding(found) for found in projection.findings),
        crossings=tuple(crossing(found) for found in projection.crossings),
        conventions=terms(projection.conventions),
        figures=terms(projection.figures),
    )
