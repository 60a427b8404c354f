"""Which function gives which result of which formula."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tco.examples.example import Example, Value
from tco.examples.given import Given

Compute = Callable[..., Value]


@dataclass(frozen=True, slots=True)
class Rule:
    """A result: the pattern of its name, its unit, and how it is computed.

    `compute` gets the inputs and what the groups of the pattern matched.
    """

    pattern: str
    unit: str
    compute: Compute
    sheet: Sheet

    def value(self, name: str, given: Given) -> Value:
        """The result of that name."""
        match = re.fullmatch(self.pattern, name)
        return self.compute(given, *(match.groups() if match else ()))


@dataclass(slots=True)
class Sheet:
    """Results that belong together: one shape of example of some formulas.

    Parameters
    ----------
    topic
        Heading under which such examples are shown.
    formulas
        Numbers of the formulas; an example with one of them may be of this shape.
    needs
        Patterns of input names that mark the shape.
    """

    topic: str
    formulas: tuple[str, ...]
    needs: tuple[str, ...]
    rules: list[Rule] = field(default_factory=list)

    def gives(self, pattern: str, unit: str) -> Callable[[Compute], Compute]:
        """Enter a function as that of the results whose name matches `pattern`."""

        def enter(compute: Compute) -> Compute:
            self.rules.append(Rule(pattern, unit, compute, self))
            return compute

        return enter

    def missing(self, names: Iterable[str]) -> list[str]:
        """Which of the inputs that mark the shape are not there."""
        there = list(names)
        return [need for need in self.needs if not any(re.fullmatch(need, name) for name in there)]


def find_rule(sheets: Iterable[Sheet], example: Example, name: str) -> Rule | None:
    """The rule of a result: formula and name must match, and most of the inputs.

    None when no sheet of the formula knows the result, or none of the inputs is of its shape.
    """
    best: tuple[float, Rule] | None = None
    for sheet in sheets:
        if not set(sheet.formulas) & set(example.formulas):
            continue
        rule = next((one for one in sheet.rules if re.fullmatch(one.pattern, name)), None)
        if rule is None:
            continue
        missing = len(sheet.missing(example.inputs))
        if missing == len(sheet.needs):
            continue
        score = len(sheet.needs) - 1000.0 * missing  # whole shapes first, then the fuller one
        if best is None or score > best[0]:
            best = (score, rule)
    return best[1] if best else None
