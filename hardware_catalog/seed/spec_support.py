"""The support matrix: what a framework can do of a feature on a device."""

from __future__ import annotations

from hardware_catalog.seed.specs import NOTES, FigureSpec, KindSpec, TextSpec
from hardware_catalog.seed.status import STATUSES

WORKS = ("works", "partial", "missing")

SUPPORT = KindSpec(
    kind="support",
    label="Support of a feature",
    plural="Support matrix",
    about="What each framework can do on each device: works, in part, or no kernel. Missing"
    " features are porting work.",
    file="support",
    key=("device_key", "framework", "feature"),
    name=("feature", "framework", "device_key"),
    vendor="framework",
    vendor_label="Framework",
    vendor_required=True,
    addable=True,
    texts=(
        TextSpec("device_key", "Device", required=True, help="Key of the device in the catalog."),
        TextSpec("feature", "Feature", required=True, help="Such as fp8-w8a8 or lora."),
        TextSpec(
            "works",
            "Support",
            choices=WORKS,
            required=True,
            help="works; partial: with limits or slowly; missing: no kernel.",
        ),
        TextSpec("status", "How well known", choices=STATUSES, required=True),
        TextSpec("source", "Source", help="Who says so, and where."),
        TextSpec("source_date", "Date", help="When the source was read, as 2026-12-01."),
        NOTES,
    ),
    figures=(FigureSpec("efficiency_fraction", "fraction", "Efficiency", maximum=1),),
    list_columns=("device_key", "feature", "works", "efficiency_fraction", "status", "source_date"),
)
SUPPORT_KINDS = (SUPPORT,)
