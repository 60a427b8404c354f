"""Writing the decision log: one service, which only ever adds."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from planner.decisions.selectors import decided_projection, option_figures, result_hash
from planner.models import Decision, Projection, Scenario
from tco.document.nearest import suggestion
from tco.errors import InputError, InputErrors

LONGEST_REASON = 4000
LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person says about a decision."""

    chosen: str  # key of an option
    reason: str
    decided_by: str = ""  # empty: whoever writes the entry
    decided_on: dt.date | None = None  # None: today
    rejected: Mapping[str, str] = field(default_factory=dict)  # option key -> why not
    corrects: int | None = None  # number of the entry that this one replaces


@transaction.atomic
def decision_record(
    *, scenario: Scenario, choice: Choice, by: User | None = None, by_name: str = ""
) -> Decision:
    """Add an entry about the projection that the newest revision shows.

    The figures of every option, the revision, the engine and the hash of the result are copied:
    a later revision or measurement changes nothing in the log.

    Raises
    ------
    tco.errors.InputErrors
        No reason, an option that the projection does not have, a day to come, an entry that is not
        there or is corrected already, or nothing projected yet.
    """
    Scenario.objects.select_for_update().get(pk=scenario.pk)  # one number at a time
    projection = decided_projection(scenario=scenario)
    if projection is None:
        mend = "open its projection first"
        raise InputErrors((InputError("scenario", "nothing is projected yet", mend),))
    errors = tuple(_wrong(scenario, projection, choice))
    if errors:
        raise InputErrors(errors)
    writer = (str(by) if by is not None else by_name) or "API token"
    options = option_figures(projection)
    last = (
        Decision.objects.filter(scenario=scenario)
        .order_by("-number")
        .values_list("number", flat=True)
        .first()
        or 0
    )
    decision = Decision(
        organisation=scenario.organisation,
        scenario=scenario,
        number=last + 1,
        revision=projection.revision,
        engine_version=projection.engine_version,
        result_hash=result_hash(projection),
        chosen=next(option for option in options if option["key"] == choice.chosen),
        rejected=[
            {**option, "rejected_because": choice.rejected.get(option["key"], "").strip()}
            for option in options
            if option["key"] != choice.chosen
        ],
        reason=choice.reason.strip(),
        decided_by=(choice.decided_by.strip() or writer)[:LONGEST_NAME],
        decided_on=choice.decided_on or _today(),
        corrects=_corrected(scenario, choice.corrects),
        by=by,
        by_name=writer[:LONGEST_NAME],
    )
    decision.full_clean()
    decision.save()
    return decision


def _wrong(scenario: Scenario, projection: Projection, choice: Choice) -> Iterator[InputError]:
    keys = [option["key"] for option in option_figures(projection)]
    if choice.chosen not in keys:
        what = (
            f"no option has the key {choice.chosen!r}" if choice.chosen else "no option is chosen"
        )
        yield InputError("chosen", what, suggestion(choice.chosen, keys) or "choose an option")
    if not choice.reason.strip():
        mend = "say why: somebody will ask in a year"
        yield InputError("reason", "a decision without a reason is not recorded", mend)
    for name, text in (("reason", choice.reason), *choice.rejected.items()):
        if len(text) > LONGEST_REASON:
            message = f"{len(text):,} characters are too many"
            yield InputError(_place(name), message, f"enter {LONGEST_REASON:,} or fewer")
        if "\x00" in text:
            yield InputError(_place(name), "the text holds characters nobody can read", "retype it")
    if "\x00" in choice.decided_by or len(choice.decided_by) > LONGEST_NAME:
        mend = f"enter {LONGEST_NAME} characters or fewer"
        yield InputError("decided_by", "the name cannot be stored", mend)
    for key in choice.rejected:
        if key not in keys:
            message = f"no option has the key {key!r}"
            yield InputError(_place(key), message, suggestion(key, keys) or "leave it out")
    if choice.chosen in choice.rejected and choice.rejected[choice.chosen].strip():
        message = f"{choice.chosen!r} is both chosen and rejected"
        yield InputError(_place(choice.chosen), message, "leave it out")
    if choice.decided_on is not None and choice.decided_on > _today():
        message = f"{choice.decided_on.isoformat()} is still to come"
        yield InputError("decided_on", message, "enter the day it was decided on")
    if choice.corrects is not None:
        old = Decision.objects.filter(scenario=scenario, number=choice.corrects).first()
        if old is None:
            message = f"this scenario has no decision {choice.corrects}"
            yield InputError("corrects", message, "leave it out, or name an entry of the log")
        elif Decision.objects.filter(corrects=old).exists():
            message = f"decision {choice.corrects} is corrected already"
            yield InputError("corrects", message, "correct the newest of them")


def _place(name: str) -> str:
    return name if name == "reason" else f"rejected.{name[:60]}"


def _corrected(scenario: Scenario, number: int | None) -> Decision | None:
    return Decision.objects.get(scenario=scenario, number=number) if number is not None else None


def _today() -> dt.date:
    return timezone.now().date()
