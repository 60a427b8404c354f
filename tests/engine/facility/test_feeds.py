"""Volts and amperes to usable kilowatts (F2.6)."""

from __future__ import annotations

import cmath
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tco.errors import InputError
from tco.facility.feeds import (
    breaker_kva,
    feed_kva,
    imbalance_fraction,
    leg_limit_kva,
    line_currents_a,
    usable_kw_per_rack,
)
from tests.engine.power.power_fleets import feed, figure


@pytest.mark.parametrize(
    ("feeds", "redundancy", "counted"),
    [
        (1, "N", 1),
        (3, "N", 3),
        (2, "2N", 1),
        (4, "2N", 2),
        (3, "2N", 1),
        (2, "N+1", 1),
        (4, "N+1", 3),
    ],
)
def test_redundancy_counts_the_feeds_that_may_be_loaded(
    feeds: int, redundancy: str, counted: int
) -> None:
    """N sums; 2N is the smaller side; N+1 leaves one out. 34.50 kVA a feed at PF 0.95."""
    kw = usable_kw_per_rack(
        feed(feeds_per_rack=feeds, redundancy=redundancy, power_factor=figure(0.95, "fraction"))
    )
    assert kw == pytest.approx(34.502 * 0.95 * counted, rel=1e-4)


@pytest.mark.parametrize("redundancy", ["2N", "N+1"])
def test_one_feed_cannot_be_redundant(redundancy: str) -> None:
    """A single feed is refused with the field and the mend."""
    with pytest.raises(InputError, match=r"feed\.feeds_per_rack: 1 feed cannot be"):
        usable_kw_per_rack(feed(feeds_per_rack=1, redundancy=redundancy))


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"phases": 2}, "feed.phases"),
        ({"voltage_reference": "L"}, "feed.voltage_reference"),
        ({"redundancy": "3N"}, "feed.redundancy"),
        ({"feeds_per_rack": 0}, "feed.feeds_per_rack"),
    ],
)
def test_a_feed_that_cannot_be_names_its_field(changes: dict[str, object], field: str) -> None:
    """Two phases, an unknown reference or redundancy, no feed."""
    with pytest.raises(InputError) as caught:
        usable_kw_per_rack(feed(**changes))
    assert caught.value.field == field


def test_a_load_between_two_lines_draws_the_same_from_both() -> None:
    """One 4.99 kVA load at 208 V: 24.0 A on two lines, not 20.8 A."""
    a, b, c = line_currents_a(4_990 / 208, 0, 0)
    assert a == pytest.approx(24.0, abs=0.05)
    assert b == a
    assert c == 0


@settings(deadline=None)
@given(st.tuples(*[st.floats(0, 100)] * 3))
def test_line_currents_agree_with_phasors(loads: tuple[float, float, float]) -> None:
    """Independent oracle: sum the three phasors of unity power factor at each corner."""
    ab, bc, ca = (
        amperes * cmath.exp(1j * math.radians(angle))
        for amperes, angle in zip(loads, (30, -90, 150), strict=True)
    )
    oracle = (abs(ab - ca), abs(bc - ab), abs(ca - bc))
    assert line_currents_a(*loads) == pytest.approx(oracle, rel=1e-9, abs=1e-9)


def test_line_to_neutral_loads_have_a_third_each() -> None:
    """A 230 V 32 A three-phase feed carries 22.08 kVA, 7.36 on one leg."""
    three = feed(
        voltage_v=230,
        voltage_reference="LN",
        breaker_a=32,
        usable_fraction=figure(1.0, "fraction"),
    )
    assert feed_kva(three) == pytest.approx(22.08)
    assert leg_limit_kva(three) == pytest.approx(7.36)


def test_imbalance_is_the_largest_leg_over_the_mean() -> None:
    """(30, 20, 10) A: 0.5; even legs and no load: 0."""
    assert imbalance_fraction((30, 20, 10)) == pytest.approx(0.5)
    assert imbalance_fraction((7, 7, 7)) == pytest.approx(0)
    assert imbalance_fraction((0, 0, 0)) == 0


@settings(deadline=None)
@given(st.floats(100, 500), st.floats(5, 100), st.floats(0.1, 1))
def test_line_references_agree_when_the_voltage_is_converted(
    volts: float, amperes: float, usable: float
) -> None:
    """sqrt(3) V_LL I equals 3 V_LN I with V_LL = sqrt(3) V_LN; usable scales it."""
    by_line = feed(
        voltage_v=volts * math.sqrt(3),
        breaker_a=amperes,
        usable_fraction=figure(usable, "fraction"),
    )
    by_neutral = feed(voltage_v=volts, breaker_a=amperes, voltage_reference="LN")
    assert breaker_kva(by_line) == pytest.approx(breaker_kva(by_neutral))
    assert feed_kva(by_line) == pytest.approx(usable * breaker_kva(by_neutral))
