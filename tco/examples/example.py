"""A worked example as data, and how it is read (the document of `tco examples`)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from typing import Any

from tco.errors import InputError, InputErrors

Value = Any  # a number, a text, a truth value, or (nested) lists of them


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value with its unit as written."""

    value: Value
    unit: str


@dataclass(frozen=True, slots=True)
class Expected:
    """A published result and how near ours must come, relative, absolute or either."""

    value: Value
    unit: str
    relative_fraction: float
    absolute: Value


@dataclass(frozen=True, slots=True)
class Example:
    """One example."""

    id: str
    title: str
    kind: str
    formula: str
    inputs: Mapping[str, Quantity]
    expected: Mapping[str, Expected]
    source: str
    notes: str

    @property
    def formulas(self) -> tuple[str, ...]:
        """Numbers of the formulas, as in ``F5.1,F12.2``."""
        return tuple(part.strip() for part in self.formula.split(",") if part.strip())

    @property
    def path(self) -> str:
        """Where its errors point."""
        return f"examples[{self.id}]"


def read_examples(
    document: Mapping[str, Any], others: Iterable[Example] = ()
) -> tuple[Example, ...]:
    """Return the examples of a document; those that refer to others are filled from them.

    Parameters
    ----------
    document
        ``examples`` with a list of them.
    others
        Examples that may be referred to and are not of this document.

    Raises
    ------
    InputErrors
        Everything that cannot be read, each with its place, value and mend.
    """
    entries = document.get("examples")
    if not isinstance(entries, list) or not entries:
        raise InputError("examples", "is not a list with examples in it", "start with examples: [")
    errors: list[InputError] = []
    found: dict[str, Example] = {}
    for index, entry in enumerate(entries):
        try:
            one = _example(entry, index)
            if one.id in found:
                raise InputError(f"examples[{index}].id", f"{one.id!r} is there twice", "rename it")
            found[one.id] = one
        except InputErrors as several:
            errors.extend(several.errors)
        except InputError as error:
            errors.append(error)
    known = {**{other.id: other for other in others}, **found}
    filled: list[Example] = []
    for one in found.values():
        try:
            filled.append(_filled(one, known, ()))
        except InputError as error:
            errors.append(error)
    if errors:
        raise InputErrors(tuple(errors))
    return tuple(filled)


@lru_cache(maxsize=1)
def shipped_examples() -> tuple[Example, ...]:
    """Return the examples that come with the project."""
    text = resources.files("tco.examples").joinpath("tables/worked_examples.json")
    return read_examples(json.loads(text.read_text("utf-8")))


def _example(entry: Any, index: int) -> Example:
    path = f"examples[{index}]"
    if not isinstance(entry, dict):
        raise InputError(path, f"{entry!r} is not a mapping", "give id, formula, inputs, expected")
    texts = {
        key: _text(entry, key, path, needed=key in ("id", "formula"))
        for key in ("id", "title", "kind", "formula", "source", "notes")
    }
    path = f"examples[{texts['id']}]"
    inputs = {
        name: Quantity(_value(raw, f"{path}.inputs.{name}"), _unit(raw, f"{path}.inputs.{name}"))
        for name, raw in _members(entry, "inputs", path)
    }
    expected = {
        name: _expected(raw, f"{path}.expected.{name}")
        for name, raw in _members(entry, "expected", path)
    }
    return Example(inputs=inputs, expected=expected, **texts)


def _text(entry: Mapping[str, Any], key: str, path: str, *, needed: bool) -> str:
    text = entry.get(key, "")
    if not isinstance(text, str) or (needed and not text.strip()):
        raise InputError(f"{path}.{key}", f"{text!r} is no text", f"give the {key}")
    return text.strip()


def _members(entry: Mapping[str, Any], key: str, path: str) -> Iterable[tuple[str, Any]]:
    members = entry.get(key)
    if not isinstance(members, dict) or not members:
        raise InputError(f"{path}.{key}", f"{members!r} is no mapping of names", f"give {key}")
    return members.items()


def _value(raw: Any, path: str) -> Value:
    if not isinstance(raw, dict) or raw.get("value") is None:
        raise InputError(path, f"{raw!r} has no value", "write {value: 1.5, unit: USD/h}")
    _check_finite(raw["value"], path)
    return raw["value"]


def _check_finite(value: Value, path: str) -> None:
    if isinstance(value, list):
        for index, each in enumerate(value):
            _check_finite(each, f"{path}[{index}]")
    elif isinstance(value, dict) or value is None:
        raise InputError(path, f"{value!r} is no number, text or list", "enter a number")
    elif isinstance(value, float) and not math.isfinite(value):
        raise InputError(path, f"{value} is not a finite number", "enter a number")


def _unit(raw: Mapping[str, Any], path: str) -> str:
    unit = raw.get("unit")
    if not isinstance(unit, str) or not unit.strip():
        raise InputError(f"{path}.unit", f"{unit!r} is no unit", "write a unit such as USD/h")
    return unit.strip()


def _expected(raw: Any, path: str) -> Expected:
    value, unit = _value(raw, path), _unit(raw, path)
    tolerance = raw.get("tolerance")
    if not isinstance(tolerance, dict) or not tolerance.keys() & {"rel", "abs"}:
        raise InputError(f"{path}.tolerance", f"{tolerance!r} is none", "write {rel: 0.001}")
    for key, number in tolerance.items():
        good = isinstance(number, int | float) and not isinstance(number, bool)
        if key not in ("rel", "abs") or not good or not 0 <= number < math.inf:
            raise InputError(
                f"{path}.tolerance.{key}", f"{number!r} is no tolerance", "write rel or abs, 0 up"
            )
    return Expected(value, unit, float(tolerance.get("rel", 0)), float(tolerance.get("abs", 0)))


def _filled(one: Example, known: Mapping[str, Example], behind: tuple[str, ...]) -> Example:
    """The example with the inputs of the one that it names as its base, its own going first."""
    base = one.inputs.get("as")
    if base is None or base.unit != "ref":
        return one
    field = f"{one.path}.inputs.as"
    if not isinstance(base.value, str):
        raise InputError(field, f"{base.value!r} is no id", "name another example")
    if base.value == one.id or base.value in behind:
        raise InputError(field, f"{base.value!r} leads back to itself", "name another example")
    other = known.get(base.value)
    if other is None:
        raise InputError(field, f"there is no example {base.value!r}", "name one of this file")
    other = _filled(other, known, (*behind, one.id))
    own = {name: quantity for name, quantity in one.inputs.items() if name != "as"}
    return replace(one, inputs={**other.inputs, **own})
