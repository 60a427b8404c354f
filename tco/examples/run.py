"""The one runner: each example's results by formula and name, held against the published ones."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from tco.errors import InputError
from tco.examples import capital, decisions, electricity, hardware, money, rented
from tco.examples.example import Example, Expected, Value
from tco.examples.given import Given
from tco.examples.sheet import Sheet, find_rule
from tco.examples.units import alike, convert_factor

SCHEMA = "tco-examples/1"
_LAST_BITS = 1e-9  # of a tolerance
SHEETS: tuple[Sheet, ...] = (
    *money.SHEETS,
    *capital.SHEETS,
    *rented.SHEETS,
    *electricity.SHEETS,
    *hardware.SHEETS,
    *decisions.SHEETS,
)


@dataclass(frozen=True, slots=True)
class Check:
    """One result: published, ours, and whether ours lies within the tolerance."""

    name: str
    expected: Expected
    ours: Value
    ok: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """One example, run."""

    example: Example
    topic: str
    checks: tuple[Check, ...]
    not_dispatched: tuple[str, ...] = ()
    errors: tuple[InputError, ...] = ()

    @property
    def ok(self) -> bool:
        """Every result was computed and lies within its tolerance."""
        return not self.not_dispatched and not self.errors and all(c.ok for c in self.checks)

    @property
    def failed(self) -> bool:
        """A result was computed and lies outside."""
        return any(not check.ok for check in self.checks)


@dataclass(frozen=True, slots=True)
class Report:
    """All examples of a file, run."""

    outcomes: tuple[Outcome, ...]

    @property
    def passed(self) -> int:
        """Examples with every result within its tolerance."""
        return sum(one.ok for one in self.outcomes)

    @property
    def failed(self) -> list[str]:
        """Ids of examples with a result outside its tolerance."""
        return [one.example.id for one in self.outcomes if one.failed]

    @property
    def not_dispatched(self) -> list[str]:
        """Ids of examples with a result that no formula here gives."""
        return [one.example.id for one in self.outcomes if one.not_dispatched]

    @property
    def errors(self) -> list[InputError]:
        """Inputs that cannot be used."""
        return [error for one in self.outcomes for error in one.errors]

    def summary(self) -> str:
        """The closing line.

        Examples
        --------
        >>> Report(()).summary()
        '0 passed, 0 failed'
        """
        parts = [f"{self.passed} passed, {len(self.failed)} failed"]
        if self.failed:
            parts[0] += f": {', '.join(self.failed)}"
        unusable = [one.example.id for one in self.outcomes if one.errors]
        for ids, words in ((self.not_dispatched, "not dispatched"), (unusable, "unusable")):
            if ids:
                parts.append(f"{len(ids)} {words}: {', '.join(ids)}")
        return "; ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data."""
        return {
            "schema": SCHEMA,
            "summary": self.summary(),
            "passed": self.passed,
            "failed": self.failed,
            "not_dispatched": self.not_dispatched,
            "examples": [_plain(one) for one in self.outcomes],
        }


def run_examples(examples: Iterable[Example]) -> Report:
    """Run examples and compare, each on its own: a bad one does not hide the others.

    Examples
    --------
    >>> from tco.examples.example import shipped_examples
    >>> run_examples(shipped_examples()).summary()
    '38 passed, 0 failed'
    """
    return Report(tuple(_run(one) for one in examples))


def within(expected: Expected, ours: Value) -> bool:
    """Whether a result is near enough, relative or absolute; lists one by one.

    Relative to the larger of the two, as `math.isclose` has it, so that it does not matter which
    of them was rounded. No tolerance at all wants equality.

    Examples
    --------
    >>> within(Expected([1.0, 2.0], "x", 0.01, 0.0), [1.005, 2.01])
    True
    >>> within(Expected([1.0, 2.0], "x", 0.01, 0.0), [1.0])
    False
    """
    if isinstance(expected.value, list):
        return (
            isinstance(ours, list)
            and len(ours) == len(expected.value)
            and all(
                within(replace(expected, value=one), each)
                for one, each in zip(expected.value, ours, strict=True)
            )
        )
    if isinstance(expected.value, bool) or isinstance(ours, bool):
        return expected.value is ours
    if not isinstance(expected.value, int | float) or not isinstance(ours, int | float):
        return bool(expected.value == ours)
    relative = expected.relative_fraction * max(abs(expected.value), abs(ours))
    allowed = max(relative, expected.absolute) * (1.0 + _LAST_BITS)
    return bool(abs(ours - expected.value) <= allowed)


def _run(example: Example) -> Outcome:
    given = Given(example.path, example.inputs)
    checks: list[Check] = []
    unknown: list[str] = []
    errors: list[InputError] = []
    topic = ""
    for name, expected in example.expected.items():
        rule = find_rule(SHEETS, example, name)
        if rule is None:
            unknown.append(name)
            continue
        topic = topic or rule.sheet.topic
        try:
            ours = _in_unit(rule.value(name, given), rule.unit, expected, name, example.path)
        except InputError as error:
            errors.append(_placed(error, example))
            continue
        except (ArithmeticError, TypeError, ValueError) as error:
            errors.append(
                InputError(
                    f"{example.path}.inputs",
                    f"{name} cannot be computed from them: {error}",
                    "check for a zero or a list where a number belongs",
                )
            )
            continue
        checks.append(Check(name, expected, ours, within(expected, ours)))
    distinct = {str(error): error for error in errors}
    return Outcome(
        example, topic or "Other", tuple(checks), tuple(unknown), tuple(distinct.values())
    )


def _in_unit(ours: Value, unit: str, expected: Expected, name: str, path: str) -> Value:
    """A result in the unit in which it was published."""
    field = f"{path}.expected.{name}"
    if unit == "bool":
        if expected.unit.split()[0] != "bool":
            raise InputError(field, f"is in {expected.unit}", "give it as bool")
        return ours
    bare, _, span = unit.rpartition("/")  # the name of a result may say its period
    if span in ("yr", "month") and not alike(unit, expected.unit) and alike(bare, expected.unit):
        unit = bare
    factor = convert_factor(unit, expected.unit, field)
    return _scaled(ours, factor, field)


def _scaled(ours: Value, factor: float, field: str) -> Value:
    if ours is None:
        return None
    if isinstance(ours, list):
        return [_scaled(each, factor, field) for each in ours]
    if not math.isfinite(ours):
        raise InputError(field, "comes out without bound", "check the inputs for zeros")
    return ours if factor == 1.0 else ours * factor


def _placed(error: InputError, example: Example) -> InputError:
    """The engine names its own parameter: say of which example."""
    if error.field.startswith(example.path):
        return error
    return InputError(f"{example.path}.inputs ({error.field})", error.message, error.mend)


def _plain(one: Outcome) -> dict[str, Any]:
    example = one.example
    return {
        "id": example.id,
        "title": example.title,
        "topic": one.topic,
        "formula": example.formula,
        "kind": example.kind,
        "source": example.source,
        "notes": example.notes,
        "ok": one.ok,
        "not_dispatched": list(one.not_dispatched),
        "errors": [str(error) for error in one.errors],
        "checks": [
            {
                "name": check.name,
                "expected": check.expected.value,
                "ours": check.ours,
                "unit": check.expected.unit,
                "tolerance": {
                    key: number
                    for key, number in (
                        ("rel", check.expected.relative_fraction),
                        ("abs", check.expected.absolute),
                    )
                    if number
                }
                or {"abs": 0.0},
                "ok": check.ok,
            }
            for check in one.checks
        ],
    }
