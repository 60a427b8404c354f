"""A table of the accuracy report."""

from __future__ import annotations

from dataclasses import dataclass

LEFT_OUT = {
    "device": "device left out",
    "model": "model left out",
    "source": "source left out",
}


@dataclass(frozen=True, slots=True)
class Section:
    """A titled table with a text above it."""

    key: str
    title: str
    text: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1  # columns of words from the left
