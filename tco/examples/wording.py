"""Results, tolerances and differences in words."""

from __future__ import annotations

import math
import re

from tco.examples.example import Expected, Value

_DIGITS = 7
_FEW = 3
_SMALL = 1e-5  # a tolerance below it says how many digits agree


def value_text(value: Value, digits: int = _DIGITS) -> str:
    """A result for people, thousands apart; lists in one line.

    Examples
    --------
    >>> value_text(4306416), value_text(0.25898), value_text([True, False]), value_text(None)
    ('4,306,416', '0.25898', 'yes, no', 'never')
    >>> value_text(88241056.8), value_text(12345.678912)
    ('88,241,057', '12,345.68')
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
    rounded = round(value) if abs(value) >= 10.0**digits else float(f"{value:.{digits}g}")
    if rounded == int(rounded):
        return f"{int(rounded):,}"
    return f"{rounded:,.12g}" if abs(rounded) >= 1e-4 else f"{rounded:.{digits}g}"


def tolerance_text(expected: Expected) -> str:
    """The tolerance as published: a share, a number, or nothing at all.

    Examples
    --------
    >>> tolerance_text(Expected(1.0, "x", 0.001, 0.0)), tolerance_text(Expected(1.0, "x", 0.0, 0.0))
    ('0.1 %', 'exact')
    >>> tolerance_text(Expected(1.0, "x", 1e-9, 0.0)), tolerance_text(Expected(1.0, "x", 0.0, 0.05))
    ('9 digits', '±0.05')
    """
    parts = []
    if expected.relative_fraction:
        share_of_it = expected.relative_fraction
        parts.append(
            f"{share_of_it * 100:.3g} %"
            if share_of_it >= _SMALL
            else f"{-math.log10(share_of_it):.0f} digits"
        )
    if expected.absolute:
        parts.append(f"±{expected.absolute:g}")
    return " or ".join(parts) or "exact"


def difference_text(expected: Value, ours: Value, *, absolute: bool = False) -> str:
    """How far ours is from the published figure: a share of it, of the worst one in a list.

    `absolute` gives the plain difference, for a tolerance that is one.

    Examples
    --------
    >>> difference_text(200.0, 201.0), difference_text(0.5, 0.5), difference_text(2e6, 2e6 + 1)
    ('+0.5 %', '0 %', 'under 0.001 %')
    >>> difference_text([1, 2], [1, 2.1])
    '+5 % at most'
    >>> difference_text(True, False), difference_text(3.0, None)
    ('differs', 'differs')
    >>> difference_text(0.57, 0.5659, absolute=True)
    '-0.0041'
    """
    if isinstance(expected, list):
        if not isinstance(ours, list) or len(ours) != len(expected):
            return "differs"
        texts = [
            difference_text(a, b, absolute=absolute) for a, b in zip(expected, ours, strict=True)
        ]
        if "differs" in texts:
            return "differs"
        shares = [share(a, b) for a, b in zip(expected, ours, strict=True)]
        worst = max(range(len(shares)), key=lambda index: abs(shares[index]), default=None)
        same = worst is None or texts[worst] in ("same", "0 %", "0")
        return "same" if same or worst is None else f"{texts[worst]} at most"
    if isinstance(expected, bool) or isinstance(ours, bool):
        return "same" if expected is ours else "differs"
    if not isinstance(expected, int | float) or not isinstance(ours, int | float):
        return "same" if expected == ours else "differs"
    if absolute:
        return f"{ours - expected:+.{_FEW}g}" if ours != expected else "0"
    part = share(expected, ours) * 100.0
    if abs(part) < 1e-3:
        return "0 %" if abs(part) < 1e-9 else "under 0.001 %"
    return f"{part:+.{_FEW}g} %"


_WORDS = {
    **{"gpu": "GPU", "gpus": "GPUs", "kva": "kVA", "usd": "USD", "pue": "PUE", "mtok": "Mtok"},
    **{"kw": "kW", "mw": "MW", "dc": "data centre", "onprem": "own", "payg": "pay as you go"},
    **{"tco": "TCO", "npv": "NPV", "irr": "IRR", "pmt": "payment", "capex": "capital"},
    **{"infra": "infrastructure", "colo": "colocation", "macrs": "MACRS", "wue": "WUE"},
}
_SPANS = {"yr": "years", "h": "h", "rps": "req/s", "w": "W"}


def name_text(name: str) -> str:
    """A result's name in words.

    Examples
    --------
    >>> name_text("onprem_5yr"), name_text("breakeven_months_720h"), name_text("penalty_at_1rps")
    ('Own, 5 years', 'Breakeven months, 720 h', 'Penalty at 1 req/s')
    >>> name_text("mi300x_tok_s_per_mw"), name_text("case1_net")
    ('MI300X tok/s per MW', 'Case 1 net')
    """
    words: list[str] = []
    for word in name.split("_"):
        span = re.fullmatch(r"(\d+)(yr|h|rps|w)", word.lower())
        if span is None:
            short = re.fullmatch(r"[a-z]{1,2}\d+[a-z]?", word)
            words.append(word.upper() if short else _WORDS.get(word, _apart(word)))
            continue
        if words and words[-1] != "at":
            words[-1] += ","
        words.append(f"{span.group(1)} {_SPANS[span.group(2)]}")
    text = " ".join(words).replace("tok s per", "tok/s per")
    return text[:1].upper() + text[1:]


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


def _apart(word: str) -> str:
    """``case1`` as case 1."""
    return re.sub(r"(?<=[a-z])(\d+)$", r" \1", word)
