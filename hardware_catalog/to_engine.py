"""Rows of the database as inputs of the engine, by the same functions as the seed files."""

from __future__ import annotations

from collections.abc import Mapping

from django.apps import apps
from django.db.models import Model, Q

from accounts.models import Organisation
from hardware_catalog.models import CatalogEntry
from hardware_catalog.models.as_record import as_record, with_current
from hardware_catalog.seed.record import Record
from hardware_catalog.seed.to_engine import RecordCatalog
from tco.inputs import Figure, GemmPoint, MeasuredRates, Status


class DatabaseCatalog(RecordCatalog):
    """The catalog as one organisation sees it; without one, the shared entries only.

    Own entries shadow shared ones of the same key; archived ones are left out. Each kind is read
    once, with three queries, when it is first asked for.
    """

    def __init__(self, organisation: Organisation | None) -> None:
        self._organisation = organisation
        self._records: dict[str, Mapping[str, Record]] = {}
        self._measured: dict[str, MeasuredRates] | None = None

    def records(self, kind: str) -> Mapping[str, Record]:
        """Return the visible records of `kind` by key."""
        if kind not in self._records:
            visible = Q(organisation=None)
            if self._organisation is not None:
                visible |= Q(organisation=self._organisation)
            entries = CatalogEntry.objects.filter(visible, kind=kind, archived=False)
            # shared first, then own: the later one of a key stays
            ordered = sorted(with_current(entries), key=lambda entry: (not entry.shared, entry.pk))
            self._records[kind] = {entry.key: as_record(entry) for entry in ordered}
        return self._records[kind]

    def measured(self, key: str) -> MeasuredRates | None:
        """Return what trusted runs of the organisation say about a device."""
        if self._measured is None:
            self._measured = _measured_rates(self._organisation)
        return self._measured.get(key)


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
