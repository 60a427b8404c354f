"""Names of the catalog in a document: every one that the catalog does not have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tco.document.catalog import KINDS, Catalog
from tco.document.local_catalog import unknown
from tco.document.parse import path_to
from tco.document.rules import members
from tco.errors import InputError
from tco.fields import section

_OWN = {"cooling": "cooling"}  # every other list of own entries is the kind with an s


def unknown_names(document: Mapping[str, Any], catalog: Catalog) -> Iterator[InputError]:
    """Yield an error for each name neither the catalog nor the document has, whatever its shape."""
    own = document.get("catalog")
    local = {
        kind: {
            item["key"]
            for _, item in members(own, _OWN.get(kind, f"{kind}s"))
            if isinstance(item.get("key"), str)
        }
        for kind in KINDS
    }
    yield from _walk("scenario", document, "", local, catalog)


def _walk(
    name: str, given: Any, path: str, local: Mapping[str, set[Any]], catalog: Catalog
) -> Iterator[InputError]:
    if not isinstance(given, Mapping):
        return
    for field in section(name).values():
        value = given.get(field.name)
        place = path_to(path, field.name)
        if field.kind == "one":
            yield from _walk(field.of, value, place, local, catalog)
        elif field.kind == "many":
            for inner, item in members(given, field.name, path):
                yield from _walk(field.of, item, inner, local, catalog)
        elif (
            field.kind == "ref"
            and isinstance(value, str)
            and value.strip()
            and value not in local[field.of]
            and not _known(catalog, field.of, value)
        ):
            yield unknown(place, field.of, value, catalog)


def _known(catalog: Catalog, kind: str, key: str) -> bool:
    if key in catalog.keys(kind):
        return True
    find: dict[str, Any] = {
        "device": catalog.device,
        "server": catalog.server,
        "offer": catalog.offer,
        "model": catalog.model,
        "region": catalog.region,
        "cooling": catalog.cooling,
        "rack": catalog.rack,
        "feed": catalog.feed,
        "switch": catalog.switch,
    }
    return find[kind](key) is not None
