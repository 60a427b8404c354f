"""The page of a hall: plan, elevation, lost parts, blocks for others' devices, its weight."""

from __future__ import annotations

import copy
import re
import xml.etree.ElementTree as ElementTree

import pytest
from django.urls import reverse

from planner.halls.page import hall_page
from planner.halls.svg import heat_step, plan_svg, rack_svg, rows_svg
from tests.planner.conftest import example

LARGEST_SVG = 300_000  # bytes of every drawing on the page of a full hall


@pytest.fixture(scope="module")
def result():
    """The stored form of the hall example's projection."""
    from hardware_catalog.seed.to_engine import SeedCatalog
    from tco.document import resolve
    from tco.inputs import plain
    from tco.projection import project

    return plain(project(resolve(example("hall"), SeedCatalog())).to_dict())


@pytest.fixture
def stored(seed_catalog, demo_organisation, ada):
    """The hall example, stored by Ada; one device is a tenant's."""
    from planner.scenarios.services import scenario_create

    document = copy.deepcopy(example("hall"))
    document["sites"][0]["hall"]["devices"][0] |= {"tenant": "Secret Ltd", "name": "secret-1"}
    return scenario_create(organisation=demo_organisation, document=document, by=ada)


def well_formed(svg):
    """The drawing as a tree: it is XML, whatever names it holds."""
    return ElementTree.fromstring(svg)


def full_hall(result):
    """200 racks in ten rows with 1,500 servers, made of the first rack."""
    hall = copy.deepcopy(next(iter(result["halls"].values()))[0])
    rack = next(item for item in hall["racks"] if item["devices"])
    device = rack["devices"][0] | {"height_u": 4}
    racks = []
    for index in range(200):
        count = 8 if index % 2 else 7
        devices = [
            device | {"name": f"server {index}-{n}", "unit": 1 + 5 * n, "state": "planned"}
            for n in range(count)
        ]
        place = {"key": f"r{index:03d}", "row": f"{index // 20}", "place": index % 20 + 1}
        racks.append(rack | place | {"devices": devices})
    hall["racks"] = racks
    key = result["options"][0]["key"]
    return {**result, "halls": {key: [hall]}}


def test_a_full_hall_stays_light(result):
    """Plan, fronts of every row, one elevation: 1,500 servers in under 300 kB of drawing."""
    page = hall_page(full_hall(result), may_see=True)
    assert page is not None
    assert sum(len(rack["devices"]) for rack in page.hall["racks"]) == 1500
    drawings = [page.plan, page.rack.drawing, *(drawing for _, drawing in page.rows)]
    assert len(page.rows) == 10
    assert sum(len(drawing.encode()) for drawing in drawings) < LARGEST_SVG
    for drawing in drawings:
        well_formed(drawing)


def test_every_device_is_a_stop_of_the_keyboard_and_said(result):
    """Front and rear, full depth on both, one tab stop and one sentence each."""
    rack = result["halls"]["air"][0]["racks"][0]
    svg = rack_svg(rack, may_see=True)
    tree = well_formed(svg)
    groups = [item for item in tree.iter() if item.get("role") == "img"]
    names = [item.get("aria-label") for item in groups]
    assert len(names) == 2 * len(rack["devices"])  # all of them go through
    assert sum(1 for item in groups if item.get("tabindex") == "0") == len(rack["devices"])
    assert "st-1, units 1 to 4, 1.40 kW, installed" in names


def test_states_differ_by_hatching(result):
    """Reserved, blocked and planned places have patterns of their own."""
    racks = {rack["key"]: rack for rack in result["halls"]["air"][0]["racks"]}
    blocked, reserved = (rack_svg(racks[key], may_see=True) for key in ("b-01", "b-06"))
    assert 'fill="url(#rack-blocked)"' in blocked
    assert 'fill="url(#rack-reserved)"' in reserved
    assert 'fill="url(#rack-planned)"' in blocked
    assert '<pattern id="rack-blocked"' in blocked
    failed = rack_svg(racks["a-02"], may_see=True)
    assert "web-3, unit 3, 0.55 kW, failed" in failed


def test_names_cannot_become_markup(result):
    """A device called like a script stays text."""
    rack = copy.deepcopy(result["halls"]["air"][0]["racks"][0])
    rack["devices"][0]["name"] = '"><script>alert(1)</script>'
    rack["key"] = '<b "x">'
    for svg in (
        rack_svg(rack, may_see=True),
        plan_svg([rack], {rack["key"]: "?a=1&b=2"}),
        rows_svg([rack], rack["row"], may_see=True, number=0),
    ):
        tree = well_formed(svg)
        assert not [item for item in tree.iter() if item.tag.endswith(("script", "}b"))]


def test_a_tenants_devices_are_blocks_to_those_who_may_not_see(result):
    """Neither name nor watts; the place and its height only."""
    changed = copy.deepcopy(result)
    device = changed["halls"]["air"][0]["racks"][0]["devices"][0]
    device |= {"tenant": "Secret Ltd", "name": "secret-1"}
    page = hall_page(changed, may_see=False, rack="a-01")
    assert page is not None
    assert page.hidden == 1
    shown = page.rack.drawing + "".join(page.rack.lines) + page.rows[0][1]
    assert "secret" not in shown.lower()
    assert "In use, units 1 to 4, not yours to see" in page.rack.lines
    assert "secret-1" in hall_page(changed, may_see=True, rack="a-01").rack.drawing


def test_a_lost_cdu_stands_on_the_plan(result):
    """Racks that warm up carry a W and say so."""
    page = hall_page(result, may_see=True, option="air", site="new-row", lost="cdu-1")
    assert page is not None
    assert page.loss["sentence"].startswith("Without CDU 1 3 racks warm up")
    assert page.plan.count(">W</text>") == 3
    assert ", warm" in page.plan
    plain = hall_page(result, may_see=True, option="air", site="new-row")
    assert ">W</text>" not in plain.plan


@pytest.mark.parametrize(("share", "step"), [(0.1, 1), (0.5, 2), (0.9, 3), (1.0, 4), (2.0, 5)])
def test_heat_has_five_steps(share, step):
    """The last one is above the limit."""
    assert heat_step(share) == step


@pytest.mark.django_db
def test_the_page_shows_plan_rack_and_bars(stored, ada_client):
    """What binds, five bars, the chosen rack, the part that is lost."""
    address = reverse("planner:scenario_halls", args=[stored.pk])
    page = ada_client.get(address, {"rack": "a-01", "lost": "ups-a"}).content.decode()
    assert "23 of 27 fit" in page
    assert page.count('role="progressbar"') == 5
    assert "secret-1" in page
    assert "Without UPS A 12 racks run on one side" in page
    assert len(re.findall(r"<pattern ", page)) >= 3


@pytest.mark.django_db
def test_those_who_only_read_see_a_block(stored, client, fin):
    """Finance does not see what a tenant has in the hall."""
    client.force_login(fin)
    address = reverse("planner:scenario_halls", args=[stored.pk])
    page = client.get(address, {"rack": "a-01"}).content.decode()
    assert "secret" not in page.lower()
    assert "1 device of others" in page


@pytest.mark.django_db
def test_a_scenario_without_halls_says_what_to_do(chat, ada_client):
    """No dead end."""
    page = ada_client.get(reverse("planner:scenario_halls", args=[chat.pk])).content.decode()
    assert "No site of this scenario describes a hall" in page
