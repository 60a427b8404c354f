"""Numbers written with a unit: ``"40 kW"`` where watts are meant is 40,000 exactly (U7)."""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from functools import cache

from tco.document.nearest import nearest
from tco.inputs import BASE, CURRENCIES

_TEXT = re.compile(
    r"\s*(?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?)\s*(?P<unit>[^\d\s].*?)?\s*$",
    re.ASCII,
)
LARGEST = 1e15  # nothing a scenario counts is larger; 1e308 is a slip or an attack

_PREFIX = {"k": 3, "M": 6, "G": 9, "T": 12, "P": 15}
_BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4}
_HOUR_S = 3600
# British thermal unit of the International Table, exact by definition
_BTU_J = Fraction("1055.05585262")
_POUND_KG = Fraction("0.45359237")  # exact by definition

_COUNTED = ("site", "FTE", "person", "test", "run", "family", "unit", "outage")

Atom = tuple[Fraction, tuple[tuple[str, int], ...]]


def _table() -> dict[str, Atom]:
    """Every unit word with its factor and dimension.

    A month is no number of hours here: 730, 720 and calendar months are a choice of the scenario.
    GB is 10^9 bytes and GiB 2^30; a small b is not accepted, Gbit is. kVA is not kW. A currency
    is money and counts one for one: `currency_in` names it, the resolver converts it (F0.6).
    """
    one = Fraction(1)
    energy, time, power = ("energy", 1), ("time", 1), (("energy", 1), ("time", -1))
    table: dict[str, Atom] = {
        "": (one, ()),
        "%": (Fraction(1, 100), ()),
        "W": (one, power),
        "Wh": (Fraction(_HOUR_S), (energy,)),
        "J": (one, (energy,)),
        "BTU": (_BTU_J, (energy,)),
        "VA": (one, (("apparent power", 1),)),
        "V": (one, (("voltage", 1),)),
        "A": (one, (("current", 1),)),
        "B": (one, (("data", 1),)),
        "bit": (Fraction(1, 8), (("data", 1),)),
        "FLOP": (one, (("operations", 1),)),
        "g": (Fraction(1, 1000), (("mass", 1),)),
        "lb": (_POUND_KG, (("mass", 1),)),
        "t": (Fraction(1000), (("mass", 1),)),
        "L": (one, (("volume", 1),)),
        "m3": (Fraction(1000), (("volume", 1),)),
        "gCO2e": (one, (("carbon", 1),)),
        "tCO2e": (Fraction(10**6), (("carbon", 1),)),
        **dict.fromkeys(CURRENCIES, (one, (("money", 1),))),
        "s": (one, (time,)),
        "ms": (Fraction(1, 10**3), (time,)),
        "us": (Fraction(1, 10**6), (time,)),
        "min": (Fraction(60), (time,)),
        "h": (Fraction(_HOUR_S), (time,)),
        "day": (Fraction(86400), (time,)),
        "month": (one, (("months", 1),)),
        "year": (Fraction(12), (("months", 1),)),
        "token": (one, (("tokens", 1),)),
        "request": (one, (("requests", 1),)),
        "U": (one, (("rack units", 1),)),
        "K": (one, (("temperature", 1),)),
        "m": (one, (("length", 1),)),
        "10^9": (Fraction(10**9), ()),
    }
    for word in ("fraction", "ratio", "server", "device", "switch", "engineer", *_COUNTED, "1"):
        table[word] = (one, ())  # counts: "per server" says what is counted, not a dimension
    prefixable = ("W", "Wh", "J", "VA", "V", "B", "bit", "FLOP", "g", "gCO2e", "token")
    for prefixed in (*prefixable, *CURRENCIES):
        factor, dimension = table[prefixed]
        for prefix, power_of_ten in _PREFIX.items():
            table.setdefault(prefix + prefixed, (factor * 10**power_of_ten, dimension))
    for prefixed in ("B", "bit"):
        factor, dimension = table[prefixed]
        for prefix, power_of_1024 in _BINARY.items():
            table[prefix + prefixed] = (factor * 1024**power_of_1024, dimension)
    plurals = ("day", "month", "year", "token", "request", "server", "device", "engineer")
    for word in (*plurals, *_COUNTED):
        table[word + "s"] = table[word]
    table |= {"hour": table["h"], "hours": table["h"], "minute": table["min"]}
    return table


_UNITS = _table()


def currency_in(text: str) -> str:
    """Return the code of the currency that a text such as ``0.23 EUR/kWh`` is in, or nothing.

    Examples
    --------
    >>> currency_in("0.23 EUR/kWh"), currency_in("250 kGBP"), currency_in("40 kW")
    ('EUR', 'GBP', '')
    """
    for word in re.findall(r"[A-Za-z]+", text):
        code = word[-3:]
        if code in CURRENCIES and word[:-3] in ("", *_PREFIX):
            return str(code)
    return ""


def unit_of(text: str) -> tuple[Fraction, dict[str, int]] | None:
    """Return factor and dimension of a unit such as ``USD/kW-month``, or None if unknown.

    Examples
    --------
    >>> unit_of("MW")[0] / unit_of("kW")[0]
    Fraction(1000, 1)
    >>> unit_of("parsec") is None
    True
    """
    parts = re.sub(r"[()]", "", text.replace(" per ", "/")).split("/")
    factor = Fraction(1)
    dimension: Counter[str] = Counter()
    for index, part in enumerate(parts):
        sign = 1 if index == 0 else -1
        for word in re.split(r"[-·*\s]", part.strip()):
            if word not in _UNITS or (not word and len(parts) > 1):
                return None
            size, exponents = _UNITS[word]
            factor *= size**sign
            for name, exponent in exponents:
                dimension[name] += sign * exponent
    return factor, {name: power for name, power in dimension.items() if power}


@cache
def _alternatives(unit: str) -> tuple[str, ...]:
    known = unit_of(unit)
    if known is None:
        return ()
    return tuple(
        word
        for word in _UNITS
        if word and word not in {"%", "1", "10^9"} and (found := unit_of(word))
        if found[1] == known[1]
    )


def quantity(text: str, unit: str) -> float:
    """Return the number of `text` in `unit`, converted exactly.

    Parameters
    ----------
    text
        A number and its unit, such as ``40 kW`` or ``20 %``.
    unit
        Unit of the field.

    Raises
    ------
    ValueError
        With two arguments, what is wrong and the mend: no number, no unit, an unknown unit, a
        unit of another kind, or a number beyond any use.

    Examples
    --------
    >>> quantity("40kW", "W")
    40000.0
    >>> quantity("80 GiB", "GB")
    85.89934592
    >>> quantity("20 %", "fraction")
    0.2
    """
    shown = repr(text if len(text) <= 40 else text[:37] + "...")
    wanted = unit or "a number"
    found = _TEXT.match(text) if len(text) <= 80 else None
    if found is None:
        mend = f'enter a number in {unit}, or text such as "40 {unit}"' if unit else ""
        raise ValueError(f"{shown} is not a number", mend or "enter a number")
    written = found["unit"] or ""
    if not written:
        mend = (
            f'write {found["number"]} without quotes, or add the unit: "{found["number"]} {unit}"'
        )
        raise ValueError(f"{shown} is text without a unit", mend)
    source, target = unit_of(written), unit_of(unit)
    if source is None and (code := _near_currency(written, unit)):
        raise ValueError(
            f"unit {written!r} in {shown} is not known", f"did you mean the currency {code}?"
        )
    if source is None:
        near = nearest(written, _alternatives(unit))
        raise ValueError(
            f"unit {written!r} in {shown} is not known",
            f"did you mean {near[0]!r}? The field is in {wanted}" if near else f"use {wanted}",
        )
    if target is None or source[1] != target[1]:
        raise ValueError(f"{shown} is not in a unit of {wanted}", f"use {wanted}")
    number = Decimal(found["number"])
    if number and abs(number.adjusted()) > 30:
        raise ValueError(f"{shown} is beyond any use", "enter a smaller number")
    return float(Fraction(number) * source[0] / target[0])


def _near_currency(written: str, unit: str) -> str:
    """The currency meant by a unit of money whose first word is none: ``EURO/kWh``."""
    first, slash, rest = written.partition("/")
    if BASE not in unit or (slash and unit_of(f"{BASE}/{rest}") is None):
        return ""
    names = {code.casefold(): code for code in CURRENCIES}
    names |= {money.name.casefold(): code for code, money in CURRENCIES.items()}
    names |= {money.symbol: code for code, money in CURRENCIES.items()}
    near = nearest(first.strip(), names, 1)
    return names[near[0]] if near else ""
