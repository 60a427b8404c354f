"""A small shelf of shared entries, so that few tests need the whole catalog."""

from __future__ import annotations

import pytest


def put(kind, *keys, organisation=None):
    """Store seed records as entries; return them by key."""
    from hardware_catalog.catalog.rows import entry_fields, figure_row, price_row
    from hardware_catalog.models import CatalogEntry, Figure, Price
    from hardware_catalog.seed.reader import seed_records

    records = {record.key: record for record in seed_records(kind)}
    found = {}
    for key in keys:
        record = records[key]
        entry = CatalogEntry.objects.create(
            kind=kind, key=key, organisation=organisation, **entry_fields(record)
        )
        Figure.objects.bulk_create(figure_row(entry, one) for one in record.figures.values())
        Price.objects.bulk_create(price_row(entry, one) for one in record.prices)
        found[key] = entry
    return found


@pytest.fixture
def shelf(db):
    """Four devices and one or two entries of most other kinds of the shared catalog."""
    return {
        **put("device", "h100-sxm", "mi325x", "t4", "gaudi3"),
        **put("server", "nvidia-dgx-h100", "supermicro-sys-821ge-tnhr"),
        **put("region", "US-VA"),
        **put("cloud_offer", "aws-p5-48xlarge-us-east-1"),
        **put("language_model", "meta-llama/Llama-3.1-70B"),
        **put("cooling", "crah-hot-cold-aisle-containment"),
        **put("rack", "48u-eia-310-rack"),
        **put("feed", "orv3-hpr-mgx-power-shelf-6-x-5-5-kw", "415-v-3ph-60-a"),
    }


@pytest.fixture
def pending_device(demo_organisation):
    """A device that came with an upload."""
    from hardware_catalog.models import CatalogEntry, Figure

    entry = CatalogEntry.objects.create(
        kind="device",
        key="acme-npu-9-uploaded",
        name="NPU 9",
        vendor="ACME",
        organisation=demo_organisation,
        attributes={"device_kind": "npu"},
        pending=True,
    )
    Figure.objects.create(
        entry=entry, name="memory_gb", value=64, unit="GB", status="measured", source="agent"
    )
    return entry
