"""Trade-offs, "why not this one?", robustness and a mix as a document (F1.9, F21)."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.document import resolve
from tco.errors import InputError
from tco.mix import best_mix, lower, mix_document, mix_front, plain_mix, robustness, why_not
from tco.optimise.solve import solve
from tco.projection import project
from tests.engine.mix.test_best_mix import document, only


def inputs_of(given):
    """The engine's inputs of a document."""
    return resolve(given, SeedCatalog())


def alternative(given, option):
    """The answer to "why not this option?"."""
    inputs = inputs_of(given)
    lowered = lower(inputs)
    best = solve(lowered.problem, "usd")
    return why_not(inputs, lowered, best, option), best


def test_why_not_is_the_difference_of_two_projections():
    """What one option takes more, by class of cost, adds up to the totals of the options."""
    given = document("chat")
    found, best = alternative(given, "gaudi3")
    alone = best_mix(inputs_of(only(given, "gaudi3"))).solution.totals["usd"]
    assert found.more_units == pytest.approx(alone - best.totals["usd"], rel=1e-9)
    by_key = {one.key: one for one in project(inputs_of(given)).options}
    assert found.steps.after_usd == pytest.approx(by_key["gaudi3"].kpis["tco_usd"].value, rel=1e-9)
    changes = sum(step.change_usd for step in found.steps.steps)
    assert changes == pytest.approx(found.steps.after_usd - found.steps.before_usd, abs=0.01)
    assert found.sentence.startswith("Own 8xGaudi 3 alone takes")


def test_an_option_that_cannot_serve_says_why_and_what_would_help():
    """Four places for gaudi3's many servers: how many there would have to be."""
    given = document("chat", site_limits=[{"site": "ashburn", "servers": 12}])
    found, _ = alternative(given, "gaudi3")
    assert found.more_units is None
    assert found.sentence == "Own 8xGaudi 3 alone is not possible."
    places = [one for one in found.way_out.alone if one.field.endswith("servers")]
    needed = best_mix(inputs_of(only(document("chat"), "gaudi3"))).rows[0].count
    assert [one.wanted for one in places] == [needed]
    json.dumps(found.to_dict(), allow_nan=False)


def test_an_unknown_option_is_named():
    """With the ones there are."""
    inputs = inputs_of(document("chat"))
    lowered = lower(inputs)
    with pytest.raises(InputError, match=r"none of the options.*h100"):
        why_not(inputs, lowered, solve(lowered.problem, "usd"), "tpu")


def test_the_front_starts_at_the_best_mix_and_nothing_on_it_is_beaten():
    """The first point is the cheapest; each other one is better in something than all others."""
    inputs = inputs_of(document("chat"))
    found = mix_front(inputs, points=4)
    best = best_mix(inputs)
    assert found.points[0].values["usd"] == pytest.approx(best.solution.totals["usd"])
    for one in found.points:
        for other in found.points:
            if one is not other:
                assert any(one.values[a] < other.values[a] for a in found.axes)
    assert [one.values["usd"] for one in found.points] == sorted(
        one.values["usd"] for one in found.points
    )
    renting = [one for one in found.points if one.rents]
    assert renting, "renting leaves the carbon to the provider"
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_stopped_front_keeps_what_it_has():
    """Cancelled before it starts on the grid: the cheapest mix alone."""
    cancel = threading.Event()
    inputs = inputs_of(document("chat"))

    def stop(done, total):
        cancel.set()

    assert 1 <= mix_front(inputs, points=4, cancel=cancel, report=stop).solved <= 2


def test_a_mix_opens_as_a_document_that_projects_to_its_price():
    """Counts and shares of the mix as an option: the optimiser's own check, through the file."""
    few = [{"option": key, "fleet": key, "most": 5} for key in ("h100", "mi300x")]
    given = document("chat", locks=few)
    found = best_mix(inputs_of(given))
    assert len({row.option for row in found.rows}) >= 2
    made = mix_document(given, plain_mix(found)["mix"], "Best mix")
    option = project(inputs_of(made)).options[0]
    assert option.name == "Best mix"
    assert option.kpis["tco_usd"].value == pytest.approx(found.projected_usd, rel=1e-9)
    assert [fleet.servers for fleet in option.fleets] == [row.count for row in found.rows]


def test_a_mix_in_phases_is_settled_fleet_by_fleet():
    """The optimiser asked again has no other choice, and finds the same."""
    given = document("hybrid")
    found = best_mix(inputs_of(given))
    made = mix_document(given, plain_mix(found)["mix"], "Best mix")
    again = best_mix(inputs_of(made))
    assert again.rows == found.rows
    assert all("most" in lock for lock in made["optimise"]["locks"])


def test_robustness_draws_the_mix_and_its_rivals_as_they_are_counted():
    """Names of the options that each rival gives up; one of them is the cheapest in each draw."""
    inputs = inputs_of(document("chat"))
    best = best_mix(inputs)
    drawn = robustness(inputs, best, draws=500)
    assert [one.name for one in drawn.options] == ["Best mix", "Without Own 8xMI300X"]
    assert sum(one.best_fraction for one in drawn.options) == pytest.approx(1.0, abs=0.01)
    assert drawn.options[0].base_usd == pytest.approx(best.projected_usd, rel=1e-9)


def test_without_ranges_there_is_nothing_to_draw():
    """And a mix in phases is beyond one option."""
    inputs = inputs_of(document("hybrid"))
    assert robustness(inputs, replace(best_mix(inputs), rows=())) is None
