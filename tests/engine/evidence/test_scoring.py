"""Errors, cells, intervals, overload: against numbers worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tco.evidence.record import ScoreRow
from tco.evidence.scoring import (
    by,
    interval_score,
    interval_summary,
    overload_summary,
    summarise,
)


def scored(measured, predicted, device="a", source="s", **more):
    """One row of model m."""
    return ScoreRow(source, device, "m", "tpot_mean", measured, predicted, **more)


def test_median_and_p90_over_answered_rows():
    """Errors 10, 20, 30, 40, 50 %: median 30, 90th percentile 46 (linear between the ranks)."""
    found = summarise([scored(100, 100 + off) for off in (10, -20, 30, -40, 50)])
    assert found.median == pytest.approx(0.30)
    assert found.p90 == pytest.approx(0.46)
    assert (found.rows, found.answered, found.cells) == (5, 5, 1)


def test_cells_keep_a_large_source_from_drowning_a_small_one():
    """99 rows at 10 % and one at 50 %: the row median says 10 %, the mean of cells 30 %."""
    rows = [scored(100, 110, source="large")] * 99 + [scored(100, 150, source="small")]
    found = summarise(rows)
    assert found.median == pytest.approx(0.10)
    assert found.cell_median == pytest.approx(0.30)


def test_unanswered_rows_count_as_100_per_cent():
    """One cell answered at 20 %, one not at all: 20 % over answered, 60 % over all cells."""
    found = summarise([scored(10, 12), scored(10, None, device="b", reason="no peak")])
    assert (found.rows, found.answered) == (2, 1)
    assert found.median == pytest.approx(0.2)
    assert found.cell_median == pytest.approx(0.2)
    assert found.median_all == pytest.approx(0.6)
    assert found.cell_median_all == pytest.approx(0.6)


def test_nothing_answered_has_no_median_but_100_per_cent():
    """A blank, not zero."""
    found = summarise([scored(10, None)])
    assert (found.median, found.p90, found.cell_median) == (None, None, None)
    assert found.cell_median_all == 1.0


def test_interval_score_by_hand():
    """Inside: the width ln 2. At 40 above an end of 20: ten times ln 2 more, and so below."""
    assert interval_score(15, 10, 20) == pytest.approx(math.log(2))
    assert interval_score(40, 10, 20) == pytest.approx(11 * math.log(2))
    assert interval_score(5, 10, 20) == pytest.approx(11 * math.log(2))


def test_coverage_counts_values_inside():
    """Two of three inside."""
    rows = [
        scored(10, 11, low=9, high=12),
        scored(10, 11, low=10, high=12),
        scored(10, 20, low=15, high=25),
    ]
    found = interval_summary(rows)
    assert found.rows == 3
    assert found.covered == pytest.approx(2 / 3)
    hand = (math.log(12 / 9) + math.log(1.2) + math.log(25 / 15) + 10 * math.log(1.5)) / 3
    assert found.score == pytest.approx(hand)


def test_intervals_that_know_their_error_beat_one_constant_width():
    """Half the rows are within 2 %, half within 40 %: one width for all must lose."""
    off = np.linspace(-1, 1, 21)
    rows = [scored(10 * math.exp(0.02 * x), 10, low=9.8, high=10.2) for x in off]
    rows += [scored(10 * math.exp(0.4 * x), 10, low=10 / 1.49, high=14.9) for x in off]
    assert interval_summary(rows).beats_constant


def test_wide_intervals_cover_and_still_lose():
    """Coverage can be gamed by width, the score cannot (P13.3)."""
    rows = [scored(10 + 0.1 * x, 10, low=1, high=100) for x in range(-5, 6)]
    found = interval_summary(rows)
    assert found.covered == 1.0
    assert not found.beats_constant


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(-1.0, 1.0), min_size=3, max_size=30), st.floats(0.02, 3.0))
def test_no_constant_width_beats_the_one_that_is_reported(offs, width):
    """The rival has hindsight: any other single width scores the same or worse, to the grid."""
    rows = [scored(10 * math.exp(off), 10, low=9, high=11) for off in offs]
    found = interval_summary(rows)
    scores = [interval_score(row.measured, 10 / (1 + width), 10 * (1 + width)) for row in rows]
    assert found.constant_score <= sum(scores) / len(scores) + 0.011


def test_rows_without_a_usable_interval_are_not_counted():
    """No ends, a zero end, or an endless one."""
    bad = [
        scored(10, 11),
        scored(10, 11, low=0, high=12),
        scored(10, 11, low=9, high=math.inf),
        scored(10, None, low=9, high=12),
    ]
    assert interval_summary(bad) is None
    assert interval_summary([*bad, scored(10, 11, low=9, high=12)]).rows == 1


def test_groups_come_in_order():
    """By name, each row in one."""
    groups = by([scored(1, 1, device="b"), scored(1, 1, device="a")], lambda row: row.device)
    assert list(groups) == ["a", "b"]


def test_overload_is_called_or_not():
    """Three overloaded runs of which two are called; two sustained of which one is."""
    pairs = [(True, True), (True, True), (True, None), (False, True), (False, False)]
    found = overload_summary(pairs)
    assert (found.overloaded, found.called, found.sustained, found.false_alarms) == (3, 2, 2, 1)
    assert found.share_called == pytest.approx(2 / 3)
    assert overload_summary([(False, False)]).share_called is None
