"""What the network does to the work: servers in a training step, a model split over servers."""

from __future__ import annotations

from dataclasses import dataclass

from tco.errors import InputError
from tco.inputs import Device, Figure, LanguageModel
from tco.performance.training.network import ring_seconds, send_seconds
from tco.performance.training.plan import Platform
from tco.performance.training.predict import platform_of
from tco.performance.training.scaling import Scaling, scaling

MESSAGE_BYTES = 2.0  # of one activation
REDUCES_PER_LAYER = 2  # after attention and after the feed-forward part (P4.1)


def step_by_servers(
    model: LanguageModel,
    device: Device,
    *,
    servers: tuple[int, ...],
    server_devices: int,
    batch_tokens: float,
    sequence_tokens: float,
    dtype: str = "bf16",
    device_gb_s: Figure,
    kind: str = "strong",
) -> Scaling:
    """Training step by number of servers over a network of this rate (F7.4, P11).

    Parameters
    ----------
    servers
        Counts, rising: 10, 20, 40.
    device_gb_s
        Rate of one device to another server, oversubscription taken off.

    Raises
    ------
    InputError
        Counts that do not rise or are below 1.
    """
    if not servers or min(servers) < 1 or list(servers) != sorted(set(servers)):
        raise InputError("servers", f"{list(servers)}", "enter rising counts of 1 or more")
    return scaling(
        model,
        device,
        counts=tuple(count * server_devices for count in servers),
        server_devices=server_devices,
        batch_tokens=batch_tokens,
        sequence_tokens=sequence_tokens,
        dtype=dtype,
        kind=kind,
        scale_out_gb_s=device_gb_s,
    )


@dataclass(frozen=True, slots=True)
class Split:
    """Time that one iteration spends on the wires, by the way a model is split."""

    inside_s: float  # tensor parallel in one server, nothing leaves it
    across_s: float  # tensor parallel over all servers: every all-reduce leaves the server
    staged_s: float  # tensor parallel in each server, layers in stages from server to server

    @property
    def better(self) -> str:
        """The cheaper of the two ways over several servers."""
        return "stages" if self.staged_s <= self.across_s else "tensor"


def split_over_servers(
    model: LanguageModel,
    device: Device,
    *,
    servers: int,
    server_devices: int,
    tokens: float,
    device_gb_s: Figure,
    dtype: str = "bf16",
) -> Split:
    """Communication of one iteration with a model split over servers or kept in one (P4.1, P4.2).

    Two all-reduces a layer of tokens x hidden x 2 bytes. Over servers each leaves the server; in
    stages it stays inside and one activation goes on from stage to stage.

    Raises
    ------
    InputError
        Fewer than 1 server, no tokens, a device without rates.
    """
    if servers < 1 or tokens <= 0:
        raise InputError(
            "servers", f"{servers} servers and {tokens:g} tokens", "enter 1 or more of both"
        )
    platform = platform_of(device, dtype, server_devices=server_devices, scale_out_gb_s=device_gb_s)
    if platform is None:
        raise InputError("device", f"{device.name} has no rates for {dtype}", "enter its peak")
    message = tokens * model.hidden * MESSAGE_BYTES
    reduces = REDUCES_PER_LAYER * model.layers
    inside = reduces * _all_reduce_s(platform, message, server_devices, server_devices)
    across = reduces * _all_reduce_s(platform, message, server_devices * servers, server_devices)
    hops = (servers - 1) * send_seconds(platform, message / server_devices, near=False)
    return Split(inside, across, inside + hops)


def _all_reduce_s(platform: Platform, message: float, ranks: int, near: int) -> float:
    return 2 * ring_seconds(platform, message, ranks, near=near)
