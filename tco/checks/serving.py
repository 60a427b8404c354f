"""Checks of how a fleet serves its workload (P1.4, P8, F1.3, P0.3)."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tco.checks.view import FleetView
from tco.performance.dtypes import execution
from tco.results import Finding


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
    if result.feasible or _does_not_fit(view):
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
    if view.fleet.site is not None and view.fleet.owned:
        site = view.fleet.site
        if site.country not in allowed:
            yield view.finding(
                "residency",
                "error",
                f"{view.path}.site",
                f"{site.name} is in {site.country or 'an unknown country'};"
                f" {view.fleet.workload.name} must stay in {', '.join(allowed)}",
                "choose a site there, or change the workload's residency",
            )
    elif view.fleet.offer is not None:
        region = view.fleet.offer.region
        country = offer_country(region)
        if country is None:
            yield view.finding(
                "residency_unknown",
                "warning",
                f"{view.path}.offer",
                f"the country of region {region} is not known;"
                f" {view.fleet.workload.name} must stay in {', '.join(allowed)}",
                "check where the provider's region lies",
            )
        elif country not in allowed:
            yield view.finding(
                "residency",
                "error",
                f"{view.path}.offer",
                f"region {region} is in {country};"
                f" {view.fleet.workload.name} must stay in {', '.join(allowed)}",
                "choose a region there, or change the workload's residency",
            )


def offer_country(region: str) -> str | None:
    """Country of a cloud region by its name; None where the name does not tell.

    Examples
    --------
    >>> offer_country("us-east-1"), offer_country("eu-central-1"), offer_country("eu-south-9")
    ('US', 'DE', None)
    """
    name = region.lower()
    for prefix, country in _REGION_COUNTRIES:
        if name.startswith(prefix):
            return country
    return None


# Names of regions as the three large providers print them; the longer prefix first.
_REGION_COUNTRIES = (
    *(("us-gov", "US"), ("us-", "US"), ("ca-", "CA"), ("mx-", "MX"), ("sa-east-1", "BR")),
    *(("eu-central-1", "DE"), ("eu-central-2", "CH"), ("eu-west-1", "IE"), ("eu-west-2", "GB")),
    *(("eu-west-3", "FR"), ("eu-north-1", "SE"), ("eu-south-1", "IT"), ("eu-south-2", "ES")),
    *(("ap-northeast-1", "JP"), ("ap-northeast-3", "JP"), ("ap-northeast-2", "KR")),
    *(("ap-southeast-1", "SG"), ("ap-southeast-2", "AU"), ("ap-south-", "IN")),
    *(("europe-west1", "BE"), ("europe-west2", "GB"), ("europe-west3", "DE")),
    *(("europe-west4", "NL"), ("europe-west6", "CH"), ("europe-west9", "FR")),
    *(("europe-north1", "FI"), ("asia-northeast1", "JP"), ("asia-southeast1", "SG")),
    *(("eastus", "US"), ("westus", "US"), ("centralus", "US"), ("northcentralus", "US")),
    *(("southcentralus", "US"), ("westcentralus", "US"), ("canada", "CA"), ("uksouth", "GB")),
    *(("ukwest", "GB"), ("germany", "DE"), ("france", "FR"), ("sweden", "SE")),
    *(("switzerland", "CH"), ("westeurope", "NL"), ("northeurope", "IE"), ("japan", "JP")),
    *(("australia", "AU"), ("korea", "KR"), ("southeastasia", "SG"), ("norway", "NO")),
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
