"""Measured all-reduces and what the network does to a step."""

from __future__ import annotations

import pytest

from hardware_catalog.seed.to_engine.catalog import SeedCatalog
from tco.errors import InputError
from tco.inputs import CollectivePoint, assumed
from tco.network.collectives import bus_gb_s, measured_all_reduce
from tco.network.effect import split_over_servers, step_by_servers


def rows(*points):
    """Measured rows."""
    return [CollectivePoint(n, size, assumed(s, "s", "test")) for n, size, s in points]


POINTS = rows((2, 1e6, 1e-3), (2, 1e8, 0.1), (8, 1e6, 2e-3), (8, 1e8, 0.2))


def test_on_a_row_the_row_is_the_answer() -> None:
    """No latency is added to a measured time: it is inside (F7.4)."""
    assert measured_all_reduce(POINTS, 1e8, 8).seconds == pytest.approx(0.2)
    assert measured_all_reduce(POINTS, 1e8, 1).seconds == 0


def test_beyond_the_rows_it_says_so() -> None:
    """16 servers and a gigabyte were not measured: a slope goes on, and both are told."""
    found = measured_all_reduce(POINTS, 1e9, 16)
    assert not found.inside
    assert "16 servers were not measured" in found.reason
    assert "1,000,000,000 bytes were not measured at 2 servers" in found.reason
    assert found.seconds == pytest.approx(2.0 * 2**0.5)


@pytest.mark.parametrize("bad", [(), rows((1, 1e6, 1.0)), rows((2, 0.0, 1.0)), rows((2, 1e6, 0.0))])
def test_rows_that_cannot_be_are_refused(bad) -> None:
    """No rows, one server, no bytes, no time."""
    with pytest.raises(InputError):
        measured_all_reduce(bad, 1e6, 4)


def test_bus_bandwidth_is_for_display() -> None:
    """1 GB in 10 ms over 8 ranks: 175 GB/s by ring, 77.8 where the switch adds up."""
    assert bus_gb_s(1e9, 0.01, 8) == pytest.approx(175)
    assert bus_gb_s(1e9, 0.01, 8, in_switch=True) == pytest.approx(77.78, abs=0.01)


@pytest.fixture(scope="module")
def parts():
    """H100 and a model of 70 billion parameters."""
    catalog = SeedCatalog()
    model = next(key for key in catalog.keys("model") if "llama-3.1-70b" in key.lower())
    return catalog.model(model), catalog.device("h100-sxm")


def test_a_slower_network_never_shortens_a_step(parts) -> None:
    """10 to 40 servers at 50 and at 2 GB/s a device: slower, less efficient the more there are."""
    model, device = parts

    def steps(gb_s):
        return step_by_servers(
            model,
            device,
            servers=(10, 20, 40),
            server_devices=8,
            batch_tokens=4e6,
            sequence_tokens=8192,
            device_gb_s=assumed(gb_s, "GB/s", "test"),
        ).points

    fast, slow = steps(50.0), steps(2.0)
    assert [point.devices for point in fast] == [80, 160, 320]
    assert all(a.step_s <= b.step_s for a, b in zip(fast, slow, strict=True))
    assert slow[-1].efficiency_fraction < fast[-1].efficiency_fraction
    with pytest.raises(InputError, match="rising counts"):
        step_by_servers(
            model, device, servers=(4, 2), server_devices=8, batch_tokens=1e6,
            sequence_tokens=4096, device_gb_s=assumed(50.0, "GB/s", "test"),
        )  # fmt: skip


def test_all_reduces_that_leave_the_server_cost_more_than_stages(parts) -> None:
    """64 tokens of decoding over two servers: stages stay inside, tensor parallel leaves it."""
    model, device = parts
    found = split_over_servers(
        model, device, servers=2, server_devices=8, tokens=64,
        device_gb_s=assumed(50.0, "GB/s", "test"),
    )  # fmt: skip
    assert found.inside_s < found.staged_s < found.across_s
    assert found.better == "stages"
    reduces = 2 * model.layers
    # 16 ranks at 7 us each way, twice (gather and scatter), are the least of it
    assert found.across_s > reduces * 2 * 16 * 7e-6
