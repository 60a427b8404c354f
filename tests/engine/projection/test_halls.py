"""A hall within a projection: what stands, what comes, what binds, findings (F2.7, F2.8)."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.document import parse, resolve
from tco.projection import project

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "hall.yaml"
DOCUMENT = parse(EXAMPLE.read_text(encoding="utf-8"))


def projected(change=None, option=0):
    """Projection of the example after a change of its document, and the halls of an option."""
    found = copy.deepcopy(DOCUMENT)
    if change is not None:
        change(found)
    projection = project(resolve(found, SeedCatalog()))
    return projection, {hall.site: hall for hall in projection.options[option].halls}


@pytest.fixture(scope="module")
def example():
    """The example as it ships."""
    return projected()


def limits(hall, rack):
    """Limits of one rack by name."""
    return {item.name: item for item in next(r for r in hall.racks if r.key == rack).limits}


def test_the_old_hall_says_what_binds_and_what_one_kilowatt_buys(example):
    """19 of 23 servers fit at 11 kW of cooling a rack; 1 kW more holds them all."""
    projection, halls = example
    old = halls["old"]
    assert (old.placed, old.wanted) == (23, 27)
    assert old.binds == "rack cooling"
    assert (("rack cooling", 1.0, "kW"),) in old.relaxations
    assert not projection.options[0].feasible
    finding = next(item for item in projection.findings if item.code == "hall_full")
    assert (finding.field, finding.option) == ("sites[0].hall.racks", "air")
    assert projection.options[1].feasible  # the loop holds its seven servers

    def colder(document):
        document["catalog"]["cooling"][0]["max_kw_per_rack"] = 12

    _, warmer = projected(colder)
    assert warmer["old"].unplaced == ()


def test_units_count_once_and_children_bring_their_watts():
    """A chassis of 7 U with three blades and a side-mounted PDU: 7 U, 0.4 + 3 x 0.42 kW."""
    document = copy.deepcopy(DOCUMENT)
    document["sites"] = document["sites"][:2]
    document["sites"][0]["hall"]["needs"] = []
    document["options"][0]["fleets"][0]["site"] = "loop"  # nobody comes to the old hall
    halls = project(resolve(document, SeedCatalog())).options[0].halls
    hall = next(each for each in halls if each.site == "old")
    stands = limits(hall, "a-03")
    assert stands["power"].used == pytest.approx(0.4 + 3 * 0.42)
    assert stands["weight"].used == pytest.approx(140 + 90 + 3 * 8 + 12)
    assert stands["units"].used == 7


def test_a_lost_cdu_and_a_lost_side_are_told(example):
    """One CDU of 250 kW carries 250 of 336.6 kW of liquid heat: 74 %; a side leaves racks fed."""
    projection, halls = example
    row = halls["new-row"]
    losses = {loss.key: loss for loss in row.losses}
    assert losses["cdu-1"].states == {"warm": ("nvl-01", "nvl-02", "nvl-03")}
    assert losses["cdu-1"].left_fraction == pytest.approx(250 / (3 * 132 * 0.85))
    assert set(losses["ups-a"].states) == {"exposed"}
    assert any(item.code == "hall_not_redundant" for item in projection.findings)
    assert [(rack.binds, len(rack.devices)) for rack in row.racks][:3] == [("units", 1)] * 3


def test_what_is_not_delivered_powers_nothing():
    """Racks behind a UPS of June hold nothing in December; what waits is placed in June."""

    def late(document):
        document["sites"][0]["hall"]["power"][1]["from"] = "2027-06-01"

    _, halls = projected(late)
    days = [(event.day, event.racks, event.powered) for event in halls["old"].events]
    assert days[0] == ("", 0, 0)
    assert days[-1][0:2] == ("2027-06-01", 12)
    assert days[-1][2] > 0
    assert all(d.came == "2027-06-01" for r in halls["old"].racks for d in r.devices if d.came)


def test_windows_say_what_is_out(example):
    """A battery change leaves 2N racks on one side; firmware takes a quarter of the storage."""
    windows = {window.key: window for window in example[1]["old"].windows}
    assert windows["ups-b-battery"].devices_out == 0
    assert windows["ups-b-battery"].racks_exposed == 12
    assert windows["firmware"].devices_out == 2  # a quarter of seven, rounded up
    assert windows["firmware"].out_kw == pytest.approx(2 * 1.4)


def test_the_site_is_checked_in_its_peak_hour(example):
    """Racks x 1.9 + 12 kW against the utility; without that PUE nothing is said of it."""
    check = example[1]["old"].site_check
    assert check.site_kw == pytest.approx(check.rack_kw * 1.9 + 12.0)
    blank = example[1]["new-row"].site_check
    assert blank.site_kw is None
    assert "mean of the year does not stand for it" in blank.reason

    def weak(document):
        document["sites"][0]["utility_kw"] = 60
        document["sites"][0]["hall"]["needs"] = []

    _, halls = projected(weak)
    assert halls["old"].site_check.site_kw <= 60 * (1 + 1e-9)
    assert "utility in the peak hour" in {
        short.limit for item in halls["old"].unplaced for short in item.short_of
    }


def test_two_numbers_of_a_kind_stand_side_by_side(example):
    """Nameplate, expected, measured, provisioned and average (F2.5)."""
    kits = {kit.key: kit for kit in example[1]["old"].kits}
    storage = kits["storage"]
    assert (storage.nameplate_kw, storage.expected_kw, storage.measured_kw) == (1.4, 1.0, 1.1)
    assert (storage.provisioned_kw, storage.average_kw) == (1.4, 0.95)


def test_what_stands_above_a_limit_is_a_warning():
    """A storage shelf of 20 kW in a rack of 11 kW of cooling stands, and is told."""

    def hot(document):
        document["sites"][0]["hall"]["kit"][0]["nameplate_w"] = 20_000

    projection, halls = projected(hot)
    assert any("a-01: cooling 60.0 of 11.0 kW" in text for text in halls["old"].over_limit)
    bar = limits(halls["old"], "a-01")["cooling"]
    assert bar.used / bar.available > 5
    assert any(item.code == "hall_over_limit" for item in projection.findings)


def test_a_placed_device_counts_without_any_cabling():
    """No power tree, no sources: watts of what stands are in its rack at once (netbox 8617)."""

    def bare(document):
        hall = document["sites"][0]["hall"]
        hall["power"] = []
        hall["windows"] = []
        for racks in hall["racks"]:
            racks.pop("sources")

    _, halls = projected(bare)
    assert limits(halls["old"], "a-01")["power"].used >= 3 * 1.4
    assert any("No power tree" in note for note in halls["old"].notes)
