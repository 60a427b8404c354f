"""What is made from the whole catalog, kept in memory while nothing in the catalog changes.

Names for the builder and answers of the front page cost tens of milliseconds; asking the tables
for their stamp costs two. What is kept is thrown away as soon as the stamp differs.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from django.apps import apps
from django.db import connection
from django.db.models import Model

from hardware_catalog.models import Agreement, CatalogEntry, Figure, Price

if TYPE_CHECKING:
    from accounts.models import Organisation

KEPT = 16  # organisations
_lock = threading.Lock()
_kept: OrderedDict[tuple[str, int], tuple[Any, Any]] = OrderedDict()


def catalog_stamp() -> tuple[Any, ...]:
    """Return a value that differs whenever a row of the catalog or a measured rate does."""
    throughput = apps.get_model("hardware_catalog", "ThroughputFigure")
    tables: list[type[Model]] = [Agreement, CatalogEntry, Figure, Price, throughput]
    # A row's place (ctid) and the transaction that wrote it (xmin) change with every update, so
    # any insert, update or delete moves the count or the sum.
    written = "hashtext(ctid::text || ' ' || xmin::text)::bigint"
    parts = ", ".join(
        f"(select count(*) || ':' || coalesce(sum({written}), 0) from {model._meta.db_table})"
        for model in tables
    )
    with connection.cursor() as cursor:
        cursor.execute(f"select {parts}")
        row = cursor.fetchone()
    return tuple(row) if row else ()


def kept(kind: str, organisation: Organisation | None, stamp: Any, make: Any) -> Any:
    """Return what was made for this organisation and stamp, or make it now."""
    key = (kind, organisation.pk if organisation else 0)
    with _lock:
        found = _kept.get(key)
        if found is not None and found[0] == stamp:
            _kept.move_to_end(key)
            return found[1]
    made = make()
    with _lock:
        _kept[key] = (stamp, made)
        _kept.move_to_end(key)
        while len(_kept) > KEPT * 2:
            _kept.popitem(last=False)
    return made
