"""The shipped example scenarios, and the measured machine that one of them may use."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings

from hardware_catalog.models import CatalogEntry, ThroughputFigure
from tco.document import parse

if TYPE_CHECKING:
    from accounts.models import Organisation

ASSUMED_DEVICE = "this-machine"
THIS_MACHINE = "this_machine"


def example_folder() -> Path:
    """Return the folder of the shipped examples."""
    return Path(settings.BASE_DIR) / "examples"


def example_documents() -> dict[str, dict[str, Any]]:
    """Return the documents of all examples by file name, in alphabetical order."""
    return {
        path.stem: parse(path.read_text(encoding="utf-8"))
        for path in sorted(example_folder().glob("*.yaml"))
    }


def measured_processor(organisation: Organisation) -> CatalogEntry | None:
    """Return the processor of which the organisation has the newest trusted figures, if any."""
    newest = (
        ThroughputFigure.objects.filter(
            organisation=organisation,
            current=True,
            entry__kind="device",
            entry__attributes__device_kind="cpu",
            entry__archived=False,
        )
        .select_related("entry")
        .order_by("-measured_at", "-pk")
        .first()
    )
    return newest.entry if newest else None


def with_measured_processor(
    document: dict[str, Any], organisation: Organisation
) -> tuple[dict[str, Any], str]:
    """Return the document with the measured processor in place of the assumed one, and a sentence.

    What the catalog knows of the processor replaces what the example assumes; what it does not
    know (power, say) stays assumed. Without a measured processor the document comes back as it is.
    """
    entry = measured_processor(organisation)
    if entry is None:
        return document, ""
    document = copy.deepcopy(document)
    devices = document.get("catalog", {}).get("devices", [])
    device = next((item for item in devices if item["key"] == ASSUMED_DEVICE), None)
    if device is None:
        return document, ""
    known = set(entry.figures.filter(superseded_at__isnull=True).values_list("name", flat=True))
    stands_for = {
        "memory_gb": "memory_gb",
        "memory_bandwidth_gb_s": "memory_bandwidth_gb_s",
        "board_w": "tdp_w",
        "idle_w": "idle_w_typical",
    }
    for field, figure in stands_for.items():
        if figure in known:
            device.pop(field, None)
    device |= {"key": entry.key, "like": entry.key, "name": entry.name, "vendor": entry.vendor}
    _raise_peaks(device, entry, organisation)
    for server in document["catalog"].get("servers", []):
        if server.get("device") == ASSUMED_DEVICE:
            server["device"] = entry.key
    return document, (
        f"Uses {entry.name}, measured here, in place of the assumed processor; what was not "
        "measured stays assumed."
    )


def _raise_peaks(device: dict[str, Any], entry: CatalogEntry, organisation: Organisation) -> None:
    """A peak is never below the fastest product that was measured."""
    peaks = device.get("peak_tflops")
    if not isinstance(peaks, dict):
        return
    for dtype in peaks:
        fastest = (
            ThroughputFigure.objects.filter(
                organisation=organisation, entry=entry, current=True, metric="gemm", dtype=dtype
            )
            .order_by("-value")
            .first()
        )
        assumed = peaks[dtype]["value"] if isinstance(peaks[dtype], dict) else peaks[dtype]
        if fastest is not None and fastest.value > float(assumed):
            peaks[dtype] = {
                "value": fastest.value,
                "status": "estimated",
                "source": "at least the fastest product measured here",
                "as_of": fastest.measured_at.date().isoformat(),
            }
