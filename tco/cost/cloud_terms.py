"""Lines beside the instances: interruptions, storage, set-up, debugging (F13.3, F13.5, F13.6)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tco.cost.case import FleetCase, computed
from tco.cost.cloud import hourly_rate, paid_hours, rate_path, rental_of
from tco.cost.columns import mean, once
from tco.cost.finance import FloatArray
from tco.cost.spot import spot_run
from tco.inputs import Figure, Status
from tco.results import LedgerLine, Term


def spot_stretch(case: FleetCase) -> FloatArray | None:
    """T / T_useful of each month, at least 1; None without interruptions (F13.3, F10.4).

    A training run stops when any of its instances is taken: M is that of one over their number.
    Serving loses the instance alone until another one works: 1 + R / M.
    """
    spot = rental_of(case).spot
    if spot is None:
        return None
    each = spot.between_interruptions_hours
    if case.fleet.workload.kind != "training":
        return np.full(case.months, 1.0 + spot.restart_hours / each)
    stretch = np.ones(case.months)
    for count in np.unique(case.servers[case.servers > 0]):
        run = spot_run(
            1.0,
            1.0,
            between_interruptions_hours=each / float(count),
            checkpoint_hours=spot.checkpoint_hours,
            restart_hours=spot.restart_hours,
            interval_hours=spot.interval_hours,
        )
        stretch[case.servers == count] = run.goodput.factor
    return stretch


def spot_overhead(case: FleetCase) -> LedgerLine | None:
    """Hours paid beyond the useful ones, at the spot rate: hours x (T/T_useful - 1) (F13.3)."""
    stretch, rate, spot = spot_stretch(case), hourly_rate(case), rental_of(case).spot
    if stretch is None or rate is None or spot is None:
        return None  # without a rate the line of the instances says so
    hours = paid_hours(case).used * (stretch - 1.0)
    return case.line(
        "spot_overhead",
        "Interruptions: hours done again",
        "cloud",
        end=hours * rate_path(case, rate),
        formula="instance-hours x (T / T_useful - 1) x USD/hour",
        reference="F13.3, F10.4",
        terms=(
            computed(
                "extra instance-hours",
                mean(np.sum(hours, axis=-1)),
                "h",
                case.result.status,
                "checkpoints, restarts, work lost (Daly 2006)",
            ),
            computed(
                "T / T_useful, at most",
                float(np.max(stretch, initial=1.0)),
                "ratio",
                Status.ASSUMED,
                "rental.spot",
            ),
            Term.of("hourly rate", rate),
        ),
    )


def storage(case: FleetCase) -> LedgerLine | None:
    """GB of each class x rate, from go-live on (F13.5)."""
    classes = rental_of(case).storage
    parts = [(item.name, item.gb, item.usd_per_gb_month) for item in classes]
    return _monthly(case, "storage", "Storage", "GB x USD/GB-month, each class", parts)


def storage_requests(case: FleetCase) -> LedgerLine | None:
    """Requests to stored data (F13.5)."""
    parts = [
        (item.name, item.requests_per_month, item.usd_per_1000_requests)
        for item in rental_of(case).storage
    ]
    formula = "requests / 1,000 x USD, each class"
    return _monthly(case, "storage_requests", "Storage, requests", formula, parts, 1000.0)


def storage_retrieval(case: FleetCase) -> LedgerLine | None:
    """GB read back (F13.5)."""
    parts = [
        (item.name, item.retrieved_gb_per_month, item.usd_per_gb_retrieved)
        for item in rental_of(case).storage
    ]
    return _monthly(case, "storage_retrieval", "Storage, retrieval", "GB x USD/GB", parts)


def setup(case: FleetCase) -> LedgerLine | None:
    """Once at go-live (F13.6)."""
    figure = rental_of(case).setup_usd
    if figure is None or not case.months:
        return None
    first = min(case.fleet.start_month, case.months - 1)
    return case.line(
        "cloud_setup",
        "Cloud set-up",
        "people",
        start=once(case.months, first, case.amount(figure)),
        formula="once, at go-live",
        reference="F13.6",
        terms=(Term.of("set-up", figure),),
    )


def debugging(case: FleetCase) -> LedgerLine | None:
    """People and tools each month, escalated (F13.6)."""
    figure = rental_of(case).debugging_usd_per_month
    if figure is None:
        return None
    rate = case.calendar.finance.opex_escalation_fraction
    terms = [Term.of("debugging a month", figure)]
    if rate is not None:
        terms.append(Term.of("escalation of running costs", rate))
    factor = case.calendar.escalation(figure, rate)
    return case.line(
        "cloud_debugging",
        "Cloud debugging",
        "people",
        end=_live(case) * case.amount(figure) * factor,
        formula="USD a month x escalation",
        reference="F13.6",
        terms=terms,
    )


def _live(case: FleetCase) -> FloatArray:
    return np.where(np.arange(case.months) >= case.fleet.start_month, 1.0, 0.0)


def _monthly(
    case: FleetCase,
    key: str,
    label: str,
    formula: str,
    parts: Sequence[tuple[str, Figure | None, Figure | None]],
    per: float = 1.0,
) -> LedgerLine | None:
    """Quantity x price of every class that has both, in one line."""
    given = [(name, size, price) for name, size, price in parts if size and price]
    if not given:
        return None
    total: FloatArray = np.zeros(case.months)
    terms = []
    for name, size, price in given:
        assert size is not None
        assert price is not None
        total = total + _live(case) * size.value / per * case.amount(price)
        terms += [Term.of(f"{name}, quantity", size), Term.of(f"{name}, price", price)]
    return case.line(
        key, label, "cloud", end=total, formula=formula, reference="F13.5", terms=terms
    )
