"""Rented machines and APIs: what goes together, and the engine's inputs (F13)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tco.document.parse import path_to
from tco.document.values import shown, values
from tco.errors import InputError
from tco.inputs import Api, Rental, Spot, StorageClass

_PAIRS = (
    ("requests_per_month", "usd_per_1000_requests"),
    ("retrieved_gb_per_month", "usd_per_gb_retrieved"),
)
# Of a fleet; an API has no machines to say this of.
_OF_MACHINES = (
    *("site", "device", "purchase", "rental", "count", "tensor_parallel", "partition"),
    *("co_located", "confidential_speed_fraction", "stage", "model"),
)


def rental(given: Mapping[str, Any]) -> Rental:
    """Return the terms of a valid mapping, with what is inside it."""
    spot = given.get("spot")
    return Rental(
        **values("rental", given),
        spot=Spot(**values("spot", spot)) if spot else None,
        storage=tuple(StorageClass(**values("storage", item)) for item in given.get("storage", ())),
    )


def api(given: Mapping[str, Any] | None) -> Api | None:
    """Return the API of a valid mapping, or None where there is none."""
    return Api(**values("api", given)) if given else None


def broken_rental(path: str, fleet: Mapping[str, Any]) -> Iterator[InputError]:
    """Yield what does not go together in a fleet's rental; it may be of any shape."""
    given = fleet.get("rental")
    if not isinstance(given, Mapping):
        return
    place = path_to(path, "rental")
    commitment = str(given.get("commitment", "on_demand"))
    for name, goes, mend in (
        ("committed_instances", commitment.startswith("reserved"), "reserved_1y or reserved_3y"),
        ("on_demand_usd_per_hour", "committed_instances" in given, ""),
        ("spot", commitment == "spot", "spot"),
    ):
        if name in given and not goes:
            message = f"does not go with commitment {shown(commitment)}"
            if not mend:
                message = "counts only beyond committed_instances"
            yield InputError(
                path_to(place, name),
                message,
                f"leave it out, or set commitment to {mend}" if mend else "leave it out",
            )
    listed = given.get("storage")
    for index, item in enumerate(listed if isinstance(listed, list) else ()):
        if not isinstance(item, Mapping):
            continue
        for pair in _PAIRS:
            for name, other in (pair, pair[::-1]):
                if name in item and other not in item:
                    where = path_to(path_to(path_to(place, "storage"), index), other)
                    yield InputError(where, "is missing", f"{name} needs it")


def broken_api(
    path: str, fleet: Mapping[str, Any], workload: Mapping[str, Any] | None
) -> Iterator[InputError]:
    """Yield what does not go with an API priced by token."""
    for name in _OF_MACHINES:
        if name in fleet:
            yield InputError(path_to(path, name), "does not go with an API", "leave it out")
    for name, what in (
        ("training", "a training run"),
        ("service", "a measured service"),
        ("stages", "a pipeline"),
        ("batch_inference", "a model that answers in one pass"),
    ):
        if workload is not None and name in workload:
            message = f"an API priced by token does not go with {what}"
            yield InputError(path_to(path, "api"), message, "enter a server or an offer")
