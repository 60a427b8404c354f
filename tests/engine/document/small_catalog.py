"""A catalog of a few entries, so that these tests need no seed and no database."""

from __future__ import annotations

import dataclasses

from tco.inputs import (
    CloudOffer,
    Cooling,
    Device,
    ExchangeRate,
    Feed,
    Figure,
    LanguageModel,
    MeasuredRates,
    Rack,
    Region,
    Server,
    Status,
    Switch,
)

RATES = (
    ExchangeRate("EUR", 1.08, "2026-01-01", "a fixing"),
    ExchangeRate("EUR", 1.2, "2026-11-01", "a fixing"),
)


def published(value, unit):
    """A figure someone printed."""
    return Figure(value, unit, Status.PUBLISHED, "a data sheet", "2026-05")


def _device(key, name, board_w, **more):
    return Device(key, name, "ACME", "gpu", board_w=published(board_w, "W"), **more)


DEVICES = {
    device.key: device
    for device in (
        _device(
            "h100-sxm",
            "H100 80GB SXM5",
            700.0,
            memory_gb=published(80.0, "GB"),
            peak_tflops=(("bf16", published(989.4, "TFLOP/s")),),
            price_usd=published(30000.0, "USD"),
        ),
        _device("h200-sxm", "H200 141GB SXM5", 700.0),
        _device("mi300x", "Instinct MI300X", 750.0, features=frozenset({"secure_boot"})),
        _device("l40s", "L40S 48GB", 350.0),
        _device(
            "measured-card",
            "A card with runs",
            150.0,
            measured=MeasuredRates(
                memory_bandwidth_gb_s=Figure(290.0, "GB/s", Status.MEASURED, "runs"),
                run_ids=("r1",),
            ),
        ),
    )
}


def _server(key, devices, **more):
    return Server(key, key.upper(), "ACME", DEVICES[devices[0]], 8, **more), devices


SERVERS = {
    server.key: (server, devices)
    for server, devices in (
        _server(
            "sys-821",
            ("h100-sxm", "h200-sxm"),
            rack_units=published(8.0, "U"),
            max_system_w=published(10200.0, "W"),
        ),
        _server("as-8125", ("mi300x",), price_usd=published(184615.0, "USD")),
        _server(
            "pcie-3u",
            ("l40s", "measured-card"),
            price_usd=published(90000.0, "USD"),
            max_system_w=published(4200.0, "W"),
        ),
    )
}
REGIONS = {
    "US-VA": Region(
        "US-VA",
        "Virginia",
        "US",
        energy_usd_per_kwh=published(0.0892, "USD/kWh"),
        demand_included=True,
        demand_usd_per_kw_month=published(14.569, "USD/kW-month"),
        grid_gco2_per_kwh=published(310.0, "gCO2e/kWh"),
        residency_regime="US sectoral",
    ),
    "XX-TARIFF": Region(
        "XX-TARIFF",
        "A tariff with its parts",
        "XX",
        energy_usd_per_kwh=published(0.06, "USD/kWh"),
        demand_usd_per_kw_month=published(15.0, "USD/kW-month"),
    ),
    "NL": Region("NL", "Netherlands", "NL", grid_gco2_per_kwh=published(268.0, "gCO2e/kWh")),
}
OFFERS = {
    "aws-p5": CloudOffer(
        "aws-p5",
        "AWS",
        "p5.48xlarge",
        "us-east-1",
        DEVICES["h100-sxm"],
        8,
        on_demand_usd_per_hour=published(55.04, "USD/h"),
    )
}
MODELS = {
    "tiny/llama": LanguageModel(
        key="tiny/llama",
        name="Tiny",
        layers=16,
        hidden=2048,
        heads=32,
        kv_heads=8,
        head_dim=64,
        feed_forward=8192,
        vocabulary=128256,
        tied_embeddings=True,
        max_context_tokens=131072,
        native_dtype="bf16",
        parameters_g=published(1.236, "10^9"),
    )
}
COOLING = {
    key: Cooling(key, key, "air", published(20.0, "kW"))
    for key in ("crah-hot-cold-aisle-containment",)
}
RACKS = {"48u-eia-310-rack": Rack("48u-eia-310-rack", "48U EIA-310 rack", 48)}
FEEDS = {
    "415-v-3ph-60-a": Feed(
        "415-v-3ph-60-a",
        "415 V 3ph 60 A",
        415.0,
        "LL",
        3,
        60.0,
        published(0.8, "fraction"),
        published(1.0, "ratio"),
    )
}
SWITCHES = {
    "leaf-64": Switch(
        "Leaf 64",
        64,
        port_gbps=800.0,
        typical_w=published(900.0, "W"),
        rack_units=published(2.0, "U"),
    )
}
EGRESS = (100.0, ((10240.0, published(0.09, "USD/GB")), (float("inf"), published(0.05, "USD/GB"))))


class SmallCatalog:
    """Answers as the seed and the database do."""

    def device(self, key):
        return DEVICES.get(key)

    def server(self, key, device_key=None):
        server, devices = SERVERS.get(key, (None, ()))
        if server is None or (device_key is None and len(devices) > 1):
            return None
        if device_key is not None and device_key not in devices:
            return None
        return dataclasses.replace(server, device=DEVICES[device_key or devices[0]])

    def offer(self, key):
        return OFFERS.get(key)

    def model(self, key):
        return MODELS.get(key)

    def region(self, key):
        return REGIONS.get(key)

    def cooling(self, key):
        return COOLING.get(key)

    def rack(self, key):
        return RACKS.get(key)

    def feed(self, key):
        return FEEDS.get(key)

    def switch(self, key):
        return SWITCHES.get(key)

    def egress(self, provider, region):
        return EGRESS if (provider, region) == ("AWS", "us-east-1") else (0.0, ())

    def agreed_prices(self):
        """An empty price book."""
        return ()

    def exchange_rates(self):
        return RATES

    def keys(self, kind):
        tables = {
            "device": DEVICES,
            "server": SERVERS,
            "offer": OFFERS,
            "model": MODELS,
            "region": REGIONS,
            "cooling": COOLING,
            "rack": RACKS,
            "feed": FEEDS,
            "switch": SWITCHES,
        }
        return tuple(tables.get(kind, ()))


def scenario():
    """A valid document that names entries of this catalog: one owned fleet, one rented."""
    return {
        "schema": "tco-scenario/1",
        "name": "Small",
        "finance": {"valuation_date": "2026-12-01", "discount_rate_fraction": 0.1},
        "sites": [{"key": "hall", "region": "US-VA", "slot_w": 1000}],
        "workloads": [
            {
                "key": "chat",
                "model": "tiny/llama",
                "requests_per_minute": 600,
                "input_tokens": 1000,
                "output_tokens": 250,
                "targets": [{"metric": "ttft", "percentile": 95, "limit_ms": 1000}],
            }
        ],
        "options": [
            {
                "key": "own",
                "fleets": [
                    {
                        "key": "h100",
                        "workload": "chat",
                        "site": "hall",
                        "server": "sys-821",
                        "device": "h100-sxm",
                    }
                ],
            },
            {"key": "rent", "fleets": [{"key": "p5", "workload": "chat", "offer": "aws-p5"}]},
        ],
    }
