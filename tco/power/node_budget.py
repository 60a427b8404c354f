"""A node's and a rack's power added up from their parts (F2.3)."""

from __future__ import annotations

import math
from collections.abc import Iterable

from tco.errors import InputError


def node_kw(parts: Iterable[tuple[float, float]], static_kw: float = 0.0) -> float:
    """Sum of count x kW over the parts, and what draws whatever the load (F2.3).

    Parameters
    ----------
    parts
        (count, kW of one): devices, processors, memory, adapters.
    static_kw
        Fans, conversion, boards.

    Examples
    --------
    >>> round(node_kw([(4, 1.4), (1, 1.0)]), 3), round(node_kw([(4, 1.4), (1, 1.0)], 0.9), 3)
    (6.6, 7.5)
    """
    terms = [*((count, kw) for count, kw in parts), (1.0, static_kw)]
    for count, kw in terms:
        if not (count >= 0 and kw >= 0):
            raise InputError("parts", f"{count:g} x {kw:g} kW is below 0", "enter 0 or more")
    return math.fsum(count * kw for count, kw in terms)
