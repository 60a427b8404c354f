"""Checks of how a fleet serves its workload (P1.4, P8, F1.3, P0.3)."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tco.checks.regions import allowed_countries, offer_country
from tco.checks.view import FleetView
from tco.performance.dtypes import execution
from tco.performance.parameters import parameters
from tco.results import Finding

PARAMETERS_PER_G = 1e9
PARAMETERS_OFF = 0.005  # biases and norms differ less


def model_fits(view: FleetView) -> Iterator[Finding]:
    """The model's weights and cache fit the devices' memory (P1.4)."""
    result = view.result
    if _does_not_fit(view):
        held = math.fsum(line.gb_per_device for line in result.memory)
        capacity = result.memory_capacity_gb or 0.0
        yield view.finding(
            "model_does_not_fit",
            "error",
            view.machine_path,
            f"{view.fleet.workload.name} does not fit {view.machine_name}: {result.binds}"
            + (f" ({held:.1f} GB of {capacity:.1f} GB a device)" if held > capacity else ""),
            "choose a device with more memory, a smaller weight_dtype or a larger tensor_parallel",
        )


def carries_its_load(view: FleetView) -> Iterator[Finding]:
    """The fleet carries its peak within every target (P8)."""
    result = view.result
    if result.feasible or _does_not_fit(view) or _told_by_another_stage(view):
        return
    if result.servers == 0 and view.fleet.count == 0:
        return  # zero_servers says it
    missed = [target for target in result.targets if not target.met]
    if missed:
        for target in missed:
            predicted = (
                "no steady state"
                if target.predicted_ms is None
                else f"{target.predicted_ms:.0f} ms"
            )
            yield view.finding(
                "target_not_met",
                "error",
                _target_field(view, target.metric, target.percentile),
                f"{view.fleet.name}: {target.metric} p{target.percentile:g} is {predicted} at"
                f" peak, over the limit of {target.limit_ms:g} ms ({result.binds})",
                f"raise {view.path}.count or the limit, or choose a faster device",
            )
        return
    yield view.finding(
        "cannot_serve",
        "error",
        view.machine_path,
        f"{view.fleet.name} does not carry {view.fleet.workload.name}: {result.binds}",
        "choose another machine, more of them, or a looser target",
    )


def _told_by_another_stage(view: FleetView) -> bool:
    """A pipeline's fleets miss one target together: the first that can say why says it."""
    if view.fleet.workload.kind != "pipeline":
        return False
    same = [f for f in view.option.fleets if f.workload.key == view.fleet.workload.key]
    return bool(view.result.servers) and same[0].key != view.fleet.key


def has_servers(view: FleetView) -> Iterator[Finding]:
    """A fleet of nothing costs nothing and serves nothing."""
    if view.fleet.count == 0:
        load = view.fleet.workload.peak_requests_per_s.value * view.fleet.share_fraction
        serves = load > 0 or view.fleet.workload.kind == "training"
        yield view.finding(
            "zero_servers",
            "error" if serves else "info",
            f"{view.path}.count",
            f"{view.fleet.name} has 0 servers"
            + (f" for {load:g} requests a second" if load > 0 else ""),
            "enter 1 or more, or leave the count out to have it sized",
        )


def dtype_is_native(view: FleetView) -> Iterator[Finding]:
    """The device executes the precision that the weights are stored in (P0.3)."""
    load, device = view.fleet.workload, view.device
    if device is None or load.model is None:
        return
    run = execution(device, load.weight_dtype)
    if run is not None and run.note:
        yield view.finding(
            "dtype_not_native",
            "warning",
            f"{view.workload_path}.weight_dtype",
            run.note,
            f"use {run.dtype}, or a device that executes {load.weight_dtype}",
        )


def parameters_match_the_shape(view: FleetView) -> Iterator[Finding]:
    """The shape, which gives weights and work, holds the parameters that are stated (P1.1)."""
    shape = view.fleet.workload.model
    if shape is None or not shape.supported or shape.parameters_g.value <= 0.0:
        return
    computed_g = parameters(shape).total / PARAMETERS_PER_G + shape.beside_parameters_g
    stated_g = shape.parameters_g.value
    if abs(computed_g / stated_g - 1.0) > PARAMETERS_OFF:
        yield view.finding(
            "parameters_do_not_match",
            "warning",
            f"{view.workload_path}.model",
            f"{shape.name} is sized with the {computed_g:.3f} billion parameters of its shape;"
            f" {stated_g:g} billion are stated",
            "check the shape; a part beside the text model belongs in beside_parameters_g",
        )


def features_present(view: FleetView) -> Iterator[Finding]:
    """The device or the server has every feature that the workload needs."""
    device = view.device
    present = set(device.features) if device else set()
    if view.fleet.server is not None:
        present |= view.fleet.server.features
    for feature in view.fleet.workload.required_features:
        if feature not in present:
            yield view.finding(
                "feature_missing",
                "error",
                view.machine_path,
                f"{view.fleet.workload.name} needs {feature}, which {view.machine_name} is not"
                f" known to have (it has: {', '.join(sorted(present)) or 'none'})",
                "choose a machine with it, or take it from the workload's requires",
            )


def residency_kept(view: FleetView) -> Iterator[Finding]:
    """The work stays in the countries where it must stay."""
    allowed = view.fleet.workload.residency
    if not allowed:
        return
    countries = allowed_countries(allowed)
    if view.fleet.site is not None and view.fleet.owned:
        site = view.fleet.site
        if site.country.upper() not in countries:
            yield view.finding(
                "residency",
                "error",
                f"{view.path}.site",
                f"{site.name} is in {site.country or 'an unknown country'};"
                f" {view.fleet.workload.name} must stay in {', '.join(allowed)}",
                "choose a site there, or change the workload's residency",
            )
    elif view.fleet.api is not None and view.fleet.api.country:
        served = view.fleet.api.country.upper()
        if served not in countries:
            yield view.finding(
                "residency",
                "error",
                f"{view.path}.api.country",
                f"{view.fleet.name} is served in {served};"
                f" {view.fleet.workload.name} must stay in {', '.join(allowed)}",
                "choose a provider there, or change the workload's residency",
            )
    elif view.fleet.offer is not None or view.fleet.api is not None:
        region = view.fleet.offer.region if view.fleet.offer is not None else "of the API"
        country = offer_country(region)
        if country is None:
            yield view.finding(
                "residency_unknown",
                "warning",
                view.machine_path,
                f"the country of region {region} is not known;"
                f" {view.fleet.workload.name} must stay in {', '.join(allowed)}",
                "check where the provider's region lies",
            )
        elif country not in countries:
            yield view.finding(
                "residency",
                "error",
                f"{view.path}.offer",
                f"region {region} is in {country};"
                f" {view.fleet.workload.name} must stay in {', '.join(allowed)}",
                "choose a region there, or change the workload's residency",
            )


def _does_not_fit(view: FleetView) -> bool:
    result = view.result
    if result.feasible or result.servers or not result.memory:
        return False
    capacity = result.memory_capacity_gb
    held = math.fsum(line.gb_per_device for line in result.memory)
    return result.binds.startswith("memory") or (capacity is not None and held > capacity)


def _target_field(view: FleetView, metric: str, percentile: float) -> str:
    for index, target in enumerate(view.fleet.workload.targets):
        if target.metric == metric and target.percentile == percentile:
            return f"{view.workload_path}.targets[{index}].limit_ms"
    return f"{view.workload_path}.targets"
