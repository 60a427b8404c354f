"""The speed price of confidential computing: a factor with its source, not a yes or no (P19.3)."""

from __future__ import annotations

import csv
from functools import cache
from importlib import resources

from tco.defaults import default
from tco.inputs import Device, Figure, Fleet, Status

FEATURE = "confidential_computing"
_UNKNOWN = default("performance.confidential.unknown")


@cache
def _table() -> tuple[tuple[str, Figure], ...]:
    path = resources.files("tco.performance").joinpath("tables", "confidential.csv")
    rows = csv.DictReader(path.read_text(encoding="utf-8").splitlines())
    return tuple(
        (
            row["device_prefix"],
            Figure(
                float(row["speed_fraction"]),
                "fraction",
                Status(row["status"]),
                row["source"],
                row["as_of"],
                low=float(row["low"]),
                high=float(row["high"]),
                verified=False,
            ),
        )
        for row in rows
    )


def device_speed(device: Device) -> Figure:
    """Return the throughput left under confidential computing, from the table or assumed."""
    for prefix, figure in _table():
        if device.key == prefix or device.key.startswith((f"{prefix}-", f"{prefix}/")):
            return figure
    return _UNKNOWN


def confidential_figure(fleet: Fleet) -> Figure | None:
    """Return the factor a fleet runs at: its own, else its device's; None where it is not on."""
    if fleet.confidential_speed_fraction is not None:
        return fleet.confidential_speed_fraction
    machine = fleet.server or fleet.offer
    if machine is None or FEATURE not in fleet.workload.required_features:
        return None
    return device_speed(machine.device)


def confidential_speed(fleet: Fleet) -> float:
    """Return the share of full speed left under confidential computing; 1 where it is off."""
    figure = confidential_figure(fleet)
    return 1.0 if figure is None else figure.value
