"""Watts of devices, models and servers that the fit never saw, against what was measured (P16)."""

from __future__ import annotations

import statistics

import pytest

from tco.power.cap_curve import cap_curve, cap_rows, throughput_left
from tco.power.fit import (
    cell_medians,
    coverage,
    left_out,
    of_generation,
    of_model,
    predicted_w,
    spread_of,
    watts_rows,
)
from tco.power.fit_wall import left_out_errors, wall_rows


@pytest.mark.parametrize("generation", ["h100", "b200", "a100"])
def test_a_device_left_out_is_within_a_tenth(generation: str) -> None:
    """Median over cells under 10 %; half the error of a constant share of the board, or less."""
    rows = watts_rows()
    answers = [
        pair
        for pair in left_out(rows, of_generation, own=False)
        if pair[0].generation == generation
    ]
    cells = list(cell_medians(answers).values())
    assert statistics.median(cells) < 0.10
    assert statistics.fmean(cells) < 0.11
    others = [row for row in rows if row.generation != generation]
    share = statistics.median(row.board_w / row.board.board_w for row in others)
    constant = statistics.median(
        abs(share * row.board.board_w / row.board_w - 1) for row, _ in answers
    )
    ours = statistics.median(
        abs(predicted_w(factors, row) / row.board_w - 1) for row, factors in answers
    )
    assert ours < 0.75 * constant


def test_intervals_cover_four_in_five_on_devices_they_were_not_drawn_from() -> None:
    """The interval of the other devices covers 75 to 85 % of all rows, 70 to 90 % of each."""
    answers = left_out(watts_rows(), of_generation, own=False)
    covered, total = 0.0, 0
    for generation in ("h100", "b200", "a100"):
        some = [pair for pair in answers if pair[0].generation == generation]
        spread = spread_of([pair for pair in answers if pair[0].generation != generation])
        share = coverage(some, spread)
        assert 0.70 <= share <= 0.90
        covered, total = covered + share * len(some), total + len(some)
    assert 0.75 <= covered / total <= 0.85


def test_a_model_left_out_is_within_a_tenth() -> None:
    """Median over cells under 10 %."""
    answers = left_out(watts_rows(), of_model, own=True)
    assert statistics.median(cell_medians(answers).values()) < 0.10


def test_wall_power_of_a_device_left_out() -> None:
    """Median of all rows under 15 %, of every device under 25 %."""
    errors = left_out_errors(wall_rows())
    assert statistics.median(abs(e) for found in errors.values() for e in found) < 0.15
    assert all(statistics.median(abs(e) for e in found) < 0.25 for found in errors.values())


def test_the_cap_curve_of_three_boards_predicts_the_fourth() -> None:
    """Caps of at least half the draw: median error under 6 % on every board left out."""
    rows = cap_rows()
    for board in sorted({row.device for row in rows}):
        curve = cap_curve(row for row in rows if row.device != board)
        errors = [
            abs(throughput_left(row.share_fraction, curve) / row.throughput_fraction - 1)
            for row in rows
            if row.device == board and row.share_fraction >= 0.5
        ]
        assert statistics.median(errors) < 0.06
