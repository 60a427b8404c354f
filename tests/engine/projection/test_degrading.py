"""A lost feed and a rack's density are said beside the fleet (F2.2, F3.5)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.cooling.degraded import supplies_lost
from tco.document import resolve
from tco.inputs import Status, assumed
from tco.projection import project
from tests.engine.mix.test_best_mix import document


class Supplied(SeedCatalog):
    """The seed files, every server with supplies of one size."""

    def __init__(self, count, watts):
        super().__init__()
        self._supplies = count, watts

    def server(self, key, device_key=None):
        found = super().server(key, device_key)
        count, watts = self._supplies
        each = assumed(float(watts), "W", "a test")
        return replace(found, psu_count=count, psu_w_each=each) if found else None


def chat(**site):
    """The chat example with its H100 servers alone."""
    given = document("chat")
    given["options"] = [one for one in given["options"] if one["key"] == "h100"]
    given["sites"][0] |= site
    return given


def findings(given, catalog):
    """By code."""
    return {one.code: one for one in project(resolve(given, catalog)).findings}


@pytest.mark.parametrize(
    ("watts", "code"),
    [(6000, None), (2400, "slower_without_a_feed"), (700, "down_without_a_feed")],
)
def test_half_the_supplies_lost_with_one_of_two_feeds(watts, code):
    """6 supplies behind two feeds: three are left, and what they deliver decides."""
    catalog = Supplied(6, watts)
    server = resolve(chat(), catalog).options[0].fleets[0].server
    state = supplies_lost(server, 3)
    found = findings(chat(), catalog)
    codes = {"slower_without_a_feed", "down_without_a_feed"} & set(found)
    assert codes == ({code} if code else set())
    if code == "slower_without_a_feed":
        assert f"{state.throughput_fraction:.0%} of their throughput" in found[code].message
        assert state.status is not Status.MEASURED or state.throughput_fraction <= 1
    if code:
        assert found[code].field == "options[0].fleets[0].server"


def air_of(kw_per_rack):
    """The chat example in a hall whose air is said to carry so much a rack."""
    given = chat(cooling="wished", feeds_per_rack=4)
    limit = {"value": kw_per_rack, "status": "assumed", "source": "a wish"}
    given["catalog"] = {
        "cooling": [
            {"key": "wished", "name": "Air, as wished", "kind": "air", "max_kw_per_rack": limit}
        ]
    }
    return given


def test_a_dense_rack_names_the_cooling_it_forces():
    """Three servers are more than the 20 kW that air usually carries: a rear door at least."""
    found = findings(air_of(30), SeedCatalog())["density_step"]
    assert found.severity == "info"  # the hall says that it carries it
    assert found.field == "sites[0].cooling"
    assert "plan the change" in found.mend
    assert "a rear door is the least that usually carries it" in found.message
    assert "density_step" not in findings(chat(), SeedCatalog())


def test_air_cooled_servers_beyond_every_door_are_said():
    """Five of them in a rack: nothing carries that but cold plates, which they do not take."""
    found = findings(air_of(90), SeedCatalog())["density_beyond_cooling"]
    assert "takes no liquid" in found.message
