"""A drawn scenario with its projection, variants of it, and the shortest one that still fails."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from typing import Any

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.cost.case import Calendar
from tco.cost.ledger import OptionCase, build_ledger
from tco.document import parse, resolve
from tco.errors import InputErrors
from tco.inputs import Figure, ScenarioInputs
from tco.projection import project
from tco.results import Ledger, LedgerLine, OptionResult, Projection
from tests.generated.documents import scenario_document, text_of
from tests.generated.purchases import Mapping

CATALOG = SeedCatalog()
Check = Callable[["Drawn"], Iterator[str]]  # what is wrong, in words; nothing where it holds
MOST_TRIES = 400


@dataclass(frozen=True)
class Drawn:
    """A document as a person would save it, read back, resolved and projected."""

    document: Mapping
    seed: int

    @classmethod
    def of(cls, seed: int) -> Drawn:
        """The scenario of a seed."""
        return cls(scenario_document(seed), seed)

    @cached_property
    def inputs(self) -> ScenarioInputs:
        """Through text, parser and resolver."""
        return resolve(parse(text_of(self.document, self.seed)), CATALOG)

    @cached_property
    def projection(self) -> Projection:
        """All of it."""
        return project(self.inputs)

    def changed(self, change: Callable[[Mapping], Any]) -> Drawn:
        """The same with one change to the document."""
        document = copy.deepcopy(self.document)
        change(document)
        return Drawn(document, self.seed | 1)  # as JSON, which is read faster

    def alone(self, index: int) -> Drawn:
        """One of its options."""
        return self.changed(lambda document: document.update(options=[document["options"][index]]))


def ledger_of(inputs: ScenarioInputs, index: int, sized: Projection) -> Ledger:
    """Ledger of one option of inputs that differ in money alone, on the sizes of a projection."""
    found, calendar = sized.options[index], Calendar.of(inputs.finance)
    option = inputs.options[index]
    return build_ledger(OptionCase.of(option, calendar, found.fleets, found.power, found.racks))


def priced(inputs: ScenarioInputs, sized: Projection) -> list[Ledger]:
    """Ledgers of all options, so."""
    return [ledger_of(inputs, index, sized) for index in range(len(inputs.options))]


def whole(option: OptionResult) -> bool:
    """Whether every price is known and every fleet could be computed."""
    return option.complete and option.kpis["tco_usd"].value is not None


def lines_of(ledger: Ledger) -> dict[tuple[str, str, str], LedgerLine]:
    """Lines by fleet, key and label."""
    return {(line.fleet, line.key, line.label): line for line in ledger.lines}


def amounts(line: LedgerLine) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """What is paid, to the last bit."""
    return line.start_usd, line.end_usd


def times(factor: float) -> Callable[[Figure], Figure]:
    """A price multiplied, its range with it."""

    def changed(price: Figure) -> Figure:
        ends = {
            name: None if end is None else end * factor
            for name, end in (("low", price.low), ("high", price.high))
        }
        return replace(price, value=price.value * factor, **ends)

    return changed


def at_end(name: str) -> Callable[[Figure], Figure]:
    """A price at its low or high end, where it has one."""

    def changed(price: Figure) -> Figure:
        end = getattr(price, name)
        return price if end is None else replace(price, value=end)

    return changed


def every_price(value: Any, change: Callable[[Figure], Figure]) -> Any:
    """Inputs with every figure in USD changed, wherever it stands."""
    if isinstance(value, Figure):
        return change(value) if "USD" in value.unit else value
    if is_dataclass(value) and not isinstance(value, type):
        found = {field.name: getattr(value, field.name) for field in fields(value)}
        new = {name: every_price(each, change) for name, each in found.items()}
        moved = {name: each for name, each in new.items() if each is not found[name]}
        return replace(value, **moved) if moved else value
    if isinstance(value, tuple):
        moved_items = tuple(every_price(each, change) for each in value)
        same = all(a is b for a, b in zip(value, moved_items, strict=True))
        return value if same else moved_items
    return value


def problems(check: Check, drawn: Drawn) -> list[str]:
    """What a check finds; what it raises is a finding too."""
    try:
        return list(check(drawn))
    except InputErrors as errors:
        return [f"refused: {error}" for error in errors.errors]
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        return [f"raised {type(error).__name__}: {error}"]


def failure(check: Check, drawn: Drawn, found: list[str]) -> str:
    """Seed, what is wrong, and the shortest document found that has the same fault."""
    small = shrunk(check, drawn)
    text = json.dumps(small.document, indent=1)
    return f"seed {drawn.seed}: {found[0]}\nshrunk: {problems(check, small)[:1]}\n{text}"


def shrunk(check: Check, drawn: Drawn) -> Drawn:
    """Leave out what can be left out, part by part, while the check still fails."""
    tries = 0
    smaller = True
    while smaller and tries < MOST_TRIES:
        smaller = False
        for path in _parts(drawn.document):
            tries += 1
            candidate = drawn.changed(lambda document, path=path: _remove(document, path))
            if _still_fails(check, candidate):
                drawn, smaller = candidate, True
                break
            if tries >= MOST_TRIES:
                break
    return drawn


def _still_fails(check: Check, candidate: Drawn) -> bool:
    try:
        _ = candidate.inputs
    except InputErrors:
        return False
    return bool(problems(check, candidate))


def _parts(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of all members, outer ones first."""
    items: list[tuple[Any, Any]] = []
    if isinstance(document, dict):
        items = list(document.items())
    elif isinstance(document, list) and document and isinstance(document[0], dict):
        items = list(enumerate(document))
    own = [(*path, name) for name, _ in items]
    return own + [inner for name, each in items for inner in _parts(each, (*path, name))]


def _remove(document: Any, path: tuple[Any, ...]) -> None:
    for step in path[:-1]:
        document = document[step]
    del document[path[-1]]
