"""How firm a scenario's choice is: a turn that is one, and inputs worth knowing (F21)."""

from __future__ import annotations

import copy

import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.decide.firmness import firmness
from tco.document import resolve
from tco.errors import InputError
from tco.projection import project
from tests.engine.mix.test_best_mix import document

HOURLY = "AWS p5.48xlarge, rental: price per hour"


def of(given, **more):
    """How firm the choice of a document is."""
    return firmness(resolve(given, SeedCatalog()), **more)


def with_price(given, usd_per_hour):
    """The renting example with another price of the committed offer."""
    changed = copy.deepcopy(given)
    for option in changed["options"]:
        for fleet in option["fleets"]:
            rental = fleet.get("rental", {})
            price = rental.get("usd_per_hour")
            if isinstance(price, dict) and "low" in price:
                price.update(value=usd_per_hour, low=min(price["low"], usd_per_hour))
                price.update(high=max(price["high"], usd_per_hour))
    return changed


def test_the_turn_of_the_renting_example_is_one_when_projected_whole():
    """Just before the price found the choice stands, just after it another option is cheapest."""
    given = document("rent")
    found = of(given)
    (change,) = found.flip.changes
    assert change.label == HOURLY
    assert found.flip.distance_ranges == pytest.approx(abs(change.moved_ranges))

    def cheapest(usd_per_hour):
        inputs = resolve(with_price(given, usd_per_hour), SeedCatalog())
        options = [one for one in project(inputs).options if one.kpis["tco_usd"].value is not None]
        return min(options, key=lambda one: one.kpis["tco_usd"].value).name

    assert cheapest(change.at * 0.999) == found.chosen
    assert cheapest(change.at * 1.001) == found.flip.to
    assert found.knowing[0].label == HOURLY
    assert found.knowing[0].kind == "quote"


def test_the_chat_example_hangs_on_measured_speed():
    """22 k USD between two vendors: the agent's command is worth more than any quote."""
    found = of(document("chat"))
    assert found.chosen == "Own 8xMI300X"
    assert found.flip.distance_ranges < 0.1
    first = found.knowing[0]
    assert (first.kind, first.device) == ("measure", "mi300x")
    assert 0 < first.measured_usd < first.exact_usd <= found.perfect_usd
    assert [one.exact_usd for one in found.knowing] == sorted(
        (one.exact_usd for one in found.knowing), reverse=True
    )
    assert "becomes the cheapest at Speed of" in found.sentence


def test_the_same_seed_gives_the_same_bytes():
    """And another one hardly another worth."""
    given = document("chat")
    first, again, other = of(given), of(given), of(given, seed=2)
    assert first.to_dict() == again.to_dict()
    assert other.perfect_usd == pytest.approx(first.perfect_usd, rel=0.05)


def test_without_ranges_nothing_says_how_firm_it_is():
    """The sentence says so; nothing is made up."""
    found = of(document("cheap_card"))
    assert found.flip is None
    assert not found.knowing
    assert "no input has a range" in found.sentence


def test_draws_that_are_no_power_of_two_are_named():
    """With one that is."""
    with pytest.raises(InputError, match="power of two"):
        of(document("chat"), draws=1000)
