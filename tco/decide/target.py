"""What a goal seek wants: a result of an option at a value, or level with another option's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tco.document.nearest import suggestion
from tco.document.values import number
from tco.errors import InputError
from tco.results import OptionResult

TOTAL = "tco_usd"
EQUAL = "equal"


@dataclass(frozen=True, slots=True)
class Target:
    """A result of `option` at `value`, or level with that of `other`."""

    kpi: str
    option: str  # key
    value: str = ""  # as it was written: a number, or text with a unit
    other: str = ""  # key

    @property
    def options(self) -> tuple[str, ...]:
        """Keys of the options it speaks of."""
        return (self.option, self.other) if self.other else (self.option,)

    def wanted(self, options: Sequence[OptionResult]) -> float:
        """Value wanted, in the unit of the result; 0 where two options are held side by side.

        Raises
        ------
        InputError
            An option has no such result (with the nearest names), or the value is no number.
        """
        for option in options:
            if self.kpi not in option.kpis:
                mend = suggestion(self.kpi, option.kpis) or f"known: {', '.join(option.kpis)}"
                raise InputError("target", f"{option.name} has no result {self.kpi!r}", mend)
        if self.other:
            return 0.0
        unit = options[0].kpis[self.kpi].unit
        try:
            return number(_plain(self.value), unit)
        except ValueError as error:
            raise InputError("target", *error.args) from None


def read_target(text: str, document: Mapping[str, Any], option: str = "") -> Target:
    """Return the target of a text.

    ``tco_usd=12e6`` and ``usd_per_mtok_output=0.5`` want a value; ``equal:KEY`` wants the total
    cost of another option; ``usd_per_mtok_output=equal:KEY`` another result of it.

    Parameters
    ----------
    option
        Key of the option whose result it is; empty: the only one (beside the one it shall equal).

    Raises
    ------
    InputError
        Text of another form, an unknown option (with the nearest keys), an option that must be
        chosen and was not.

    Examples
    --------
    >>> two = {"options": [{"key": "buy"}, {"key": "rent"}]}
    >>> read_target("equal:rent", two)
    Target(kpi='tco_usd', option='buy', value='', other='rent')
    """
    keys = [str(one.get("key")) for one in document.get("options", [])]
    kpi, equals, goal = text.partition("=")
    if not equals:
        kpi, goal = (TOTAL, text)
    kpi, goal = kpi.strip(), goal.strip()
    word, colon, other = goal.partition(":")
    if not colon and not equals:
        raise InputError("target", f"{text!r} cannot be read", "write tco_usd=12e6, or equal:KEY")
    if colon and word.strip() != EQUAL:
        raise InputError("target", f"{goal!r} cannot be read", "write equal:KEY of the option")
    other = other.strip() if colon else ""
    for key in (other, option):
        if key and key not in keys:
            raise InputError("target", f"no option has the key {key!r}", suggestion(key, keys))
    rest = [key for key in keys if key != other]
    if not option:
        if len(rest) != 1:
            raise InputError("option", "is not given", f"choose one: {', '.join(rest)}")
        option = rest[0]
    if option == other:
        raise InputError("target", f"{option!r} equals itself", "name another option")
    return Target(kpi, option, "" if colon else goal, other)


def _plain(text: str) -> float | str:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return text
