"""Rows of the database as inputs of the engine, by the same functions as the seed files."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from django.apps import apps
from django.db.models import Count, Max, Model, Q, Sum
from django.db.models.functions import Extract

from accounts.models import Organisation
from hardware_catalog.models import Agreement, CatalogEntry
from hardware_catalog.models.as_record import as_record, with_current
from hardware_catalog.seed.record import Record
from hardware_catalog.seed.to_engine import RecordCatalog
from tco.document.price_book import AgreedPrice
from tco.inputs import Figure, GemmPoint, MeasuredRates, Status

# (organisation or None, kind) -> (state of those entries, records). Reading a kind costs tens of
# milliseconds, asking whether anything moved costs one small query.
_Known = tuple[Any, Mapping[str, Record]]
_KNOWN: OrderedDict[tuple[int | None, str], _Known] = OrderedDict()
_MOST_KNOWN = 500


class DatabaseCatalog(RecordCatalog):
    """The catalog as one organisation sees it; without one, the shared entries only.

    Own entries shadow shared ones of the same key; archived ones are left out. Records are kept
    in the process until an entry's `updated_at` moves, so whoever writes figures or prices in
    bulk must save the entry too. An instance shows one state: make a new one per request.
    """

    def __init__(self, organisation: Organisation | None) -> None:
        self._organisation = organisation
        self._records: dict[str, Mapping[str, Record]] = {}
        self._measured: dict[str, MeasuredRates] | None = None
        self._state: dict[int | None, Any] | None = None
        self._agreed: tuple[AgreedPrice, ...] | None = None

    def records(self, kind: str) -> Mapping[str, Record]:
        """Return the visible records of `kind` by key."""
        if kind not in self._records:
            found = dict(self._of(None, kind))
            if self._organisation is not None:
                found |= self._of(self._organisation.pk, kind)
            self._records[kind] = found
        return self._records[kind]

    def _of(self, owner: int | None, kind: str) -> Mapping[str, Record]:
        """Return the records of one owner, from the process if nothing has moved."""
        if self._state is None:
            self._state = _state_of_entries(self._organisation)
        state = self._state.get(owner)
        if state is None:
            return {}
        known = _KNOWN.get((owner, kind))
        if known is None or known[0] != state:
            entries = with_current(
                CatalogEntry.objects.filter(organisation=owner, kind=kind, archived=False)
            )
            known = (state, {entry.key: as_record(entry) for entry in entries.order_by("pk")})
            _KNOWN[owner, kind] = known
            while len(_KNOWN) > _MOST_KNOWN:
                _KNOWN.popitem(last=False)
        return known[1]

    def agreed_prices(self) -> tuple[AgreedPrice, ...]:
        """Return the price book of the organisation, without what was withdrawn."""
        if self._agreed is None:
            own = Agreement.objects.filter(organisation=self._organisation, withdrawn_at=None)
            self._agreed = tuple(row.agreed for row in own) if self._organisation else ()
        return self._agreed

    def measured(self, key: str) -> MeasuredRates | None:
        """Return what trusted runs of the organisation say about a device."""
        if self._measured is None:
            self._measured = _measured_rates(self._organisation)
        return self._measured.get(key)


def _state_of_entries(organisation: Organisation | None) -> dict[int | None, Any]:
    """Return, by owner, what moves whenever one of its entries is added, changed or removed."""
    visible = Q(organisation=None)
    if organisation is not None:
        visible |= Q(organisation=organisation)
    rows = (
        CatalogEntry.objects.filter(visible)
        .order_by()
        .values_list("organisation")
        .annotate(
            entries=Count("pk"),
            latest=Max("updated_at"),
            total=Sum(Extract("updated_at", "epoch")),
        )
    )
    return {owner: tuple(state) for owner, *state in rows}


def _measured_rates(organisation: Organisation | None) -> dict[str, MeasuredRates]:
    """Return the current measured rates of each device, by key: one query."""
    if organisation is None:
        return {}
    table: type[Model] = apps.get_model("hardware_catalog", "ThroughputFigure")
    gemm: dict[str, list[GemmPoint]] = {}
    rates: dict[str, dict[str, Figure]] = {}
    runs: dict[str, list[str]] = {}
    rows = (
        table._default_manager.filter(organisation=organisation, current=True)
        .filter(entry__kind="device", metric__in=["gemm", "membw", "launch"])
        .order_by("metric", "dtype", "m", "n", "k", "pk")
        .values(
            "entry__key",
            "metric",
            "dtype",
            "m",
            "n",
            "k",
            "value",
            "low",
            "high",
            "unit",
            "runs",
            "measured_at",
            "method_version",
        )
    )
    for row in rows:
        key = row["entry__key"]
        found = Figure(
            value=row["value"],
            unit=row["unit"],
            status=Status.MEASURED,
            source=_runs_in_words(row["runs"]),
            as_of=row["measured_at"].date().isoformat(),
            low=row["low"],
            high=row["high"],
            evidence=f"method {row['method_version']}",
        )
        runs.setdefault(key, []).extend(str(run) for run in row["runs"])
        if row["metric"] == "gemm":
            gemm.setdefault(key, []).append(
                GemmPoint(row["dtype"], row["m"], row["n"], row["k"], found)
            )
        else:
            rates.setdefault(key, {})[row["metric"]] = found
    return {
        key: MeasuredRates(
            gemm=tuple(gemm.get(key, ())),
            memory_bandwidth_gb_s=rates.get(key, {}).get("membw"),
            launch_us=rates.get(key, {}).get("launch"),
            run_ids=tuple(dict.fromkeys(runs[key])),
        )
        for key in runs
    }


def _runs_in_words(runs: list[str]) -> str:
    shown = ", ".join(str(run) for run in runs[:3])
    more = f" and {len(runs) - 3} more" if len(runs) > 3 else ""
    return f"benchmark run{'s' if len(runs) != 1 else ''} {shown}{more}"
