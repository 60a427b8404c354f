"""The inputs of an example, each asked for by name and unit."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from tco.errors import InputError
from tco.examples.example import Quantity, Value
from tco.examples.units import alike, convert_factor, head

_MOST = {
    # Prices beyond these are a slip of unit: per month for per hour, cents for dollars.
    "USD/kWh": 5.0,
    "USD/GPU/h": 1000.0,
    "USD/node/h": 10_000.0,
    "USD/GB": 10.0,
    "fraction": 1.0,
}
_LEAST = {"ratio": 1.0}


@dataclass(frozen=True, slots=True)
class Given:
    """Inputs of one example. Every reading says in which unit it wants the number."""

    path: str
    inputs: Mapping[str, Quantity]

    def has(self, name: str) -> bool:
        """Whether there is such an input."""
        return name in self.inputs

    def names(self, pattern: str) -> list[str]:
        """What the first group of `pattern` matched in the names of the inputs, in their order."""
        found = (re.fullmatch(pattern, name) for name in self.inputs)
        return [match.group(1) for match in found if match]

    def quantity(self, name: str) -> Quantity:
        """The input as written.

        Raises
        ------
        InputError
            When it is not there.
        """
        if name not in self.inputs:
            raise InputError(f"{self.path}.inputs.{name}", "is missing", "give value and unit")
        return self.inputs[name]

    def number(
        self,
        name: str,
        unit: str,
        *,
        also: str = "",
        default: float | None = None,
        above: float | None = None,
        least: float | None = 0.0,
        most: float | None = None,
    ) -> float:
        """A number in `unit`: above `above`, or at least `least`, and at most `most`.

        Units bring limits of their own: a ``fraction`` is at most 1, a ``ratio`` (PUE) at least 1,
        and prices per kWh, device-hour and GB have a most beyond which the unit was mistaken.
        `also` is another way to write the unit, of the same size: h for h/month.

        Raises
        ------
        InputError
            Missing (without a default), no number, another unit, or outside the limits.
        """
        if default is not None and name not in self.inputs:
            return default
        one = self.quantity(name)
        field = f"{self.path}.inputs.{name}"
        number = self._number(one.value, field) * _factor(one.unit, unit, also, field)
        self._check(number, unit, field, above=above, least=least, most=most)
        return number

    def whole(
        self, name: str, unit: str, *, also: str = "", least: int = 0, most: int = 10**9
    ) -> int:
        """A whole number."""
        number = self.number(name, unit, also=also, least=least, most=most)
        if number != int(number):
            raise InputError(
                f"{self.path}.inputs.{name}", f"{number:g} is not whole", "enter a whole number"
            )
        return int(number)

    def numbers(
        self, name: str, unit: str, *, also: str = "", least: float | None = 0.0
    ) -> list[float]:
        """A list of numbers in `unit`."""
        one = self.quantity(name)
        field = f"{self.path}.inputs.{name}"
        if not isinstance(one.value, list) or not one.value:
            raise InputError(field, f"{one.value!r} is no list", "write [1, 2, 3]")
        factor = _factor(one.unit, unit, also, field)
        numbers = []
        for index, value in enumerate(one.value):
            number = self._number(value, f"{field}[{index}]") * factor
            self._check(number, unit, f"{field}[{index}]", above=None, least=least, most=None)
            numbers.append(number)
        return numbers

    def rows(self, name: str, width: int) -> list[list[Value]]:
        """A list of rows of `width` cells."""
        one = self.quantity(name)
        field = f"{self.path}.inputs.{name}"
        rows = one.value if isinstance(one.value, list) else []
        if not rows or any(not isinstance(row, list) or len(row) != width for row in rows):
            raise InputError(
                field, f"{one.value!r} are no rows of {width}", f"write lists of {width} values"
            )
        return rows

    def cell(self, value: Value, name: str, row: int, *, least: float = 0.0) -> float:
        """A number out of a row."""
        field = f"{self.path}.inputs.{name}[{row}]"
        number = self._number(value, field)
        self._check(number, "", field, above=None, least=least, most=None)
        return number

    def text(self, name: str, *, default: str | None = None) -> str:
        """A text."""
        if default is not None and name not in self.inputs:
            return default
        value = self.quantity(name).value
        if not isinstance(value, str):
            raise InputError(f"{self.path}.inputs.{name}", f"{value!r} is no text", "write a text")
        return value

    def same(self, name: str, unit: str, said: str, number: float) -> None:
        """Check that a number in a result's name is that of the input.

        Raises
        ------
        InputError
            When the two differ: the result would be of another span than its name says.
        """
        given = self.number(name, unit)
        if not math.isclose(given, number, rel_tol=1e-9):
            raise InputError(
                f"{self.path}.inputs.{name}",
                f"{given:g} {unit} against {number:g} in {said}",
                "make the two the same",
            )

    def _number(self, value: Value, field: str) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(field, f"{value!r} is no number", "enter a number")
        return float(value)

    def _check(
        self,
        number: float,
        unit: str,
        field: str,
        *,
        above: float | None,
        least: float | None,
        most: float | None,
    ) -> None:
        unit = head(unit) if unit else ""
        most = _MOST.get(unit) if most is None else most
        least = _LEAST.get(unit, least) if least == 0.0 else least
        if above is not None and not number > above:
            raise InputError(field, f"{number:g} is not above {above:g}", f"enter {unit} above it")
        if least is not None and not number >= least:
            raise InputError(field, f"{number:g} is below {least:g}", f"enter {least:g} or more")
        if most is not None and not number <= most:
            raise InputError(
                field,
                f"{number:g} {unit} is above {most:g}",
                f"enter {most:g} or less; is it per month, or in cents?"
                if unit.startswith("USD")
                else f"enter {most:g} or less",
            )


def _factor(given: str, unit: str, also: str, field: str) -> float:
    """Factor to `unit`, or to `also` when it is written so."""
    wanted = also if also and not alike(given, unit) and alike(given, also) else unit
    return convert_factor(given, wanted, field)
