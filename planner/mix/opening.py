"""One mix of an answer as a scenario of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import transaction

from planner.scenarios.services import scenario_create
from tco.mix import mix_document

if TYPE_CHECKING:
    from accounts.models import User
    from planner.models import BackgroundRun, Scenario


@transaction.atomic
def mix_open(*, run: BackgroundRun, point: str, by: User) -> Scenario:
    """Create a scenario with the mix that `point` names.

    Parameters
    ----------
    run
        A done run of the best mix, of the front or of a why-not.
    point
        ``mix``, ``rival-1`` ... of a best mix; ``mix`` of a why-not; ``0`` ... of a front.

    Raises
    ------
    LookupError
        The answer has no such mix.
    tco.errors.InputErrors
        The document with the mix cannot be read.
    """
    rows, name = _mix(run.result or {}, point)
    document = mix_document(run.revision.document, rows, name)
    return scenario_create(
        organisation=run.organisation,
        document=document,
        by=by,
        message=f"From the optimiser: {name.lower()}",
        copy_of=run.revision.scenario,
    )


def _mix(result: dict[str, Any], point: str) -> tuple[list[dict[str, Any]], str]:
    if point == "mix" and result.get("mix"):
        of = result.get("name")
        return result["mix"], f"{of} alone" if of else "Best mix"
    word, _, number = point.rpartition("-")
    place = int(number) if number.isdecimal() and len(number) < 6 else -1
    if word == "rival" and 1 <= place <= len(result.get("rivals", ())):
        rival = result["rivals"][place - 1]
        return rival["mix"], f"Without {rival['without']}"
    if not word and 0 <= place < len(result.get("points", ())):
        return result["points"][place]["mix"], f"Trade-off {place + 1}"
    raise LookupError(point)
