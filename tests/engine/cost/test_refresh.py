"""Keep against replace, by hand and against itself (F15)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tco.cost.refresh import (
    New,
    Old,
    Running,
    Terms,
    best_plan,
    every_plan,
    plan,
    switching_power_price_factor,
    switching_resale_usd,
    switching_throughput_ratio,
    with_power_price,
)
from tco.errors import InputError

MONTHS = 12


def old(**more):
    """1,000 of energy and 500 of the rest a month; worth 3,000 now, 600 at the end; book 4,800."""
    given = {
        "running": Running((1_000.0,) * MONTHS, (500.0,) * MONTHS),
        "resale_usd": tuple(3_000.0 - 200.0 * month for month in range(MONTHS + 1)),
        "book_usd": tuple(4_800.0 - 400.0 * month for month in range(MONTHS + 1)),
    }
    return Old(**{**given, **more})


def new(**more):
    """400 of energy and 300 of the rest; 9,000, written off over three years, 40 % a year on."""
    given = {
        "running": Running((400.0,) * MONTHS, (300.0,) * MONTHS),
        "price_usd": (9_000.0,) * MONTHS,
        "resale_fraction": tuple(1.0 - 0.05 * age for age in range(MONTHS + 1)),
        "book_fraction": tuple(1.0 - age / 36 for age in range(MONTHS + 1)),
        "migration_usd": 700.0,
    }
    return New(**{**given, **more})


def test_without_tax_and_interest_it_is_a_plain_sum():
    """Keep 18,000 - 600; replace now 9,000 - 3,000 + 8,400 - 3,600 + 700."""
    terms = Terms(0.0)
    assert plan(old(), new(), terms, None).total_usd == pytest.approx(17_400)
    assert plan(old(), new(), terms, 0).total_usd == pytest.approx(11_500)


def test_tax_by_hand():
    """25 %: keep 0.75 x 18,000 - 600 - 0.25 x 4,800 + 0.25 x (600 - 0).

    Replace: 9,000 - 3,000 - 0.25 (4,800 - 3,000) + 0.75 x 8,400 - 0.25 x 3,000 - 3,600
    + 0.25 x (3,600 - 6,000) + 0.75 x 700.
    """
    terms = Terms(0.0, 0.25)
    assert plan(old(), new(), terms, None).total_usd == pytest.approx(13_500 - 600 - 1_200 + 150)
    by_hand = 9_000 - 3_000 - 450 + 6_300 - 750 - 3_600 - 600 + 525
    assert plan(old(), new(), terms, 0).total_usd == pytest.approx(by_hand)


def test_book_value_enters_only_through_tax():
    """Another book value moves nothing before tax, and tau times it after."""
    other = old(book_usd=(0.0,) * (MONTHS + 1))
    for month in (None, 0, 5):
        before = [plan(one, new(), Terms(0.01), month).total_usd for one in (old(), other)]
        assert before[0] == before[1]
    after = [plan(one, new(), Terms(0.0, 0.25), 0).total_usd for one in (old(), other)]
    assert after[1] - after[0] == pytest.approx(0.25 * 4_800)


def test_the_best_month_is_the_least_of_all():
    """A price that falls 8 % a month makes waiting pay."""
    falling = new(price_usd=tuple(16_000 * 0.92**month for month in range(MONTHS)))
    terms = Terms(0.008, 0.21)
    plans = every_plan(old(), falling, terms)
    best = best_plan(old(), falling, terms)
    assert best.total_usd == min(one.total_usd for one in plans)
    assert best.month is not None
    assert best.month > 0
    dear = new(price_usd=(60_000.0,) * MONTHS)
    assert best_plan(old(), dear, terms).month is None


def test_switching_values_make_both_alike():
    """At the power price, throughput and resale found, keeping costs what replacing does."""
    terms = Terms(0.008, 0.21)
    dear = new(price_usd=(20_000.0,) * MONTHS)
    kept = plan(old(), dear, terms, None).total_usd
    assert plan(old(), dear, terms, 0).total_usd > kept
    factor = switching_power_price_factor(old(), dear, terms)
    assert factor is not None
    assert factor > 1.0
    costly = replace(old(), running=with_power_price(old().running, factor))
    changed = replace(dear, running=with_power_price(dear.running, factor))
    assert plan(costly, changed, terms, 0).total_usd == pytest.approx(
        plan(costly, changed, terms, None).total_usd
    )
    ratio = switching_throughput_ratio(old(), dear, terms)
    fewer = replace(
        dear,
        running=Running(
            tuple(usd / ratio for usd in dear.running.energy_usd),
            tuple(usd / ratio for usd in dear.running.other_usd),
        ),
        price_usd=tuple(usd / ratio for usd in dear.price_usd),
    )
    assert plan(old(), fewer, terms, 0).total_usd == pytest.approx(kept)
    worth = switching_resale_usd(old(), dear, terms)
    sold = replace(old(), resale_usd=(worth, *old().resale_usd[1:]))
    assert plan(sold, dear, terms, 0).total_usd == pytest.approx(kept)


def test_no_power_price_decides_between_parks_that_draw_alike():
    """Same energy: no switching value."""
    same = new(running=Running((1_000.0,) * MONTHS, (300.0,) * MONTHS))
    assert switching_power_price_factor(old(), same, Terms(0.0)) is None


def test_freed_power_is_worth_what_it_unlocks():
    """100 a month from month 6 on (F15.3)."""
    freed = new(unlocked_usd=(100.0,) * MONTHS)
    terms = Terms(0.0)
    plain, better = (plan(old(), one, terms, 6).total_usd for one in (new(), freed))
    assert plain - better == pytest.approx(600)


def test_bad_input_is_named():
    """A short column, a month outside, a rate of -100 %, a tax of 100 %."""
    for broken, terms, month in (
        (old(book_usd=(1.0,)), Terms(0.0), 0),
        (old(), Terms(0.0), MONTHS),
        (old(), Terms(-1.0), 0),
        (old(), Terms(0.0, 1.0), 0),
    ):
        with pytest.raises(InputError):
            plan(broken, new(), terms, month)
