"""What is varied: numbers over a range or a list, names over a list."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tco.decide.place import Place, find_place, steps_of
from tco.errors import InputError, InputErrors
from tco.inputs import ScenarioInputs

MOST_AXES = 8
MOST_VALUES = 100_000
MOST_POINTS = 5_000_000


@dataclass(frozen=True, slots=True)
class Axis:
    """One input and the values that it takes, in order.

    Parameters
    ----------
    path
        As error messages write it; members also by key.
    values
        Numbers in the unit of the field, or names.
    """

    path: str
    values: tuple[float | str, ...]

    @property
    def named(self) -> bool:
        """Whether it is a choice among names."""
        return isinstance(self.values[0], str)

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {"path": self.path, "values": list(self.values)}


def read_axis(text: str) -> Axis:
    """Return an axis as people write it.

    ``PATH=low:high:steps`` is a range with both ends, ``log:`` before it spreads the steps by
    factors; ``PATH=a,b,c`` is a list of numbers or names.

    Raises
    ------
    InputError
        No path, no value, an end that is no number, too many values.

    Examples
    --------
    >>> read_axis("sites[0].pue=1.1:1.5:5").values
    (1.1, 1.2, 1.3, 1.4, 1.5)
    >>> read_axis("finance.horizon_months=36,48").values
    (36.0, 48.0)
    >>> read_axis("x=log:1:100:3").values, read_axis("a.server=one,two").values
    ((1.0, 10.0, 100.0), ('one', 'two'))
    """
    path, equals, given = text.partition("=")
    path, given = path.strip(), given.strip()
    if not equals or not path or not given:
        raise InputError("axis", f"{text[:80]!r} cannot be read", "write sites[0].pue=1.1:1.5:5")
    by_factors = given.startswith("log:")
    parts = given.removeprefix("log:").split(":")
    if len(parts) == 3:
        low, high = (_number(part, path) for part in parts[:2])
        steps = _steps(parts[2], path)
        if not low < high or (by_factors and low <= 0):
            message = f"{parts[0]} to {parts[1]} is no range"
            raise InputError(path, message, "enter a smaller number first, above 0 for log")
        spread = np.geomspace if by_factors else np.linspace
        return Axis(path, tuple(float(f"{value:.12g}") for value in spread(low, high, steps)))
    if len(parts) != 1 or by_factors:
        raise InputError(path, f"{given[:60]!r} is no range", "write low:high:steps")
    words = [word.strip() for word in given.split(",")]
    if not all(words):
        raise InputError(path, f"{given[:60]!r} has an empty value", "write a,b,c")
    values = [_as_number(word) for word in words]
    if any(isinstance(value, str) for value in values) and not all(
        isinstance(value, str) for value in values
    ):
        raise InputError(path, f"{given[:60]!r} mixes numbers and names", "give one kind")
    return checked(Axis(path, tuple(values)))


def checked(axis: Axis) -> Axis:
    """Return the axis; values that are no numbers, double or too many are refused."""
    if not 1 <= len(axis.values) <= MOST_VALUES:
        message = f"{len(axis.values):,} values are too many" if axis.values else "has no value"
        raise InputError(axis.path, message, f"give 1 to {MOST_VALUES:,}")
    if len(set(map(type, axis.values))) > 1:
        raise InputError(axis.path, "mixes numbers and names", "give one kind")
    for value in axis.values:
        if isinstance(value, float) and not math.isfinite(value):
            raise InputError(axis.path, f"{value} is not a finite number", "leave it out")
    if len(set(axis.values)) < len(axis.values):
        raise InputError(axis.path, "has a value twice", "keep one of them")
    return axis


def _as_number(word: str) -> float | str:
    try:
        return float(word)
    except ValueError:
        return word


def _number(text: str, path: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise InputError(path, f"{text[:40]!r} is no number", "write low:high:steps") from None
    if not math.isfinite(value):
        raise InputError(path, f"{text[:40]} is not a finite number", "write low:high:steps")
    return value


def _steps(text: str, path: str) -> int:
    found = int(text) if text.isdecimal() and len(text) < 10 else 0
    if not 2 <= found <= MOST_VALUES:
        raise InputError(path, f"{text[:40]!r} steps cannot be made", f"give 2 to {MOST_VALUES:,}")
    return found


@dataclass(frozen=True, slots=True)
class Named:
    """A name of the document that a path leads to."""

    path: str
    steps: tuple[str | int, ...]

    def written(self, document: Mapping[str, Any], value: str) -> dict[str, Any]:
        """Return a copy of the document with this name in its place."""
        found: dict[str, Any] = copy.deepcopy(dict(document))
        inner: Any = found
        for step in self.steps[:-1]:
            inner = inner[step]
        inner[self.steps[-1]] = value
        return found


Where = Place | Named


def places(
    document: Mapping[str, Any], axes: Sequence[Axis], inputs: ScenarioInputs
) -> tuple[Where, ...]:
    """Return where each axis stands in a document.

    Raises
    ------
    InputErrors
        No axis, too many of them or of their points, a path twice, every unknown path, every
        number outside its field's limits.
    """
    if not 1 <= len(axes) <= MOST_AXES:
        message = f"{len(axes)} axes cannot be swept"
        raise InputErrors((InputError("axes", message, f"give 1 to {MOST_AXES}"),))
    errors = list(_unbounded(axes))
    found: list[Where] = []
    for axis in axes:
        try:
            found.append(_place(document, axis, inputs))
        except InputError as error:
            errors.append(error)
    if errors:
        raise InputErrors(tuple(errors))
    return tuple(found)


def _unbounded(axes: Sequence[Axis]) -> Iterator[InputError]:
    size = math.prod(len(axis.values) for axis in axes)
    if size > MOST_POINTS:
        counts = " x ".join(f"{len(axis.values):,}" for axis in axes)
        message = f"{counts} = {size:,} points are more than {MOST_POINTS:,}"
        yield InputError("axes", message, "take fewer steps, or fewer axes")
    seen: set[str] = set()
    for axis in axes:
        if axis.path in seen:
            yield InputError(axis.path, "is swept twice", "keep one axis")
        seen.add(axis.path)


def _place(document: Mapping[str, Any], axis: Axis, inputs: ScenarioInputs) -> Where:
    if axis.named:
        return Named(axis.path, steps_of(document, axis.path))
    place = find_place(document, axis.path, inputs)
    least, most = place.field.minimum, place.field.maximum
    for value in axis.values:
        assert isinstance(value, float)
        if place.whole and not value.is_integer():
            raise InputError(axis.path, f"{value:g} is no whole number", "give whole numbers")
        if (least is not None and value < least) or (most is not None and value > most):
            bounds = " to ".join("no limit" if x is None else f"{x:g}" for x in (least, most))
            message = f"{value:g} is outside the limits of the field"
            raise InputError(axis.path, message, f"enter {bounds} {place.unit}".rstrip())
    return place
