"""Where the batches of a step come from, and which stage is the slowest (P12)."""

from __future__ import annotations

from dataclasses import dataclass

from tco.defaults import default
from tco.inputs import Figure

GIGA = 1e9
HOST_LINK_GB_S = default("training.data_path.host_link_gb_s")


@dataclass(frozen=True, slots=True)
class DataPath:
    """Rates of one server's input; None where a stage cannot hold the job up."""

    bytes_per_token: float = 4.0  # text: one 32-bit token id
    host_link_gb_s: float = HOST_LINK_GB_S.value  # per device
    loader_tokens_per_s: float | None = None  # of a server: decode, augment, tokenise
    storage_gb_s: float | None = None  # of a server, read


@dataclass(frozen=True, slots=True)
class InputTime:
    """Seconds the data of one step take, and the stage that takes them."""

    seconds: float
    slowest: str  # host link | data loader | storage


def input_time(path: DataPath, *, step_tokens: float, servers: float, devices: float) -> InputTime:
    """Return the time of a step's data; stages overlap, so the slowest names itself (P12).

    Examples
    --------
    >>> image = DataPath(bytes_per_token=600e3, storage_gb_s=2.0)  # JPEGs from a network disk
    >>> input_time(image, step_tokens=4096, servers=1, devices=8)
    InputTime(seconds=1.2288, slowest='storage')
    """
    moved = step_tokens * path.bytes_per_token / GIGA
    stages = {"host link": moved / (path.host_link_gb_s * max(devices, 1.0))}
    if path.loader_tokens_per_s:
        stages["data loader"] = step_tokens / (path.loader_tokens_per_s * max(servers, 1.0))
    if path.storage_gb_s:
        stages["storage"] = moved / (path.storage_gb_s * max(servers, 1.0))
    slowest = max(stages, key=lambda name: stages[name])
    return InputTime(stages[slowest], slowest)


def given_path(
    bytes_per_token: float, loader_tokens_per_s: Figure | None, storage_gb_s: Figure | None
) -> DataPath:
    """Return the data path of a scenario's figures."""
    return DataPath(
        bytes_per_token=bytes_per_token,
        loader_tokens_per_s=None if loader_tokens_per_s is None else loader_tokens_per_s.value,
        storage_gb_s=None if storage_gb_s is None else storage_gb_s.value,
    )
