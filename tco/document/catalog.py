"""What the resolver asks of a catalog: the seed files and the database both answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from tco.inputs import (
    CloudOffer,
    Cooling,
    Device,
    ExchangeRate,
    Feed,
    Figure,
    LanguageModel,
    Rack,
    Region,
    Server,
    Support,
    Switch,
)

if TYPE_CHECKING:
    from tco.document.price_book import AgreedPrice

KINDS = ("device", "server", "offer", "model", "region", "cooling", "rack", "feed", "switch")


class Catalog(Protocol):
    """Names to figures. None means: not in the catalog."""

    def device(self, key: str) -> Device | None:
        """Return the device with its measured rates, if trusted runs exist."""
        ...

    def server(self, key: str, device_key: str | None = None) -> Server | None:
        """Return the server; `device_key` chooses where it takes several.

        None: no such server, it does not take that device, or it takes several and none is chosen.
        """
        ...

    def offer(self, key: str) -> CloudOffer | None:
        """Return an instance type in a region."""
        ...

    def model(self, key: str) -> LanguageModel | None:
        """Return a language model's shape."""
        ...

    def region(self, key: str) -> Region | None:
        """Return a region."""
        ...

    def cooling(self, key: str) -> Cooling | None:
        """Return a cooling design."""
        ...

    def rack(self, key: str) -> Rack | None:
        """Return a rack type."""
        ...

    def feed(self, key: str) -> Feed | None:
        """Return a power feed, with one feed and no redundancy: the site sets those."""
        ...

    def switch(self, key: str) -> Switch | None:
        """Return a switch with its ports as the maker counts them."""
        ...

    def egress(self, provider: str, region: str) -> tuple[float, tuple[tuple[float, Figure], ...]]:
        """Return the free GB per month and the tiers (upper bound in GB, USD/GB)."""
        ...

    def support(self, device: str, framework: str) -> tuple[Support, ...]:
        """Return what is known of the features of a framework on a device."""
        ...

    def exchange_rates(self) -> tuple[ExchangeRate, ...]:
        """Return the dated rates of every currency the catalog has, in US dollars (F0.6)."""
        ...

    def agreed_prices(self) -> tuple[AgreedPrice, ...]:
        """Return the price book: what was agreed with suppliers, over list prices."""
        ...

    def keys(self, kind: str) -> tuple[str, ...]:
        """All keys of `kind`, for messages that suggest the nearest.

        `kind` is one of `KINDS`, or ``framework`` or ``feature`` for the names of the support
        matrix; another kind has no keys.
        """
        ...
