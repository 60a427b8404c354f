"""NetBox tables and Kubernetes nodes: round trips change nothing, every bad cell is told."""

from __future__ import annotations

import json

import pytest

from tco.document.inventory.kubernetes import read_nodes, write_pools
from tco.document.inventory.netbox import (
    read_devices,
    read_racks,
    write_devices,
    write_racks,
)
from tco.errors import InputErrors

RACKS = """\
site,location,name,status,role,u_height,max_weight,weight_unit,comments
AMS,Row A,R 101,active,compute,42,1200,kg,"near the door, left"
AMS,Row A,R 102,planned,,48,2500,lb,
"""
DEVICES = """\
name,role,tenant,manufacturer,device_type,serial,site,rack,position,face,parent,device_bay,status
chassis,blades,Lab,Maker,Chassis 7U,S1,AMS,R 101,1.0,front,,,active
blade-1,blades,,Maker,Blade,S2,AMS,,,,chassis,Bay 1,active
shelf,storage,,Maker,Shelf 3.5U,S3,AMS,R 101,8.5,rear,,,staged
spare,storage,,Maker,Shelf 3.5U,S4,AMS,R 102,,,,,inventory
"""
KIT = [
    {"key": "chassis", "manufacturer": "Maker", "model": "Chassis 7U", "units": 7},
    {"key": "blade", "manufacturer": "Maker", "model": "Blade", "mount": "child"},
    {"key": "shelf", "manufacturer": "Maker", "model": "Shelf 3.5U", "units": 3.5},
]


def test_a_round_trip_of_racks_and_devices_changes_no_byte():
    """Read, written, read and written again: the files NetBox gave."""
    racks = read_racks(RACKS)
    devices = read_devices(DEVICES, racks, KIT)
    assert write_racks(racks) == RACKS
    assert write_devices(devices, racks, KIT) == DEVICES
    assert read_racks(write_racks(racks)) == racks
    assert read_devices(write_devices(devices, racks, KIT), racks, KIT) == devices


def test_what_is_read_is_what_a_hall_takes():
    """Keys of names, loads with their unit, halves, states, children."""
    racks = read_racks(RACKS)
    assert [(rack["key"], rack["row"], rack["units"], rack["load_kg"]) for rack in racks] == [
        ("R-101", "Row A", 42, "1200 kg"),
        ("R-102", "Row A", 48, "2500 lb"),
    ]
    found = {device["name"]: device for device in read_devices(DEVICES, racks, KIT)}
    assert found["shelf"]["unit"] == 8.5
    assert (found["shelf"]["rack"], found["shelf"]["face"]) == ("R-101", "rear")
    assert found["blade-1"]["parent"] == "chassis"
    assert found["chassis"]["state"] == "installed"
    assert found["spare"]["status"] == "inventory"


def errors(read, *arguments):
    """Place and message of everything that is wrong."""
    with pytest.raises(InputErrors) as caught:
        read(*arguments)
    return {error.field: error.message for error in caught.value.errors}


def test_all_bad_cells_of_racks_are_told_at_once():
    """Row and column each: unknown columns, heights, units of weight, names twice, short rows."""
    text = (
        "name,u_heigth,u_height,max_weight,weight_unit\nA,,0,900,stone\nA,,42,x,kg\n,,42,,\nB,,42\n"
    )
    found = errors(read_racks, text)
    assert found["racks.csv row 1, column u_heigth"] == "unknown column"
    assert "'0' is not a whole number" in found["racks.csv row 2, column u_height"]
    assert "'stone' is no unit" in found["racks.csv row 2, column weight_unit"]
    assert "stands in row 2 already" in found["racks.csv row 3, column name"]
    assert "'x' is not a whole number" in found["racks.csv row 3, column max_weight"]
    assert found["racks.csv row 4, column name"] == "is empty"
    assert found["racks.csv row 5"] == "3 cells under 5 columns"


def test_all_bad_cells_of_devices_are_told_at_once():
    """Unknown racks, types and states; a place taken twice; thirds of a unit; no parent."""
    racks = read_racks(RACKS)
    text = (
        "name,manufacturer,device_type,rack,position,face,parent,status\n"
        "a,Maker,Shelf 3U,R 101,1,front,,active\n"
        "b,Maker,Shelf 3.5U,R 109,5,front,,active\n"
        "c,Maker,Shelf 3.5U,R 102,2,front,,activ\n"
        "d,Maker,Shelf 3.5U,R 102,2,front,,active\n"
        "e,Maker,Shelf 3.5U,R 102,3.3,side,,active\n"
        "f,Maker,Blade,,,,nobody,active\n"
        "g,Maker,Blade,,4,,,active\n"
    )
    found = errors(read_devices, text, racks, KIT)
    assert found == {
        "devices.csv row 2, column device_type": "the hall has no kind 'Shelf 3U'",
        "devices.csv row 3, column rack": "the hall has no rack 'R 109'",
        "devices.csv row 4, column status": "'activ' is not known",
        "devices.csv row 5, column position": "unit 2 of R 102 is taken by row 4",
        "devices.csv row 6, column face": "'side' is neither front nor rear",
        "devices.csv row 6, column position": "'3.3' is no unit of a rack",
        "devices.csv row 7, column parent": "no device is called 'nobody'",
        "devices.csv row 8, column rack": "is empty",
    }


@pytest.mark.parametrize("text", ["", 'name\n"open', "name,name\nA,B\n", "u_height\n42\n"])
def test_a_file_that_is_no_table_is_refused(text):
    """Empty, an open quote, a column twice, no name."""
    with pytest.raises(InputErrors):
        read_racks(text)


def node(name, product="H100", count="8", kind="Node"):
    """A node as kubectl prints it."""
    return {
        "kind": kind,
        "metadata": {"name": name, "labels": {"nvidia.com/gpu.product": product}},
        "status": {"capacity": {"cpu": "192", "nvidia.com/gpu": count}},
    }


NODE_KIT = [
    {"key": "h100", "model": "H100", "resource": "nvidia.com/gpu", "devices_each": 8},
    {"key": "a100", "model": "A100", "resource": "nvidia.com/gpu", "devices_each": 8},
    {"key": "cpu"},
]


def test_nodes_become_pools_and_pools_node_counts():
    """Counted by kind and labels; a node without devices is of the kind without a resource."""
    bare = {"metadata": {"labels": {}}, "status": {"capacity": {"cpu": "64"}}}
    items = [node("a"), node("b"), node("c", "A100"), bare]
    pools = read_nodes(json.dumps({"items": items}), NODE_KIT)
    assert [(pool["kit"], pool["count"]) for pool in pools] == [
        ("h100", 2),
        ("a100", 1),
        ("cpu", 1),
    ]
    needs = [{"key": "spring", "kit": "h100", "count": 4}]
    written = json.loads(write_pools(pools, needs, NODE_KIT))["nodePools"]
    assert written[0]["resources"] == {"nvidia.com/gpu": 8}
    assert written[0]["labels"] == {"nvidia.com/gpu.product": "H100"}
    assert (written[-1]["name"], written[-1]["count"], written[-1]["planned"]) == (
        "spring",
        4,
        True,
    )


def test_every_bad_node_is_told_with_its_number():
    """No Node, no capacity, no count, no kind of the hall."""
    items = [
        node("a", kind="Pod"),
        {"metadata": {}},
        node("c", count="many"),
        node("d", count="3"),
        node("e", "V100"),
    ]
    found = errors(read_nodes, json.dumps({"items": items}), NODE_KIT)
    assert "is no Node" in found["nodes.json item 1"]
    assert found["nodes.json item 2, status.capacity"] == "is missing"
    assert "no count" in found["nodes.json item 3, status.capacity[nvidia.com/gpu]"]
    assert "no kind has 3 x nvidia.com/gpu" in found["nodes.json item 4, status.capacity"]
    assert "no kind has 8 x" in found["nodes.json item 5, status.capacity"]
    assert errors(read_nodes, "{", NODE_KIT)
    assert errors(read_nodes, "[]", NODE_KIT)
