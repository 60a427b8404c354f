"""Migration, exit, retraining, staffing and the support matrix: what goes together (F9)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tco.document.catalog import Catalog
from tco.document.nearest import suggestion
from tco.document.parse import path_to
from tco.document.values import number, plain_number, shown, values
from tco.errors import InputError
from tco.fields import section
from tco.inputs import Exit, Migration, Port, Retraining, Staffing, Status, Support

_MONTHS = ("dual_running_months", "delay_months")


def migration(given: Mapping[str, Any] | None) -> Migration | None:
    """Return the migration of a valid mapping, or None where there is none."""
    if not given:
        return None
    ports = tuple(Port(**values("port", item)) for item in given.get("ports", ()))
    return Migration(**values("migration", given), ports=ports)


def exit_of(given: Mapping[str, Any] | None) -> Exit | None:
    """Return the exit of a valid mapping, or None where there is none."""
    move = migration(given.get("move")) if given else None
    return Exit(**values("exit", given), move=move) if given and move else None


def retraining(given: Mapping[str, Any] | None) -> Retraining | None:
    """Return the retraining of a valid mapping, or None where there is none."""
    return Retraining(**values("retraining", given)) if given else None


def staffing(given: Mapping[str, Any] | None) -> Staffing | None:
    """Return the staffing of a valid mapping, or None where there is none."""
    return Staffing(**values("staffing", given)) if given else None


def support_cell(given: Mapping[str, Any]) -> Support:
    """Return a cell of a scenario's own support matrix."""
    found = values("support", given)
    efficiency = found["efficiency_fraction"]
    status = efficiency.status if efficiency is not None else Status(found["status"])
    return Support(
        device=given["device"],
        framework=found["framework"],
        feature=found["feature"],
        works=found["works"],
        status=status,
        source=found["source"] or "scenario",
        as_of=found["as_of"],
        efficiency_fraction=efficiency,
    )


def support_of(
    path: str,
    given: Mapping[str, Any],
    features: tuple[str, ...],
    device: str | None,
    catalog: Catalog,
    refuse: Callable[[InputError], None],
) -> tuple[Support, ...]:
    """Return the cells of the matrix for what a fleet needs; an unknown framework is refused."""
    framework = given.get("framework")
    if framework is None:
        return ()
    known = catalog.keys("framework")
    if framework not in known:
        mend = suggestion(framework, known) or "add it to catalog.support"
        message = f"the support matrix has no framework {shown(framework)}"
        refuse(InputError(path_to(path, "framework"), message, mend))
    if device is None:
        return ()
    cells = {cell.feature: cell for cell in catalog.support(device, framework)}
    return tuple(cells[name] for name in features if name in cells)


def unknown_features(
    path: str, features: tuple[str, ...], catalog: Catalog
) -> Iterator[InputError]:
    """Yield an error for each feature that no cell of the matrix is about."""
    known = catalog.keys("feature") if features else ()
    for index, name in enumerate(features):
        if name not in known:
            place = path_to(path_to(path, "framework_features"), index)
            mend = suggestion(name, known) or "add it to catalog.support"
            message = f"the support matrix has no feature {shown(name)}"
            yield InputError(place, message, mend)


def broken_move(path: str, fleet: Mapping[str, Any], horizon_months: int) -> Iterator[InputError]:
    """Yield what does not go together in a fleet's migration and exit; it may be of any shape."""
    moves = [(path_to(path, "migration"), fleet.get("migration"))]
    leaving = fleet.get("exit")
    if isinstance(leaving, Mapping):
        moves.append((path_to(path_to(path, "exit"), "move"), leaving.get("move")))
    for place, move in moves:
        if not isinstance(move, Mapping):
            continue
        for name in _MONTHS:
            months = _months(move.get(name))
            if months is not None and months > horizon_months:
                message = (
                    f"{plain_number(months)} months are more than the horizon of"
                    f" {plain_number(horizon_months)} months"
                )
                mend = "shorten it, or lengthen finance.horizon_months"
                yield InputError(path_to(place, name), message, mend)
        if "engineer_months" in move and move.get("ports"):
            message = "the engineer-months are given as a sum and by model"
            yield InputError(path_to(place, "engineer_months"), message, "leave one of the two out")


def _months(given: Any) -> float | None:
    value = given.get("value") if isinstance(given, Mapping) else given
    try:
        return number(value, section("migration")["delay_months"].unit)
    except ValueError:
        return None
