"""Names of catalog entries for the builder: people see names, documents hold keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q

from accounts.models import Organisation
from hardware_catalog.models import CatalogEntry

# Kind in a document: kind in the catalog.
CATALOG_KINDS = {
    "model": "language_model",
    "region": "region",
    "server": "server",
    "device": "device",
    "offer": "cloud_offer",
    "cooling": "cooling",
    "rack": "rack",
    "feed": "feed",
}
LOCAL_LISTS = {
    "model": "models",
    "region": "regions",
    "server": "servers",
    "device": "devices",
    "offer": "offers",
    "cooling": "cooling",
    "rack": "racks",
    "feed": "feeds",
}


@dataclass(slots=True)
class Choices:
    """Keys and names of every kind, for one organisation and one document."""

    labels: dict[str, dict[str, str]] = field(default_factory=dict)  # kind: key: name
    keys: dict[str, dict[str, str]] = field(default_factory=dict)  # kind: folded name: key

    def add(self, kind: str, pairs: list[tuple[str, str]]) -> None:
        """Add (key, name) pairs; a name that stands for two keys gets the key added."""
        labels = self.labels.setdefault(kind, {})
        labels.update(pairs)
        twice = {name for name, count in Counter(labels.values()).items() if count > 1}
        for key, name in labels.items():
            if name in twice:
                labels[key] = f"{name} ({key})"
        self.keys[kind] = {name.casefold(): key for key, name in labels.items()}

    def label(self, kind: str, key: str) -> str:
        """Return the name of a key; an unknown key stays as it is, so that it can be mended."""
        return self.labels.get(kind, {}).get(key, key)

    def key(self, kind: str, label: str) -> str:
        """Return the key of a name; what is no name stays as it is."""
        return self.keys.get(kind, {}).get(label.strip().casefold(), label)

    def names(self, kind: str) -> list[str]:
        """Return the names of a kind in alphabetical order."""
        return sorted(self.labels.get(kind, {}).values(), key=str.casefold)


def _name(entry: Mapping[str, Any]) -> str:
    """Name for people: vendor first, so that typing either finds it."""
    name, vendor = str(entry["name"]), str(entry["vendor"])
    if entry["kind"] == "region":  # a state or a zone names its country, a country is enough
        return f"{name}, {vendor}" if "-" in str(entry["key"]) and vendor else name
    if not vendor or entry["kind"] == "language_model" or vendor.casefold() in name.casefold():
        return name
    return f"{vendor} {name}"


def catalog_choices(*, organisation: Organisation | None, document: dict[str, Any]) -> Choices:
    """Return the choices of the shared catalog, the organisation's own and the document's own."""
    wanted = {name: kind for kind, name in CATALOG_KINDS.items()}
    owner = Q(organisation__isnull=True)
    if organisation is not None:
        owner |= Q(organisation=organisation)
    entries = (
        CatalogEntry.objects.filter(owner, kind__in=wanted, archived=False)
        .order_by("kind", "organisation_id")
        .values("kind", "key", "name", "vendor")
    )
    found: dict[str, list[tuple[str, str]]] = {}
    for entry in entries:
        found.setdefault(wanted[entry["kind"]], []).append((entry["key"], _name(entry)))
    own = document.get("catalog")
    for kind, name in LOCAL_LISTS.items():
        items = own.get(name) if isinstance(own, dict) else None
        for item in items if isinstance(items, list) else []:
            if isinstance(item, dict) and isinstance(item.get("key"), str):
                title = str(item.get("name") or item["key"])
                found.setdefault(kind, []).append((item["key"], f"{title} (this scenario)"))
    choices = Choices()
    for kind, pairs in found.items():
        choices.add(kind, pairs)
    return choices
