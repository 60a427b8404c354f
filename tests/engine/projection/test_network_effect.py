"""What the network between servers does to the work stands beside the fleet (F7.4)."""

from __future__ import annotations

import re

import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.document import resolve
from tco.network.effect import split_over_servers, step_by_servers
from tco.projection import project
from tests.engine.mix.test_best_mix import document


def findings(name, code):
    """Findings of an example by code, with its inputs and projection."""
    inputs = resolve(document(name), SeedCatalog())
    found = project(inputs)
    return [one for one in found.findings if one.code == code], inputs, found


def test_a_training_step_of_10_20_and_40_servers_is_said():
    """The figures are those of the engine at the rate of the laid out network."""
    (first, *others), inputs, projection = findings("liquid_cluster", "step_by_servers")
    assert len(others) == len(inputs.options) - 1
    option = next(one for one in inputs.options if one.key == first.option)
    fleet = next(one for one in option.fleets if one.key == first.fleet)
    result = next(one for one in projection.options if one.key == first.option)
    fabric = next(one for one in result.fabrics if one.role == "scale_out")
    work = fleet.workload
    from tco.inputs import assumed

    scaled = step_by_servers(
        work.model,
        fleet.server.device,
        servers=(10, 20, 40),
        server_devices=fleet.server.device_count,
        batch_tokens=work.training.global_batch_tokens.value,
        sequence_tokens=float(work.training.sequence_tokens),
        device_gb_s=assumed(fabric.device_gb_s, "GB/s", "x"),
    )
    said = [float(x) for x in re.findall(r"servers ([\d.e+-]+) s", first.message)]
    assert said == [pytest.approx(point.step_s, rel=0.006) for point in scaled.points]
    assert said == sorted(said, reverse=True)


def test_a_model_that_answers_is_split_at_a_price():
    """Inside one server, over two, in stages: the message has what the engine gives."""
    given = document("chat")
    given["options"] = [one for one in given["options"] if one["key"] == "h100"]
    given["options"][0]["fleets"][0]["fabrics"] = [
        {"role": "scale_out", "topology": "fat_tree", "ports_per_server": 8, "link_gbps": 400,
         "switch": document("liquid_cluster")["options"][0]["fleets"][0]["fabrics"][0]["switch"]}
    ]  # fmt: skip
    for name in ("network_usd_per_server", "network_w_per_server"):
        del given["options"][0]["fleets"][0]["purchase"][name]
    inputs = resolve(given, SeedCatalog())
    projection = project(inputs)
    (found,) = (one for one in projection.findings if one.code == "split_over_servers")
    fleet = inputs.options[0].fleets[0]
    from tco.inputs import assumed

    split = split_over_servers(
        fleet.workload.model,
        fleet.server.device,
        servers=2,
        server_devices=8,
        tokens=64,
        device_gb_s=assumed(projection.options[0].fabrics[0].device_gb_s, "GB/s", "x"),
        dtype="fp8",
    )
    said = [float(x) for x in re.findall(r"([\d.]+) ms", found.message)]
    wanted = [split.inside_s, split.across_s, split.staged_s]
    assert said == [pytest.approx(1e3 * seconds, rel=0.006) for seconds in wanted]


def test_without_a_network_nothing_is_said():
    """No layout, no rate."""
    assert not findings("chat", "split_over_servers")[0]
