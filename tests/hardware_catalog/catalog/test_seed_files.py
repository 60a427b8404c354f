"""The seed files: complete, keyed, with unit, status and source everywhere."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from hardware_catalog.seed.kinds import all_kinds
from hardware_catalog.seed.reader import rows, seed_checksum, seed_records, slug
from hardware_catalog.seed.status import BASIS_STATUS, STATUSES, status_of

ROWS = {
    "device": 68,
    "server": 42,
    "link": 70,
    "support": 402,
    "cloud_offer": 125,
    "egress": 16,
    "spot": 96,
    "language_model": 85,
    "region": 77,
    "rack": 5,
    "feed": 16,
    "cooling": 9,
    "pue_benchmark": 8,
    "cost_factor": 80,
    "planning_range": 9,
    "exchange_rate": 3,
    "device_alias": 36,
    "model_alias": 127,
}
KINDS = sorted(ROWS)


def by_key(kind):
    return {record.key: record for record in seed_records(kind)}


def test_every_kind_is_counted():
    """No kind is left out of the expected counts."""
    assert set(ROWS) == set(all_kinds())


@pytest.mark.parametrize("kind", KINDS)
def test_every_row_becomes_a_record(kind):
    """As many records as rows that were collected, each with a key of its own."""
    records = seed_records(kind)
    assert len(records) == ROWS[kind] == len(rows(all_kinds()[kind].file))
    assert [key for key, count in Counter(one.key for one in records).items() if count > 1] == []
    assert all(one.key and one.name for one in records)


@pytest.mark.parametrize("kind", KINDS)
def test_every_figure_and_price_has_its_pedigree(kind):
    """Unit, known status and source; finite; the range holds the value."""
    for record in seed_records(kind):
        for figure in record.figures.values():
            where = (record.key, figure.name)
            assert figure.unit, where
            assert figure.source, where
            assert figure.status in STATUSES, where
            assert math.isfinite(figure.value), where
            assert figure.low is None or figure.low <= figure.value, where
            assert figure.high is None or figure.value <= figure.high, where
        for price in record.prices:
            where = (record.key, price.series)
            given = [one for one in (price.low, price.mid, price.high) if one is not None]
            assert given, where
            assert given == sorted(given), where
            assert min(given) >= 0, where
            assert price.source, where
            assert price.status in STATUSES, where


@pytest.mark.parametrize("kind", KINDS)
def test_figures_keep_to_the_limits_of_their_specification(kind):
    """What the form would refuse is not in the seed either."""
    spec = all_kinds()[kind]
    for record in seed_records(kind):
        for figure in record.figures.values():
            limits = spec.figure(figure.name)
            assert limits.minimum <= figure.value <= limits.maximum, (record.key, figure)
            assert not limits.whole or figure.value == round(figure.value), (record.key, figure)


@pytest.mark.parametrize("kind", KINDS)
def test_recalled_is_never_verified(kind):
    """Whatever the evidence calls recalled is unverified, also when only a part was."""
    recalled = [
        one
        for record in seed_records(kind)
        for one in (*record.figures.values(), *record.prices)
        if "recall" in one.evidence
    ]
    assert not [one for one in recalled if one.verified]


def test_there_are_recalled_and_verified_figures():
    """The rule above has something to bite on."""
    figures = [one for record in seed_records("device") for one in record.figures.values()]
    assert sum(not one.verified for one in figures) > 100
    assert sum(one.verified for one in figures) > 100


def test_all_columns_of_a_file_are_read():
    """A column nobody declares would be data lost in silence."""
    common = {"source", "source_date", "basis", "evidence", "unit"}
    common |= {"release_date", "end_of_sale", "end_of_support"}
    for spec in all_kinds().values():
        known = common | {*spec.key, *spec.name, spec.vendor} | {one.name for one in spec.texts}
        for figure in spec.figures:
            known |= {figure.value_column, figure.low, figure.high, figure.basis}
            known |= {figure.evidence, figure.source, figure.as_of}
        for price in spec.prices:
            known |= {price.mid, price.low, price.high, price.basis}
            known |= {price.evidence, price.source, price.as_of}
        assert set(rows(spec.file)[0]) <= known, spec.kind


def test_keys_join():
    """Servers, offers and aliases name devices and models that exist."""
    devices, models = by_key("device"), by_key("language_model")
    for server in seed_records("server"):
        keys = server.text("device_keys").split(";")
        assert set(keys) <= set(devices), server.key
        assert server.text("price_derived_device_key") in ("", *keys)
    assert {one.text("device_key") for one in seed_records("cloud_offer")} <= set(devices)
    assert {one.text("device_key") for one in seed_records("device_alias")} <= {"", *devices}
    assert {one.text("model_id") for one in seed_records("model_alias")} <= {"", *models}


def test_each_measured_name_has_one_default():
    """Exactly one default per name of the measured data."""
    defaults = Counter(
        one.text("measured_key")
        for one in seed_records("device_alias")
        if one.text("is_default") == "yes"
    )
    assert set(defaults.values()) == {1}
    assert len(defaults) == len({one.text("measured_key") for one in seed_records("device_alias")})


def test_slots_carry_the_devices_they_take():
    """No server lists a device that draws more than a slot can feed."""
    devices = by_key("device")
    checked = 0
    for server in seed_records("server"):
        slot = server.figures.get("max_w_per_slot")
        for key in server.text("device_keys").split(";"):
            power = devices[key].figures.get("tdp_w")
            if slot and power:
                assert power.value <= slot.value, (server.key, key)
                checked += 1
    assert checked > 40


def test_reserved_is_cheaper_than_on_demand():
    """A commitment never costs more by the hour."""
    for offer in seed_records("cloud_offer"):
        listed = offer.price("on_demand_usd_per_hour")
        for series in ("reserved_1y_usd_per_hour", "reserved_3y_usd_per_hour"):
            reserved = offer.price(series)
            if listed and reserved:
                assert reserved.mid < listed.mid, (offer.key, series)


def test_some_figures_by_hand():
    """Values as the sources print them."""
    h100 = by_key("device")["h100-sxm"]
    assert h100.figures["tflops_bf16_dense"].value == 989.4
    assert h100.figures["memory_bandwidth_gb_s"].value == 3350
    assert (h100.figures["idle_w_typical"].low, h100.figures["idle_w_typical"].high) == (68, 74)
    assert h100.figures["idle_w_typical"].status == "measured"
    price = h100.price("price_usd")
    assert (price.low, price.mid, price.high) == (25000, 30000, 40000)
    assert (price.status, price.price_date) == ("estimated", "2026")
    p5 = by_key("cloud_offer")["aws-p5-48xlarge-us-east-1"]
    assert p5.price("on_demand_usd_per_hour").mid == 55.04
    assert p5.price("spot_usd_per_hour").mid is None
    assert by_key("region")["US-VA"].figures["energy_usd_per_kwh_industrial"].value == 0.0892


def test_where_only_a_range_is_known_the_midpoint_is_estimated():
    """Interruptions of 10 to 15 per cent are published; their midpoint of 12.5 is not."""
    spot = by_key("spot")["aws-p4d-24xlarge-us-east-1"].figures["interruption_fraction"]
    assert (spot.low, spot.value, spot.high) == (0.1, 0.125, 0.15)
    assert spot.status == "estimated"
    assert "midpoint" in spot.evidence


def test_where_only_a_bound_is_known_it_is_the_value():
    """More than 20 per cent stays 20 per cent, and says so."""
    spot = by_key("spot")["aws-p4d-24xlarge-us-west-2"].figures["interruption_fraction"]
    assert (spot.low, spot.value, spot.high) == (0.2, 0.2, None)
    assert "only one bound" in spot.evidence


def test_planning_ranges_are_assumed():
    """Ranges without a source are never more than assumed."""
    figures = [one for record in seed_records("planning_range") for one in record.figures.values()]
    assert {one.status for one in figures} == {"assumed"}
    assert len(figures) == 7


def test_power_measured_at_the_wall_is_told_apart_from_the_data_sheet():
    """DGX H200: the maximum is published, load and idle were measured."""
    server = by_key("server")["nvidia-dgx-h200"].figures
    assert server["max_system_w"].status == "published"
    assert (server["typical_load_w"].value, server["typical_load_w"].status) == (6160, "measured")
    assert (server["idle_w"].value, server["idle_w"].status) == (2400, "measured")


def test_cpu_peaks_are_estimated():
    """Peaks of CPUs are computed from cores and clock."""
    cpu = by_key("device")["xeon-8480plus"].figures
    assert cpu["tflops_bf16_dense"].status == cpu["tflops_fp32_vector_dense"].status == "estimated"
    assert cpu["memory_bandwidth_gb_s"].status == "published"


@pytest.mark.parametrize(
    ("basis", "evidence", "expected"),
    [
        ("vendor-published", "opened", ("published", True)),
        ("vendor-published", "recall", ("published", False)),
        ("vendor-published", "opened (config), recall (chassis)", ("published", False)),
        ("official statistics", "secondary", ("published", True)),
        ("measured", "opened", ("measured", True)),
        ("press-estimate", "secondary", ("estimated", True)),
        ("computed", "derived", ("estimated", True)),
        ("vendor-published", "derived", ("estimated", True)),
        ("assumption", "recall", ("assumed", False)),
        ("assumption", "assumption", ("assumed", True)),
        ("vendor-published", "", ("published", False)),
    ],
)
def test_basis_and_evidence_give_status_and_verified(basis, evidence, expected):
    """The table of architecture, section 8, and recall as unverified."""
    assert status_of(basis, evidence) == expected


def test_an_unknown_basis_is_refused():
    """A new word must be placed in the table, not guessed."""
    with pytest.raises(KeyError):
        status_of("hearsay", "opened")
    assert set(BASIS_STATUS.values()) == set(STATUSES)


def test_the_reader_needs_no_django():
    """The command line reads the seed without Django."""
    import subprocess
    import sys

    code = (
        "import sys; from hardware_catalog.seed.to_engine import SeedCatalog; "
        "SeedCatalog().server('nvidia-dgx-h100'); "
        "print([name for name in sys.modules if name.split('.')[0] in ('django', 'psycopg')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


def test_the_checksum_is_of_the_content():
    """The same files give the same checksum; slugs are stable."""
    assert seed_checksum() == seed_checksum()
    assert len(seed_checksum()) == 64
    assert slug("CRAH + hot/cold aisle containment") == "crah-hot-cold-aisle-containment"
