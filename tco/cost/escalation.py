"""Nominal escalation from a real one and inflation, and the price path of years (F0.4)."""

from __future__ import annotations

from tco.errors import InputError

MODES = ("multiplicative", "additive")


def nominal_escalation_fraction(
    real_fraction: float, inflation_fraction: float, mode: str = "multiplicative"
) -> float:
    """Nominal escalation a year, (1 + e_real)(1 + i) - 1 (F0.4, F0.5).

    Parameters
    ----------
    real_fraction, inflation_fraction
        Rates a year, above -1.
    mode
        ``multiplicative`` (the default); ``additive`` adds the rates, as some tools do, and is
        there for reconciliation only.

    Examples
    --------
    >>> round(nominal_escalation_fraction(0.02, 0.025), 6)
    0.0455
    >>> round(nominal_escalation_fraction(0.02, 0.025, "additive"), 6)
    0.045
    """
    for name, rate in (("real", real_fraction), ("inflation", inflation_fraction)):
        if not rate > -1.0:
            raise InputError(f"{name}_fraction", f"{rate} is not above -1", "enter 0 to 1")
    if mode == "additive":
        return real_fraction + inflation_fraction
    if mode != "multiplicative":
        raise InputError("mode", f"{mode!r} is not known", f"use one of {', '.join(MODES)}")
    return (1.0 + real_fraction) * (1.0 + inflation_fraction) - 1.0


def yearly_path_usd(first_year_usd: float, escalation_fraction: float, years: int) -> list[float]:
    """An amount of the first year carried through the years, annual step (F0.4).

    Examples
    --------
    >>> [round(usd, 2) for usd in yearly_path_usd(100.0, 0.1, 3)]
    [100.0, 110.0, 121.0]
    """
    return [first_year_usd * (1.0 + escalation_fraction) ** year for year in range(years)]
