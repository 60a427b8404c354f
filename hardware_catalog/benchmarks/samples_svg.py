"""Coordinates of the small drawing of raw samples by block; the template draws it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

WIDTH, HEIGHT = 240, 64
LEFT, TOP, BOTTOM = 4.0, 6.0, 58.0
GAP = 6.0


@dataclass(frozen=True, slots=True)
class BlockDrawing:
    """One block: its samples as points, and its median as a short line."""

    points: tuple[tuple[float, float], ...]
    x1: float
    x2: float
    median_y: float


@dataclass(frozen=True, slots=True)
class SamplesDrawing:
    """All blocks in order of time on one scale, and the same in words."""

    width: int
    height: int
    blocks: tuple[BlockDrawing, ...]
    label: str
    lowest: str
    highest: str


def time_words(ns: float) -> str:
    """Write a time with three significant figures and a fitting unit.

    >>> time_words(1_234_567), time_words(950), time_words(2_500_000_000)
    ('1.23 ms', '950 ns', '2.5 s')
    """
    for limit, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if ns >= limit:
            return f"{float(f'{ns / limit:.3g}'):g} {unit}"
    return f"{ns:.3g} ns"


def draw_samples(blocks_ns: Sequence[Sequence[float]]) -> SamplesDrawing | None:
    """Return the drawing, None without samples. Slower is higher."""
    blocks = [block for block in blocks_ns if block]
    if not blocks:
        return None
    samples = [sample for block in blocks for sample in block]
    low, high = min(samples), max(samples)
    span = high - low
    step = (WIDTH - 2 * LEFT - GAP * (len(blocks) - 1)) / len(samples)

    def y(value: float) -> float:
        if span == 0:
            return round((TOP + BOTTOM) / 2, 1)
        return round(BOTTOM - (value - low) / span * (BOTTOM - TOP), 1)

    drawn = []
    x = LEFT
    for block in blocks:
        end = x + step * len(block)
        points = tuple((round(x + step * (i + 0.5), 1), y(value)) for i, value in enumerate(block))
        drawn.append(BlockDrawing(points, round(x, 1), round(end, 1), y(median(block))))
        x = end + GAP
    label = (
        f"{len(samples)} samples in {len(blocks)} block{'s' if len(blocks) > 1 else ''}, "
        f"from {time_words(low)} to {time_words(high)} a call"
    )
    return SamplesDrawing(WIDTH, HEIGHT, tuple(drawn), label, time_words(low), time_words(high))
