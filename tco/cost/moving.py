"""Lines of moving to another stack and of leaving it again (F9.1), each with its own terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tco.cost.case import FleetCase, computed, life_months, status_of
from tco.cost.columns import mean, once, summed
from tco.cost.finance import FloatArray
from tco.cost.porting import engineering_usd
from tco.cost.porting_months import porting_months
from tco.inputs import Exit, Migration, Status
from tco.results import LedgerLine, Term

PORTING = "engineer-months x factor x loaded rate"
TRAINING = "people x USD a person"
VALIDATION = "tests given + models x accuracy tests x USD a test + numeric drift tests"
# Keys of what a move costs; that of leaving is not one of them.
MOVING_LINES = frozenset(
    {
        *("migration", "migration_training", "migration_validation", "migration_contingency"),
        *("migration_delay", "migration_dual_running"),
    }
)


@dataclass(frozen=True, slots=True)
class Part:
    """One amount of a move in USD, plain or drawn; `missing` says why there is none."""

    usd: Any
    terms: tuple[Term, ...]
    missing: str = ""


def porting(case: FleetCase, move: Migration, *, by_matrix: bool = True) -> Part:
    """Engineering: engineer-months x factor x loaded rate."""
    months = porting_months(case.fleet, move, by_matrix=by_matrix)
    terms = (
        *months.terms,
        Term.of("factor", move.factor),
        Term.of("loaded rate", move.usd_per_engineer_month),
    )
    rate = case.amount(move.usd_per_engineer_month)
    usd = engineering_usd(months.value, move.factor.value, rate)
    return Part(usd, terms, months.missing)


def training(case: FleetCase, move: Migration) -> Part | None:
    """People trained on the other stack; None where nobody is."""
    people, rate = move.people_trained, move.usd_per_person_trained
    if people is None and rate is None:
        return None
    if people is None or rate is None:
        if people is not None:
            missing = "what training a person costs is not given"
            return Part(0.0, (Term.of("people", people),), missing)
        missing = "the number of people who are trained is not given"
        return Part(0.0, () if rate is None else (Term.of("training", rate),), missing)
    terms = (Term.of("people", people), Term.of("training of a person", rate))
    return Part(people.value * case.amount(rate), terms)


def validation(case: FleetCase, move: Migration) -> Part | None:
    """Tests that answers stay the same: lump sum, accuracy tests per model, numeric drift."""
    tests, rate = move.accuracy_tests_per_model, move.usd_per_accuracy_test
    lumps = [
        (name, figure)
        for name, figure in (
            ("validation", move.validation_usd),
            ("numeric drift tests", move.numeric_drift_usd),
        )
        if figure is not None
    ]
    if tests is None and rate is None and not lumps:
        return None
    usd: Any = sum(case.amount(figure) for _, figure in lumps)
    terms = [Term.of(name, figure) for name, figure in lumps]
    if tests is not None:
        terms += [_models(move), Term.of("accuracy tests a model", tests)]
    if rate is not None:
        terms.append(Term.of("accuracy test", rate))
    if (tests is None) != (rate is None):
        what = "what an accuracy test costs" if rate is None else "the number of accuracy tests"
        return Part(0.0, tuple(terms), f"{what} is not given")
    if tests is not None and rate is not None:
        usd = usd + move.models * tests.value * case.amount(rate)
    return Part(usd, tuple(terms))


def contingency(move: Migration, parts: Sequence[Part]) -> Part | None:
    """A share of the work: porting, training of people and validation."""
    share = move.contingency_fraction
    if share is None or share.is_zero:
        return None
    usd = sum(part.usd for part in parts)
    missing = next((part.missing for part in parts if part.missing), "")
    status = status_of(term.status for part in parts for term in part.terms)
    base = computed("work", 0.0 if missing else usd, "USD", status, "porting, training, validation")
    return Part(usd * share.value, (base, Term.of("contingency", share)), missing)


def migration(case: FleetCase) -> LedgerLine | None:
    """Porting, paid at go-live (F9.1)."""
    move = case.fleet.migration
    part = porting(case, move) if move else None
    return _paid(case, "migration", "Migration: porting", part, PORTING)


def migration_training(case: FleetCase) -> LedgerLine | None:
    """People who learn the other stack, paid at go-live (F9.1)."""
    move = case.fleet.migration
    part = training(case, move) if move else None
    return _paid(case, "migration_training", "Migration: training of people", part, TRAINING)


def migration_validation(case: FleetCase) -> LedgerLine | None:
    """Tests that answers stay the same, paid at go-live (F9.1)."""
    move = case.fleet.migration
    part = validation(case, move) if move else None
    return _paid(case, "migration_validation", "Migration: validation", part, VALIDATION)


def migration_contingency(case: FleetCase) -> LedgerLine | None:
    """A reserve on the work of moving, paid at go-live (F9.1)."""
    move = case.fleet.migration
    if move is None:
        return None
    part = contingency(move, _work(case, move))
    formula = "contingency x (porting + training + validation)"
    return _paid(case, "migration_contingency", "Migration: contingency", part, formula)


def migration_delay(case: FleetCase) -> LedgerLine | None:
    """Benefit lost while the migration is late: months x benefit (F9.1)."""
    move = case.fleet.migration
    if move is None or move.delay_months is None or move.delay_months.is_zero:
        return None
    benefit = move.benefit_usd_per_month
    terms = [Term.of("delay", move.delay_months)]
    end = None
    if benefit is not None:
        end = spread_months(case, move.delay_months.value) * case.amount(benefit)
        terms.append(Term.of("benefit lost", benefit))
    return case.line(
        "migration_delay",
        "Migration: delay",
        "people",
        end=end,
        formula="delay months x benefit lost a month",
        reference="F9.1",
        terms=terms,
        missing="" if benefit is not None else "the benefit lost a month is not given",
    )


def migration_dual_running(case: FleetCase, running: Sequence[LedgerLine]) -> LedgerLine | None:
    """Old and new side by side: dual-running months x run rate of the old fleet (F9.1).

    Where the old fleet's run rate is not given, this fleet's own in its first month of service
    stands for it, and the term says so.
    """
    move = case.fleet.migration
    months = move.dual_running_months if move else None
    if move is None or months is None or months.is_zero or not case.months:
        return None
    first = min(case.fleet.start_month, case.months - 1)
    rate, term = _run_rate(case, move, running, first)
    return case.line(
        "migration_dual_running",
        "Migration: dual running",
        "people",
        end=spread_months(case, months.value) * rate,
        formula="dual-running months x run rate of the old fleet",
        reference="F9.1",
        terms=(Term.of("dual running", months), term),
    )


def exit_cost(case: FleetCase, running: Sequence[LedgerLine]) -> LedgerLine | None:
    """Leaving at the end of life, or at the horizon if that is first: what it costs x its chance.

    The same formula as the move here (F9.1); dual running by the run rate of the last month where
    that of the old fleet, here the one that is left, is not given.
    """
    given = case.fleet.exit
    if given is None or not case.months:
        return None
    gone = case.months
    if case.fleet.owned:
        gone = min(case.fleet.start_month + life_months(case.fleet), case.months)
    found = _leaving(case, given, running, gone - 1)
    usd = given.probability_fraction.value * found.usd
    return case.line(
        "stack_exit",
        "Exit: leaving the stack",
        "people",
        end=once(case.months, gone - 1, usd),
        formula="probability x (porting + training + validation + contingency"
        " + dual running + delay)",
        reference="F9.1",
        terms=(Term.of("probability", given.probability_fraction), *found.terms),
        missing=found.missing,
    )


def _leaving(case: FleetCase, given: Exit, running: Sequence[LedgerLine], month: int) -> Part:
    """What leaving costs whole."""
    move = given.move
    parts = _work(case, move, by_matrix=False)
    reserve = contingency(move, parts)
    parts += [reserve] if reserve else []
    if move.dual_running_months is not None and not move.dual_running_months.is_zero:
        rate, term = _run_rate(case, move, running, month)
        months = move.dual_running_months
        parts.append(Part(months.value * rate, (Term.of("dual running", months), term)))
    if move.delay_months is not None and not move.delay_months.is_zero:
        benefit, months = move.benefit_usd_per_month, move.delay_months
        lost = months.value * case.amount(benefit) if benefit else 0.0
        terms = [Term.of("delay", months)] + ([Term.of("benefit lost", benefit)] if benefit else [])
        missing = "" if benefit else "the benefit lost a month is not given"
        parts.append(Part(lost, tuple(terms), missing))
    return Part(
        sum(part.usd for part in parts),
        tuple(term for part in parts for term in part.terms),
        next((part.missing for part in parts if part.missing), ""),
    )


def spread_months(case: FleetCase, months: float) -> FloatArray:
    """1 for each whole month from go-live on, and the part of the last one."""
    since = np.arange(case.months) - case.fleet.start_month
    return np.where(since >= 0, np.clip(months - since, 0.0, 1.0), 0.0)


def _work(case: FleetCase, move: Migration, *, by_matrix: bool = True) -> list[Part]:
    parts = (
        porting(case, move, by_matrix=by_matrix),
        training(case, move),
        validation(case, move),
    )
    return [part for part in parts if part is not None]


def _run_rate(
    case: FleetCase, move: Migration, running: Sequence[LedgerLine], month: int
) -> tuple[Any, Term]:
    old = move.old_usd_per_month
    if old is not None:
        return case.amount(old), Term.of("run rate of the old fleet", old)
    rate = summed(running, case.months, "end_usd")[..., month : month + 1]
    source = "not given: that of this fleet stands for it, running lines of the month"
    return rate, computed("run rate", mean(rate), "USD/month", Status.ASSUMED, source)


def _paid(
    case: FleetCase, key: str, label: str, part: Part | None, formula: str
) -> LedgerLine | None:
    if part is None or not case.months:
        return None
    first = min(case.fleet.start_month, case.months - 1)
    return case.line(
        key,
        label,
        "people",
        start=once(case.months, first, part.usd),
        formula=formula,
        reference="F9.1",
        terms=part.terms,
        missing=part.missing,
    )


def _models(move: Migration) -> Term:
    return Term("models", move.models, "models", Status.ASSUMED, "models ported")
