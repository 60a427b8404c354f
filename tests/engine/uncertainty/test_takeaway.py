"""The take-away: winner, margin, horizon, nearest turn and chance, each by hand."""

from __future__ import annotations

import pytest

from tco.projection import project
from tco.uncertainty.assess import assess
from tco.uncertainty.takeaway import between, contenders, takeaway
from tests.engine.cost.cast import fig, finance, scenario
from tests.engine.uncertainty.test_assess import boxes


def of(*options, **money):
    """Take-away of options."""
    inputs = scenario(*options, money=finance(**money))
    return takeaway(inputs, project(inputs)), inputs


def test_winner_margin_horizon_and_turn_by_hand():
    """4 x 180,000 against 4 x 200,000: 80,000 USD, 10 %; 200,000 a server turns it, + 11 %."""
    found, _ = of(boxes("a", fig(180_000)), boxes("b", fig(200_000)))
    assert (found.winner, found.second) == ("Option a", "Option b")
    assert found.saving_usd == pytest.approx(80_000)
    assert found.saving_fraction == pytest.approx(0.1)
    assert found.horizon_months == 60
    assert "costs 720 k USD over 60 months, 80 k USD (10 %) less than Option b" in found.sentence
    assert found.turn.switch_at in (pytest.approx(200_000, rel=1e-3), pytest.approx(180_000, 1e-3))
    assert found.win_fraction is None


def test_the_turn_is_the_nearest_one():
    """Down to 180,000 is 10 % away, up to 200,000 is 11 %: in ratios both are 1.11, by log equal.

    A second input that must triple is never named.
    """
    found, _ = of(boxes("a", fig(100_000)), boxes("b", fig(250_000)))
    assert "server" in found.turn.label
    ratio = found.turn.switch_at / found.turn.value
    assert ratio == pytest.approx(2.5, rel=1e-3) or ratio == pytest.approx(0.4, rel=1e-3)


def test_the_chance_is_that_of_the_assessment():
    """One truth: the same draws, whether the page has drawn or not."""
    price = fig(200_000, low=150_000, high=250_000, shape="uniform")
    found, inputs = of(boxes("a", price), boxes("b", fig(205_000)))
    drawn = assess(inputs)
    duel = drawn.duels[0]
    assert found.win_fraction == duel.a_cheaper_fraction
    assert found.draws == 10_000
    assert found.standard_error_fraction == duel.standard_error_fraction
    assert duel.a_cheaper_fraction == pytest.approx(0.55, abs=3 * duel.standard_error_fraction)
    assert "less in 56 % of 10,000 draws (± 0.5 %)" in found.sentence
    assert takeaway(inputs, project(inputs), drawn.duels) == found


def test_the_same_total_is_no_win():
    """Two options of one price cost the same."""
    found, _ = of(boxes("a", fig(200_000)), boxes("b", fig(200_000)))
    assert "the same as Option b" in found.sentence


def test_what_nothing_turns_is_said():
    """Ten times dearer: no input within four times its value makes up for it."""
    found, _ = of(boxes("a", fig(20_000)), boxes("b", fig(2_000_000)))
    assert found.turn is None
    assert "no single input turns it" in found.sentence


def test_a_price_that_is_missing_leaves_nothing_to_compare():
    """One option is left: the verdict says what is missing."""
    inputs = scenario(boxes("a", fig(200_000)))
    assert takeaway(inputs, project(inputs)).sentence == project(inputs).verdict


def test_scenarios_of_several_horizons_are_not_compared():
    """36 and 60 months: the sentence says so; with one horizon it names the scenario."""
    able = []
    for months, name in ((36, " (Short)"), (60, " (Long)")):
        inputs = scenario(boxes("a", fig(200_000)), money=finance(horizon_months=months))
        able += contenders(inputs, project(inputs), name)
    assert "36 and 60 months are not compared" in between(able).sentence
    able = []
    for price, name in ((200_000, " (One)"), (210_000, " (Two)")):
        inputs = scenario(boxes("a", fig(price)))
        able += contenders(inputs, project(inputs), name)
    assert (
        "Option a (One) costs 800 k USD over 60 months, 40 k USD (4.8 %) less than Option a (Two)"
        in (between(able).sentence)
    )
