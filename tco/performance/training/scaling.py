"""Strong and weak scaling of a step, to where the network ends it (P11)."""

from __future__ import annotations

from dataclasses import dataclass

from tco.inputs import Device, Figure, LanguageModel
from tco.performance.training.predict import Predicted, predict

USEFUL_FRACTION = 0.5  # of the ideal speed: beyond it half of the added devices wait


@dataclass(frozen=True, slots=True)
class ScalePoint:
    """One count of devices."""

    devices: int
    step_s: float
    tokens_per_s: float
    efficiency_fraction: float  # tokens/s per device over that of the first point
    network_fraction: float  # of the step, exposed


@dataclass(frozen=True, slots=True)
class Scaling:
    """Points by rising device count."""

    kind: str  # strong: the batch stays | weak: the batch grows with the devices
    points: tuple[ScalePoint, ...]

    @property
    def limit_devices(self) -> int | None:
        """Most devices that still reach half of the ideal speed; None if none was tried past it."""
        useful = [p.devices for p in self.points if p.efficiency_fraction >= USEFUL_FRACTION]
        return max(useful) if useful and len(useful) < len(self.points) else None


def scaling(
    model: LanguageModel,
    device: Device,
    *,
    counts: tuple[int, ...],
    server_devices: int,
    batch_tokens: float,
    sequence_tokens: float,
    dtype: str,
    kind: str = "strong",
    scale_out_gb_s: Figure | None = None,
) -> Scaling:
    """Return speed by device count, each with its own fastest plan (P11).

    Parameters
    ----------
    batch_tokens
        Of a step: of every count where `kind` is strong, of the first where it is weak.
    counts
        Devices, rising; those on which nothing fits are left out.
    """
    points: list[ScalePoint] = []
    for devices in counts:
        batch = batch_tokens * (devices / counts[0] if kind == "weak" else 1.0)
        found: Predicted | None = predict(
            model,
            device,
            devices=devices,
            server_devices=server_devices,
            batch_tokens=batch,
            sequence_tokens=sequence_tokens,
            dtype=dtype,
            scale_out_gb_s=scale_out_gb_s,
        )
        if found is None:
            continue
        speed = batch / found.seconds
        first = points[0].tokens_per_s / points[0].devices if points else speed / devices
        points.append(
            ScalePoint(
                devices=devices,
                step_s=found.seconds,
                tokens_per_s=speed,
                efficiency_fraction=speed / devices / first,
                network_fraction=found.step.network / found.step.seconds,
            )
        )
    return Scaling(kind, tuple(points))
