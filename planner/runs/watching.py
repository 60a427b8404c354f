"""Work that reports from inside a solver, or not at all: watched from beside it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from planner.runs.services import Report

Result = TypeVar("Result")
TICK_S = 0.1
UNKNOWN_S = 1.5  # before this no share of the work is told: most of it ends sooner


@dataclass
class Seen(Generic[Result]):
    """What the work has told so far; it is written by the thread that works.

    Parameters
    ----------
    most_s
        The time that the work may take, which stands for how far it is while nothing is counted.
    """

    most_s: float
    done: int = 0
    total: int = 0
    note: str = ""
    result: list[Result] = field(default_factory=list)
    error: BaseException | None = None


def watched(
    work: Callable[[threading.Event, Seen[Result]], Result],
    report: Report,
    *,
    most_s: float,
) -> Result:
    """Return what the work returns; stop it when the report raises, and raise that.

    Parameters
    ----------
    work
        Called in a thread of its own with an event that says stop and the place to tell progress.
        It must not touch the database.
    """
    cancel, seen = threading.Event(), Seen[Result](most_s)

    def run() -> None:
        try:
            seen.result.append(work(cancel, seen))
        except BaseException as error:
            seen.error = error

    thread = threading.Thread(target=run, daemon=True)
    began = time.monotonic()
    thread.start()
    while True:
        thread.join(TICK_S)
        if not thread.is_alive():
            break
        spent = time.monotonic() - began
        try:
            _tell(report, seen, spent)
        except BaseException:
            cancel.set()
            thread.join()
            raise
    if seen.error is not None:
        raise seen.error
    return seen.result[0]


def _tell(report: Report, seen: Seen[Result], spent: float) -> None:
    if seen.total:
        report(seen.done, seen.total, min(seen.done / seen.total, 0.99), seen.note)
        return
    share = 0.0 if spent < UNKNOWN_S else min(spent / seen.most_s, 0.99)
    report(int(spent), int(seen.most_s), share, seen.note)
