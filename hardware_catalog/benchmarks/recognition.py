"""From the device of a document to an entry of the catalog: a known one, or a pending one."""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.models import Organisation
from hardware_catalog.benchmarks.device_names import Candidate, find_device
from hardware_catalog.benchmarks.verdict import Peaks
from hardware_catalog.models import CatalogEntry, Change, Figure
from hardware_catalog.seed.reader import slug
from hardware_catalog.seed.spec_hardware import DTYPE_COLUMNS

KINDS = {"cpu": "cpu", "gpu": "gpu", "tpu": "tpu", "npu": "npu"}
MATRIX_UNITS = "tflops_fp64_matrix_dense"


def entry_of_device(*, organisation: Organisation, device: dict[str, Any]) -> CatalogEntry:
    """Return the catalog entry of a device of a document, made as pending if there is none.

    Own entries win over shared ones. What stays ambiguous becomes a pending entry, which a person
    confirms in the catalog.
    """
    key = _key(device)
    own = CatalogEntry.objects.filter(organisation=organisation, kind="device", key=key).first()
    if own is not None:
        return own
    memory = device.get("mem_bytes")
    found = find_device(
        device["model"],
        is_cpu=device["kind"] == "cpu",
        memory_gb=memory / 1e9 if memory else None,
        candidates=_candidates(organisation),
    )
    if found is not None:
        return CatalogEntry.objects.get(pk=found.pk)
    return _pending_entry(organisation, device, key)


def device_peaks(entry: CatalogEntry) -> Peaks:
    """Return what the catalog says the device can do at most (TFLOP/s by dtype, GB/s).

    The upper end of a range counts where there is one. Matrix units that take fp64 take fp32 at
    least as fast, so both use that peak where it is the higher.
    """
    values = {
        figure.name: figure.value if figure.high is None else figure.high
        for figure in Figure.objects.filter(entry=entry, superseded_at=None)
    }
    tflops = {dtype: values[name] for dtype, name in DTYPE_COLUMNS if values.get(name)}
    matrix = values.get(MATRIX_UNITS, 0.0)
    for dtype in ("fp64", "fp32"):
        if dtype in tflops:
            tflops[dtype] = max(tflops[dtype], matrix)
    return Peaks(tflops, values.get("memory_bandwidth_gb_s") or None)


def _visible(organisation: Organisation) -> QuerySet[CatalogEntry]:
    return CatalogEntry.objects.filter(
        Q(organisation=None) | Q(organisation=organisation), kind="device", archived=False
    )


def _candidates(organisation: Organisation) -> list[Candidate]:
    memory = dict(
        Figure.objects.filter(
            entry__in=_visible(organisation), name="memory_gb", superseded_at=None
        ).values_list("entry_id", "value")
    )
    # An own entry shadows the shared one of its key: later rows of a key replace earlier ones.
    by_key: dict[str, Candidate] = {}
    for entry in _visible(organisation).order_by("organisation_id").reverse():
        if entry.key in by_key and entry.organisation_id is None:
            continue
        by_key[entry.key] = Candidate(
            pk=entry.pk,
            name=entry.name,
            is_cpu=entry.attributes.get("device_kind") == "cpu",
            memory_gb=memory.get(entry.pk),
        )
    return list(by_key.values())


def _name(device: dict[str, Any]) -> str:
    return " ".join(str(device["model"]).split())


def _key(device: dict[str, Any]) -> str:
    """Return the key of an uploaded device: vendor and model as a slug."""
    name, vendor = _name(device), str(device["vendor"])
    text = name if name.lower().startswith(vendor.lower()) else f"{vendor} {name}"
    return f"{slug(text)[:190] or 'device'}-uploaded"


def _pending_entry(organisation: Organisation, device: dict[str, Any], key: str) -> CatalogEntry:
    try:
        with transaction.atomic():
            entry = CatalogEntry(
                kind="device",
                key=key,
                name=_name(device)[:200],
                vendor=str(device["vendor"])[:100],
                organisation=organisation,
                attributes=_attributes(device),
                pending=True,
            )
            # the database decides who is first: a check beforehand would race it
            entry.full_clean(validate_unique=False, validate_constraints=False)
            entry.save()
            for figure in _figures(entry, device):
                figure.full_clean()
                figure.save()
            Change.objects.create(
                entry=entry,
                by="Benchmark agent",
                message="Uploaded with a benchmark run; not yet confirmed by a person.",
                after={"name": entry.name, "vendor": entry.vendor},
            )
            return entry
    except IntegrityError:
        # Two first runs of the same device at once: the other made it.
        return CatalogEntry.objects.get(organisation=organisation, kind="device", key=key)


def _attributes(device: dict[str, Any]) -> dict[str, str]:
    attributes = {"device_kind": KINDS.get(device["kind"], "other")}
    if device.get("arch"):
        attributes["architecture"] = str(device["arch"])
    return attributes


def _figures(entry: CatalogEntry, device: dict[str, Any]) -> list[Figure]:
    found = [("memory_gb", device.get("mem_bytes"), 1e9, "GB")]
    found.append(("tdp_w", device.get("power_cap_w"), 1.0, "W"))
    return [
        Figure(
            entry=entry,
            name=name,
            value=value / divisor,
            unit=unit,
            status="measured",
            source="Benchmark agent, as the driver reports it",
            as_of=timezone.now().date().isoformat(),
            evidence="uploaded",
        )
        for name, value, divisor, unit in found
        if value
    ]
