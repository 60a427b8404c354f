"""Prices of the machines of one document: its own, the price book's, then the catalog's."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from tco.document.catalog import Catalog
from tco.document.financing import purchase as purchase_of
from tco.document.parse import path_to
from tco.document.price_book import agreed_price
from tco.document.renting import rental as rental_of
from tco.errors import InputError
from tco.inputs import Agreed, CloudOffer, Figure, Purchase, Rental, Server


class Booking:
    """What a document's machines cost on its valuation date.

    Attributes
    ----------
    taken
        Prices out of the book, each with the place it is for: their currencies need rates.
    """

    def __init__(
        self,
        document: Mapping[str, Any],
        catalog: Catalog,
        refuse: Callable[[InputError], None],
    ) -> None:
        self._day = document["finance"]["valuation_date"]
        self._catalog = catalog
        self._book = catalog.agreed_prices()
        self._refuse = refuse
        self.taken: list[tuple[str, Figure]] = []

    def bought(
        self, path: str, given: Mapping[str, Any], server: Server
    ) -> tuple[Purchase, Agreed | None]:
        """Return the terms of a fleet of owned servers."""
        terms = purchase_of(given.get("purchase", {}))
        agreed = None
        if terms.server_usd is None:
            own = not terms.discount_fraction.is_zero
            price, agreed = self._agreed(
                path, "server", given["server"], server.device.key, server.price_usd, own
            )
            terms = dataclasses.replace(terms, server_usd=price or server.price_usd)
        if terms.embodied_kgco2e_per_server is None:
            terms = dataclasses.replace(terms, embodied_kgco2e_per_server=_embodied_kg(server))
        return terms, agreed

    def rented(
        self, path: str, given: Mapping[str, Any], offer: CloudOffer
    ) -> tuple[Rental, Agreed | None]:
        """Return the terms of a fleet of rented instances."""
        rental = rental_of(given.get("rental", {}))
        agreed = None
        if rental.usd_per_hour is None:
            price, agreed = self._agreed(
                path, "offer", given["offer"], rental.commitment, offer.rate(rental.commitment)
            )
            rental = dataclasses.replace(rental, usd_per_hour=price)
        if rental.egress_gb_per_month is not None:
            free, tiers = self._catalog.egress(offer.provider, offer.region)
            rental = dataclasses.replace(rental, egress_tiers=tiers, egress_free_gb_per_month=free)
        return rental, agreed

    def _agreed(
        self,
        path: str,
        kind: str,
        key: str,
        detail: str,
        listed: Figure | None,
        own_terms: bool = False,
    ) -> tuple[Figure | None, Agreed | None]:
        place = path_to(path, kind)
        try:
            price, agreed = agreed_price(
                self._book,
                kind=kind,
                key=key,
                detail=detail,
                listed=listed,
                day=self._day,
                own_terms=own_terms,
            )
        except InputError as error:
            self._refuse(InputError(place, error.message, error.mend))
            return None, None
        if price is not None:
            self.taken.append((place, price))
        return price, agreed


def _embodied_kg(server: Server) -> Figure | None:
    """The server's own, else that of its devices alone, which says so (F18.2)."""
    each = server.device.embodied_kgco2e
    if server.embodied_kgco2e is not None or each is None:
        return server.embodied_kgco2e
    note = f"{server.device_count} x {server.device.name}, without the rest of the server"
    return each.derived(server.device_count * each.value, "kgCO2e/server", note)
