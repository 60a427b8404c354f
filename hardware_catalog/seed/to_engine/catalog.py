"""The catalog protocol over records, and the catalog of the seed files."""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping

from hardware_catalog.seed.kinds import all_kinds
from hardware_catalog.seed.reader import seed_records, slug
from hardware_catalog.seed.record import Record
from hardware_catalog.seed.to_engine import entries
from hardware_catalog.seed.to_engine.entries import price_figure
from hardware_catalog.seed.to_engine.figures import value_of
from hardware_catalog.seed.to_engine.language_models import language_model
from tco.document.price_book import AgreedPrice
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
    Support,
    Switch,
)


class RecordCatalog(ABC):
    """`tco.document.catalog.Catalog` over records, wherever they come from."""

    @abstractmethod
    def records(self, kind: str) -> Mapping[str, Record]:
        """Return the records of `kind` by key."""

    def measured(self, key: str) -> MeasuredRates | None:
        """Return the measured rates of a device; the seed files have none."""
        return None

    def device(self, key: str) -> Device | None:
        """Return the device with its measured rates, if there are any."""
        record = self.records("device").get(key)
        return entries.device(record, self.measured(key)) if record else None

    def server(self, key: str, device_key: str | None = None) -> Server | None:
        """Return the server with `device_key` in its slots.

        None if there is no such server, if it does not take the device, or if it takes several
        and none is chosen.
        """
        record = self.records("server").get(key)
        if record is None:
            return None
        taken = entries.devices_of(record)
        wanted = device_key or (taken[0] if len(taken) == 1 else "")
        chosen = self.device(wanted) if wanted in taken else None
        return entries.server(record, chosen) if chosen else None

    def server_devices(self, key: str) -> tuple[str, ...]:
        """Return the keys of the devices a server takes."""
        record = self.records("server").get(key)
        return entries.devices_of(record) if record else ()

    def offer(self, key: str) -> CloudOffer | None:
        """Return an instance type in a region."""
        record = self.records("cloud_offer").get(key)
        chosen = self.device(record.text("device_key")) if record else None
        return entries.offer(record, chosen) if record and chosen else None

    def model(self, key: str) -> LanguageModel | None:
        """Return a language model's shape."""
        record = self.records("language_model").get(key)
        return language_model(record) if record else None

    def region(self, key: str) -> Region | None:
        """Return a region."""
        record = self.records("region").get(key)
        return entries.region(record) if record else None

    def cooling(self, key: str) -> Cooling | None:
        """Return a cooling design."""
        record = self.records("cooling").get(key)
        return entries.cooling(record) if record else None

    def rack(self, key: str) -> Rack | None:
        """Return a rack type."""
        record = self.records("rack").get(key)
        return entries.rack(record) if record else None

    def feed(self, key: str) -> Feed | None:
        """Return a power feed."""
        record = self.records("feed").get(key)
        return entries.feed(record) if record else None

    def switch(self, key: str) -> Switch | None:
        """Return a switch."""
        record = self.records("link").get(key)
        return entries.switch(record) if record else None

    def egress(self, provider: str, region: str) -> tuple[float, tuple[tuple[float, Figure], ...]]:
        """Return the free GB per month and the tiers to the internet.

        A region without its own rows takes those of the region listed for the provider, then
        estimated at best. An unknown provider has no tiers.
        """
        ours = [
            record
            for record in self.records("egress").values()
            if slug(record.vendor) == slug(provider)
            and record.text("direction").startswith("internet egress")
        ]
        exact = [record for record in ours if record.text("region") == region]
        tiers = []
        for record in sorted(exact or ours, key=lambda one: value_of(one, "tier_from_gb")):
            price = price_figure(record.price("price_usd_per_gb"))
            if price is None:
                continue
            if not exact:
                price = price.derived(price.value, price.unit, f"as in {record.text('region')}")
            tiers.append((value_of(record, "tier_to_gb", math.inf), price))
        free_gb = max((value_of(record, "free_tier_gb_per_month") for record in ours), default=0.0)
        return free_gb, tuple(tiers)

    def support(self, device: str, framework: str) -> tuple[Support, ...]:
        """Return what is known of the features of a framework on a device."""
        return tuple(
            entries.support(record)
            for record in self.records("support").values()
            if (record.text("device_key"), record.vendor) == (device, framework)
        )

    def exchange_rates(self) -> tuple[ExchangeRate, ...]:
        """Return every dated rate in US dollars; the date is that of the figure (F0.6)."""
        found = []
        for record in self.records("exchange_rate").values():
            rate = record.figures.get("usd_per_unit")
            if rate is not None:
                found.append(
                    ExchangeRate(record.text("currency"), rate.value, rate.as_of, rate.source)
                )
        return tuple(found)

    def agreed_prices(self) -> tuple[AgreedPrice, ...]:
        """Return the price book; records alone have none."""
        return ()

    def keys(self, kind: str) -> tuple[str, ...]:
        """Return all keys of `kind`; an unknown kind has none."""
        if kind in ("framework", "feature"):
            told = map(entries.support, self.records("support").values())
            return tuple(dict.fromkeys(getattr(cell, kind) for cell in told))
        if kind == "switch":
            return tuple(key for key in self.records("link") if self.switch(key) is not None)
        kind = {"offer": "cloud_offer", "model": "language_model"}.get(kind, kind)
        return tuple(self.records(kind)) if kind in all_kinds() else ()


class SeedCatalog(RecordCatalog):
    """The catalog of the seed files: for the command line and for tests.

    Parameters
    ----------
    price_book
        What was agreed with suppliers, over list prices.
    """

    def __init__(self, price_book: tuple[AgreedPrice, ...] = ()) -> None:
        self._price_book = price_book

    def agreed_prices(self) -> tuple[AgreedPrice, ...]:
        """Return the price book that was handed over."""
        return self._price_book

    def records(self, kind: str) -> Mapping[str, Record]:
        """Return the seed records of `kind` by key."""
        return _seed_by_key(kind)


@functools.cache
def _seed_by_key(kind: str) -> Mapping[str, Record]:
    return {record.key: record for record in seed_records(kind)}
