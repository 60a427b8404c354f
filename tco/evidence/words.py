"""Numbers of the accuracy report as printed, the same everywhere."""

from __future__ import annotations

BLANK = "–"


def percent(fraction: float | None) -> str:
    """Return a fraction as per cent with three significant digits at most.

    Examples
    --------
    >>> percent(0.04567), percent(0.4567), percent(6.62), percent(None), percent(0.00035)
    ('4.6 %', '45.7 %', '662 %', '–', '0.035 %')
    """
    if fraction is None:
        return BLANK
    value = 100 * fraction
    if value >= 100 or value == 0:
        return f"{value:,.0f} %"
    if value < 0.1:
        return f"{value:.2g} %"
    return f"{value:.1f} %"


def pair(median: float | None, p90: float | None) -> str:
    """Return median and 90th percentile.

    Examples
    --------
    >>> pair(0.123, 0.4), pair(None, None)
    ('12.3 / 40.0', '–')
    """
    if median is None:
        return BLANK
    return f"{percent(median).removesuffix(' %')} / {percent(p90).removesuffix(' %')}"


def ratio(value: float | None) -> str:
    """Return a pure number with two decimals.

    Examples
    --------
    >>> ratio(0.8734), ratio(None)
    ('0.87', '–')
    """
    return BLANK if value is None else f"{value:.2f}"


def count(value: int | float) -> str:
    """Return a whole number with thousands apart.

    Examples
    --------
    >>> count(15774)
    '15,774'
    """
    return f"{value:,.0f}"


def titled(label: str) -> str:
    """Return a label with its first letter large, the rest as it is.

    Examples
    --------
    >>> titled("80 % interval"), titled("joules per token")
    ('80 % interval', 'Joules per token')
    """
    return label[:1].upper() + label[1:]
