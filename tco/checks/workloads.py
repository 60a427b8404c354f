"""Checks of what stands behind a workload: nearest rows, quality, numerics, shared devices."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from tco.checks.view import FleetView, ScenarioView
from tco.inputs import Device, FidelityPoint, Quality, Workload
from tco.performance.batch_inference import DISTANCES, BatchCurve, batch_curve
from tco.performance.confidential import confidential_figure
from tco.performance.machine import machine_of
from tco.performance.partition import INTERFERENCE, adapter_swap_ms, reserved_overcommit
from tco.results import Finding


def batch_evidence(view: FleetView) -> Iterator[Finding]:
    """Which measured rows size a model that answers in one pass, and how near they are (P10)."""
    work, machine = view.fleet.workload, machine_of(view.fleet)
    if work.batch is None or work.model is None or machine is None:
        return
    curve = batch_curve(work.model.key, machine.device, work.weight_dtype, work.batch.devices)
    if not isinstance(curve, BatchCurve):
        return
    severity = "info" if curve.distance == 0 else "warning"
    low, high = (f"{factor:.2g}" for factor in (1 / curve.spread, curve.spread))
    yield view.finding(
        "evidence_used" if curve.distance == 0 else "evidence_is_far",
        severity,
        f"{view.workload_path}.batch_inference",
        f"{view.fleet.name} is sized from {curve.source}: {DISTANCES[curve.distance]}; the rate"
        f" lies between {low} and {high} times the figure in 8 of 10 cases",
        "measure this model on this device" if curve.distance else "",
    )
    if work.batch.batch_limit is not None and work.batch.batch_limit > curve.most:
        yield view.finding(
            "outside_measured_range",
            "warning",
            f"{view.workload_path}.batch_inference.batch_limit",
            f"batches of {work.batch.batch_limit} lie outside the measured {curve.least} to"
            f" {curve.most}: the rate of the largest is held",
            f"enter {curve.most} or less",
        )


def quality_floor(view: FleetView) -> Iterator[Finding]:
    """The model at this precision reaches the workload's quality floor (P19.1)."""
    work = view.fleet.workload
    floor = work.quality_floor_fraction
    if floor is None or work.model is None:
        return
    figure = quality_of(work)
    measure = work.quality_measure or "accepted answers"
    if figure is None:
        yield view.finding(
            "quality_unknown",
            "warning",
            f"{view.workload_path}.quality_floor_fraction",
            f"no quality figure of {work.model.name} in {work.weight_dtype} is known"
            f" ({measure}): the floor of {floor:.1%} is not judged",
            "score your evaluation set with the agent, or enter a published figure",
        )
        return
    accepted = figure.accepted_fraction
    if accepted.value < floor:
        yield view.finding(
            "quality_below_floor",
            "error",
            f"{view.workload_path}.weight_dtype",
            f"{work.model.name} in {work.weight_dtype} has {accepted.value:.1%} accepted"
            f" ({figure.measure}, {accepted.source}), below the floor of {floor:.1%}",
            "choose a wider weight_dtype or another model, or lower the floor",
        )
    elif accepted.low is not None and accepted.low < floor:
        yield view.finding(
            "quality_near_floor",
            "warning",
            f"{view.workload_path}.quality_floor_fraction",
            f"the interval of {work.model.name} in {work.weight_dtype} begins at"
            f" {accepted.low:.1%}, below the floor of {floor:.1%}",
            "score more answers",
        )


def quality_of(work: Workload) -> Quality | None:
    """Return the quality figure of the workload's model at its precision, None if none fits."""
    if work.model is None:
        return None
    for figure in work.model.quality:
        if figure.weight_dtype == work.weight_dtype and (
            not work.quality_measure or figure.measure == work.quality_measure
        ):
            return figure
    return None


def confidential_price(view: FleetView) -> Iterator[Finding]:
    """Confidential computing costs speed: which factor is used (P19.3)."""
    figure = confidential_figure(view.fleet)
    if figure is None:
        return
    span = ""
    if figure.low is not None and figure.high is not None:
        span = f", between {figure.low:.2f} and {figure.high:.2f}"
    yield view.finding(
        "confidential_speed",
        "info",
        f"{view.path}.confidential_speed_fraction",
        f"{view.fleet.name} is sized at {figure.value:.2f} of full speed{span}:"
        f" confidential computing ({figure.source}, {figure.status})",
        "measure it with your engine and load, and enter the factor",
    )


def shared_devices(view: FleetView) -> Iterator[Finding]:
    """What a fleet on a slice or on shared time gives up (shared devices)."""
    part, share = view.fleet.partition, view.fleet.co_located
    if part is not None:
        lost = part.isolation_fraction.value if part.isolation_fraction else 0.0
        yield view.finding(
            "partitioned",
            "info",
            f"{view.path}.partition",
            f"{view.fleet.name} runs on {part.per_device} slices {part.profile} of each device:"
            f" {part.memory_gb.value:.1f} GB each, {lost:.0%} of the speed is the price of"
            " isolation; nothing was measured on the slice",
            "",
        )
    if share is None:
        return
    lost = (share.interference_fraction or INTERFERENCE).value
    yield view.finding(
        "shared_in_time",
        "info",
        f"{view.path}.co_located",
        f"{view.fleet.name} has {share.time_fraction.value:.0%} of each device, {lost:.0%} less"
        " for its neighbours; the whole server's cost is counted here",
        "",
    )
    wait_ms = (
        adapter_swap_ms(view.fleet.workload.model, share) if view.fleet.workload.model else 0.0
    )
    if wait_ms > 0.0:
        yield view.finding(
            "adapters_swapped",
            "warning",
            f"{view.path}.co_located.adapters_resident",
            f"{share.adapters_resident} of {share.adapters} adapters stay on the device: a request"
            f" waits {wait_ms:.1f} ms more on average, which the latencies do not hold",
            "keep more adapters resident",
        )


def reserved_memory_fits(scenario: ScenarioView) -> Iterator[Finding]:
    """Engines on one device reserve their shares of the whole memory at start."""
    for option in scenario.inputs.options:
        held: dict[str, list[FleetView]] = {}
        for view in scenario.of_option(option.key):
            if view.fleet.co_located is not None:
                held.setdefault(view.machine_name, []).append(view)
        for name, views in held.items():
            shares = [
                view.fleet.co_located.memory_fraction.value
                for view in views
                if view.fleet.co_located is not None
            ]
            over = reserved_overcommit(shares)
            if len(views) > 1 and over > 0:
                last = views[-1]
                yield last.finding(
                    "memory_reserved_twice",
                    "error",
                    f"{last.path}.co_located.memory_fraction",
                    f"the engines on {name} reserve {sum(shares):.0%} of its memory: each takes its"
                    " share of the whole device at start, so the last one does not start",
                    f"lower the shares by {over:.2f} in all",
                )


def numerics_agree(scenario: ScenarioView) -> Iterator[Finding]:
    """Devices that serve one model agree within the workload's tolerance (P15)."""
    for option in scenario.inputs.options:
        views = scenario.of_option(option.key)
        for one, other in combinations(views, 2):
            work, left, right = one.fleet.workload, one.device, other.device
            if (
                work.tolerance_fraction is None
                or other.fleet.workload.key != work.key
                or one.fleet.stage != other.fleet.stage
                or left is None
                or right is None
                or left.key == right.key
            ):
                continue
            worst = divergence(left, right, work.weight_dtype)
            if worst is None:
                yield other.finding(
                    "numerics_unknown",
                    "warning",
                    other.machine_path,
                    f"{left.name} and {right.name} serve {work.name}; their numerics were not"
                    " measured against each other",
                    "run the agent's fidelity test on both",
                )
            elif worst[1] > work.tolerance_fraction:
                point, size = worst
                yield other.finding(
                    "numerics_differ",
                    "error",
                    other.machine_path,
                    f"{left.name} and {right.name} differ by up to {size:.2g} in {point.operation}"
                    f" ({point.dtype}), beyond the tolerance of {work.tolerance_fraction:.2g}"
                    f" of {work.name}",
                    "serve it on one kind of device, or widen the tolerance",
                )


def divergence(left: Device, right: Device, dtype: str) -> tuple[FidelityPoint, float] | None:
    """Return the operation in which two devices may differ most, and by how much (P15).

    Each was measured against one reference: errors may add. None where no operation was measured
    on both.
    """
    if left.measured is None or right.measured is None:
        return None
    other = {(p.operation, p.dtype): p for p in right.measured.fidelity}
    shared = [
        (p, p.relative_error.value + other[p.operation, p.dtype].relative_error.value)
        for p in left.measured.fidelity
        if p.dtype == dtype and (p.operation, p.dtype) in other
    ]
    return max(shared, key=lambda item: item[1], default=None)
