"""Results, tolerances and differences in words."""

from __future__ import annotations

from tco.examples.example import Expected, Value

_DIGITS = 7
_FEW = 3


def value_text(value: Value, digits: int = _DIGITS) -> str:
    """A result for people, thousands apart; lists in one line.

    Examples
    --------
    >>> value_text(4306416), value_text(0.25898), value_text([True, False]), value_text(None)
    ('4,306,416', '0.25898', 'yes, no', 'never')
    >>> value_text([70.0, 294.541176])
    '70, 294.5412'
    """
    if isinstance(value, list):
        return ", ".join(value_text(each, digits) for each in value)
    if value is None:
        return "never"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, int | float):
        return str(value)
    rounded = float(f"{value:.{digits}g}")
    if rounded.is_integer() and abs(rounded) < 1e15:
        return f"{int(rounded):,}"
    return f"{rounded:,.12g}" if abs(rounded) >= 1e-4 else f"{rounded:.{digits}g}"


def tolerance_text(expected: Expected) -> str:
    """The tolerance as published: a share, a number, or nothing at all.

    Examples
    --------
    >>> tolerance_text(Expected(1.0, "x", 0.001, 0.0)), tolerance_text(Expected(1.0, "x", 0.0, 0.0))
    ('0.1 %', 'exact')
    """
    parts = []
    if expected.relative_fraction:
        parts.append(f"{expected.relative_fraction * 100:.3g} %")
    if expected.absolute:
        parts.append(f"±{expected.absolute:g}")
    return " or ".join(parts) or "exact"


def difference_text(expected: Value, ours: Value) -> str:
    """How far ours is from the published figure: a share of it, of the worst one in a list.

    Examples
    --------
    >>> difference_text(200.0, 201.0), difference_text(0.5, 0.5), difference_text([1, 2], [1, 2.1])
    ('+0.5 %', '0 %', '+5 %')
    >>> difference_text(True, False), difference_text(3.0, None)
    ('differs', 'differs')
    """
    if isinstance(expected, list):
        if not isinstance(ours, list) or len(ours) != len(expected):
            return "differs"
        texts = [difference_text(a, b) for a, b in zip(expected, ours, strict=True)]
        if "differs" in texts:
            return "differs"
        shares = [share(a, b) for a, b in zip(expected, ours, strict=True)]
        worst = max(range(len(shares)), key=lambda index: abs(shares[index]), default=None)
        return "same" if worst is None else texts[worst]
    if isinstance(expected, bool) or isinstance(ours, bool):
        return "same" if expected is ours else "differs"
    if not isinstance(expected, int | float) or not isinstance(ours, int | float):
        return "same" if expected == ours else "differs"
    part = share(expected, ours) * 100.0
    return "0 %" if abs(part) < 5e-8 else f"{part:+.{_FEW}g} %"


def share(expected: Value, ours: Value) -> float:
    """Difference as a share of the published figure; of 1 where that is 0.

    Examples
    --------
    >>> share(200.0, 201.0), share(0.0, 0.5)
    (0.005, 0.5)
    """
    if isinstance(expected, bool | str):
        return 0.0
    return float((ours - expected) / (abs(expected) or 1.0))
