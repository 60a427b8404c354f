"""What a network does to the work: a model split over servers, a step of more of them (F7.4)."""

from __future__ import annotations

from collections.abc import Iterator

from tco.checks.view import FleetView
from tco.errors import InputError
from tco.inputs import Figure
from tco.network.effect import split_over_servers, step_by_servers
from tco.results import Finding

SCALE_OUT = "scale_out"
DECODING = 64.0  # sequences of one iteration: a usual batch
STEPS = (10, 20, 40)  # servers
MS = 1e3


def network_slows(view: FleetView) -> Iterator[Finding]:
    """Yield what the network between servers costs the work of a fleet.

    For a model that answers: the wires of one iteration inside a server, split over two servers,
    and in stages. For a training run: the step with 10, 20 and 40 servers.
    """
    server, work = view.fleet.server, view.fleet.workload
    fabric = next((one for one in view.around.fabrics if one.role == SCALE_OUT), None)
    if server is None or fabric is None or work.model is None or fabric.device_gb_s <= 0:
        return
    rate = Figure(fabric.device_gb_s, "GB/s", fabric.status, f"{fabric.role} network as laid out")
    path = f"{view.path}.fabrics"
    try:
        if work.training is not None:
            yield from _steps(view, path, rate)
        else:
            yield from _split(view, path, rate)
    except InputError:  # the device has no rates: evidence says so elsewhere
        return


def _split(view: FleetView, path: str, rate: Figure) -> Iterator[Finding]:
    server, work = view.fleet.server, view.fleet.workload
    assert server is not None
    assert work.model is not None
    found = split_over_servers(
        work.model,
        server.device,
        servers=2,
        server_devices=server.device_count,
        tokens=DECODING,
        device_gb_s=rate,
        dtype=work.weight_dtype,
    )
    word = "stages" if found.better == "stages" else "the all-reduce over both"
    yield view.finding(
        "split_over_servers",
        "info",
        path,
        f"on the wires an iteration of {DECODING:.0f} sequences of {work.model.name} takes"
        f" {found.inside_s * MS:.3g} ms inside one server of {view.fleet.name},"
        f" {found.across_s * MS:.3g} ms split over two, {found.staged_s * MS:.3g} ms in two stages:"
        f" if it must be split, {word} cost less",
        "keep the model in one server where it fits",
    )


def _steps(view: FleetView, path: str, rate: Figure) -> Iterator[Finding]:
    server, work = view.fleet.server, view.fleet.workload
    assert server is not None
    assert work.model is not None
    assert work.training is not None
    found = step_by_servers(
        work.model,
        server.device,
        servers=STEPS,
        server_devices=server.device_count,
        batch_tokens=work.training.global_batch_tokens.value,
        sequence_tokens=float(work.training.sequence_tokens),
        device_gb_s=rate,
    )
    said = ", ".join(
        f"{count} servers {point.step_s:.3g} s ({point.efficiency_fraction:.0%} of ideal)"
        for count, point in zip(STEPS, found.points, strict=True)
    )
    yield view.finding(
        "step_by_servers",
        "info",
        path,
        f"a training step of {view.fleet.name} over its network: {said}",
        "a leaner or a faster network moves it: see the links",
    )
