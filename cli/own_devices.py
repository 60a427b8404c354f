"""Devices and models of the user's own: a catalog file and micro-benchmarks of the agent."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hardware_catalog.benchmarks.readings import Reading, reading_of
from hardware_catalog.seed.reader import slug
from hardware_catalog.seed.to_engine import SeedCatalog
from tco.document import validate
from tco.document.catalog import Catalog
from tco.document.local_catalog import LocalCatalog
from tco.errors import InputError, InputErrors
from tco.inputs import Device, Figure, GemmPoint, LanguageModel, MeasuredRates, Status

_KINDS = {"cpu": "cpu", "gpu": "gpu", "tpu": "tpu", "npu": "npu"}


class OwnCatalog:
    """Devices measured by the user in front of a catalog."""

    def __init__(self, base: Catalog, devices: Mapping[str, Device]) -> None:
        self._base = base
        self._devices = dict(devices)

    def device(self, key: str) -> Device | None:
        """Return the measured device, else the catalog's."""
        return self._devices.get(key) or self._base.device(key)

    def model(self, key: str) -> LanguageModel | None:
        """Return the catalog's model."""
        return self._base.model(key)

    def keys(self, kind: str) -> tuple[str, ...]:
        """Return all keys of `kind`."""
        own = tuple(self._devices) if kind == "device" else ()
        return (*own, *(key for key in self._base.keys(kind) if key not in own))


def own_catalog(
    document: Mapping[str, Any] | None, name: str, benchmarks: Sequence[str]
) -> OwnCatalog:
    """Return the seed catalog with the user's entries and measured rates in front.

    Parameters
    ----------
    document
        A scenario document of which only ``catalog`` is read, or that part alone.
    benchmarks
        ``FILE`` or ``KEY=FILE``: a bench-run document of the agent, and the device it measured.
        Without a key the device is called as the driver names it.

    Raises
    ------
    InputErrors, InputError
        What is wrong with an entry or a file.
    """
    base: Catalog = SeedCatalog()
    if document is not None:
        base = _local(document, name, base)
    devices: dict[str, Device] = {}
    for given in benchmarks:
        key, file = given.split("=", 1) if "=" in given else ("", given)
        device = _measured_device(key, Path(file), base)
        devices[device.key] = device
    return OwnCatalog(base, devices)


def _local(document: Mapping[str, Any], name: str, base: Catalog) -> LocalCatalog:
    part = document if "catalog" in document else {"catalog": dict(document)}
    only = {"catalog": part["catalog"]}
    if not isinstance(part["catalog"], dict) or not part["catalog"]:
        raise InputError(
            name, "has no catalog entries", "write devices: and models: under catalog:"
        )
    wrong = [error for error in validate(only) if error.field.startswith("catalog")]
    if wrong:
        raise InputErrors(tuple(wrong))
    local = LocalCatalog(only, base)
    if local.errors:
        raise InputErrors(tuple(local.errors))
    return local


def _measured_device(key: str, path: Path, base: Catalog) -> Device:
    document = _document(path)
    devices = document.get("devices")
    results = document.get("results")
    if not isinstance(devices, list) or not devices or not isinstance(results, list):
        raise InputError(str(path), "is no bench-run document", "give the file the agent wrote")
    try:
        chosen = _busiest(devices, results)
        own = [result for result in results if result["device"] == chosen["key"]]
        readings = [found for result in own if (found := reading_of(result, chosen)) is not None]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            str(path), f"cannot be used: {error!r}", "give the file the agent wrote"
        ) from error
    source = f"benchmark run {document.get('run_id', path.name)}"
    rates = _rates(readings, source)
    if not rates.gemm and rates.memory_bandwidth_gb_s is None:
        raise InputError(str(path), "measured neither products nor memory", "run the full suite")
    name = str(chosen["model"])
    known = base.device(key or slug(name)) or Device(
        key=key or slug(name),
        name=name,
        vendor=str(chosen["vendor"]),
        kind=_KINDS.get(str(chosen["kind"]), "other"),
        memory_gb=_memory(chosen, source),
        memory_bandwidth_gb_s=rates.memory_bandwidth_gb_s,
        peak_tflops=_peaks(rates),
    )
    return dataclasses.replace(known, measured=rates)


def _document(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(
            str(path), f"cannot be read: {error.strerror}", "check the path"
        ) from error
    except ValueError as error:
        raise InputError(str(path), f"is not JSON: {error}", "give the file the agent wrote") from (
            error
        )
    if not isinstance(found, dict):
        raise InputError(str(path), "is no bench-run document", "give the file the agent wrote")
    return found


def _busiest(devices: list[dict[str, Any]], results: list[dict[str, Any]]) -> dict[str, Any]:
    """The device most results are of; one that is no CPU first."""
    counts = {one["key"]: sum(r["device"] == one["key"] for r in results) for one in devices}
    return max(devices, key=lambda one: (counts[one["key"]] > 0, one["kind"] != "cpu"))


def _figure(value: float, unit: str, source: str) -> Figure:
    return Figure(value=value, unit=unit, status=Status.MEASURED, source=source)


def _rates(readings: Sequence[Reading], source: str) -> MeasuredRates:
    gemm = tuple(
        GemmPoint(one.dtype, one.m, one.n, one.k, _figure(one.value, one.unit, source))
        for one in readings
        if one.metric == "gemm"
    )
    memory = [one.value for one in readings if one.metric == "membw"]
    launch = [one.value for one in readings if one.metric == "launch"]
    return MeasuredRates(
        gemm=gemm,
        memory_bandwidth_gb_s=_figure(max(memory), "GB/s", source) if memory else None,
        launch_us=_figure(min(launch), "us", source) if launch else None,
        run_ids=(source,),
    )


def _peaks(rates: MeasuredRates) -> tuple[tuple[str, Figure], ...]:
    """The fastest measured product of each dtype stands for a peak nobody printed."""
    best: dict[str, Figure] = {}
    for point in rates.gemm:
        if point.dtype not in best or point.tflops.value > best[point.dtype].value:
            best[point.dtype] = point.tflops
    return tuple(best.items())


def _memory(device: Mapping[str, Any], source: str) -> Figure | None:
    size = device.get("mem_bytes")
    return _figure(float(size) / 1e9, "GB", source) if size else None
