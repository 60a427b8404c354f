"""The hall section: every error at once with its path, and what reaches the engine."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.document import parse, resolve, validate
from tco.errors import InputErrors

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "hall.yaml"
DOCUMENT = parse(EXAMPLE.read_text(encoding="utf-8"))


def document(**changes):
    """The example, its first hall changed."""
    found = copy.deepcopy(DOCUMENT)
    found["sites"][0]["hall"].update(changes)
    return found


def hall():
    """The first hall of the example, to be changed."""
    return copy.deepcopy(DOCUMENT["sites"][0]["hall"])


def said(found):
    """Path and message of every error."""
    return {error.field.removeprefix("sites[0].hall."): error.message for error in found}


def test_the_example_is_good():
    """Nothing wrong, and the racks of a group are numbered."""
    assert validate(DOCUMENT) == ()
    inputs = resolve(DOCUMENT, SeedCatalog())
    given = inputs.sites[0].hall
    assert given is not None
    assert given.racks[0].feed.breaker_a == 50.0
    assert given.racks[0].rack.rack_units == 42
    assert given.power[5].cord_a == 63.0


def test_a_loop_a_missing_breaker_and_unknown_names_are_said_at_once():
    """One pass: power, racks, kinds, devices, windows."""
    changed = hall()
    changed["power"][0]["parent"] = "row-a1"
    del changed["power"][6]["breaker_a"]
    changed["racks"][0]["sources"] = ["row-a1", "row-z"]
    changed["devices"][0]["kit"] = "storag"
    changed["devices"][1]["rack"] = "a-07"
    changed["windows"][0]["kit"] = "web"
    changed["needs"][0]["kit"] = "nothing"
    found = said(validate(document(**changed)))
    assert "loop: grid > row-a1 > ups-a > grid" in found["power[0].parent"]
    assert found["power[6].breaker_a"] == "a feed without a breaker"
    assert "'row-z'" in found["racks[0].sources[1]"]
    assert "'storag'" in found["devices[0].kit"]
    assert "'a-07'" in found["devices[1].rack"]
    assert "a part or a kind" in found["windows[0].part"]
    assert "'nothing'" in found["needs[0].kit"]


def test_limits_of_zero_and_below_are_refused_with_their_path():
    """Negative and zero limits of parts, racks and units."""
    changed = hall()
    changed["power"][1]["kva"] = 0
    changed["racks"][0]["ports"] = -1
    changed["racks"][1]["floor_kg"] = -5
    changed["cooling_units"][0]["kw"] = 0
    found = said(validate(document(**changed)))
    assert set(found) == {
        "power[1].kva",
        "racks[0].ports",
        "racks[1].floor_kg",
        "cooling_units[0].kw",
    }


def test_duplicates_of_keys_names_and_places_are_refused():
    """Two racks of one name, two on one place, two devices of one name, two in one bay."""
    changed = hall()
    changed["racks"][0]["first_place"] = 1
    changed["racks"].append({"key": "a-02", "row": "A", "first_place": 3})
    changed["devices"][1]["name"] = "st-1"
    changed["devices"][8]["bay"] = "1"
    found = said(validate(document(**changed)))
    assert "called 'a-02' already" in found["racks[2].key"]
    assert "place 3 of row 'A' holds a" in found["racks[2].first_place"]
    assert "already the name" in found["devices[1].name"]
    assert "bay '1' of 'ch-1' holds 'blade-1'" in found["devices[8].bay"]


@pytest.mark.parametrize(
    ("units", "message"),
    [(0, "a device on rails takes units"), (3.3, "3.3 U is no half unit")],
)
def test_units_are_whole_or_half(units, message):
    """0 U only beside the rails; halves, no thirds."""
    changed = hall()
    changed["kit"][0]["units"] = units
    assert message in said(validate(document(**changed)))["kit[0].units"]


def resolved_errors(changed):
    """Errors that need heights."""
    with pytest.raises(InputErrors) as caught:
        resolve(document(**changed), SeedCatalog())
    return said(caught.value.errors)


def test_a_position_taken_twice_and_a_device_above_its_rack_are_refused():
    """Heights come from kinds: overlaps, too tall for the rack, above its top."""
    changed = hall()
    changed["devices"][1]["unit"] = 3
    changed["devices"][4]["unit"] = 43
    changed["kit"][2]["units"] = 50
    found = resolved_errors(changed)
    assert "unit 3 of a-01 holds 'st-1' already" in found["devices[1].unit"]
    assert "reaches unit 43 of a rack of 42" in found["devices[4].unit"]
    assert "'ch-1' of 50 U is taller than its rack of 42 U" in found["devices[6].unit"]


def test_half_depth_devices_stand_back_to_back():
    """Front and rear of one unit; two at the front do not."""
    changed = hall()
    changed["kit"][1]["depth"] = "half"
    changed["devices"][4] |= {"unit": 1, "face": "rear"}
    assert resolve(document(**changed), SeedCatalog()) is not None
    changed["devices"][4]["face"] = "front"
    assert "holds 'web-1'" in resolved_errors(changed)["devices[4].unit"]


def test_unknown_watts_are_not_zero():
    """A kind without any watts is refused, not taken as 0."""
    changed = hall()
    del changed["kit"][1]["nameplate_w"]
    del changed["kit"][1]["measured_w"]
    assert resolved_errors(changed)["kit[1].nameplate_w"] == "is missing"


def test_devices_that_hold_each_other_are_refused():
    """A chassis in its own blade."""
    changed = hall()
    changed["devices"][6] = {"name": "ch-1", "kit": "chassis", "parent": "blade-1"}
    found = said(validate(document(**changed)))
    assert found["devices[6].parent"] == "devices hold each other"
