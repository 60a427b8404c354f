"""Seed records as inputs of the engine, checked against hand-worked numbers."""

from __future__ import annotations

import math

import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.inputs import Status
from tco.units import GB_PER_AWS_TB, GB_PER_TB

CATALOG = SeedCatalog()


def test_every_entry_builds():
    """No key leads to nothing, and none raises."""
    for kind in ("device", "offer", "model", "region", "cooling", "rack", "feed"):
        keys = CATALOG.keys(kind)
        assert keys
        assert all(getattr(CATALOG, kind)(key).key == key for key in keys), kind
    for key in CATALOG.keys("server"):
        for device in CATALOG.server_devices(key):
            assert CATALOG.server(key, device).device.key == device


def test_unknown_names_give_nothing():
    """None, an empty tuple: never an exception, never a guess."""
    for kind in ("device", "server", "offer", "model", "region", "cooling", "rack", "feed"):
        assert getattr(CATALOG, kind)("no-such-thing") is None
    assert CATALOG.egress("Nobody", "nowhere") == (0.0, ())
    assert CATALOG.keys("no such kind") == ()


def test_a_server_that_takes_several_devices_wants_a_choice():
    """The first device is not taken in silence; a device it does not take is refused."""
    key = "supermicro-sys-821ge-tnhr"
    assert CATALOG.server_devices(key) == ("h100-sxm", "h200-sxm")
    assert CATALOG.server(key) is None
    assert CATALOG.server(key, "mi300x") is None
    assert CATALOG.server(key, "h100-sxm").device.key == "h100-sxm"
    assert CATALOG.server("nvidia-dgx-h100").device.key == "h100-sxm"


def test_derived_prices_follow_the_device():
    """8 x 30,000 / 0.65 for H100; the printed 375,000 was for H200; the range is 60 to 70 %."""
    key = "supermicro-sys-821ge-tnhr"
    h100, h200 = (CATALOG.server(key, name).price_usd for name in ("h100-sxm", "h200-sxm"))
    assert h100.value == 369_231
    assert (h100.low, h100.high) == (round(240_000 / 0.7), round(240_000 / 0.6))
    assert h200.value == 375_000
    assert h100.status is h200.status is Status.ESTIMATED


def test_a_listed_price_goes_before_the_derived_one():
    """DGX B200: 515,410 USD from a reseller, recalled, so unverified."""
    price = CATALOG.server("nvidia-dgx-b200").price_usd
    assert (price.value, price.verified) == (515_410, False)


def test_a_missing_price_is_none():
    """Never 0."""
    assert CATALOG.device("mi325x").price_usd is None
    assert CATALOG.server("hpe-cray-xd685-oam").price_usd is None
    assert CATALOG.offer("gcp-a3-megagpu-8g").on_demand_usd_per_hour is None


def test_supplies_stand_for_an_unknown_maximum():
    """3+3 supplies of 3 kW are a ceiling of 9 kW, estimated, and the source says what it is."""
    most = CATALOG.server("supermicro-sys-821ge-tnhr", "h100-sxm").max_system_w
    assert (most.value, most.status) == (9000, Status.ESTIMATED)
    assert "ceiling" in most.source
    assert CATALOG.server("nvidia-dgx-h100").max_system_w.status is Status.PUBLISHED


def test_fabric_is_converted_without_losing_its_status():
    """400 Gb/s are 50 GB/s."""
    server = CATALOG.server("nvidia-dgx-h100")
    assert (server.fabric_nics, server.fabric_gb_s.value, server.fabric_gb_s.unit) == (
        8,
        50,
        "GB/s",
    )
    assert server.fabric_gb_s.status is Status.PUBLISHED


def test_features_are_four_words():
    """H100 attests and boots securely; A100 knows no confidential computing; TDX does."""
    assert CATALOG.device("h100-sxm").features == {
        "confidential_computing",
        "secure_boot",
        "attestation",
    }
    assert CATALOG.device("a100-sxm-80").features == {"secure_boot"}
    assert "encrypted_memory" in CATALOG.device("xeon-6980p").features
    assert CATALOG.device("trainium2").features == frozenset()
    assert CATALOG.server("nvidia-dgx-h100").features == CATALOG.device("h100-sxm").features


def test_peaks_by_number_format():
    """Dense peaks; a format that the device does not execute is absent."""
    h100 = CATALOG.device("h100-sxm")
    assert h100.peak("fp8").value == 1978.9
    assert h100.peak("fp4") is None
    assert CATALOG.device("t4").peak("bf16") is None
    assert {dtype for dtype, _ in CATALOG.device("xeon-8592plus").peak_tflops} == {"fp32", "bf16"}


def test_feeds_carry_what_their_name_says():
    """sqrt(3) V A for three phases, V A for one; the DC shelves give their usable power."""
    shelf = CATALOG.feed("orv3-hpr-mgx-power-shelf-6-x-5-5-kw")
    kw = shelf.voltage_v * shelf.breaker_a * shelf.usable_fraction.value / 1000
    assert kw == pytest.approx(27.5)
    from hardware_catalog.seed.reader import seed_records

    for record in seed_records("feed"):
        feed = CATALOG.feed(record.key)
        if "breaker_kva" in record.figures:
            phases = math.sqrt(3) if feed.phases == 3 else 1
            kva = phases * feed.voltage_v * feed.breaker_a / 1000
            assert kva == pytest.approx(record.figures["breaker_kva"].value, abs=0.006)
            assert (feed.usable_fraction.value, feed.feeds_per_rack) == (0.8, 1)


def test_spot_is_the_midpoint_of_its_range():
    """14.246 to 55.04 USD: 34.643, estimated, dated by its own file."""
    spot = CATALOG.offer("aws-p5-48xlarge-us-east-1").spot_usd_per_hour
    assert (spot.low, spot.value, spot.high) == (14.246, 34.643, 55.04)
    assert (spot.status, spot.as_of) == (Status.ESTIMATED, "2025-09")


def test_offers_priced_by_the_device():
    """A market range per GPU is the hourly price of one."""
    offer = CATALOG.offer("market-range-specialty-h100-sxm-per-gpu")
    assert (offer.device_count, offer.on_demand_usd_per_hour.value) == (1, 3.0)
    assert (offer.on_demand_usd_per_hour.low, offer.on_demand_usd_per_hour.high) == (2.5, 3.5)


def test_offers_know_their_country():
    """For residency: us-east-1 is in the US, Nebius eu-north1 in Finland."""
    assert CATALOG.offer("aws-p5-48xlarge-us-east-1").country == "US"
    assert {
        CATALOG.offer(key).country for key in CATALOG.keys("offer") if key.endswith("eu-north1")
    } == {"FI"}


def test_egress_tiers():
    """AWS: 100 GB free, then four tiers up to infinity; another region borrows them, estimated."""
    free_gb, tiers = CATALOG.egress("AWS", "us-east-1")
    assert free_gb == 100
    assert [(bound, price.value) for bound, price in tiers] == [
        (10_240, 0.09),
        (51_200, 0.085),
        (153_600, 0.07),
        (math.inf, 0.05),
    ]
    assert "1024 GB per TB" in tiers[0][1].source
    _, borrowed = CATALOG.egress("aws", "eu-west-1")
    assert [price.value for _, price in borrowed] == [price.value for _, price in tiers]
    assert {price.status for _, price in borrowed} == {Status.ESTIMATED}


def test_tiers_count_the_terabytes_of_their_price_list():
    """AWS sells 1,024 GB as a TB (F0.7), the other lists 1,000; each tier starts where one ends."""
    for record in CATALOG.records("egress").values():
        if record.text("tier") == "all":
            continue
        gb_per_tb = GB_PER_AWS_TB if record.vendor == "AWS" else GB_PER_TB
        bounds = [record.figures.get(name) for name in ("tier_from_gb", "tier_to_gb")]
        words = record.text("tier").removesuffix(" TB").lstrip(">").split("-")
        given = [bound.value for bound in bounds if bound is not None]
        assert given == [float(word) * gb_per_tb for word in words], record.key


def test_cooling_carries_its_upper_density():
    """Containment carries up to 20 kW, from 15."""
    most = CATALOG.cooling("crah-hot-cold-aisle-containment").max_kw_per_rack
    assert (most.low, most.value, most.high) == (15, 20, 20)


def test_regions_say_whether_demand_is_inside():
    """The EIA average of Virginia holds the demand charge; Singapore has none of both."""
    virginia = CATALOG.region("US-VA")
    assert virginia.demand_included
    assert virginia.country == "US"
    assert virginia.grid_gco2_per_kwh.value == 244.8


def test_names_of_the_example_scenarios_exist():
    """The names that examples/chat.yaml uses."""
    assert CATALOG.region("US-VA")
    assert CATALOG.cooling("crah-hot-cold-aisle-containment")
    assert CATALOG.rack("48u-eia-310-rack").rack_units == 48
    assert CATALOG.feed("415-v-3ph-60-a").phases == 3
    assert CATALOG.model("meta-llama/Llama-3.1-70B").layers == 80
