"""An input of a scenario by its path: read it, and write another value in its place."""

from __future__ import annotations

import copy
import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tco.document.nearest import suggestion
from tco.document.values import currencies_of, number, range_ends, shown
from tco.errors import InputError
from tco.fields import Field, section
from tco.inputs import BASE, Figure, ScenarioInputs
from tco.results.currency import in_currency

_PART = re.compile(r"\.?(?P<name>[A-Za-z_]\w*)|\[(?P<member>[^\[\]]+)\]")
_NUMBERS = ("figure", "number", "integer")
_SPREAD = ("low", "high", "shape", "samples")  # of a figure: they go with the value they surround
_RANGE_FACTOR = 10.0  # a range nobody gives runs from a tenth to ten times the value of today

Step = str | int


@dataclass(frozen=True, slots=True)
class Place:
    """One number of a scenario document.

    `value` is in `unit`; None where neither the document, the catalog nor a default gives one.
    """

    path: str
    steps: tuple[Step, ...]
    field: Field
    value: float | None
    as_of: str = ""  # date of a price that the catalog gives, kept with the values put in its place
    currency: str = BASE  # that a price is written in

    @property
    def label(self) -> str:
        """What the input is called."""
        return self.field.label

    @property
    def unit(self) -> str:
        """Unit of its numbers."""
        return in_currency(self.field.unit, self.currency)

    @property
    def whole(self) -> bool:
        """Whether it takes whole numbers only."""
        return self.field.kind == "integer"

    @property
    def option(self) -> int | None:
        """Index of the option that holds it; None for what options share."""
        return int(self.steps[1]) if self.steps[0] == "options" else None

    def written(self, document: Mapping[str, Any], value: float) -> dict[str, Any]:
        """Return a copy of the document with `value` at this place, all else as it was."""
        found: dict[str, Any] = copy.copy(dict(document))
        inner: Any = found
        for step in self.steps[:-1]:
            held = inner[step] if isinstance(step, int) else inner.get(step, {})
            inner[step] = list(held) if isinstance(held, list) else dict(held)
            inner = inner[step]
        inner[self.steps[-1]] = self._figure(inner, value)
        return found

    def _figure(self, parent: Any, value: float) -> Any:
        if self.whole:
            return round(value)
        put: float | str = value if self.currency == BASE else f"{value!r} {self.unit}"
        held = parent.get(self.steps[-1])
        if isinstance(held, Mapping):
            return {**{k: v for k, v in held.items() if k not in _SPREAD}, "value": put}
        return {"value": put, "as_of": self.as_of} if self.as_of else put


def find_place(document: Mapping[str, Any], path: str, inputs: ScenarioInputs) -> Place:
    """Return the number of a scenario that a path names.

    Parameters
    ----------
    document
        A valid scenario document.
    path
        Names and members as error messages write them, ``sites[0].pue``; a member also by its
        key, ``options[buy].fleets[gpu].purchase.server_usd``. It may name what is left out.
    inputs
        The same scenario resolved, for values that come from the catalog.

    Raises
    ------
    InputError
        A part of the path is unknown (with the nearest names), or it is no number.
    """
    parts = _parts(path)
    here, name = "", "scenario"
    value: Any = document
    steps: list[Step] = []
    field: Field | None = None
    for position, part in enumerate(parts):
        if isinstance(part, int) or (isinstance(value, list) and field and field.kind == "many"):
            if field is None or field.kind != "many" or position == 0:
                raise InputError(path, f"{here or 'the scenario'} is no list", "name a field of it")
            index = _member(path, here, value, part)
            steps.append(index)
            value, name, field = value[index], field.of, None
            here = f"{here}[{part}]"
            continue
        if field is not None and field.kind == "map":
            if part not in field.choices:
                mend = suggestion(part, field.choices)
                raise InputError(path, f"{here} has no {part!r}", mend)
            inner = value.get(part) if isinstance(value, Mapping) else None
            steps.append(part)
            value, here = inner, f"{here}.{part}"
            field = _as_figure(field, part)
            continue
        if field is not None and field.kind == "many":
            raise InputError(path, f"{here} is a list", f"name one of it, {here}[0]")
        if field is not None and field.kind in _NUMBERS:
            raise InputError(path, f"{here} is one number", f"leave out {part!r}")
        known = section(name)
        if part not in known:
            mend = suggestion(part, known) or f"known here: {', '.join(known)}"
            raise InputError(path, f"{here or 'a scenario'} has no field {part!r}", mend)
        field = known[part]
        value = value.get(part) if isinstance(value, Mapping) else None
        steps.append(part)
        here = f"{here}.{part}" if here else part
        if field.kind == "one":
            name, value = field.of, value or {}
            field = None
        elif field.kind == "many" and value is None:
            value = []
    if field is None or field.kind not in _NUMBERS:
        numbers = [item.name for item in section(name).values() if item.kind in _NUMBERS]
        inside = field is None or field.kind in ("one", "many")
        mend = f"name a number in it: {', '.join(numbers[:8])}" if inside else "name a number"
        raise InputError(path, "is not a number that can be varied", mend)
    now, dated, code = _now(field, value, steps, inputs)
    return Place(path, tuple(steps), field, now, dated, code)


def steps_of(document: Mapping[str, Any], path: str) -> tuple[Step, ...]:
    """Return the way to something that a document gives, members by index.

    Raises
    ------
    InputError
        A part of the path that the document does not have, with the nearest names.
    """
    value: Any = document
    steps: list[Step] = []
    here = ""
    for part in _parts(path):
        if isinstance(value, list):
            index = _member(path, here, value, part)
            steps.append(index)
            value, here = value[index], f"{here}[{part}]"
            continue
        if not isinstance(value, Mapping) or part not in value:
            known = [str(key) for key in value] if isinstance(value, Mapping) else []
            mend = suggestion(str(part), known) or f"known here: {', '.join(known)}"
            raise InputError(path, f"{here or 'the scenario'} does not give {part!r}", mend)
        steps.append(part)
        value, here = value[part], f"{here}.{part}" if here else str(part)
    return tuple(steps)


def limits(place: Place, low: float | None, high: float | None) -> tuple[float, float]:
    """Return the range over which a place is varied, inside the limits of its field.

    Ends that are not given: a tenth and ten times the value of today.

    Raises
    ------
    InputError
        A range without a value to take it from, one that is empty, one outside the field's limits.
    """
    least, most = place.field.minimum, place.field.maximum
    ends = []
    for end, given, factor in (("--from", low, 1 / _RANGE_FACTOR), ("--to", high, _RANGE_FACTOR)):
        limit = least if end == "--from" else most
        if given is not None:
            outside = (least is not None and given < least) or (most is not None and given > most)
            if outside:
                bounds = " to ".join("no limit" if x is None else f"{x:g}" for x in (least, most))
                message = f"{given:g} is outside the limits of {place.path}"
                raise InputError(end, message, f"enter {bounds} {place.unit}".rstrip())
            ends.append(given)
            continue
        share = place.unit.startswith("fraction") and limit is not None
        if share and place.value is not None:
            ends.append(float(limit or 0.0))
            continue
        if not place.value:
            message = f"is not given, and {place.path} has no value to take it from"
            raise InputError(end, message, f"enter a number in {place.unit or '1'}")
        reach = place.value * (factor if place.value > 0 else 1 / factor)
        reach = max(reach, least) if least is not None else reach
        ends.append(min(reach, most) if most is not None else reach)
    if place.whole:
        ends = [float(round(end)) for end in ends]
    if not ends[0] < ends[1]:
        message = f"{ends[0]:g} to {ends[1]:g} is no range"
        raise InputError("--from", message, "enter a smaller number from, a larger one to")
    return ends[0], ends[1]


def _parts(path: str) -> list[Step]:
    found: list[Step] = []
    at = 0
    for match in _PART.finditer(path):
        if match.start() != at:
            break
        at = match.end()
        member = match["member"]
        if member is None:
            found.append(match["name"])
        else:
            member = member.strip().strip("'\"")
            found.append(int(member) if member.isdecimal() else member)
    if at != len(path) or not path:
        raise InputError("vary", f"{path!r} is no path", "write it as sites[0].pue")
    return found


def _member(path: str, here: str, value: Any, part: Step) -> int:
    members = value if isinstance(value, list) else []
    if isinstance(part, int):
        if part < len(members):
            return part
        message = f"{here} has {len(members)} member{'' if len(members) == 1 else 's'}"
        mend = f"count from 0 to {len(members) - 1}" if members else "add one first"
        raise InputError(path, message, mend)
    keys = [item.get("key") for item in members if isinstance(item, Mapping)]
    if part not in keys:
        mend = suggestion(part, [str(key) for key in keys])
        raise InputError(path, f"nothing in {here} has the key {part!r}", mend)
    return keys.index(part)


def _as_figure(field: Field, word: str) -> Field:
    return dataclasses.replace(field, kind="figure", of="", label=f"{field.label}, {word}")


def _now(
    field: Field, value: Any, steps: list[Step], inputs: ScenarioInputs
) -> tuple[float | None, str, str]:
    """Value of today in the unit of the field, the date of a price of the catalog, its currency."""
    if value is None:
        figure = _resolved(inputs, steps)
        # a price of a server is in USD in the catalog, in USD/server at the door
        if figure is not None and field.unit in (figure.unit, f"{figure.unit}/server"):
            if figure.foreign is not None:
                return float(figure.foreign.value), figure.as_of, figure.foreign.currency
            own = inputs.finance.currency if BASE in field.unit else BASE
            return float(figure.value), figure.as_of, own
        return (float(field.default), "", BASE) if field.default else (None, "", BASE)
    code = next(iter(sorted(currencies_of(value) - {BASE})), BASE) if BASE in field.unit else BASE
    ends = range_ends(value)
    if ends is not None:
        return sum(number(end, field.unit) for end in ends) / 2, "", code
    held = value.get("value") if isinstance(value, Mapping) else value
    try:
        return number(held, field.unit), "", code
    except ValueError as error:
        raise InputError(field.name, f"{shown(held)} is no number", str(error.args[-1])) from None


def _resolved(inputs: ScenarioInputs, steps: list[Step]) -> Figure | None:
    """The engine's own figure at the same place; prices of a site stand in its tariff."""
    found: Any = inputs
    for step in steps:
        if isinstance(step, int):
            found = found[step] if isinstance(found, tuple) and step < len(found) else None
        else:
            inner = getattr(found, step, None)
            if inner is None and hasattr(found, "tariff"):
                inner = getattr(found.tariff, step, None)
            found = inner
        if found is None:
            return None
    return found if isinstance(found, Figure) else None
