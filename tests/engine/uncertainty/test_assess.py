"""Spreads, chances, regret, swings and switching values against what can be worked out (F21)."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from tco.errors import InputError
from tco.inputs import Rental, Status, canonical_json
from tco.uncertainty.assess import assess
from tco.uncertainty.drivers import Driver
from tco.uncertainty.sampling import spread, uniforms
from tests.engine.cost.cast import fig, finance, option, owned, purchase, rented, scenario, site
from tests.engine.uncertainty.test_evaluate import rich


def driver(label="x", low=2.0, value=5.0, high=11.0, shape="pert", unit="USD", **more):
    """One uncertain input."""
    return Driver(label, unit, value, low, high, shape, Status.ASSUMED, "test", **more)


def boxes(key, price, count=4):
    """An option of four servers at a price, nothing else."""
    free = site(tariff=replace(site().tariff, energy_usd_per_kwh=fig(0.0, "USD/kWh")))
    return option(key, owned(key, count=count, site=free, purchase=purchase(server_usd=price)))


EVEN = np.linspace(0.0005, 0.9995, 1000)


@pytest.mark.parametrize(
    ("shape", "law"),
    [
        ("pert", stats.beta(1 + 4 * 3 / 9, 1 + 4 * 6 / 9, loc=2, scale=9)),
        ("triangular", stats.triang(3 / 9, loc=2, scale=9)),
        ("uniform", stats.uniform(2, 9)),
    ],
)
def test_spreads_are_the_textbook_laws(shape, law):
    """Quantiles against scipy's laws."""
    assert spread(driver(shape=shape), EVEN) == pytest.approx(law.ppf(EVEN), rel=1e-9)


def test_the_ends_of_a_lognormal_are_its_ten_and_ninety_per_cent_points():
    """Median the value, each half of its own width."""
    found = spread(driver(shape="lognormal"), np.array([0.1, 0.5, 0.9]))
    assert found == pytest.approx([2.0, 5.0, 11.0])


def test_empirical_draws_stay_within_the_repeats():
    """Quantiles of the samples themselves."""
    given = driver(shape="empirical", samples=(4.0, 1.0, 9.0))
    assert spread(given, np.array([0.0, 0.5, 0.75, 1.0])) == pytest.approx([1.0, 4.0, 6.5, 9.0])


def test_a_share_stays_a_share():
    """A lognormal share above 1 is cut at 1."""
    given = driver(low=0.5, value=0.9, high=0.99, shape="lognormal", unit="fraction")
    assert spread(given, np.array([0.9999]))[0] == 1.0


def test_rank_correlations_are_those_asked_for():
    """0.7 and -0.4 within the noise of 40,000 draws; no correlation else."""
    three = [driver("a"), driver("b", shape="lognormal"), driver("c", shape="uniform")]
    drawn = uniforms(three, 40_000, 3, {("a", "b"): 0.7, ("a", "c"): -0.4})
    values = np.column_stack([spread(one, drawn[:, i]) for i, one in enumerate(three)])
    ranks = stats.spearmanr(values).statistic
    assert ranks[0, 1] == pytest.approx(0.7, abs=0.015)
    assert ranks[0, 2] == pytest.approx(-0.4, abs=0.015)


def test_another_driver_moves_no_draws():
    """One changed input changes only its own draws (F23.10)."""
    alone = uniforms([driver("a")], 50, 1)
    both = uniforms([driver("b"), driver("a")], 50, 1)
    assert (both[:, 1] == alone[:, 0]).all()
    assert not np.allclose(both[:, 0], both[:, 1])


@pytest.mark.parametrize(
    ("pairs", "word"),
    [
        ({("a", "nobody"): 0.5}, "nobody"),
        ({("a", "b"): 1.5}, "1.5"),
        ({("a", "b"): 0.9, ("b", "c"): 0.9, ("a", "c"): -0.9}, "at once"),
    ],
)
def test_correlations_that_cannot_be_are_named(pairs, word):
    """Unknown name, out of range, contradictory."""
    with pytest.raises(InputError, match=word):
        uniforms([driver("a"), driver("b"), driver("c")], 100, 1, pairs)


def test_the_chance_and_the_regret_of_a_linear_case_are_the_integral():
    """A costs 4 x U(150, 250) thousand, B always 820: A is cheaper in 55 % of cases.

    Regret of A: mean of max(0, 4U - 820) = 4 x 45 x 0.45 / 2 = 40.5 thousand.
    """
    price = fig(200_000, low=150_000, high=250_000, shape="uniform")
    found = assess(scenario(boxes("a", price), boxes("b", fig(205_000))), draws=20_000, seed=5)
    duel = found.duels[0]
    assert duel.a_cheaper_fraction == pytest.approx(0.55, abs=3 * duel.standard_error_fraction)
    assert duel.standard_error_fraction == pytest.approx(math.sqrt(0.55 * 0.45 / 20_000), rel=0.02)
    a, b = found.options
    assert a.regret_usd == pytest.approx(40_500, rel=0.03)
    assert b.regret_usd == pytest.approx(4 * 55 * 0.55 / 2 * 1000, rel=0.03)
    assert a.p10_usd == pytest.approx(640_000, rel=0.005)
    assert a.p90_usd == pytest.approx(960_000, rel=0.005)
    assert b.p10_usd == b.p90_usd == b.base_usd == 820_000
    assert a.best_fraction + b.best_fraction == pytest.approx(1.0)


def test_a_switching_value_is_where_both_cost_the_same():
    """205,000 USD a server; in range, found to a part in a thousand."""
    price = fig(200_000, low=150_000, high=250_000)
    found = assess(scenario(boxes("a", price), boxes("b", fig(205_000))), draws=100)
    (switch,) = found.switches
    assert switch.switch_at == pytest.approx(205_000, rel=1e-4)
    assert switch.within_range


def test_the_same_figure_is_drawn_once():
    """Two options with the same uncertain price never differ."""
    price = fig(200_000, low=150_000, high=250_000)
    found = assess(scenario(boxes("a", price), boxes("b", price)), draws=500)
    assert (found.duels[0].p10_usd, found.duels[0].p90_usd) == (0.0, 0.0)
    assert len(found.drivers) == 1


def test_swings_are_the_ends_of_each_input_widest_first():
    """The tornado's ends are projections at the ends of the range."""
    price = fig(200_000, low=150_000, high=250_000)
    rate = fig(0.1, "1/yr", low=0.05, high=0.2)
    own = boxes("a", price)
    rent = option("r", rented(count=4, rental=Rental(usd_per_hour=fig(30, "USD/h"))))
    found = assess(scenario(own, rent, money=finance(discount_rate_fraction=rate)), draws=200)
    (swing,) = found.swings["a"]  # bought on day one: the rate moves nothing
    assert (swing.at_low_usd, swing.at_high_usd) == (600_000, 1_000_000)
    assert swing.rank_correlation == pytest.approx(1.0)
    (rent_swing,) = found.swings["r"]
    assert rent_swing.at_low_usd > rent_swing.at_high_usd
    assert rent_swing.rank_correlation == pytest.approx(-1.0)


def test_the_same_seed_gives_the_same_bytes_and_another_one_others():
    """F23.10."""
    one, two = (canonical_json(assess(rich(), draws=300, seed=4)) for _ in range(2))
    assert one == two
    assert canonical_json(assess(rich(), draws=300, seed=5)) != one


def test_an_option_without_a_price_is_left_out_and_named():
    """Nothing is drawn for a total that cannot be given."""
    lacking = option("none", owned("none", server=replace(owned().server, price_usd=None)))
    found = assess(scenario(boxes("a", fig(1000)), lacking), draws=100)
    assert found.left_out == ("Option none",)
    assert [one.option for one in found.options] == ["a"]


@pytest.mark.parametrize("draws", [0, 99, 1_000_000])
def test_draws_outside_what_is_useful_are_refused(draws):
    """With the field, the value and the mend."""
    with pytest.raises(InputError, match="draws"):
        assess(scenario(boxes("a", fig(1000))), draws=draws)


def test_a_set_that_cannot_hold_says_what_would():
    """The mend's factor makes the matrix whole; a little more does not."""
    three = [driver("a"), driver("b"), driver("c")]
    pairs = {("a", "b"): 0.9, ("b", "c"): 0.9, ("a", "c"): -0.9}
    with pytest.raises(InputError) as caught:
        uniforms(three, 100, 1, pairs)
    fits = float(re.search(r"by ([\d.]+) or less", caught.value.mend)[1])
    uniforms(three, 100, 1, {pair: rank * fits for pair, rank in pairs.items()})
    with pytest.raises(InputError):
        uniforms(three, 100, 1, {pair: rank * (fits + 0.05) for pair, rank in pairs.items()})


def test_two_inputs_may_go_wholly_together():
    """Rank correlations of 1 and -1 are drawn, not refused."""
    drawn = uniforms([driver("a"), driver("b"), driver("c")], 500, 1,
                     {("a", "b"): 1.0, ("a", "c"): -1.0, ("b", "c"): -1.0})  # fmt: skip
    assert drawn[:, 0] == pytest.approx(drawn[:, 1], abs=1e-6)
    assert drawn[:, 0] == pytest.approx(1 - drawn[:, 2], abs=1e-6)


def test_an_input_without_a_range_cannot_be_correlated():
    """The names that can, or the near one."""
    with pytest.raises(InputError, match="has no range") as caught:
        uniforms([driver("Price of power")], 100, 1, {("Price of power", "PUE"): 0.5})
    assert "low and a high end" in caught.value.mend
    with pytest.raises(InputError, match="did you mean 'Price of power'"):
        uniforms([driver("Price of power")], 100, 1, {("Price of powr", "PUE"): 0.5})
    with pytest.raises(InputError, match="itself"):
        uniforms([driver("a")], 100, 1, {("a", "a"): 0.5})


def test_progress_counts_draws_and_can_stop_the_work():
    """Every thousand draws are told; what the listener raises ends it."""
    price = fig(200_000, low=150_000, high=250_000)
    inputs = scenario(boxes("a", price), boxes("b", fig(205_000)))
    steps = []
    assess(inputs, draws=3000, progress=steps.append)
    assert [step.done_draws for step in steps[:4]] == [0, 1000, 2000, 3000]
    assert all(step.draws == 3000 for step in steps)
    shares = [step.share_fraction for step in steps]
    assert shares == sorted(shares)
    assert shares[-1] < 1

    def stop(step):
        if step.done_draws >= 2000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        assess(inputs, draws=100_000, progress=stop)
