"""Goal seek: the values of one input at which a result is what somebody wants (F20.4).

The scenario is projected whole at every value, so what the value does to counts, racks and power
is in it. Command, API and page call `goal_seek`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tco.cost.wording import list_text, money_text, number_text
from tco.decide.place import Place, find_place, limits
from tco.decide.roots import Hole, Root, find_roots, grid
from tco.decide.target import Target
from tco.document.catalog import Catalog
from tco.document.resolve import resolve
from tco.errors import InputError, InputErrors
from tco.inputs import plain
from tco.projection import project
from tco.results import OptionResult

POINTS, MOST_POINTS = 61, 2001
_COUNTED = ("month", "year", "server", "device", "unit")
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Point:
    """The result at one value of the input; of two options the difference."""

    at: float
    value: float | None
    reason: str = ""  # why there is none


@dataclass(frozen=True, slots=True)
class Answer:
    """One crossing."""

    at: float
    low: float
    high: float
    jump: bool
    falls: bool  # the result (less that of the other option) falls through the level
    sentence: str


@dataclass(frozen=True, slots=True)
class Gap:
    """Part of the range in which an option does not hold or has no price."""

    low: float
    high: float
    reason: str


@dataclass(frozen=True, slots=True)
class GoalSeek:
    """Every value of an input at which the target is met, or that there is none."""

    path: str
    label: str
    unit: str
    now: float | None
    low: float
    high: float
    target: Target
    wanted: float  # in result_unit; 0 where two options are held side by side
    result_label: str
    result_unit: str
    result_now: float | None  # of the option, or its difference to the other
    answers: tuple[Answer, ...]
    gaps: tuple[Gap, ...]
    points: tuple[Point, ...]
    sentence: str

    @property
    def never(self) -> bool:
        """True when no value of the range meets the target."""
        return not self.answers

    def to_dict(self) -> dict[str, Any]:
        """As JSON values with a stable order."""
        found: dict[str, Any] = plain(self)
        return {**found, "never": self.never}


def goal_seek(
    document: Mapping[str, Any],
    catalog: Catalog,
    *,
    vary: str,
    target: Target,
    low: float | None = None,
    high: float | None = None,
    points: int = POINTS,
    progress: Progress = lambda done, total: None,
) -> GoalSeek:
    """Return every value of an input at which a result meets the target (F20.4).

    Parameters
    ----------
    document, catalog
        A scenario and the catalog of its names.
    vary
        Path of the input, ``options[buy].fleets[gpu].purchase.server_usd``.
    target
        See `read_target`.
    low, high
        Range of the input in its own unit; left out: a tenth to ten times its value of today, or
        0 to 1 for shares.
    points
        Values looked at before crossings are narrowed, 3 to 2,001.
    progress
        Called with the values done and those planned.

    Raises
    ------
    InputError
        A path, target or range that cannot be (see `find_place`, `limits`, `Target.wanted`);
        points out of range; an option without a result at any value of the range.
    InputErrors
        A document that is not valid as it stands.
    """
    if not 3 <= points <= MOST_POINTS:
        raise InputError("points", f"{points} is outside 3..{MOST_POINTS:,}", f"enter {POINTS}")
    inputs = resolve(document, catalog)
    place = find_place(document, vary, inputs)
    first, last = limits(place, low, high)
    places = grid(first, last, points, whole=place.whole)
    seek = _Seek(document, catalog, place, target, progress, len(places))
    today = seek.options(None)
    seek.wanted = target.wanted(today)
    now = seek.gap_of(today)
    for x in places:
        seek.gap(float(x))
    known = [y for y in seek.gaps.values() if y is not None]
    if not known:
        reason = next(iter(seek.reasons.values()), "")
        message = f"there is no result over {first:g} to {last:g} {place.unit}".rstrip()
        raise InputError(vary, f"{message}: {reason}", "mend that first, or widen the range")
    scale = max(abs(seek.wanted), *(abs(y) for y in known), seek.size) or 1.0
    roots, holes = find_roots(seek.gap, places, scale, whole=place.whole)
    answers = tuple(_answer(root, place) for root in roots)
    names = {option.key: option.name for option in today}
    label, unit = today[0].kpis[target.kpi].label, today[0].kpis[target.kpi].unit
    offset = 0.0 if target.other else seek.wanted
    curve = tuple(
        Point(x, None if y is None else y + offset, seek.reasons.get(x, ""))
        for x, y in sorted(seek.gaps.items())
    )
    return GoalSeek(
        path=vary,
        label=place.label,
        unit=place.unit,
        now=place.value,
        low=first,
        high=last,
        target=target,
        wanted=seek.wanted,
        result_label=label,
        result_unit=unit,
        result_now=None if now is None else now + offset,
        answers=answers,
        gaps=tuple(_hole(hole, seek.reasons) for hole in holes),
        points=curve,
        sentence=_sentence(place, (first, last), target, names, label, unit, seek.wanted, answers,
                           [p.value for p in curve if p.value is not None]),
    )  # fmt: skip


class _Seek:
    """Projections of the options asked for, each value of the input once."""

    def __init__(
        self,
        document: Mapping[str, Any],
        catalog: Catalog,
        place: Place,
        target: Target,
        progress: Progress,
        planned: int,
    ) -> None:
        self._document, self._catalog, self._place = document, catalog, place
        self._target, self._progress, self._planned = target, progress, planned
        self.wanted = 0.0
        self.size = 0.0  # of the results, to tell a jump from a slope
        self.gaps: dict[float, float | None] = {}
        self.reasons: dict[float, str] = {}

    def options(self, value: float | None) -> list[OptionResult]:
        """The options the target speaks of, at a value, or as the document stands."""
        document = self._document
        if value is not None:
            document = self._place.written(document, value)
        kept = [o for o in document["options"] if o["key"] in self._target.options]
        found = project(resolve({**document, "options": kept}, self._catalog)).options
        return sorted(found, key=lambda option: self._target.options.index(option.key))

    def gap(self, value: float) -> float | None:
        """Result less what is wanted at a value; None where there is none."""
        if value not in self.gaps:
            try:
                self.gaps[value] = self.gap_of(self.options(value), value)
            except (InputError, InputErrors) as error:
                self.reasons[value] = str(error)
                self.gaps[value] = None
            self._progress(len(self.gaps), max(self._planned, len(self.gaps)))
        return self.gaps[value]

    def gap_of(self, options: Sequence[OptionResult], value: float | None = None) -> float | None:
        """The gap of projected options; why there is none is kept."""
        values = []
        for option in options:
            kpi = option.kpis[self._target.kpi]
            if not option.feasible or kpi.value is None:
                why = next((f.binds for f in option.fleets if not f.feasible), "")
                if value is not None:
                    self.reasons[value] = f"{option.name}: {why or kpi.reason or 'does not hold'}"
                return None
            values.append(kpi.value)
        self.size = max(self.size, *(abs(found) for found in values))
        return values[0] - (values[1] if len(values) > 1 else self.wanted)


def _answer(root: Root, place: Place) -> Answer:
    falls = root.above < root.below
    unit = _unit(place)
    if root.jump and root.low != root.high:
        where = f"between {root.low:,.0f} and {root.high:,.0f}{unit}, in a step"
    elif root.jump:
        where = f"at {number_text(root.at, 6)}{unit}, in a jump: whole machines, racks or tiers"
    else:
        where = f"at {number_text(root.at, 6)}{unit}"
    return Answer(root.at, root.low, root.high, root.jump, falls, where)


def _hole(hole: Hole, reasons: Mapping[float, str]) -> Gap:
    inside = [why for x, why in sorted(reasons.items()) if hole.low <= x <= hole.high]
    return Gap(hole.low, hole.high, inside[0] if inside else "")


def _sentence(
    place: Place,
    ends: tuple[float, float],
    target: Target,
    names: Mapping[str, str],
    label: str,
    unit: str,
    wanted: float,
    answers: Sequence[Answer],
    values: Sequence[float],
) -> str:
    """The answer in one sentence."""
    own, what = _inside(place.label), _inside(label)
    now = "" if place.value is None else f" (now {number_text(place.value, 6)})"
    shown = [money_text(v) if unit == "USD" else f"{number_text(v)} {unit}"
             for v in (wanted, min(values), max(values))]  # fmt: skip
    if target.other:
        reached = f"{names[target.option]} and {names[target.other]} have the same {what}"
    else:
        reached = f"{names[target.option]}: {what} is {shown[0]}"
    if answers:
        return f"{reached} where {own} stands {list_text([a.sentence for a in answers])}{now}."
    over = f"with {own} from {number_text(ends[0], 6)} to {number_text(ends[1], 6)}"
    over += f"{_unit(place)}{now}"
    if not target.other:
        return (
            f"Never: {over} {what} of {names[target.option]} runs from {shown[1]} to {shown[2]},"
            f" {shown[0]} is not met."
        )
    if not any(values):
        return f"{reached} at every value, {over}."
    less = names[target.option if values[0] < 0 else target.other]
    return (
        f"Never: {over} {less} has the lower {what} throughout; {names[target.option]} less"
        f" {names[target.other]} runs from {shown[1]} to {shown[2]}."
    )


def _inside(label: str) -> str:
    """A label inside a sentence: PUE keeps its capitals.

    Examples
    --------
    >>> _inside("Server price"), _inside("PUE")
    ('server price', 'PUE')
    """
    return label if label[1:2].isupper() else label[0].lower() + label[1:]


def _unit(place: Place) -> str:
    """Unit behind a number; nothing behind pure numbers."""
    if place.unit in ("", "ratio", "1"):
        return ""
    return f" {place.unit}s" if place.whole and place.unit in _COUNTED else f" {place.unit}"
