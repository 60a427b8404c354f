"""Goal seek on whole scenarios: against thresholds, scans and what a person works out (F20.4)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.decide import goal_seek, read_target
from tco.decide.place import find_place
from tco.document import parse, resolve
from tco.errors import InputError
from tco.projection import project

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
CATALOG = SeedCatalog()
PRICE = "options[mi300x].fleets[mi300x].purchase.server_usd"


@pytest.fixture(scope="module")
def chat():
    """The chat example as a document."""
    return parse((EXAMPLES / "chat.yaml").read_text(encoding="utf-8"))


def seek(document, vary, target, option="", **more):
    """A goal seek by texts."""
    return goal_seek(
        document, CATALOG, vary=vary, target=read_target(target, document, option), **more
    )


def total(document, option):
    """Total cost of an option, projected anew."""
    found = project(resolve(document, CATALOG))
    return next(one for one in found.options if one.key == option).kpis["tco_usd"].value


def test_the_server_price_is_that_of_the_threshold(chat):
    """F21.4 solves the same by the parts that move with the price; both to eight digits."""
    found = seek(chat, "options[h100].fleets[0].purchase.server_usd", "equal:mi300x", "h100")
    threshold = next(
        one
        for one in project(resolve(chat, CATALOG)).crossings
        if one.what == "server_price_usd" and set(one.between) == {"h100", "mi300x"}
    )
    (answer,) = found.answers
    assert answer.at == pytest.approx(threshold.value, rel=1e-8)
    assert not answer.jump
    assert found.result_now == pytest.approx(total(chat, "h100") - total(chat, "mi300x"))


def test_the_answer_put_back_meets_the_target(chat):
    """A price of electricity at which the total is 5 M USD; the total there, projected, is it."""
    found = seek(chat, "sites[ashburn].energy_usd_per_kwh", "tco_usd=5e6", "mi300x")
    (answer,) = found.answers
    place = find_place(chat, "sites[0].energy_usd_per_kwh", resolve(chat, CATALOG))
    assert total(place.written(chat, answer.at), "mi300x") == pytest.approx(5e6, rel=1e-8)
    assert place.value == 0.08
    assert "5 M USD" in found.sentence


def test_steps_of_whole_machines_against_a_scan(chat):
    """Demand at which owning costs 5 M USD: every crossing of a finer scan, as jumps."""
    found = seek(chat, "workloads[0].requests_per_minute", "tco_usd=5e6", "mi300x",
                 low=6000, high=24000, points=61)  # fmt: skip
    place = find_place(chat, "workloads[0].requests_per_minute", resolve(chat, CATALOG))
    scan = np.linspace(6000, 24000, 241)
    gap = np.array([total(place.written(chat, float(x)), "mi300x") - 5e6 for x in scan])
    want = scan[:-1][np.sign(gap[:-1]) * np.sign(gap[1:]) < 0]
    assert len(found.answers) == len(want) > 0
    assert [one.at for one in found.answers] == pytest.approx(list(want), abs=75.0)
    assert any(one.jump for one in found.answers)


def test_months_are_whole_and_stand_between_two(chat):
    """Owning against renting by the length of the plan: a step between two months."""
    found = seek(chat, "finance.horizon_months", "equal:p5", "h100", low=6, high=72)
    (answer,) = found.answers
    gaps = {}
    for months in (answer.low, answer.high):
        document = {**chat, "finance": {**chat["finance"], "horizon_months": round(months)}}
        gaps[months] = total(document, "h100") - total(document, "p5")
    assert answer.high - answer.low == 1
    assert gaps[answer.low] > 0 > gaps[answer.high]
    assert f"between {answer.low:.0f} and {answer.high:.0f} months" in found.sentence


def test_never_says_what_it_runs_between(chat):
    """No discount rate brings a total of 1 USD."""
    found = seek(chat, "finance.discount_rate_fraction", "tco_usd=1", "h100")
    assert found.never
    assert found.sentence.startswith("Never: with discount rate from 0 to 1 fraction/year")
    values = [one.value for one in found.points]
    assert min(values) > 1


def test_a_target_that_cannot_be_held_leaves_a_named_hole(chat):
    """Below some limit of the time per token no number of servers helps: the reason is given."""
    target = next(
        i for i, one in enumerate(chat["workloads"][0]["targets"]) if one["metric"] == "tpot"
    )
    found = seek(chat, f"workloads[0].targets[{target}].limit_ms", "tco_usd=4.5e6", "h100",
                 low=5, high=100)  # fmt: skip
    (hole,) = found.gaps
    assert hole.low == 5
    assert hole.high < 50
    assert "Own 8xH100" in hole.reason
    assert all(one.at > hole.high for one in found.answers)


def test_a_range_without_any_result_is_an_error(chat):
    """The reason of the first value, and the mend."""
    with pytest.raises(InputError, match="no result over 1 to 2 ms") as caught:
        seek(chat, "workloads[0].targets[1].limit_ms", "tco_usd=1e6", "h100", low=1, high=2,
             points=3)  # fmt: skip
    assert "widen the range" in caught.value.mend


@pytest.mark.parametrize(
    ("vary", "says"),
    [
        ("sites[0].energy_usd_per_kw", "did you mean 'energy_usd_per_kwh'"),
        ("sites[7].pue", "sites has 1 member"),
        ("options[h1000].fleets[0].count", "did you mean 'h100'"),
        ("finance", "is not a number that can be varied"),
        ("finance.valuation_date", "is not a number that can be varied"),
        ("sites", "is not a number that can be varied"),
        ("sites.pue", "nothing in sites has the key 'pue'"),
        ("sites[0].pue.value", "is one number"),
        ("a b", "is no path"),
        ("", "is no path"),
    ],
)
def test_an_unknown_path_names_what_is_near(chat, vary, says):
    """The part that is wrong, and the names there are."""
    with pytest.raises(InputError) as caught:
        seek(chat, vary, "tco_usd=5e6", "h100")
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("target", "option", "says"),
    [
        ("tco=5", "h100", "did you mean 'tco_usd'"),
        ("tco_usd=five", "h100", "five"),
        ("tco_usd", "h100", "cannot be read"),
        ("near:p5", "h100", "write equal:KEY"),
        ("equal:p6", "h100", "did you mean 'p5'"),
        ("equal:p5", "p5", "equals itself"),
        ("tco_usd=5e6", "", "choose one: h100, mi300x, gaudi3, p5"),
        ("tco_usd=5e6", "h101", "did you mean 'h100'"),
    ],
)
def test_a_target_that_cannot_be_is_named(chat, target, option, says):
    """Result, option, number and form."""
    with pytest.raises(InputError) as caught:
        seek(chat, "sites[0].pue", target, option)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("ends", "says"),
    [
        ({"low": 2.0, "high": 1.5}, "is no range"),
        ({"low": 0.5}, "outside the limits"),
        ({"points": 2}, "outside 3..2,001"),
    ],
)
def test_a_range_that_cannot_be_is_named(chat, ends, says):
    """A PUE below 1, ends the wrong way round, too few points."""
    with pytest.raises(InputError, match=says):
        seek(chat, "sites[0].pue", "tco_usd=5e6", "h100", **ends)


def test_a_value_without_a_range_asks_for_one(chat):
    """What nobody entered has no tenth and no tenfold."""
    with pytest.raises(InputError, match="has no value to take it from"):
        seek(chat, "sites[0].hall_kw", "tco_usd=5e6", "h100")


def test_a_price_of_the_catalog_keeps_its_date(chat):
    """Left out in the file, it is varied around the catalog's own value."""
    place = find_place(chat, PRICE, resolve(chat, CATALOG))
    fleet = resolve(chat, CATALOG).options[1].fleets[0]
    assert place.value == fleet.purchase.server_usd.value
    assert place.as_of == fleet.purchase.server_usd.as_of
    written = place.written(chat, place.value)
    assert total(written, "mi300x") == total(chat, "mi300x")
    assert "server_usd" not in chat["options"][1]["fleets"][0].get("purchase", {})


@pytest.mark.parametrize(
    ("path", "now", "unit"),
    [
        ("sites[0].energy_usd_per_kwh", 0.19, "EUR/kWh"),
        ("options[0].fleets[0].purchase.software_usd_per_device_year", 3500.0, "GBP/device-year"),
    ],
)
def test_a_price_in_another_currency_is_sought_in_it(path, now, unit):
    """Put back where it was it changes nothing; the answer is in the currency it is written in."""
    document = parse((EXAMPLES / "euro.yaml").read_text(encoding="utf-8"))
    inputs = resolve(document, CATALOG)
    place = find_place(document, path, inputs)
    assert (place.value, place.unit) == (pytest.approx(now), unit)
    key = document["options"][0]["key"]
    assert total(place.written(document, now), key) == pytest.approx(total(document, key))
    wanted = total(place.written(document, 1.5 * now), key)
    found = seek(document, path, f"tco_usd={wanted!r}", key, low=now, high=2 * now)
    assert [one.at for one in found.answers] == [pytest.approx(1.5 * now, rel=1e-4)]
    assert found.unit == unit


def test_a_list_price_is_sought_in_its_own_currency():
    """A catalog price in dollars of a scenario in euro stays in dollars."""
    document = parse((EXAMPLES / "euro.yaml").read_text(encoding="utf-8"))
    fleet = document["options"][0]["fleets"][0]
    del fleet["purchase"]["server_usd"]
    place = find_place(
        document, "options[0].fleets[0].purchase.server_usd", resolve(document, CATALOG)
    )
    listed = CATALOG.server(fleet["server"], fleet["device"]).price_usd
    assert (place.value, place.unit) == (pytest.approx(listed.value), "USD/server")
    key = document["options"][0]["key"]
    put_back = place.written(document, place.value)
    assert total(put_back, key) == pytest.approx(total(document, key), rel=1e-12)
