"""Long work: in the request while it is short, else by a worker that says how far it is."""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from planner.models import BackgroundRun, ScenarioRevision
from tco import __version__ as ENGINE_VERSION
from tco.errors import InputError, InputErrors

if TYPE_CHECKING:
    from celery import Task

logger = logging.getLogger(__name__)
State = BackgroundRun.State
_FIRST_LOOK_S = (
    0.2  # of work that ends within `RUN_INLINE_S`, after which the pace says how long it will take
)
REPORT_S = 0.3  # between two reports of a worker: a cancellation is seen as soon


class Report(Protocol):
    """Tells how far the work is; what it raises stops the work."""

    def __call__(self, done: int, total: int, share: float, note: str = "") -> None:
        """So many of so many, the share of all the work, and what is known so far."""


Compute = Callable[[Report], dict[str, Any]]


class Stopped(Exception):
    """The run was cancelled or started again: its worker stops."""


class _TooLong(Exception):
    """The work does not fit into a request."""


def run_key(*, input_hash: str, kind: str, question: dict[str, Any]) -> str:
    """Return the name of a question: the same inputs, engine and arguments give the same."""
    parts = (input_hash, ENGINE_VERSION, kind, json.dumps(question, sort_keys=True))
    return hashlib.sha256("|".join(parts).encode()).hexdigest()


def run_get(*, revision: ScenarioRevision, key: str) -> BackgroundRun | None:
    """Return the run of a question, in whatever state."""
    return BackgroundRun.objects.filter(revision=revision, key=key).first()


def run_get_or_start(
    *,
    revision: ScenarioRevision,
    kind: str,
    key: str,
    question: dict[str, Any],
    compute: Compute,
    task: Task[Any, Any],
) -> BackgroundRun:
    """Return the run of a question; if there is none, answer at once or hand it to a worker.

    Work that ends within `settings.RUN_INLINE_S` is done here. Without a queue everything is.

    Raises
    ------
    tco.errors.InputError, tco.errors.InputErrors
        The question cannot be answered, and that shows within the second.
    """
    known = run_get(revision=revision, key=key)
    if known is not None:
        return known
    started = timezone.now()
    try:
        result = compute(_within_a_request(time.monotonic()))
    except _TooLong:
        return run_start(revision=revision, kind=kind, key=key, question=question, task=task)
    run, _ = BackgroundRun.objects.get_or_create(
        revision=revision,
        key=key,
        defaults={
            "organisation": revision.scenario.organisation,
            "kind": kind,
            "question": question,
            "state": State.DONE,
            "share_fraction": 1.0,
            "started_at": started,
            "ended_at": timezone.now(),
            "result": result,
        },
    )
    return run


def run_start(
    *,
    revision: ScenarioRevision,
    kind: str,
    key: str,
    question: dict[str, Any],
    task: Task[Any, Any],
) -> BackgroundRun:
    """Queue a question, or queue it again if it was cancelled, failed or fell silent."""
    with transaction.atomic():
        run, made = BackgroundRun.objects.select_for_update().get_or_create(
            revision=revision,
            key=key,
            defaults={
                "organisation": revision.scenario.organisation,
                "kind": kind,
                "question": question,
            },
        )
        if not made:
            if run.state == State.DONE or (run.going and not run.silent):
                return run
            now = timezone.now()
            run.state, run.attempt = State.QUEUED, run.attempt + 1
            run.done_count = run.total_count = 0
            run.share_fraction, run.errors, run.note = 0.0, [], ""
            run.asked_at = run.seen_at = now
            run.started_at = run.ended_at = None
            run.save()
        transaction.on_commit(lambda: _wake(task, run.pk, run.attempt))
    run.refresh_from_db()  # a task that runs in place has ended it
    return run


def run_cancel(*, run: BackgroundRun) -> BackgroundRun:
    """End a run that waits or works; its worker finds out at its next report."""
    BackgroundRun.objects.filter(pk=run.pk, state__in=(State.QUEUED, State.RUNNING)).update(
        state=State.CANCELLED, ended_at=timezone.now()
    )
    run.refresh_from_db()
    return run


def run_work(run_id: int, attempt: int, compute: Callable[[BackgroundRun, Report], Any]) -> str:
    """Do the work of one attempt and store what came of it; return the state it left.

    A second worker with the same message, or one whose run was cancelled, changes nothing that
    has ended.
    """
    mine = BackgroundRun.objects.filter(pk=run_id, attempt=attempt)
    now = timezone.now()
    going = mine.filter(state__in=(State.QUEUED, State.RUNNING))
    if not going.update(state=State.RUNNING, started_at=now, seen_at=now):
        return "gone"
    run = BackgroundRun.objects.select_related("revision__scenario__organisation").get(pk=run_id)
    ended: dict[str, Any]
    try:
        ended = {"state": State.DONE, "result": compute(run, _reports(run)), "share_fraction": 1.0}
    except Stopped:
        return "stopped"
    except (InputError, InputErrors) as error:
        ended = {"state": State.FAILED, "errors": _rows(error)}
    except Exception:
        logger.exception("run %s failed", run_id)
        message = "an error of this program, which is in its log"
        ended = {"state": State.FAILED, "errors": [{"field": "", "message": message, "mend": ""}]}
    mine.filter(state=State.RUNNING).update(**ended, ended_at=timezone.now())
    return str(ended["state"])


def _rows(error: InputError | InputErrors) -> list[dict[str, str]]:
    errors = error.errors if isinstance(error, InputErrors) else (error,)
    return [{"field": one.field, "message": one.message, "mend": one.mend} for one in errors]


def _wake(task: Task[Any, Any], run_id: int, attempt: int) -> None:
    """Send the message; without a broker, or where it cannot be reached, the request works."""
    if settings.CELERY_BROKER_URL or getattr(settings, "CELERY_TASK_ALWAYS_EAGER", False):
        try:
            task.apply_async((run_id, attempt), retry=False)
            return
        except Exception:
            logger.exception("run %s is done by the request: no queue", run_id)
    task.run(run_id, attempt)


def _within_a_request(start: float) -> Report:
    """Stops work that will not end in time: the pace counts from its first report on."""
    first: float | None = None

    def report(done: int, total: int, share: float, note: str = "") -> None:
        nonlocal first
        now = time.monotonic()
        first = now if first is None else first
        expected = first - start + ((now - first) / share if share > 0 else 0.0)
        if now - start > settings.RUN_INLINE_S:
            raise _TooLong
        if now - first > _FIRST_LOOK_S and expected > settings.RUN_INLINE_S:
            raise _TooLong

    return report


def _reports(run: BackgroundRun) -> Report:
    last = 0.0

    def report(done: int, total: int, share: float, note: str = "") -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < REPORT_S:
            return
        last = now
        mine = BackgroundRun.objects.filter(pk=run.pk, attempt=run.attempt, state=State.RUNNING)
        if not mine.update(
            done_count=done,
            total_count=total,
            share_fraction=share,
            note=note[:160],
            seen_at=timezone.now(),
        ):
            raise Stopped

    return report
