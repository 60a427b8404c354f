"""What the tests of the planner share: documents and a stored scenario."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from tco.document import parse

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
EXAMPLE_NAMES = sorted(path.stem for path in EXAMPLES.glob("*.yaml"))


def example(name):
    """The document of a shipped example."""
    return parse((EXAMPLES / f"{name}.yaml").read_text(encoding="utf-8"))


@pytest.fixture
def chat_document():
    """The chat example, to be changed at will."""
    return copy.deepcopy(example("chat"))


@pytest.fixture
def chat(seed_catalog, demo_organisation, ada, chat_document):
    """The chat example, stored by Ada."""
    from planner.scenarios.services import scenario_create

    return scenario_create(organisation=demo_organisation, document=chat_document, by=ada)


@pytest.fixture
def measure(demo_organisation):
    """Store a measured memory bandwidth of a device, as a trusted run of the agent would."""
    from hardware_catalog.models import CatalogEntry, ThroughputFigure

    def store(device, gb_per_s, metric="membw", dtype="", unit="GB/s"):
        from django.utils import timezone

        entry = CatalogEntry.objects.get(kind="device", key=device)
        ThroughputFigure.objects.filter(entry=entry, metric=metric, dtype=dtype).update(
            current=False
        )
        return ThroughputFigure.objects.create(
            organisation=demo_organisation,
            entry=entry,
            metric=metric,
            dtype=dtype,
            value=gb_per_s,
            low=0.98 * gb_per_s,
            high=1.02 * gb_per_s,
            unit=unit,
            **({"m": 256, "n": 4096, "k": 4096} if metric == "gemm" else {}),
            runs=["5f0c6d3e-0000-4000-8000-000000000001"],
            method_version=f"{metric}.v1",
            measured_at=timezone.now(),
        )

    return store
