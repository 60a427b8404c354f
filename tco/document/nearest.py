"""Suggestions for a name that was not found."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_CLOSE = 0.5  # share of letters two names have in common
_BEHIND = 0.2  # names this far behind the best one only confuse


def nearest(word: str, known: Iterable[str], count: int = 3) -> tuple[str, ...]:
    """Return up to `count` known names closest to `word`, best first.

    Examples
    --------
    >>> nearest("h100_sxm", ["h100-sxm", "h200-sxm", "mi300x"])
    ('h100-sxm', 'h200-sxm')
    """
    by_lower = {name.casefold(): name for name in known}
    wanted = word.casefold()[:100]
    found = difflib.get_close_matches(wanted, by_lower, n=count, cutoff=_CLOSE)
    if not found:
        return ()
    alike = {name: difflib.SequenceMatcher(None, name, wanted).ratio() for name in found}
    best = max(alike.values())
    return tuple(by_lower[name] for name in found if alike[name] > best - _BEHIND)


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return ``did you mean 'a' or 'b'?``, or the names there are, or an empty text."""
    names = tuple(known)
    near = nearest(word, names)
    if near:
        return f"did you mean {' or '.join(repr(name) for name in near)}?"
    if names and len(names) <= 12:
        return f"known here: {', '.join(names)}"
    return ""
