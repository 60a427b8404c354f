"""Own entries: adding, changing, copies of shared ones, prices, history, isolation."""

from __future__ import annotations

import math

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404

from hardware_catalog.catalog.entry_input import EntryInput, FigureInput, PriceInput
from hardware_catalog.catalog.selectors import (
    entry_get,
    entry_list,
    history,
    kind_counts,
    pending_devices,
)
from hardware_catalog.catalog.services import (
    Author,
    device_confirm,
    entry_archive,
    entry_create,
    entry_revise,
    price_add,
)
from hardware_catalog.models import CatalogEntry, Change, Figure, Price
from hardware_catalog.models.as_record import as_record
from hardware_catalog.seed.kinds import all_kinds
from tco.errors import InputErrors

pytestmark = pytest.mark.django_db
ADA = Author(label="ada")
DEVICE = all_kinds()["device"]


def new_device(organisation, **given):
    given = {"name": "MI300U", "vendor": "AMD", "attributes": {"device_kind": "gpu"}} | given
    return entry_create(
        organisation=organisation, spec=DEVICE, given=EntryInput(**given), author=ADA
    )


def errors_of(call):
    """Return the errors of a refused call by field."""
    with pytest.raises(InputErrors) as caught:
        call()
    return {error.field: error for error in caught.value.errors}


def test_a_device_nobody_has_published_is_assumed(demo_organisation):
    """Without a source every figure is assumed, and says so."""
    entry = new_device(
        demo_organisation,
        figures={"memory_gb": FigureInput(256), "tdp_w": FigureInput(1000)},
        prices=[PriceInput("price_usd", mid=18_000)],
    )
    record = as_record(entry)
    assert entry.key == "amd-mi300u"
    assert record.figures["memory_gb"].value == 256
    assert record.figures["memory_gb"].unit == "GB"
    assert {one.status for one in record.figures.values()} == {"assumed"}
    assert record.price("price_usd").status == "assumed"
    assert record.figures["tdp_w"].source == "entered without a source"


def test_a_source_lets_the_status_be_chosen(demo_organisation):
    """Published with a document."""
    told = FigureInput(256, status="published", source="data sheet 7", as_of="2026-11")
    entry = new_device(demo_organisation, figures={"memory_gb": told})
    figure = as_record(entry).figures["memory_gb"]
    assert (figure.status, figure.source, figure.as_of) == ("published", "data sheet 7", "2026-11")
    assert figure.verified


@pytest.mark.parametrize(
    ("figure", "field"),
    [
        (FigureInput(1, status="measured", source="my desk"), "figures.memory_gb.status"),
        (FigureInput(1, status="published"), "figures.memory_gb.source"),
        (FigureInput(1, source="somewhere"), "figures.memory_gb.status"),
        (FigureInput(1, source="x", status="published", as_of="May"), "figures.memory_gb.as_of"),
        (FigureInput(-1), "figures.memory_gb"),
        (FigureInput(math.nan), "figures.memory_gb"),
        (FigureInput(math.inf), "figures.memory_gb"),
        (FigureInput(1e308), "figures.memory_gb"),
        (FigureInput(10, low=20), "figures.memory_gb"),
        (FigureInput(10, high=-5), "figures.memory_gb.high"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_field(demo_organisation, figure, field):
    """Each refusal names the field, the value and the mend; nothing is stored."""
    found = errors_of(lambda: new_device(demo_organisation, figures={"memory_gb": figure}))
    assert field in found
    assert found[field].mend
    assert not CatalogEntry.objects.exists()


def test_all_errors_come_at_once(demo_organisation):
    """Nobody mends them one by one."""
    found = errors_of(
        lambda: new_device(
            demo_organisation,
            name="",
            attributes={"device_kind": "quantum", "colour": "red"},
            figures={"tdp_w": FigureInput(-3), "warp": FigureInput(9)},
            prices=[PriceInput("price_usd"), PriceInput("nonsense", mid=1)],
            end_of_support="soon",
        )
    )
    assert set(found) == {
        "name",
        "attributes.device_kind",
        "attributes.colour",
        "figures.tdp_w",
        "figures.warp",
        "prices[0].mid",
        "prices[1].series",
        "end_of_support",
    }
    assert "-3 W is below 0" in found["figures.tdp_w"].message


def test_a_server_names_devices_that_exist(shelf, demo_organisation):
    """An unknown device, no slots and half a slot are refused; an own device will do."""
    own = new_device(demo_organisation)

    def server(keys, slots):
        return entry_create(
            organisation=demo_organisation,
            spec=all_kinds()["server"],
            given=EntryInput(
                name="Box",
                vendor="ACME",
                attributes={"device_keys": keys, "cooling_kind": "air"},
                figures={"accelerator_slots": FigureInput(slots)} if slots is not None else {},
            ),
            author=ADA,
        )

    assert "'warp-9'" in errors_of(lambda: server("warp-9", 8))["attributes.device_keys"].message
    assert "figures.accelerator_slots" in errors_of(lambda: server(own.key, None))
    assert (
        "is below 1" in errors_of(lambda: server(own.key, 0))["figures.accelerator_slots"].message
    )
    assert (
        "not whole" in errors_of(lambda: server(own.key, 1.5))["figures.accelerator_slots"].message
    )
    assert server(f"h100-sxm; {own.key}", 8).key == "acme-box"


def test_a_key_is_taken_once(shelf, demo_organisation, other_organisation):
    """Twice in one organisation is refused, in two it is not; shared keys are told apart."""
    new_device(demo_organisation)
    assert "exists" in errors_of(lambda: new_device(demo_organisation))["name"].message
    new_device(other_organisation)
    clash = errors_of(
        lambda: entry_create(
            organisation=demo_organisation,
            spec=DEVICE,
            given=EntryInput(name="Mine", attributes={"device_kind": "gpu"}),
            author=ADA,
            key="h100-sxm",
        )
    )
    assert "shared catalog" in clash["name"].message


def test_editing_a_shared_entry_makes_an_own_copy(shelf, demo_organisation, other_organisation):
    """The shared one stays; the copy carries all the rest and shadows it; the history says so."""
    shared = shelf["h100-sxm"]
    before = as_record(entry_get(organisation=demo_organisation, pk=shared.pk))
    own = entry_revise(
        organisation=demo_organisation,
        entry=entry_get(organisation=demo_organisation, pk=shared.pk),
        given=EntryInput(figures={"tdp_w": FigureInput(600)}),
        author=ADA,
        message="capped by our facility",
    )
    after = as_record(entry_get(organisation=demo_organisation, pk=own.pk))
    assert own.pk != shared.pk
    assert own.key == "h100-sxm"
    assert after.figures["tdp_w"].value == 600
    assert dict(after.figures) | {"tdp_w": None} == dict(before.figures) | {"tdp_w": None}
    assert after.prices == before.prices
    assert as_record(CatalogEntry.objects.get(pk=shared.pk)) == before
    seen = entry_list(organisation=demo_organisation, kind="device").filter(key="h100-sxm")
    assert [entry.pk for entry in seen] == [own.pk]
    theirs = entry_list(organisation=other_organisation, kind="device").filter(key="h100-sxm")
    assert [entry.pk for entry in theirs] == [shared.pk]
    change = history(entry=own).get()
    assert change.message == "capped by our facility (own copy of the shared entry)"
    assert change.before["figures"]["tdp_w"]["value"] == 700
    assert change.after["figures"]["tdp_w"]["value"] == 600
    again = entry_revise(
        organisation=demo_organisation,
        entry=entry_get(organisation=demo_organisation, pk=shared.pk),
        given=EntryInput(figures={"tdp_w": FigureInput(610)}),
        author=ADA,
    )
    assert again.pk == own.pk


def test_old_values_stay(demo_organisation):
    """A changed figure supersedes the old row; an equal one changes nothing at all."""
    entry = new_device(demo_organisation, figures={"tdp_w": FigureInput(1000)})
    for watts in (1000, 900, 900, 800):
        entry = entry_revise(
            organisation=demo_organisation,
            entry=entry,
            given=EntryInput(figures={"tdp_w": FigureInput(watts)}),
            author=ADA,
        )
    rows = Figure.objects.filter(entry=entry, name="tdp_w").order_by("pk")
    assert [row.value for row in rows] == [1000, 900, 800]
    assert [row.superseded_at is None for row in rows] == [False, False, True]
    assert history(entry=entry).count() == 3


def test_a_figure_can_be_taken_away_unless_required(shelf, demo_organisation):
    """None takes a figure away; slots of a server stay required."""
    entry = new_device(demo_organisation, figures={"tdp_w": FigureInput(1000)})
    entry = entry_revise(
        organisation=demo_organisation,
        entry=entry,
        given=EntryInput(figures={"tdp_w": None}),
        author=ADA,
    )
    assert as_record(entry).figures == {}
    found = errors_of(
        lambda: entry_revise(
            organisation=demo_organisation,
            entry=shelf["nvidia-dgx-h100"],
            given=EntryInput(figures={"accelerator_slots": None}),
            author=ADA,
        )
    )
    assert "figures.accelerator_slots" in found
    assert not CatalogEntry.objects.filter(kind="server", organisation=demo_organisation).exists()


def test_prices_are_a_dated_series(demo_organisation):
    """The latest date counts, whatever the order of entry; the same date is replaced, not lost."""
    entry = new_device(demo_organisation)

    def price(mid, date, **more):
        return price_add(
            organisation=demo_organisation,
            entry=entry,
            given=PriceInput("price_usd", mid=mid, price_date=date, **more),
            author=ADA,
        )

    price(20_000, "2026-10", status="published", source="quote", quote_reference="Q-17")
    price(25_000, "2026-01", status="published", source="quote")
    price(19_500, "2026-10", status="published", source="better quote")
    record = as_record(CatalogEntry.objects.get(pk=entry.pk))
    assert [(one.price_date, one.mid) for one in record.prices] == [
        ("2026-01", 25_000),
        ("2026-10", 19_500),
    ]
    assert record.price("price_usd").mid == 19_500
    assert Price.objects.filter(entry=entry).count() == 3
    assert Price.objects.get(quote_reference="Q-17").superseded_at is not None


@pytest.mark.parametrize(
    ("bounds", "field"),
    [
        ({}, "price.mid"),
        ({"mid": -1}, "price.mid"),
        ({"mid": math.nan}, "price.mid"),
        ({"mid": 1e308}, "price.mid"),
        ({"low": 5, "mid": 4}, "price.mid"),
        ({"low": 5, "high": 4}, "price.mid"),
    ],
)
def test_prices_that_cannot_be(demo_organisation, bounds, field):
    """Refused with the field; nothing stored."""
    entry = new_device(demo_organisation)
    found = errors_of(
        lambda: price_add(
            organisation=demo_organisation,
            entry=entry,
            given=PriceInput("price_usd", **bounds),
            author=ADA,
        )
    )
    assert field in found
    assert not Price.objects.exists()


def test_archived_entries_leave_the_lists(shelf, demo_organisation):
    """And come back; a shared entry cannot be archived."""
    entry = new_device(demo_organisation)
    entry_archive(organisation=demo_organisation, entry=entry, author=ADA)
    assert entry not in entry_list(organisation=demo_organisation)
    assert entry in entry_list(organisation=demo_organisation, archived=True)
    entry_archive(organisation=demo_organisation, entry=entry, author=ADA, archived=False)
    assert entry in entry_list(organisation=demo_organisation)
    assert [one.message for one in history(entry=entry)] == ["Taken back", "Archived", "Added"]
    with pytest.raises(PermissionDenied):
        entry_archive(organisation=demo_organisation, entry=shelf["t4"], author=ADA)


def test_confirming_a_pending_device(demo_organisation, pending_device):
    """The person's name for it, no longer pending, figures untouched."""
    assert list(pending_devices(organisation=demo_organisation)) == [pending_device]
    device_confirm(
        organisation=demo_organisation,
        entry=pending_device,
        name="NPU 9 card",
        vendor="ACME Inc",
        author=ADA,
    )
    pending_device.refresh_from_db()
    assert (pending_device.name, pending_device.vendor) == ("NPU 9 card", "ACME Inc")
    assert not pending_device.pending
    assert as_record(pending_device).figures["memory_gb"].status == "measured"
    assert not pending_devices(organisation=demo_organisation).exists()


def test_nothing_of_another_organisation_is_seen(
    shelf, demo_organisation, other_organisation, pending_device
):
    """Lists, counts and single entries end at the wall."""
    theirs = new_device(other_organisation)
    assert theirs not in entry_list(organisation=demo_organisation)
    with pytest.raises(Http404):
        entry_get(organisation=demo_organisation, pk=theirs.pk)
    counts = {
        spec.kind: (seen, own) for spec, seen, own in kind_counts(organisation=demo_organisation)
    }
    assert counts["device"] == (5, 1)
    assert not pending_devices(organisation=other_organisation).exists()
    with pytest.raises(CatalogEntry.DoesNotExist):
        entry_revise(
            organisation=demo_organisation,
            entry=theirs,
            given=EntryInput(name="Taken"),
            author=ADA,
        )


def test_history_cannot_be_rewritten(demo_organisation):
    """A stored change cannot be saved again."""
    change = history(entry=new_device(demo_organisation)).get()
    change.message = "something else"
    with pytest.raises(TypeError):
        change.save()
    assert Change.objects.get(pk=change.pk).message == "Added"
