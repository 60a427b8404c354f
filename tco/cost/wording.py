"""Numbers in sentences: three significant figures, unit behind."""

from __future__ import annotations

import math

_SCALES = ((1e9, " bn"), (1e6, " M"), (1e3, " k"), (1.0, ""))


def number_text(value: float, digits: int = 3) -> str:
    """`digits` significant figures without an exponent.

    Examples
    --------
    >>> number_text(33.14), number_text(0.01234), number_text(1234567.0), number_text(0.0)
    ('33.1', '0.0123', '1,230,000', '0')
    """
    if value == 0.0 or not math.isfinite(value):
        return "0" if value == 0.0 else str(value)
    places = digits - 1 - math.floor(math.log10(abs(value)))
    rounded = round(value, places)
    text = f"{rounded:,.{max(places, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def money_text(usd: float) -> str:
    """USD with a scale word.

    Examples
    --------
    >>> money_text(11_234_000), money_text(-408_000), money_text(12.5)
    ('11.2 M USD', '-408 k USD', '12.5 USD')
    """
    for scale, word in _SCALES:
        if abs(usd) >= scale * 0.9995:
            return f"{number_text(usd / scale)}{word} USD"
    return f"{number_text(usd)} USD"


def percent_text(fraction: float) -> str:
    """Whole per cent, one decimal below ten.

    Examples
    --------
    >>> percent_text(0.184), percent_text(0.052), percent_text(-0.2)
    ('18 %', '5.2 %', '-20 %')
    """
    value = fraction * 100.0
    text = f"{value:.0f}" if abs(value) >= 9.95 else f"{value:.1f}".removesuffix(".0")
    return f"{text} %"


def list_text(names: list[str]) -> str:
    """Join names as prose.

    Examples
    --------
    >>> list_text(["A", "B", "C"])
    'A, B and C'
    """
    if len(names) <= 1:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
