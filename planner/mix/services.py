"""What is asked of the optimiser, and its answers as they are stored: pure functions of inputs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from planner.runs.services import Report
from planner.runs.watching import Seen, watched
from planner.templatetags.units import percent, si
from tco.mix import best_mix, lower, minimising, mix_front, plain_mix, robustness, why_not
from tco.mix.front import POINTS
from tco.optimise.solve import solve
from tco.results.currency import in_currency

if TYPE_CHECKING:
    from tco.inputs import ScenarioInputs
    from tco.optimise.highs import Progress

OBJECTIVES = {"usd": "total cost", "carbon_kg": "carbon", "peak_kw": "peak power"}
SECONDS = (10, 30, 60, 300)
Question = dict[str, Any]
Seeing = Seen[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of question: its name, its work and the time that it may take."""

    key: str
    compute: Callable[[ScenarioInputs, Question, threading.Event, Seeing], dict[str, Any]]
    times: float = 1.0  # the seconds asked for, so many times over


def answered(kind: Kind, inputs: ScenarioInputs, question: Question, report: Report) -> Any:
    """Return the answer to a question; the report may stop it at any time."""
    asked = minimising(inputs, question["objective"])
    return watched(
        lambda cancel, seen: kind.compute(asked, question, cancel, seen),
        report,
        most_s=question["seconds"] * kind.times,
    )


def _best(
    inputs: ScenarioInputs, question: Question, cancel: threading.Event, seen: Seeing
) -> dict[str, Any]:
    code = inputs.finance.currency
    best = best_mix(
        inputs,
        seconds=question["seconds"],
        report=lambda step: _gap(step, seen, question["objective"], code),
        cancel=cancel,
    )
    seen.note = "The mix is found; its rivals are drawn"
    drawn = robustness(inputs, best) if not cancel.is_set() else None
    return {
        **plain_mix(best),
        "currency": code,
        "robustness": None if drawn is None else drawn.to_dict(),
    }


def _gap(step: Progress, seen: Seeing, objective: str, code: str) -> None:
    if step.best_units is None:
        seen.note = "No mix found yet"
        return
    unit = in_currency({"usd": "USD", "carbon_kg": "kg CO2e", "peak_kw": "kW"}[objective], code)
    gap = "no bound yet" if step.gap_fraction is None else f"gap {percent(step.gap_fraction)}"
    seen.note = f"Best mix so far {si(step.best_units)} {unit}, {gap}"


def _front(
    inputs: ScenarioInputs, question: Question, cancel: threading.Event, seen: Seeing
) -> dict[str, Any]:
    def told(done: int, total: int) -> None:
        seen.done, seen.total = done, total

    found = mix_front(
        inputs, objective=question["objective"], points=POINTS, cancel=cancel, report=told
    )
    return {**found.to_dict(), "currency": inputs.finance.currency}


def _why_not(
    inputs: ScenarioInputs, question: Question, cancel: threading.Event, seen: Seeing
) -> dict[str, Any]:
    lowered = lower(inputs)
    best = solve(lowered.problem, question["objective"], seconds=question["seconds"], cancel=cancel)
    seen.note = "The best mix is found"
    found = why_not(
        inputs, lowered, best, question["option"], seconds=question["seconds"], cancel=cancel
    )
    return {**found.to_dict(), "currency": inputs.finance.currency}


BEST = Kind("mix", _best, times=2.0)
FRONT = Kind("mix_front", _front, times=4.0)
WHY_NOT = Kind("mix_why_not", _why_not, times=2.5)
KINDS = {kind.key: kind for kind in (BEST, FRONT, WHY_NOT)}
