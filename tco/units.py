"""Exact constants and conversions; hours of a month by mode (F0.2, F0.7)."""

from __future__ import annotations

import calendar
import datetime as dt
import itertools

from tco.errors import InputError

HOURS_PER_DAY = 24.0
DAYS_PER_YEAR = 365.0
HOURS_PER_YEAR = 8760.0
MONTHS_PER_YEAR = 12
SECONDS_PER_HOUR = 3600.0
J_PER_KWH = 3.6e6
W_PER_KW = 1000.0
BYTES_PER_GB = 1e9
BYTES_PER_GIB = 2.0**30
GB_PER_TB = 1000.0
GB_PER_AWS_TB = 1024.0  # tiers of AWS price lists count so (F0.7)
TOKENS_PER_MTOK = 1e6

HOURS_MODES = ("730", "720", "calendar")


def gb_from_gib(gib: float) -> float:
    """Convert GiB (2^30 bytes) to GB (10^9 bytes).

    Examples
    --------
    >>> gb_from_gib(80)
    85.89934592
    """
    return gib * BYTES_PER_GIB / BYTES_PER_GB


def gib_from_gb(gb: float) -> float:
    """Convert GB (10^9 bytes) to GiB (2^30 bytes).

    Examples
    --------
    >>> round(gib_from_gb(80), 4)
    74.5058
    """
    return gb * BYTES_PER_GB / BYTES_PER_GIB


def kwh_from_j(joules: float) -> float:
    """Convert joules to kWh.

    Examples
    --------
    >>> kwh_from_j(7.2e6)
    2.0
    """
    return joules / J_PER_KWH


def date_of(text: str) -> dt.date | None:
    """Read ``2026``, ``2026-05`` or ``2026-05-06``; None for anything else.

    A bare year stands for its middle, a bare month for its first day.

    Examples
    --------
    >>> date_of("2026-05"), date_of("2025"), date_of("soon")
    (datetime.date(2026, 5, 1), datetime.date(2025, 7, 1), None)
    """
    parts = text.strip()[:10].split("-")
    if not all(part.isdigit() for part in parts):
        return None
    try:
        if len(parts) == 1:
            return dt.date(int(parts[0]), 7, 1)
        return dt.date(int(parts[0]), int(parts[1]), int(parts[2]) if len(parts) > 2 else 1)
    except ValueError:
        return None


def month_start(start: dt.date, month: int) -> dt.date:
    """First day of ledger month `month`, counted from `start`.

    Examples
    --------
    >>> month_start(dt.date(2026, 1, 31), 1)
    datetime.date(2026, 2, 28)
    """
    index = start.year * MONTHS_PER_YEAR + start.month - 1 + month
    year, month_of_year = divmod(index, MONTHS_PER_YEAR)
    last = calendar.monthrange(year, month_of_year + 1)[1]
    return dt.date(year, month_of_year + 1, min(start.day, last))


def months_between(earlier: dt.date, later: dt.date) -> int:
    """Whole calendar months from one date to another; negative when reversed.

    Examples
    --------
    >>> months_between(dt.date(2026, 5, 1), dt.date(2026, 12, 1))
    7
    """
    return (later.year - earlier.year) * MONTHS_PER_YEAR + later.month - earlier.month


def hours_by_month(mode: str, months: int, valuation_date: str) -> tuple[float, ...]:
    """Hours of each ledger month (F0.2).

    Parameters
    ----------
    mode
        ``730`` (8,760 / 12), ``720`` (30 days) or ``calendar`` (true days from the date on).
    months
        Length of the ledger.
    valuation_date
        ISO date of month 0, used by ``calendar`` only.

    Examples
    --------
    >>> hours_by_month("730", 2, "2026-12-01")
    (730.0, 730.0)
    >>> hours_by_month("calendar", 3, "2026-12-01")
    (744.0, 744.0, 672.0)
    """
    if mode == "calendar":
        start = date_of(valuation_date)
        if start is None:
            raise InputError(
                "finance.valuation_date", f"{valuation_date!r} is not a date", "write 2026-12-01"
            )
        edges = [month_start(start, month) for month in range(months + 1)]
        return tuple(
            (later - earlier).days * HOURS_PER_DAY for earlier, later in itertools.pairwise(edges)
        )
    if mode not in HOURS_MODES:
        raise InputError(
            "finance.hours_mode", f"{mode!r} is not known", f"use one of {', '.join(HOURS_MODES)}"
        )
    return (float(mode),) * months
