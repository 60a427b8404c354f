"""Inner calls and the warm-up."""

from __future__ import annotations

import itertools

import pytest

from tco_agent.timing import LEAST_WARMUP_NS, clock_self_test, inner_calls, warm_up


@pytest.mark.parametrize(
    ("call_ns", "resolution_ns", "expected"),
    [(1000, 10, 1000), (1000, 50_000, 10_000), (2_000_000, 10, 1), (0, 10, 1_000_000)],
)
def test_a_sample_is_long_against_the_clock(
    call_ns: float, resolution_ns: int, expected: int
) -> None:
    """1 ms or 200 times the resolution, whichever is longer, in whole calls."""
    assert inner_calls(call_ns, resolution_ns, 1_000_000) == expected


def test_warm_up_ends_when_two_windows_agree() -> None:
    """A steady kernel of 20 ms ends after two windows of five, with 100 ms behind it."""
    warm = warm_up(lambda inner: 20_000_000 * inner, 1, cap_ns=10**10)
    assert (warm.calls, warm.ns, warm.steady) == (10, 200_000_000, True)
    assert warm.typical_ns == 20_000_000


def test_warm_up_goes_on_while_the_times_fall() -> None:
    """Times that fall by 3 % a call are not steady; it stops as soon as they stand still."""
    times = itertools.chain(
        (round(30_000_000 * 0.97**i) for i in range(30)), itertools.repeat(12_000_000)
    )
    warm = warm_up(lambda inner: next(times), 1, cap_ns=10**10)
    assert warm.steady
    assert warm.calls >= 35


def test_warm_up_ends_at_its_cap() -> None:
    """A kernel that never settles is cut off and marked as not steady."""
    times = (round(10_000_000 * 1.05**i) for i in itertools.count())
    warm = warm_up(lambda inner: next(times), 1, cap_ns=500_000_000)
    assert not warm.steady
    assert LEAST_WARMUP_NS < warm.ns < 700_000_000


def test_the_clock_only_rises() -> None:
    """The self-test finds a resolution below 100 us and a monotonic clock."""
    found = clock_self_test()
    assert found["monotonic"] is True
    assert 0 < found["resolution_ns"] < 100_000
