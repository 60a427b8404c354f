"""Loading the seed into the database, and the database as a catalog."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime

import pytest
from django.core.management import call_command

from hardware_catalog.catalog import seed_services
from hardware_catalog.catalog.entry_input import EntryInput, FigureInput
from hardware_catalog.catalog.seed_services import seed_load
from hardware_catalog.catalog.services import Author, entry_archive, entry_create, entry_revise
from hardware_catalog.models import CatalogEntry, Change, Figure, Price, ThroughputFigure
from hardware_catalog.seed.kinds import all_kinds
from hardware_catalog.seed.reader import seed_records
from hardware_catalog.seed.to_engine import SeedCatalog
from hardware_catalog.to_engine import DatabaseCatalog
from tco.inputs import Status

pytestmark = pytest.mark.django_db
ADA = Author(label="ada")


def entry_of(kind, key, organisation=None):
    return CatalogEntry.objects.get(kind=kind, key=key, organisation=organisation)


def test_everything_is_loaded_once(seed_catalog):
    """As many rows as the files hold; a second load finds nothing to do."""
    records = [record for kind in all_kinds() for record in seed_records(kind)]
    assert CatalogEntry.objects.count() == len(records) == 1274
    assert Figure.objects.count() == sum(len(record.figures) for record in records)
    assert Price.objects.count() == sum(len(record.prices) for record in records)
    assert Change.objects.count() == len(records)
    assert seed_load().skipped
    again = seed_load(force=True)
    assert (again.added, again.changed, again.archived, again.unchanged) == (0, 0, 0, 1274)
    assert Change.objects.count() == len(records)


def test_a_second_load_asks_little(seed_catalog, django_assert_max_num_queries):
    """The checksum decides."""
    with django_assert_max_num_queries(5):
        call_command("load_seed_catalog", verbosity=0)


def test_a_changed_file_supersedes_and_keeps(seed_catalog, monkeypatch):
    """A corrected figure replaces the old one, which stays; a row that is gone is archived."""
    h100 = next(one for one in seed_records("device") if one.key == "h100-sxm")
    figures = dict(h100.figures)
    figures["tdp_w"] = dataclasses.replace(figures["tdp_w"], value=710.0, source="correction")
    changed = dataclasses.replace(h100, figures=figures)
    without = ("t4",)

    def other_files(kind):
        return tuple(
            changed if record.key == "h100-sxm" and kind == "device" else record
            for record in seed_records(kind)
            if record.key not in without
        )

    monkeypatch.setattr(seed_services, "seed_records", other_files)
    monkeypatch.setattr(seed_services, "seed_checksum", lambda: "0" * 64)
    count = seed_load()
    assert (count.added, count.changed, count.archived) == (0, 1, 1)
    entry = entry_of("device", "h100-sxm")
    rows = entry.figures.filter(name="tdp_w").order_by("pk")
    assert [(row.value, row.superseded_at is None) for row in rows] == [(700, False), (710, True)]
    assert entry_of("device", "t4").archived
    change = entry.changes.first()
    assert change.before["figures"]["tdp_w"]["value"] == 700
    assert change.after["figures"]["tdp_w"]["value"] == 710
    assert set(change.after) == {"figures"}
    assert DatabaseCatalog(None).device("h100-sxm").board_w.value == 710
    assert DatabaseCatalog(None).device("t4") is None
    monkeypatch.undo()
    back = seed_load()
    assert (back.added, back.changed, back.unchanged) == (0, 2, 1272)
    assert DatabaseCatalog(None).device("t4") == SeedCatalog().device("t4")


def test_own_entries_are_left_alone(seed_catalog, demo_organisation):
    """Loading touches the shared catalog only."""
    spec = all_kinds()["device"]
    given = EntryInput(name="MI300U", vendor="AMD", attributes={"device_kind": "gpu"})
    own = entry_create(organisation=demo_organisation, spec=spec, given=given, author=ADA)
    seed_load(force=True)
    own.refresh_from_db()
    assert not own.archived


@pytest.mark.parametrize("kind", ["device", "offer", "model", "region", "cooling", "rack", "feed"])
def test_database_and_seed_give_equal_inputs(seed_catalog, demo_organisation, kind):
    """One way from record to engine: every dataclass is equal, in the same keys."""
    seed, database = SeedCatalog(), DatabaseCatalog(demo_organisation)
    assert sorted(database.keys(kind)) == sorted(seed.keys(kind))
    for key in seed.keys(kind):
        assert getattr(database, kind)(key) == getattr(seed, kind)(key)


def test_database_and_seed_give_equal_servers_and_egress(seed_catalog):
    """Every server with every device it takes, every provider's tiers."""
    seed, database = SeedCatalog(), DatabaseCatalog(None)
    pairs = [(key, one) for key in seed.keys("server") for one in seed.server_devices(key)]
    assert len(pairs) > 60
    for key, device in pairs:
        assert database.server(key, device) == seed.server(key, device)
    for provider, region in (
        ("AWS", "us-east-1"),
        ("Azure", "eastus"),
        ("GCP", "x"),
        ("OCI", "us-ashburn-1"),
    ):
        assert database.egress(provider, region) == seed.egress(provider, region)


def test_few_queries(seed_catalog, django_assert_num_queries, demo_organisation):
    """One for the state, three for a kind's shared records; the next request only one."""
    from hardware_catalog import to_engine

    to_engine._KNOWN.clear()
    with django_assert_num_queries(4):
        catalog = DatabaseCatalog(None)
        for key in ("h100-sxm", "mi300x", "gaudi3"):
            assert catalog.device(key)
        assert catalog.keys("device")
    with django_assert_num_queries(1):
        assert DatabaseCatalog(None).device("a100-sxm-80")


def test_own_entries_shadow_shared_ones(seed_catalog, demo_organisation, other_organisation):
    """An own copy counts for its organisation at once, and for nobody else."""
    before = DatabaseCatalog(demo_organisation).device("h100-sxm")
    assert before.board_w.value == 700
    own = entry_revise(
        organisation=demo_organisation,
        entry=entry_of("device", "h100-sxm"),
        given=EntryInput(figures={"tdp_w": FigureInput(650)}),
        author=ADA,
    )
    ours = DatabaseCatalog(demo_organisation).device("h100-sxm")
    assert (ours.board_w.value, ours.board_w.status) == (650, Status.ASSUMED)
    assert ours.memory_gb == before.memory_gb
    assert ours.price_usd == before.price_usd
    assert DatabaseCatalog(other_organisation).device("h100-sxm") == before
    assert DatabaseCatalog(None).device("h100-sxm") == before
    server = DatabaseCatalog(demo_organisation).server("nvidia-dgx-h100")
    assert server.device.board_w.value == 650
    entry_archive(organisation=demo_organisation, entry=own, author=ADA)
    assert DatabaseCatalog(demo_organisation).device("h100-sxm") == before


def test_a_figure_saved_alone_is_seen(seed_catalog):
    """Whoever saves a figure touches its entry, so that nothing stale is served."""
    assert DatabaseCatalog(None).device("t4").board_w.value == 70
    row = entry_of("device", "t4").figures.get(name="tdp_w", superseded_at=None)
    row.value = 71
    row.save()
    assert DatabaseCatalog(None).device("t4").board_w.value == 71


def measure(organisation, entry, metric, value, *, dtype="", m=0, n=0, k=0, unit, current=True):
    return ThroughputFigure.objects.create(
        organisation=organisation,
        entry=entry,
        metric=metric,
        dtype=dtype,
        m=m,
        n=n,
        k=k,
        value=value,
        low=value * 0.9,
        high=value * 1.1,
        unit=unit,
        runs=["11111111-1111-4111-8111-111111111111"],
        method_version="1",
        measured_at=datetime(2026, 11, 30, tzinfo=UTC),
        current=current,
    )


def test_measured_rates_are_attached(
    seed_catalog, demo_organisation, other_organisation, django_assert_max_num_queries
):
    """Current figures of the own organisation, as measured; none of another's."""
    entry = entry_of("device", "h100-sxm")
    shape = {"dtype": "bf16", "n": 8192, "k": 8192, "unit": "TFLOP/s"}
    measure(demo_organisation, entry, "gemm", 600, m=4096, **shape)
    measure(demo_organisation, entry, "gemm", 40, m=16, **shape)
    measure(demo_organisation, entry, "gemm", 1, m=64, current=False, **shape)
    measure(demo_organisation, entry, "membw", 2900, unit="GB/s")
    measure(demo_organisation, entry, "launch", 4.5, unit="us")
    measure(other_organisation, entry, "membw", 1, unit="GB/s")
    with django_assert_max_num_queries(6):
        rates = DatabaseCatalog(demo_organisation).device("h100-sxm").measured
    assert [(point.m, point.tflops.value) for point in rates.gemm] == [(16, 40), (4096, 600)]
    assert rates.gemm[1].n == rates.gemm[1].k == 8192
    bandwidth = rates.memory_bandwidth_gb_s
    assert (bandwidth.value, bandwidth.status, bandwidth.unit) == (2900, Status.MEASURED, "GB/s")
    assert (bandwidth.low, bandwidth.high) == (2900 * 0.9, 2900 * 1.1)
    assert bandwidth.as_of == "2026-11-30"
    assert rates.launch_us.value == 4.5
    assert rates.run_ids == ("11111111-1111-4111-8111-111111111111",)
    assert DatabaseCatalog(demo_organisation).device("a100-sxm-80").measured is None
    assert DatabaseCatalog(None).device("h100-sxm").measured is None
    assert DatabaseCatalog(demo_organisation).server("nvidia-dgx-h100").device.measured == rates


def test_measured_rates_follow_the_key_of_an_own_copy(seed_catalog, demo_organisation):
    """What was measured on the shared entry holds for the own copy of the same device."""
    entry = entry_of("device", "h100-sxm")
    measure(demo_organisation, entry, "membw", 2900, unit="GB/s")
    entry_revise(
        organisation=demo_organisation,
        entry=entry,
        given=EntryInput(figures={"tdp_w": FigureInput(650)}),
        author=ADA,
    )
    device = DatabaseCatalog(demo_organisation).device("h100-sxm")
    assert device.board_w.value == 650
    assert device.measured.memory_bandwidth_gb_s.value == 2900
