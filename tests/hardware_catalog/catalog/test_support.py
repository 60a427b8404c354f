"""The support matrix: what it shows of the shared rows, of own ones, and what people may add."""

from __future__ import annotations

import csv

import pytest
from django.urls import reverse

from hardware_catalog.catalog.entry_input import EntryInput, FigureInput
from hardware_catalog.catalog.services import Author, entry_create, entry_revise
from hardware_catalog.catalog.support import frameworks, support_matrix
from hardware_catalog.models import CatalogEntry
from hardware_catalog.seed.kinds import all_kinds
from hardware_catalog.seed.reader import FOLDER
from hardware_catalog.seed.to_engine import SeedCatalog
from hardware_catalog.to_engine import DatabaseCatalog
from tco.errors import InputErrors

pytestmark = pytest.mark.django_db


def own(organisation, **more):
    """What only the organisation knows: ring attention in part on an MI300X."""
    texts = {
        "device_key": "mi300x",
        "feature": "ring-attention",
        "works": "partial",
        "status": "measured",
        "source": "our own test",
        **more,
    }
    return entry_create(
        organisation=organisation,
        spec=all_kinds()["support"],
        given=EntryInput(
            name="ring-attention vllm mi300x",
            vendor="vllm",
            attributes=texts,
            figures={"efficiency_fraction": FigureInput(0.6, status="estimated", source="run 12")},
        ),
        author=Author(label="ada"),
        message="measured",
        key="mi300x-vllm-ring-attention",
    )


def cells(matrix):
    """Support by device and feature."""
    return {
        (name, feature): cell
        for name, row in matrix.rows
        for feature, cell in zip(matrix.features, row, strict=True)
        if cell is not None
    }


def test_the_matrix_holds_every_row_of_its_framework(seed_catalog, demo_organisation):
    """As many cells as the seed file has rows, and each says the same."""
    with (FOLDER / "support.csv").open(encoding="utf-8") as handle:
        rows = list(csv.DictReader(handle))
    assert frameworks(organisation=demo_organisation)[0] == "vllm"
    for framework in {row["framework"] for row in rows}:
        matrix = support_matrix(organisation=demo_organisation, framework=framework)
        found = cells(matrix)
        assert len(found) == sum(row["framework"] == framework for row in rows)
        assert sum(count for _, count in matrix.counts) == len(found)
    found = cells(support_matrix(organisation=demo_organisation, framework="vllm"))
    assert found["Instinct MI300X", "gptq"].works == "missing"
    assert found["A100 80GB SXM4", "fp8-w8a8"].works == "partial"
    assert found["B200 180GB SXM", "lora"].status == "assumed"


def test_an_own_row_stands_in_place_of_the_shared_one(
    seed_catalog, demo_organisation, other_organisation
):
    """In the matrix and in what the engine gets; another organisation sees the shared one."""
    shared = CatalogEntry.objects.get(kind="support", key="mi300x-vllm-gptq")
    entry_revise(
        organisation=demo_organisation,
        entry=shared,
        given=EntryInput(
            attributes={"works": "partial", "source": "our own test"},
            figures={"efficiency_fraction": FigureInput(0.6, status="estimated", source="run 12")},
        ),
        author=Author(label="ada"),
        message="measured",
    )
    own(demo_organisation)
    mine = cells(support_matrix(organisation=demo_organisation, framework="vllm"))
    theirs = cells(support_matrix(organisation=other_organisation, framework="vllm"))
    place = ("Instinct MI300X", "gptq")
    assert (mine[place].works, mine[place].own) == ("partial", True)
    assert (theirs[place].works, theirs[place].own) == ("missing", False)
    engine = {
        cell.feature: cell for cell in DatabaseCatalog(demo_organisation).support("mi300x", "vllm")
    }
    assert engine["gptq"].works == "partial"
    assert engine["gptq"].efficiency_fraction.value == 0.6
    assert engine["ring-attention"].source == "our own test"
    assert len(engine) == 1 + len(SeedCatalog().support("mi300x", "vllm"))
    assert ("Instinct MI300X", "ring-attention") not in theirs


def test_filters_leave_what_fits(client, seed_catalog, demo_organisation, ada):
    """By framework, by a part of a name, by kind of support; nothing fitting has a way back."""
    client.force_login(ada)
    url = reverse("hardware_catalog:support_matrix")
    text = client.get(url, {"search": "mi300x"}).content.decode()
    assert "Instinct MI300X" in text
    assert "H100" not in text
    text = client.get(url, {"framework": "tensorrt-llm", "works": "missing"}).content.decode()
    assert "Instinct MI300X" in text
    assert "H100 80GB SXM5" not in text
    assert "Nothing fits" in client.get(url, {"search": "nothing-like-it"}).content.decode()
    assert "no framework “vlm”" in client.get(url, {"framework": "vlm"}).content.decode()


@pytest.mark.parametrize(
    ("field", "value"),
    [("works", "perhaps"), ("status", "sure"), ("works", ""), ("device_key", ""), ("feature", "")],
)
def test_a_word_that_is_none_is_refused(seed_catalog, demo_organisation, field, value):
    """Support and status are words of a list."""
    before = CatalogEntry.objects.count()
    with pytest.raises(InputErrors, match=field):
        own(demo_organisation, **{field: value})
    assert CatalogEntry.objects.count() == before


def test_a_row_names_its_framework(client, seed_catalog, demo_organisation, ada):
    """Without one it would stand in no matrix; the form marks the field."""
    client.force_login(ada)
    form = {
        "name": "lora",
        "text-device_key": "mi300x",
        "text-feature": "lora",
        "text-works": "works",
        "text-status": "published",
        "message": "known",
    }
    url = reverse("hardware_catalog:entry_new", args=["support"])
    before = CatalogEntry.objects.count()
    assert client.post(url, form).status_code == 422
    with pytest.raises(InputErrors, match="Framework is missing"):
        entry_create(
            organisation=demo_organisation,
            spec=all_kinds()["support"],
            given=EntryInput(
                name="lora",
                attributes={
                    "device_key": "mi300x",
                    "feature": "lora",
                    "works": "works",
                    "status": "published",
                },
            ),
            author=Author(label="ada"),
            message="known",
        )
    assert CatalogEntry.objects.count() == before
    assert client.post(url, form | {"vendor": "sglang"}).status_code == 302
    assert frameworks(organisation=demo_organisation)[-1] == "sglang"


def test_every_row_names_a_device_of_the_catalog_and_its_source(seed_catalog):
    """A row about nothing, or from nowhere, is of no use."""
    catalog = SeedCatalog()
    devices = set(catalog.keys("device"))
    records = catalog.records("support").values()
    assert len(records) > 300
    for record in records:
        assert record.text("device_key") in devices
        assert record.text("source")
        assert record.text("source_date")
