"""How far a run is, in the words and numbers of a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from planner.models import BackgroundRun

POLL_END = 286  # htmx stops asking at this status


@dataclass(frozen=True, slots=True)
class RunView:
    """A run for `planner/runs/_progress.html`."""

    state: str
    going: bool
    silent: bool
    done: int
    total: int
    percent: int  # of all the work
    remaining: str
    note: str  # what is known so far
    what: str  # what is counted: draws, values
    word: str  # on the button that starts it again
    poll_url: str
    cancel_url: str
    again_url: str
    question: dict[str, str]


def run_view(
    run: BackgroundRun, here: str, question: dict[str, object], *, what: str, word: str
) -> RunView:
    """Return the view of a run; `here` is the page's address, with `cancel/` and `again/` below."""
    asked = {name: str(value) for name, value in question.items()}
    return RunView(
        state=run.state,
        going=run.going,
        silent=run.silent,
        done=run.done_count,
        total=run.total_count,
        percent=round(100 * run.share_fraction),
        remaining="" if run.silent else remaining_text(run.remaining_s),
        note=run.note,
        what=what,
        word=word,
        poll_url=f"{here}?{urlencode(asked)}",
        cancel_url=f"{here}cancel/",
        again_url=f"{here}again/",
        question=asked,
    )


def remaining_text(seconds: float | None) -> str:
    """Time that is left, as people say it.

    >>> remaining_text(0.4), remaining_text(42.2), remaining_text(200.0), remaining_text(None)
    ('a second left', '42 s left', '3 min left', '')
    """
    if seconds is None:
        return ""
    if seconds < 1.5:
        return "a second left"
    return f"{seconds:.0f} s left" if seconds < 90 else f"{seconds / 60:.0f} min left"


def run_response(
    request: HttpRequest, run: BackgroundRun | None, folder: str, context: dict[str, Any]
) -> HttpResponse:
    """Render `detail.html` of a folder, or, asked by the page itself, the part that changed.

    While the work goes on only its lines change, so that a focused button keeps the focus; at
    its end the whole body does, and the page stops asking.
    """
    if request.headers.get("HX-Request") != "true":
        return render(request, f"{folder}/detail.html", context)
    if run is not None and run.going:
        return render(request, "planner/runs/_lines.html", context)
    answer = render(request, f"{folder}/_body.html", context, status=POLL_END)
    answer["HX-Retarget"] = "#run-body"
    return answer
