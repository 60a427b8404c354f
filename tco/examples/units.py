"""Units as examples write them, converted where the factor is exact (F0.7).

Hours are never made of months or years, nor the reverse: how many a month has is a convention
(F0.2), so a price per month given per hour is an error and no conversion.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from tco.errors import InputError
from tco.units import BYTES_PER_GB, BYTES_PER_GIB

_ATOMS: dict[str, tuple[float, str]] = {
    **dict.fromkeys(("1", "fraction", "ratio", "x", "exponent", "count"), (1.0, "")),
    "%": (0.01, ""),
    **{"USD": (1.0, "USD"), "kUSD": (1e3, "USD"), "MUSD": (1e6, "USD")},
    **{"s": (1.0, "s"), "ms": (1e-3, "s"), "min": (60.0, "s")},
    **{"h": (3600.0, "s"), "day": (86_400.0, "s")},
    **{"month": (1.0, "month"), "yr": (12.0, "month")},
    **{"W": (1.0, "W"), "kW": (1e3, "W"), "MW": (1e6, "W")},
    **{"VA": (1.0, "VA"), "kVA": (1e3, "VA"), "MVA": (1e6, "VA")},
    **{"GB": (1.0, "GB"), "TB": (1e3, "GB"), "GiB": (BYTES_PER_GIB / BYTES_PER_GB, "GB")},
    **{"tok": (1.0, "tok"), "ktok": (1e3, "tok"), "Mtok": (1e6, "tok")},
    **{"kgCO2e": (1.0, "kgCO2e"), "gCO2e": (1e-3, "kgCO2e"), "tCO2e": (1e3, "kgCO2e")},
    **{"L": (1.0, "L"), "m3": (1e3, "L")},
}
_ENERGY = {"Wh": 3600.0, "kWh": 3.6e6, "MWh": 3.6e9, "GWh": 3.6e12}
_NAMES = {
    **{"hour": "h", "hours": "h", "hr": "h", "hrs": "h", "days": "day", "d": "day"},
    **{"months": "month", "mo": "month", "year": "yr", "years": "yr", "y": "yr", "a": "yr"},
    **{"requests": "req", "request": "req", "reqs": "req", "tokens": "tok", "token": "tok"},
    **{"device": "GPU", "devices": "GPU", "GPUs": "GPU", "gpu": "GPU", "nodes": "node"},
    **{"racks": "rack", "cards": "card", "kgCO2": "kgCO2e", "gCO2": "gCO2e", "$": "USD"},
    **{"seconds": "s", "minutes": "min", "percent": "%", "fractions": "fraction"},
}
# What is counted. A unit may leave it out (USD/h for USD/GPU/h), but not say another.
_COUNTED = frozenset({"GPU", "node", "rack", "card", "req", "server", "servers", "FTE", "slot"})


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit by its dimensions and what one of it is worth."""

    text: str
    factor: float
    dimensions: tuple[tuple[str, int], ...]


def head(text: str) -> str:
    """The unit itself, without the words after it: ``kW/GPU all-in`` is kW/GPU.

    Examples
    --------
    >>> head("fraction of 12-month peak"), head("USD, t = 0..4"), head("GB at 0.01")
    ('fraction', 'USD', 'GB')
    """
    return re.split(r"[\s,;(]", text.strip(), maxsplit=1)[0]


@lru_cache(maxsize=512)
def unit_of(text: str) -> Unit:
    """Read a unit such as ``USD/kW/month`` or ``GPU*h``; a word not known is its own dimension.

    Examples
    --------
    >>> unit_of("MWh").factor == 1000 * unit_of("kWh").factor
    True
    >>> unit_of("USD/W/month").dimensions
    (('USD', 1), ('W', -1), ('month', -1))
    """
    factor, dimensions = 1.0, dict[str, int]()
    for sign, name in re.findall(r"([*/·]?)([^*/·]+)", head(text)):
        power = -1 if sign == "/" else 1
        name = _NAMES.get(name, name)
        if name in _ENERGY:
            parts = [(_ENERGY[name], "W"), (1.0, "s")]
        else:
            parts = [_ATOMS.get(name, (1.0, name))]
        for worth, dimension in parts:
            factor *= worth**power
            if dimension:
                dimensions[dimension] = dimensions.get(dimension, 0) + power
    left = tuple(sorted((name, power) for name, power in dimensions.items() if power))
    return Unit(text, factor, left)


def convert_factor(given: str, wanted: str, field: str) -> float:
    """What a number in `given` is multiplied by to be in `wanted`.

    Raises
    ------
    InputError
        Units of different dimensions.

    Examples
    --------
    >>> convert_factor("MW", "kW", "load"), round(convert_factor("tok/min", "tok/s", "demand"), 6)
    (1000.0, 0.016667)
    >>> convert_factor("USD/h", "USD/GPU/h", "rate"), convert_factor("count", "GPU", "gpus")
    (1.0, 1.0)
    >>> convert_factor("USD/month", "USD/h", "cloud_rate")
    Traceback (most recent call last):
    ...
    tco.errors.InputError: cloud_rate: is in USD/month; give it in USD/h
    """
    if not alike(given, wanted):
        raise InputError(field, f"is in {head(given) or 'no unit'}", f"give it in {head(wanted)}")
    return unit_of(given).factor / unit_of(wanted).factor if head(given) != head(wanted) else 1.0


def alike(given: str, wanted: str) -> bool:
    """Whether two units measure the same, apart from what only one of them counts.

    Rates a year and a month are not alike: 1 % a month is not 12 % a year.

    Examples
    --------
    >>> alike("kUSD/MWh", "USD/kWh"), alike("%/yr", "1/yr"), alike("1/month", "1/yr")
    (True, True, False)
    >>> alike("USD/node/h", "USD/GPU/h")
    False
    """
    have, want = (dict(unit_of(text).dimensions) for text in (given, wanted))
    if want == {"month": -1} and have == want:
        spans = (head(text).rsplit("/", 1)[-1] for text in (given, wanted))
        return len({_NAMES.get(span, span) for span in spans}) == 1
    counted = [
        {name: power for name, power in dimensions.items() if name in _COUNTED}
        for dimensions in (have, want)
    ]
    if counted[0] and counted[1] and counted[0] != counted[1]:
        return False
    rest = [
        {name: power for name, power in dimensions.items() if name not in _COUNTED}
        for dimensions in (have, want)
    ]
    return rest[0] == rest[1]
