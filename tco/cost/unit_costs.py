"""Cost per token, per request, per owned device-hour, per training run (F19, F12.4).

Base: fully loaded (every line) or marginal (`VARIABLE_LINES`), own or cloud: each says which.
Denominator: served within the targets only. Under growth both are levelised: PV(cost) / PV(units),
which for level months is monthly cost / monthly units.
"""

from __future__ import annotations

import math

import numpy as np

from tco.cost.case import FleetCase, computed, status_of
from tco.cost.demand import Served, served
from tco.cost.energy_per_token import energy_per_token
from tco.cost.finance import FloatArray, end_factors
from tco.cost.ledger import VARIABLE_LINES, Book, Chosen, OptionCase
from tco.cost.ranges import Range
from tco.inputs import Figure, Status
from tco.results import Explained, LedgerLine, Term
from tco.units import MONTHS_PER_YEAR, TOKENS_PER_MTOK


def unit_costs(case: OptionCase, book: Book, bounds: Range | None, reason: str) -> list[Explained]:
    """Unit costs of an option; value None with the reason where one has no meaning."""
    serving = [(c, s) for c in _counted(case) if (s := served(c)) is not None]
    training = [c for c in case.fleets if c.fleet.workload.kind == "training"]
    trained = {c.fleet.key for c in training}
    owned = {c.fleet.owned for c in case.fleets}
    whose = "own and cloud" if len(owned) != 1 else "own" if True in owned else "cloud"
    model = _Levelised(book, bounds, reason, f"fully loaded, {whose}")

    def of_serving(line: LedgerLine) -> bool:
        return line.fleet not in trained

    tokens = [(c, s) for c, s in serving if c.fleet.workload.kind == "serving"]
    other = [c.fleet.workload.name for c, _ in serving if c.fleet.workload.kind != "serving"]
    no_tokens = "" if tokens else "no workload is counted in tokens"
    if tokens and other:
        no_tokens = f"{', '.join(dict.fromkeys(other))}: not counted in tokens"
    output_mtok = (
        _sum([s.within_targets * c.fleet.workload.output_tokens.value for c, s in tokens])
        / TOKENS_PER_MTOK
    )
    found = [
        model.per(
            "usd_per_mtok_output",
            "Cost of a million output tokens",
            "USD/Mtok",
            of_serving,
            output_mtok,
            "output tokens served, PV",
            "Mtok",
            [t for c, s in tokens for t in (*s.terms, _tokens(c, "output"))],
            "F19.1",
            _statuses(tokens),
            no_tokens or _unserved(tokens),
        ),
        model.per(
            "usd_per_mtok_output_marginal",
            "Marginal cost of a million output tokens",
            "USD/Mtok",
            lambda line: of_serving(line) and line.key in VARIABLE_LINES,
            output_mtok,
            "output tokens served, PV",
            "Mtok",
            [t for c, s in tokens for t in (*s.terms, _tokens(c, "output"))],
            "F19.6",
            _statuses(tokens),
            no_tokens or _unserved(tokens),
            f"{whose}, marginal: only what stops with the load",
        ),
        model.per(
            "usd_per_mtok_total",
            "Cost of a million tokens, input and output",
            "USD/Mtok",
            of_serving,
            _sum(
                [
                    s.within_targets
                    * (c.fleet.workload.input_tokens.value + c.fleet.workload.output_tokens.value)
                    for c, s in tokens
                ]
            )
            / TOKENS_PER_MTOK,
            "tokens served, PV",
            "Mtok",
            [t for c, s in tokens for t in (*s.terms, _tokens(c, "input"), _tokens(c, "output"))],
            "F19.1",
            _statuses(tokens),
            no_tokens or _unserved(tokens),
        ),
        model.per(
            "usd_per_1000_requests",
            "Cost of 1,000 requests",
            "USD",
            of_serving,
            _sum([s.within_targets for _, s in serving]) / 1000.0,
            "thousand requests served, PV",
            "thousand",
            [t for _, s in serving for t in s.terms],
            "F19.5",
            _statuses(serving),
            _unserved(serving) if serving else "no workload has requests",
        ),
        _device_hour(case, model),
        *energy_per_token(tokens, case.fleets, no_tokens or _unserved(tokens)),
    ]
    accepted = _accepted(serving, found[3])
    if accepted is not None:
        found.append(accepted)
    if training:
        found.append(_training_run(training, model))
    return found


class _Levelised:
    """PV(cost of the chosen lines) / PV(units), with its range."""

    def __init__(self, book: Book, bounds: Range | None, reason: str, base: str) -> None:
        self.book, self.bounds, self.reason, self.base = book, bounds, reason, base
        ledger = book.ledger
        self.discount = end_factors(ledger.monthly_rate_fraction, ledger.months)

    def per(
        self,
        key: str,
        label: str,
        unit: str,
        chosen: Chosen,
        units: FloatArray,
        units_name: str,
        units_unit: str,
        terms: list[Term],
        reference: str,
        statuses: list[Status],
        why_not: str = "",
        base: str = "",
    ) -> Explained:
        pv_units = math.fsum((units * self.discount).tolist()) if units.size else 0.0
        lines = [line for line in self.book.ledger.lines if chosen(line)]
        status = status_of([*(line.status for line in lines), *statuses])
        reason = self.reason or why_not or ("" if pv_units > 0 else "nothing is served")
        usd = self.book.present_usd(chosen)
        ends: tuple[float, ...] = ()
        if not reason and self.bounds is not None:
            ends = (
                usd,
                self.bounds.low.present_usd(chosen),
                self.bounds.high.present_usd(chosen),
            )
        return Explained(
            key=key,
            label=label,
            value=None if reason else usd / pv_units,
            unit=unit,
            status=status,
            formula=f"PV of the cost ({base or self.base}) / {units_name} (within the targets),"
            " both at month ends",
            terms=(
                computed("PV of the cost", usd, "USD", status, "ledger"),
                computed(units_name, pv_units, units_unit, status, "hourly load x hours"),
                *terms,
            ),
            low=min(ends) / pv_units if ends else None,
            high=max(ends) / pv_units if ends else None,
            reason=reason,
            reference=reference,
        )


def _counted(case: OptionCase) -> list[FleetCase]:
    """Fleets whose requests are counted: of a pipeline one, since all serve the same requests."""
    found: dict[str, FleetCase] = {}
    for c in case.fleets:
        load = c.fleet.workload
        found.setdefault(load.key if load.kind == "pipeline" else f"fleet {c.fleet.key}", c)
    return list(found.values())


def _accepted(serving: list[tuple[FleetCase, Served]], each: Explained) -> Explained | None:
    """Cost per accepted answer = cost per answer / share accepted (P19.2).

    None where no model has a quality figure. With several workloads the shares are weighed by the
    answers served; the interval of the share widens that of the cost.
    """
    known = [(c, s, f) for c, s in serving if (f := _accepted_figure(c)) is not None]
    if not known:
        return None
    weights = [float(np.sum(s.within_targets)) for _, s, _ in known]
    total = math.fsum(weights)
    reason = each.reason
    missing = [c.fleet.workload.name for c, _ in serving if _accepted_figure(c) is None]
    if missing:
        reason = f"{', '.join(dict.fromkeys(missing))}: no quality figure"

    def mean(values: list[float]) -> float:
        if total <= 0:
            return values[0]
        return math.fsum(w * v for w, v in zip(weights, values, strict=True)) / total

    share = mean([f.value for _, _, f in known])
    low = mean([f.value if f.low is None else f.low for _, _, f in known])
    high = mean([f.value if f.high is None else f.high for _, _, f in known])
    if not reason and share <= 0:
        reason = "no answer is accepted"
    status = status_of([each.status, *(f.status for _, _, f in known)])
    per = None if reason or each.value is None else each.value / 1000.0
    return Explained(
        key="usd_per_1000_accepted",
        label="Cost of 1,000 accepted answers",
        value=None if per is None else 1000.0 * per / share,
        unit="USD",
        status=status,
        formula="cost of 1,000 requests / share of answers accepted",
        terms=(
            computed("cost of 1,000 requests", each.value or 0.0, "USD", each.status, "F19.5"),
            *(Term.of(f"{c.fleet.workload.name}: accepted", f) for c, _, f in known),
        ),
        low=None if per is None or high <= 0 else 1000.0 * _end(each.low, each.value) / high,
        high=None if per is None or low <= 0 else 1000.0 * _end(each.high, each.value) / low,
        reason=reason,
        reference="P19.2",
    )


def _end(bound: float | None, middle: float | None) -> float:
    """A bound of the cost of one request; the middle where it has none."""
    return ((bound if bound is not None else middle) or 0.0) / 1000.0


def _accepted_figure(case: FleetCase) -> Figure | None:
    load = case.fleet.workload
    for figure in load.model.quality if load.model is not None else ():
        if figure.weight_dtype == load.weight_dtype and (
            not load.quality_measure or figure.measure == load.quality_measure
        ):
            return figure.accepted_fraction
    return None


def _device_hour(case: OptionCase, model: _Levelised) -> Explained:
    own = [c for c in case.fleets if c.fleet.owned]
    keys = {c.fleet.key for c in own}
    hours = _sum([c.servers * c.devices_per_server * c.calendar.hours for c in own])
    shared = all(c.fleet.owned for c in case.fleets)
    return model.per(
        "usd_per_device_hour",
        "Cost of an owned device-hour",
        "USD/h",
        lambda line: line.fleet in keys or (shared and line.fleet == ""),
        hours,
        "owned device-hours, used or not, PV",
        "h",
        [
            computed(
                f"devices of {c.fleet.name}, last month",
                float(c.servers[-1]) * c.devices_per_server if c.months else 0.0,
                "devices",
                c.result.status,
                "sizing (P8)",
            )
            for c in own
        ],
        "F12.4, F19",
        [c.result.status for c in own],
        "" if own else "no device is owned",
    )


def _training_run(training: list[FleetCase], model: _Levelised) -> Explained:
    keys = {c.fleet.key for c in training}
    runs, terms = [], []
    for c in training:
        plan = c.fleet.workload.training
        if plan is None:
            continue
        months = (np.arange(c.months) >= c.fleet.start_month) * (c.servers > 0)
        runs.append(months * plan.runs_per_year / MONTHS_PER_YEAR * c.fleet.share_fraction)
        terms.append(
            computed("runs a year", plan.runs_per_year, "runs", Status.ASSUMED, "workload")
        )
    late = [c.fleet.name for c in training if not c.result.feasible]
    return model.per(
        "usd_per_training_run",
        "Cost of a training run",
        "USD",
        lambda line: line.fleet in keys,
        _sum(runs),
        "runs, PV",
        "runs",
        terms,
        "F19.3",
        [c.result.status for c in training],
        f"{', '.join(late)} cannot finish its runs" if late else "",
    )


def _tokens(case: FleetCase, which: str) -> Term:
    load = case.fleet.workload
    figure = load.output_tokens if which == "output" else load.input_tokens
    return Term.of(f"{load.name}: {which} tokens a request", figure)


def _statuses(pairs: list[tuple[FleetCase, Served]]) -> list[Status]:
    return [s.status for _, s in pairs]


def _unserved(pairs: list[tuple[FleetCase, Served]]) -> str:
    if any(float(np.sum(s.within_targets)) > 0.0 for _, s in pairs):
        return ""
    names = ", ".join(c.fleet.name for c, _ in pairs)
    return f"{names}: no request is served within its targets"


def _sum(columns: list[FloatArray]) -> FloatArray:
    if not columns:
        return np.zeros(0)
    total: FloatArray = np.sum(np.array(columns), axis=0)
    return total
