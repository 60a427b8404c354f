"""Files of a hall by page and API: a round trip changes nothing, and the plan goes out."""

from __future__ import annotations

import csv
import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from planner.projections.services import projection_get_or_run
from planner.scenarios.selectors import revision_get
from planner.scenarios.services import scenario_create
from tests.planner.conftest import example


@pytest.fixture
def hall(seed_catalog, demo_organisation, ada):
    """The example of an old hall, its racks written one by one."""
    made = scenario_create(organisation=demo_organisation, document=example("hall"), by=ada)
    return made


def files(client, scenario, **asked):
    """What the API answers."""
    answer = client.get(reverse("api_scenario_inventory", args=[scenario.pk]), asked)
    assert answer.status_code == 200, answer.content
    return answer.json()


def send(client, scenario, **sent):
    """An import by API."""
    url = reverse("api_scenario_inventory", args=[scenario.pk])
    return client.post(url, sent, content_type="application/json")


def test_out_and_in_again_changes_nothing(hall, ada_client):
    """Racks one by one after the first import; from then on the same files store nothing."""
    out = files(ada_client, hall, site="old")
    first = send(ada_client, hall, site="old", racks=out["racks.csv"], devices=out["devices.csv"])
    assert first.status_code in (200, 201), first.content
    again = files(ada_client, hall, site="old")
    assert again["racks.csv"] == out["racks.csv"]
    assert again["devices.csv"] == out["devices.csv"]
    before = revision_get(scenario=hall).number
    back = send(
        ada_client, hall, site="old", racks=again["racks.csv"], devices=again["devices.csv"]
    )
    assert back.status_code == 200, back.content
    assert back.json()["changed"] is False
    hall.refresh_from_db()
    assert revision_get(scenario=hall).number == before


def test_errors_of_every_file_at_once_and_nothing_stored(hall, ada_client):
    """Row and column of each; a dry run stores nothing either."""
    racks = "name,colour\nx,red\n"
    devices = "name,manufacturer,device_type\nd,M,Nothing\n"
    answer = send(ada_client, hall, site="old", racks=racks, devices=devices, nodes="[]")
    assert answer.status_code == 422
    said = answer.content.decode()
    for words in ("racks.csv row 1, column colour", "devices.csv row 2, column device_type",
                  "nodes.json"):  # fmt: skip
        assert words in said
    out = files(ada_client, hall, site="old")
    fewer = "\n".join(out["devices.csv"].splitlines()[:-1]) + "\n"
    tried = send(ada_client, hall, site="old", devices=fewer, dry_run=True)
    assert tried.json()["changed"] is True
    assert tried.json()["revision"] is None
    assert revision_get(scenario=hall).number == 1


def test_the_plan_goes_out_server_by_server(hall, ada_client):
    """Each packed server at its unit, its maker and type named; pools count what is packed."""
    out = files(ada_client, hall, site="old", option="air")
    rows = list(csv.DictReader(io.StringIO(out["planned_devices.csv"])))
    result = projection_get_or_run(revision=revision_get(scenario=hall)).result
    (packed,) = (one for one in result["halls"]["air"] if one["site"] == "old")
    planned = [
        (rack["key"], device["unit"])
        for rack in packed["racks"]
        for device in rack["devices"]
        if device["state"] == "planned"
    ]
    assert len(rows) == len(planned) > 10
    assert {row["status"] for row in rows} == {"planned"}
    servers = [row for row in rows if row["role"] == "server"]
    assert {(row["manufacturer"], row["device_type"]) for row in servers} == {
        ("Example", "8 x L40S in 4U")
    }
    assert sorted(float(row["position"]) for row in rows) == sorted(unit for _, unit in planned)
    pools = json.loads(out["planned_node_pools.json"])["nodePools"]
    (pool,) = pools
    assert pool["count"] == len(servers)
    assert pool["resources"] == {"nvidia.com/gpu": 8}
    assert pool["labels"]["tco/device"] == "l40s"


def test_the_page_takes_files_and_sends_them(hall, ada_client):
    """Downloads, a try, an import, and a refusal with its rows."""
    page = reverse("planner:scenario_halls", args=[hall.pk])
    assert "Take in" in ada_client.get(page).content.decode()
    url = reverse("planner:scenario_hall_file", args=[hall.pk, "racks.csv"])
    racks = ada_client.get(url, {"site": "old"})
    assert racks["Content-Type"].startswith("text/csv")
    post = reverse("planner:scenario_hall_import", args=[hall.pk])
    file = SimpleUploadedFile("racks.csv", racks.content)
    tried = ada_client.post(post, {"site": "old", "action": "try", "racks": file}, follow=True)
    assert "Nothing is wrong with the files" in tried.content.decode()
    broken = SimpleUploadedFile("racks.csv", b"name,u_height\nr,-4\n")
    refused = ada_client.post(post, {"site": "old", "action": "take", "racks": broken})
    assert refused.status_code == 422
    assert "Racks.csv row 2, column u_height" in refused.content.decode()
    assert (
        ada_client.get(
            reverse("planner:scenario_hall_file", args=[hall.pk, "nothing.csv"])
        ).status_code
        == 404
    )
    empty = ada_client.post(post, {"site": "old", "action": "take"})
    assert "send racks, devices or nodes" in empty.content.decode().lower()


def test_a_group_with_one_changed_rack_is_written_rack_by_rack(hall, ada_client):
    """The others keep what the file does not know, and what named the group names them."""
    out = files(ada_client, hall, site="old")
    lines = out["racks.csv"].splitlines()
    head = lines[0].split(",")
    assert "u_height" not in head
    changed = [f"{lines[0]},u_height", *(f"{line}," for line in lines[1:])]
    changed[2] = changed[2] + "47"
    answer = send(ada_client, hall, site="old", racks="\n".join(changed) + "\n")
    assert answer.status_code == 201, answer.content
    hall.refresh_from_db()
    document = revision_get(scenario=hall).document
    site = next(one for one in document["sites"] if one["key"] == "old")
    racks = {rack["key"]: rack for rack in site["hall"]["racks"]}
    assert set(racks) == {"b", *(f"a-{number:02d}" for number in range(1, 7))}
    assert racks["a-02"]["units"] == 47
    assert racks["a-01"]["sources"] == ["row-a1", "row-a2"]
    assert "units" not in racks["a-01"]
