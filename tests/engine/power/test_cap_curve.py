"""Throughput under a power cap, from boards on which it was measured (F2.2, P14)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tco.inputs import CapPoint, Status
from tco.power.cap_curve import CapRow, cap_curve, cap_rows, throughput_left, transferred_caps
from tco.power.slot_cap import slot_check
from tests.engine.power.power_fleets import figure, h100, h100_server


def test_a_step_is_the_mean_of_the_boards_medians() -> None:
    """Five jobs on one board at 0.8, ten on another at 0.9, one stray: (0.8 + 0.9) / 2."""
    rows = [CapRow("a", 0.7, 0.8)] * 5 + [CapRow("b", 0.72, 0.9)] * 10 + [CapRow("c", 0.7, 0.1)]
    (step,) = cap_curve(rows)
    assert (step.share_fraction, step.throughput_fraction) == (0.7, pytest.approx(0.85))
    assert (step.low, step.high) == (0.8, 0.9)


def test_the_measured_curve_rises_and_keeps_most_at_a_small_cut() -> None:
    """Measured: 70 % of the draw keeps about 85 %, 90 % about 95 %; no cap keeps all."""
    curve = cap_curve(cap_rows())
    left = [throughput_left(share / 20, curve) for share in range(22)]
    assert left == sorted(left)
    assert (left[0], left[20], left[21]) == (0.0, 1.0, 1.0)
    assert throughput_left(0.7, curve) == pytest.approx(0.85, abs=0.02)
    assert throughput_left(0.9, curve) == pytest.approx(0.95, abs=0.02)


def test_transferred_caps_are_estimates_with_a_range_and_say_so() -> None:
    """Five points of a 700 W board, none measured; none for a CPU or an unknown board."""
    points = transferred_caps(h100())
    assert [point.cap_w.value for point in points] == pytest.approx([350, 420, 490, 560, 630])
    for point in points:
        left = point.throughput_fraction
        assert left.status is Status.ESTIMATED
        assert left.low is not None
        assert left.high is not None
        assert left.low < left.value < left.high
        assert "not measured on this device" in left.source
    assert transferred_caps(replace(h100(), kind="cpu")) == ()
    assert transferred_caps(replace(h100(), board_w=None)) == ()


def test_a_transferred_cap_is_suggested_but_does_not_fit_a_slot() -> None:
    """A 700 W board in a 500 W slot: infeasible still, with what a cap of 490 W would keep."""
    check = slot_check(h100_server(), figure(500, "W"))
    assert (check.fits, check.point) == (False, None)
    assert check.suggested is not None
    assert check.suggested.cap_w.value == pytest.approx(490)
    assert "measure the cap to use it" in check.reason
    own = replace(h100(), cap_points=(CapPoint(figure(600, "W"), figure(0.97, "fraction")),))
    assert slot_check(h100_server(device=own), figure(500, "W")).suggested is None
