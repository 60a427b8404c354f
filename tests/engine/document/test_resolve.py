"""Names to figures: what a site takes from its region, what a fleet takes from the catalog."""

from __future__ import annotations

import pytest

from tco.document import resolve
from tco.errors import InputErrors
from tco.inputs import ScenarioInputs, Status
from tests.engine.document.small_catalog import SmallCatalog, scenario
from tests.engine.document.test_validate import FLEET, change, service


def resolved(document) -> ScenarioInputs:
    """The engine inputs of a document."""
    return resolve(document, SmallCatalog())


def refused(document):
    """Errors by field of a document that cannot be resolved."""
    with pytest.raises(InputErrors) as caught:
        resolved(document)
    return {error.field: error for error in caught.value.errors}


def test_a_scenario_resolves_to_frozen_inputs():
    """Every name is replaced by what the catalog says."""
    inputs = resolved(scenario())
    own, rent = (option.fleets[0] for option in inputs.options)
    assert own.server.device.key == "h100-sxm"
    assert own.site.name == "hall"
    assert own.name == "SYS-821"
    assert own.rental is None
    assert rent.offer.device_count == 8
    assert rent.rental.commitment == "on_demand"
    assert rent.name == "AWS p5.48xlarge"
    assert rent.site is None
    assert own.workload.model.layers == 16
    assert inputs.finance.hours_mode == "730"
    assert inputs.finance.tax is None


def test_figures_written_bare_are_assumed_by_the_scenario():
    """A bare number says nothing about where it comes from, so it is assumed."""
    figure = resolved(scenario()).sites[0].slot_w
    assert (figure.value, figure.unit) == (1000.0, "W")
    assert (figure.status, figure.source) == (Status.ASSUMED, "scenario")


def test_figures_written_out_keep_their_pedigree():
    """Value with another unit, range, status, source and date reach the engine."""
    document = change(
        scenario(),
        "sites[0].slot_w",
        {
            "value": "1.1 kW",
            "low": 900,
            "high": "1200 W",
            "status": "measured",
            "source": "our meter",
            "as_of": "2026-10",
        },
    )
    figure = resolved(document).sites[0].slot_w
    assert (figure.value, figure.low, figure.high) == (1100.0, 900.0, 1200.0)
    assert (figure.status, figure.source, figure.as_of) == (
        Status.MEASURED,
        "our meter",
        "2026-10",
    )


def test_defaults_are_assumed_figures_with_a_source():
    """What is left out is printed with the result, so it needs a source."""
    document = scenario()
    del document["sites"][0]["slot_w"]
    inputs = resolved(document)
    slot, pue = inputs.sites[0].slot_w, inputs.sites[0].pue
    words = "default: planning value: a slot of a general server feeds and cools 200 W"
    assert (slot.value, slot.status, slot.source) == (200.0, Status.ASSUMED, words)
    assert (pue.value, pue.status) == (1.54, Status.ASSUMED)
    assert "Uptime" in pue.source
    assert inputs.options[0].fleets[0].purchase.residual_fraction.value == 0.0


def test_missing_prices_stay_missing():
    """A server without a price, and costs nobody entered, are None and never 0."""
    purchase = resolved(scenario()).options[0].fleets[0].purchase
    assert purchase.server_usd is None
    assert purchase.network_usd_per_server is None
    assert purchase.staff_usd_per_server_year is None


def test_the_catalog_price_is_used_with_its_status():
    """The server's own price stands unless the scenario sets one."""
    document = change(scenario(), f"{FLEET}.server", "as-8125")
    del document["options"][0]["fleets"][0]["device"]
    price = resolved(document).options[0].fleets[0].purchase.server_usd
    assert (price.value, price.status) == (184615.0, Status.PUBLISHED)
    change(document, f"{FLEET}.purchase.server_usd", 150000)
    price = resolved(document).options[0].fleets[0].purchase.server_usd
    assert (price.value, price.status) == (150000.0, Status.ASSUMED)


def test_a_site_takes_price_grid_and_country_from_its_region():
    """The average price contains the demand charge, so the region's charge is not added."""
    site = resolved(scenario()).sites[0]
    assert site.tariff.energy_usd_per_kwh.value == 0.0892
    assert site.tariff.demand_included is True
    assert site.tariff.demand_usd_per_kw_month is None
    assert site.grid_gco2_per_kwh.value == 310.0
    assert (site.country, site.residency_regime) == ("US", "US sectoral")


def test_an_own_price_brings_its_own_demand_charge_rule():
    """With the scenario's price the region's `included` and its charge no longer apply."""
    document = change(scenario(), "sites[0].energy_usd_per_kwh", 0.08)
    tariff = resolved(document).sites[0].tariff
    assert tariff.energy_usd_per_kwh.value == 0.08
    assert (tariff.demand_included, tariff.demand_usd_per_kw_month) == (False, None)
    change(document, "sites[0].demand_usd_per_kw_month", 12)
    assert resolved(document).sites[0].tariff.demand_usd_per_kw_month.value == 12.0
    assert resolved(document).sites[0].grid_gco2_per_kwh.value == 310.0


def test_a_region_price_without_demand_brings_the_demand_charge():
    """A tariff given in its parts is taken in its parts."""
    document = change(scenario(), "sites[0].region", "XX-TARIFF")
    tariff = resolved(document).sites[0].tariff
    assert (tariff.energy_usd_per_kwh.value, tariff.demand_usd_per_kw_month.value) == (0.06, 15.0)
    assert tariff.demand_included is False


def test_a_region_without_a_price_asks_for_one():
    """No price is invented."""
    error = refused(change(scenario(), "sites[0].region", "NL"))["sites[0].energy_usd_per_kwh"]
    assert "no price for Netherlands" in error.message
    assert "USD/kWh" in error.mend


def test_feeds_of_the_rack_come_from_the_site():
    """The catalog knows the feed, the site how many and how redundant."""
    document = change(scenario(), "sites[0].feeds_per_rack", 4)
    change(document, "sites[0].feed_redundancy", "N+1")
    feed = resolved(document).sites[0].feed
    assert (feed.voltage_v, feed.feeds_per_rack, feed.redundancy) == (415.0, 4, "N+1")


@pytest.mark.parametrize(
    ("path", "value", "mend"),
    [
        (f"{FLEET}.device", "h100_sxm", "'h100-sxm'"),
        (f"{FLEET}.server", "sys821", "'sys-821'"),
        ("options[1].fleets[0].offer", "aws-p4", "'aws-p5'"),
        ("workloads[0].model", "tiny/lama", "'tiny/llama'"),
        ("sites[0].region", "US-VT", "'US-VA'"),
        ("sites[0].cooling", "crah", "known here: crah-hot-cold-aisle-containment"),
        ("sites[0].rack", "48u-rack", "'48u-eia-310-rack'"),
        ("sites[0].feed", "415-v-3ph-63-a", "'415-v-3ph-60-a'"),
    ],
)
def test_unknown_names_suggest_the_nearest(path, value, mend):
    """A slip of the pen is told with what was probably meant."""
    error = refused(change(scenario(), path, value))[path]
    assert f"'{value}'" in error.message
    assert mend in error.mend


def test_unknown_names_and_bad_values_come_together():
    """Nobody mends them one by one."""
    document = change(scenario(), "sites[0].region", "Mars")
    change(document, "sites[0].pue", 0.5)
    change(document, f"{FLEET}.device", "warp-drive")
    assert set(refused(document)) == {"sites[0].region", "sites[0].pue", f"{FLEET}.device"}


def test_a_server_of_several_devices_lists_them():
    """`device` is asked for only where it decides something."""
    document = scenario()
    del document["options"][0]["fleets"][0]["device"]
    error = refused(document)[f"{FLEET}.device"]
    assert "takes several devices" in error.message
    assert error.mend == "use one of h100-sxm, h200-sxm"


def test_a_device_that_does_not_fit_is_refused():
    """An MI300X does not go into an HGX board."""
    error = refused(change(scenario(), f"{FLEET}.device", "mi300x"))[f"{FLEET}.device"]
    assert "does not take 'mi300x'" in error.message
    assert "h100-sxm" in error.mend


def test_requests_per_minute_become_per_second():
    """600 a minute are 10 a second; the range moves too and the status stays."""
    document = change(
        scenario(),
        "workloads[0].requests_per_minute",
        {"value": 600, "low": 300, "high": 1200, "status": "measured", "source": "logs"},
    )
    rate = resolved(document).workloads[0].peak_requests_per_s
    assert (rate.value, rate.low, rate.high, rate.unit) == (10.0, 5.0, 20.0, "request/s")
    assert rate.status is Status.MEASURED


def test_shares_left_open_are_parted_evenly():
    """0.5 given leaves a quarter for each of two others; other workloads do not matter."""
    document = scenario()
    fleet = document["options"][0]["fleets"][0]
    document["workloads"].append({**document["workloads"][0], "key": "other"})
    document["options"][0]["fleets"] = [
        {**fleet, "key": "a", "share_fraction": 0.5},
        {**fleet, "key": "b"},
        {**fleet, "key": "c"},
        {**fleet, "key": "d", "workload": "other"},
    ]
    shares = [fleet.share_fraction for fleet in resolved(document).options[0].fleets]
    assert shares == [0.5, 0.25, 0.25, 1.0]


def test_egress_prices_come_with_egress_only():
    """Tiers are taken when something is sent out; the hash does not depend on them otherwise."""
    document = scenario()
    assert resolved(document).options[1].fleets[0].rental.egress_tiers == ()
    change(document, "options[1].fleets[0].rental.egress_gb_per_month", "50 TB/month")
    rental = resolved(document).options[1].fleets[0].rental
    assert rental.egress_gb_per_month.value == 50000.0
    assert rental.egress_free_gb_per_month == 100.0
    assert [bound for bound, _ in rental.egress_tiers] == [10240.0, float("inf")]


def test_measured_service_and_training_resolve():
    """A service keeps its points, a training run has no requests."""
    document = scenario()
    document["workloads"] = [
        {"key": "chat", "requests_per_minute": 60, "service": service()},
        {
            "key": "train",
            "model": "tiny/llama",
            "training": {
                "tokens": "15 Ttoken",
                "global_batch_tokens": 4e6,
                "sequence_tokens": 8192,
                "deadline_days": 30,
            },
        },
    ]
    served, trained = resolved(document).workloads
    assert (served.kind, served.model) == ("measured_service", None)
    assert [point.p99_ms for point in served.service.points] == [50.0, 95.0, 170.0]
    assert (trained.kind, trained.peak_requests_per_s.value) == ("training", 0.0)
    assert trained.training.tokens.value == 15e12
    assert trained.training.runs_per_year == 1.0


def test_own_devices_and_servers_come_first():
    """An unpublished chip is an assumed device in an assumed server."""
    document = scenario()
    document["catalog"] = {
        "devices": [
            {
                "key": "mi300u",
                "name": "MI300U",
                "vendor": "AMD",
                "memory_gb": 256,
                "memory_bandwidth_gb_s": "6 TB/s",
                "peak_tflops": {"fp8": 3000, "bf16": 1500},
                "board_w": {"value": 900, "low": 800, "high": 1000, "source": "rumour"},
                "cap_points": [{"cap_w": 700, "throughput_fraction": 0.9}],
                "features": ["secure_boot"],
                "end_of_support": "2033-01-01",
            }
        ],
        "servers": [
            {"key": "box", "device": "mi300u", "device_count": 8, "price_usd": 250000},
            {"key": "dear", "like": "as-8125", "price_usd": 300000},
        ],
    }
    change(document, f"{FLEET}.server", "box")
    del document["options"][0]["fleets"][0]["device"]
    server = resolved(document).options[0].fleets[0].server
    device = server.device
    assert device.peak_tflops[0][0] == "bf16"
    assert device.peak("fp8").value == 3000.0
    assert device.board_w.high == 1000.0
    assert device.cap_points[0].throughput_fraction.value == 0.9
    assert device.features == {"secure_boot"}
    assert device.lifecycle.end_of_support == "2033-01-01"
    assert device.memory_bandwidth_gb_s.status is Status.ASSUMED
    assert (server.device_count, server.price_usd.value) == (8, 250000.0)
    change(document, f"{FLEET}.server", "dear")
    dear = resolved(document).options[0].fleets[0].server
    assert (dear.key, dear.device.key, dear.price_usd.value) == ("dear", "mi300x", 300000.0)


def test_an_own_server_may_be_like_one_of_other_devices():
    """Another card in the same box: its height stays, its price and its watts do not."""
    document = scenario()
    document["catalog"] = {
        "servers": [{"key": "other", "like": "sys-821", "device": "mi300x", "host_w": 900}]
    }
    change(document, f"{FLEET}.server", "other")
    del document["options"][0]["fleets"][0]["device"]
    server = resolved(document).options[0].fleets[0].server
    assert (server.key, server.device.key, server.host_w.value) == ("other", "mi300x", 900.0)
    assert server.rack_units.value == 8.0
    assert (server.price_usd, server.max_system_w) == (None, None)


def test_a_capped_card_is_like_its_catalog_entry():
    """`like` takes every other figure over; the server price still holds for the same card."""
    document = scenario()
    document["catalog"] = {
        "devices": [
            {
                "key": "l40s-capped",
                "like": "l40s",
                "cap_points": [{"cap_w": 200, "throughput_fraction": 0.7}],
            },
            {"key": "newcomer", "board_w": 300},
        ]
    }
    change(document, f"{FLEET}.server", "pcie-3u")
    change(document, f"{FLEET}.device", "l40s-capped")
    server = resolved(document).options[0].fleets[0].server
    assert server.device.key == "l40s-capped"
    assert server.device.board_w.value == 350.0
    assert server.device.cap_points[0].cap_w.value == 200.0
    assert server.price_usd.value == 90000.0
    change(document, f"{FLEET}.device", "newcomer")
    server = resolved(document).options[0].fleets[0].server
    assert server.device.board_w.value == 300.0
    assert server.price_usd is None, "a price with other cards inside says nothing"
    assert server.max_system_w is None


def test_measured_rates_outrank_a_scenario_that_assumes():
    """An own entry of a measured key keeps the runs, so a measurement changes the projection."""
    document = scenario()
    document["catalog"] = {
        "devices": [{"key": "measured-card", "board_w": 45}, {"key": "unmeasured", "board_w": 45}]
    }
    change(document, f"{FLEET}.server", "pcie-3u")
    change(document, f"{FLEET}.device", "measured-card")
    device = resolved(document).options[0].fleets[0].server.device
    assert device.board_w.value == 45.0
    assert device.measured.run_ids == ("r1",)
    change(document, f"{FLEET}.device", "unmeasured")
    assert resolved(document).options[0].fleets[0].server.device.measured is None


@pytest.mark.parametrize(
    ("entry", "field", "message"),
    [
        ({"devices": [{"key": "x", "like": "h1000"}]}, "catalog.devices[0].like", "'h1000'"),
        ({"servers": [{"key": "x", "like": "sys-999"}]}, "catalog.servers[0].like", "'sys-999'"),
        ({"servers": [{"key": "x", "like": "sys-821"}]}, "catalog.servers[0].device", "several"),
        (
            {"servers": [{"key": "x", "device": "h9", "device_count": 8}]},
            "catalog.servers[0].device",
            "'h9'",
        ),
        ({"servers": [{"key": "x"}]}, "catalog.servers[0].device_count", "is missing"),
        ({"devices": [{"key": "x", "boardw": 3}]}, "catalog.devices[0].boardw", "unknown key"),
    ],
)
def test_errors_in_own_entries_are_found(entry, field, message):
    """They are checked like every other part of the document."""
    document = scenario()
    document["catalog"] = entry
    assert message in refused(document)[field].message


def test_own_site_parts_and_regions_are_used():
    """A 120 V feed of an old hall, a 10 kW rack and an own region."""
    document = scenario()
    document["catalog"] = {
        "feeds": [
            {
                "key": "old",
                "voltage_v": 120,
                "voltage_reference": "LN",
                "phases": 1,
                "breaker_a": 15,
            }
        ],
        "racks": [{"key": "half", "rack_units": 24}],
        "cooling": [{"key": "fans", "kind": "air", "max_kw_per_rack": 10}],
        "regions": [{"key": "island", "country": "IS", "energy_usd_per_kwh": 0.05}],
    }
    document["sites"][0] |= {"feed": "old", "rack": "half", "cooling": "fans", "region": "island"}
    site = resolved(document).sites[0]
    assert (site.feed.phases, site.feed.usable_fraction.value) == (1, 0.8)
    assert site.rack.reserved_units == 2
    assert site.cooling.max_kw_per_rack.value == 10.0
    assert (site.country, site.tariff.energy_usd_per_kwh.value) == ("IS", 0.05)


def test_the_order_of_keys_does_not_change_the_hash():
    """Same input, same bytes: a mapping has no order."""
    document = scenario()
    turned = {key: document[key] for key in reversed(document)}
    turned["sites"] = [dict(reversed(site.items())) for site in document["sites"]]
    assert resolved(turned).content_hash == resolved(document).content_hash
    assert resolved(change(turned, "sites[0].pue", 1.3)).content_hash != (
        resolved(document).content_hash
    )


def test_the_document_is_not_changed():
    """Resolving reads."""
    document = scenario()
    resolved(document)
    assert document == scenario()
