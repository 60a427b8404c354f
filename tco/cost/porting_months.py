"""Engineer-months of a move: given, by model, or by what the support matrix lacks (F9.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tco.cost.case import computed, status_of
from tco.cost.wording import list_text
from tco.inputs import Fleet, Migration, Status, Support
from tco.results import Term

SOURCE = "support matrix"


@dataclass(frozen=True, slots=True)
class Months:
    """Engineer-months before the effort factor, plain or drawn; `missing`: why there are none."""

    value: Any
    terms: tuple[Term, ...]
    missing: str = ""


def porting_months(fleet: Fleet, move: Migration, *, by_matrix: bool = True) -> Months:
    """Engineer-months of all models that move.

    Months given for a port, or for the whole move, hold; what is left open comes from the support
    matrix: a feature that works takes none, one that works in part and a missing kernel take the
    planning figures of the move, for each model. A feature the matrix does not know leaves the
    months unknown: that is no reason to take them for 0.
    """
    if not move.ports:
        if move.engineer_months is not None:
            given = move.engineer_months
            return Months(given.value, (Term.of("engineer-months", given),))
        return _by_matrix(fleet, move, by_matrix)
    total: Any = 0.0
    terms: list[Term] = []
    for port in move.ports:
        if port.engineer_months is not None:
            name = f"engineer-months, {port_name(fleet, port.model)}"
            total = total + port.engineer_months.value
            terms.append(Term.of(name, port.engineer_months))
            continue
        found = _by_matrix(fleet, move, by_matrix)
        if found.missing:
            return found
        total = total + found.value
        terms += [term for term in found.terms if term not in terms]
        terms.append(
            computed(
                f"engineer-months, {port_name(fleet, port.model)}",
                found.value,
                "engineer-month",
                status_of(term.status for term in found.terms),
                SOURCE,
            )
        )
    return Months(total, tuple(terms))


def port_name(fleet: Fleet, model: str) -> str:
    """Name of a model that moves: as given, else that of the workload."""
    served = fleet.stage_model or fleet.workload.model
    return model or (served.name if served is not None else fleet.workload.name)


def cells(fleet: Fleet, works: str) -> list[Support]:
    """Cells of the features needed that are so: ``works``, ``partial`` or ``missing``."""
    return [cell for cell in fleet.support if cell.works == works]


def unknown_features(fleet: Fleet) -> tuple[str, ...]:
    """Features needed that the support matrix says nothing about, for this device and framework."""
    known = {cell.feature for cell in fleet.support}
    return tuple(x for x in fleet.workload.framework_features if x not in known)


def _by_matrix(fleet: Fleet, move: Migration, allowed: bool) -> Months:
    if not allowed or not fleet.framework or not fleet.workload.framework_features:
        named = "" if allowed else " of leaving"
        why = f"the engineer-months{named} are not given"
        if allowed:
            why += ", and framework and features needed are not named"
        return Months(0.0, (), why)
    machine = fleet.server or fleet.offer
    unknown = unknown_features(fleet)
    if unknown:
        where = machine.device.name if machine else "this device"
        plural = "are" if len(unknown) > 1 else "is"
        return Months(
            0.0,
            (),
            f"the engineer-months are not given, and the support of {list_text(list(unknown))} by"
            f" {fleet.framework} on {where} {plural} not known",
        )
    total: Any = 0.0
    terms: list[Term] = []
    for works, label, figure in (
        ("partial", "in part", move.partial_feature_months),
        ("missing", "missing", move.missing_feature_months),
    ):
        found = cells(fleet, works)
        if not found:
            continue
        names = list_text([cell.feature for cell in found])
        count = Term(
            f"features {label}",
            len(found),
            "features",
            status_of(cell.status for cell in found),
            f"{SOURCE}: {names} by {fleet.framework}",
        )
        if figure is None:
            return Months(0.0, (count,), f"the work for a feature that is {label} is not given")
        total = total + len(found) * figure.value
        terms += [count, Term.of(f"work for a feature {label}", figure)]
    if not terms:
        status = status_of(cell.status for cell in fleet.support)
        names = list_text([cell.feature for cell in fleet.support])
        terms = [
            Term("features to port", 0, "features", status, f"{SOURCE}: {names} work"),
        ]
    return Months(total, tuple(terms))


def is_planned(fleet: Fleet) -> bool:
    """Whether the months of a move rest on planning figures of the support matrix."""
    move = fleet.migration
    if move is None or (move.engineer_months is not None and not move.ports):
        return False
    return any(term.source.startswith(SOURCE) for term in porting_months(fleet, move).terms)


def weakest_cell(fleet: Fleet) -> Status:
    """How well what the matrix says of this fleet is known."""
    return status_of(cell.status for cell in fleet.support)
