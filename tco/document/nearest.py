"""Suggestions for a name that was not found."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(word: str, known: Iterable[str], count: int = 3) -> tuple[str, ...]:
    """Return up to `count` known names closest to `word`, best first.

    Examples
    --------
    >>> nearest("h100_sxm", ["h100-sxm", "h200-sxm", "mi300x"])
    ('h100-sxm', 'h200-sxm')
    """
    by_lower = {name.casefold(): name for name in known}
    found = difflib.get_close_matches(word.casefold()[:100], by_lower, n=count, cutoff=0.5)
    return tuple(by_lower[name] for name in found)


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return ``did you mean 'a' or 'b'?``, or the names there are, or an empty text."""
    names = tuple(known)
    near = nearest(word, names)
    if near:
        return f"did you mean {' or '.join(repr(name) for name in near)}?"
    if names and len(names) <= 12:
        return f"known here: {', '.join(names)}"
    return ""
