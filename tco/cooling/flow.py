"""Flow of a coolant for a heat load (F3.6)."""

from __future__ import annotations

import math

from tco.defaults import default
from tco.errors import InputError

LITRES_PER_MIN_KW = {
    "water": default("cooling.flow.water_litres_per_min_kw"),
    "pg25": default("cooling.flow.pg25_litres_per_min_kw"),
}


def flow_litres_per_min(heat_kw: float, delta_t_k: float, fluid: str = "water") -> float:
    """Flow that carries `heat_kw` with a rise of `delta_t_k` [L/min] (F3.6).

    Raises
    ------
    InputError
        A rise that is not above 0, heat below 0, an unknown fluid.

    Examples
    --------
    >>> round(flow_litres_per_min(100.0, 10.0)), round(flow_litres_per_min(100.0, 10.0, "pg25"))
    (143, 149)
    """
    if not delta_t_k > 0 or math.isinf(delta_t_k):
        raise InputError("delta_t_k", f"{delta_t_k:g} K is not above 0", "enter the rise in kelvin")
    if not heat_kw >= 0:
        raise InputError("heat_kw", f"{heat_kw:g} kW is below 0", "enter 0 or more")
    figure = LITRES_PER_MIN_KW.get(fluid)
    if figure is None:
        known = ", ".join(LITRES_PER_MIN_KW)
        raise InputError("fluid", f"{fluid!r} is not known", f"known here: {known}")
    return figure.value * heat_kw / delta_t_k
