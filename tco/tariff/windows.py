"""Which hours a window of a tariff holds, and whether all windows cover the year once (F4.2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tco.errors import InputError
from tco.inputs import Window
from tco.units import MONTHS_PER_YEAR

DAY_HOURS = 24
KINDS = ("weekday", "weekend")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

Mask = NDArray[np.bool_]


def window_mask(window: Window) -> Mask:
    """Whether the window holds each hour, shape (12 months, weekday and weekend, 24).

    Examples
    --------
    >>> night = window_mask(Window(months=(1,), days="weekday", from_hour=22, to_hour=6))
    >>> night[0, 0].nonzero()[0].tolist(), int(night.sum())
    ([0, 1, 2, 3, 4, 5, 22, 23], 8)
    """
    hours = np.arange(DAY_HOURS)
    first, last = window.from_hour, window.to_hour
    after, before = hours >= first, hours < last
    held = after & before if first < last else after | before
    months = np.isin(np.arange(1, MONTHS_PER_YEAR + 1), window.months)
    kinds = np.array([window.days in ("all", kind) for kind in KINDS])
    mask: Mask = months[:, None, None] & kinds[None, :, None] & held[None, None, :]
    return mask


def period_of_hour(windows: Sequence[tuple[str, str, Window]]) -> NDArray[np.intp]:
    """Index of the period of each hour, shape (12, 2, 24).

    Parameters
    ----------
    windows
        Path in the document, name and window of each period.

    Raises
    ------
    InputError
        An hour that two periods hold, or none; field, hour and mend are named.

    Examples
    --------
    >>> day = Window(from_hour=6, to_hour=22), Window(from_hour=22, to_hour=6)
    >>> periods = [(f"periods[{i}]", str(i), window) for i, window in enumerate(day)]
    >>> period_of_hour(periods)[0, 0].tolist()[4:8]
    [1, 1, 0, 0]
    """
    found = np.full((MONTHS_PER_YEAR, len(KINDS), DAY_HOURS), -1, dtype=np.intp)
    for index, (path, name, window) in enumerate(windows):
        mask = window_mask(window)
        taken = mask & (found >= 0)
        if taken.any():
            place = np.argwhere(taken)[0]
            other = windows[int(found[tuple(place)])][1]
            raise InputError(
                path,
                f"{name!r} and {other!r} both hold {_hour_text(place)}",
                "shorten one of them, so that every hour has one price",
            )
        found[mask] = index
    if (found < 0).any():
        place = np.argwhere(found < 0)[0]
        raise InputError(
            windows[0][0].rpartition("[")[0] if windows else "periods",
            f"no period holds {_hour_text(place)}",
            "add a period for these hours, or widen one",
        )
    return found


def _hour_text(place: NDArray[np.intp]) -> str:
    month, kind, hour = (int(part) for part in place)
    return f"{MONTHS[month]}, {KINDS[kind]}, {hour:02d}:00"
