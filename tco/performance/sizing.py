"""How many machines serve a fleet's workload, and how well (P8): the way in."""

from __future__ import annotations

from dataclasses import replace

from tco.inputs import Fleet
from tco.performance.batch_fleet import size_batch
from tco.performance.confidential import confidential_speed
from tco.performance.machine import infeasible
from tco.performance.measured import size_measured
from tco.performance.serving_fleet import size_serving
from tco.performance.training import size_training
from tco.results import FleetResult

__all__ = ["size_fleet"]


def size_fleet(
    fleet: Fleet,
    *,
    horizon_months: int,
    hours: str = "730",
    throughput_fraction: float = 1.0,
) -> FleetResult:
    """Size one fleet for its workload (P8, P11, F1.3).

    Parameters
    ----------
    horizon_months
        Months of the projection; machines are given for each.
    hours
        Hours mode of the scenario (``730``, ``720`` or ``calendar``, F0.2): the length of a
        training year.
    throughput_fraction
        Share of full device speed left under a power cap (F2.2), 0..1.

    Returns
    -------
    FleetResult
        ``feasible`` is False, with the reason in ``binds``, where a model does not fit, a rate is
        missing or a target cannot be met; nothing is raised for these.

    Notes
    -----
    ``servers`` and the latencies belong to the end of the horizon. Targets are judged at the peak
    with headroom and with the lost replicas gone; ``at_peak`` and ``curve`` show the whole fleet.
    A saturated load point has no latencies (P6.2).
    """
    speed = min(max(throughput_fraction, 0.0), 1.0) * confidential_speed(fleet)
    kind = fleet.workload.kind
    if fleet.api is not None:
        return infeasible(
            fleet,
            "served by its provider: latency and room are not modelled",
            horizon_months=horizon_months,
            status=fleet.api.output_usd_per_mtok.status,
            feasible=True,
        )
    if kind == "training":
        return size_training(
            fleet, horizon_months=horizon_months, hours=hours, throughput_fraction=speed
        )
    if kind == "batch_inference":
        return size_batch(fleet, horizon_months=horizon_months, throughput_fraction=speed)
    if kind == "pipeline":
        return infeasible(
            fleet,
            "a stage of a pipeline is sized with its neighbours (size_pipeline)",
            horizon_months=horizon_months,
        )
    if fleet.partition is not None:
        if fleet.tensor_parallel not in (None, 1):
            return infeasible(
                fleet,
                f"tensor_parallel: slices have no link to each other, so {fleet.tensor_parallel}"
                " cannot share a copy; use 1 or a larger partition",
                horizon_months=horizon_months,
            )
        fleet = replace(fleet, tensor_parallel=1)
    if kind == "measured_service":
        return size_measured(fleet, horizon_months=horizon_months, throughput_fraction=speed)
    return size_serving(fleet, horizon_months=horizon_months, throughput_fraction=speed)
