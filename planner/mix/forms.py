"""What a page or a call may ask of the optimiser."""

from __future__ import annotations

from typing import Any

from django import forms

from planner.mix.services import BEST, OBJECTIVES, SECONDS, WHY_NOT, Kind

DEFAULT_SECONDS = 30


class MixForm(forms.Form):
    """What to minimise and how long to look; what is left out or unknown has its default."""

    objective = forms.ChoiceField(choices=tuple(OBJECTIVES.items()), required=False)
    seconds = forms.TypedChoiceField(
        choices=tuple((one, one) for one in SECONDS), coerce=int, required=False, empty_value=None
    )
    option = forms.CharField(max_length=100, required=False)

    def asked(self, kind: Kind, objective: str) -> dict[str, Any]:
        """Return the question; `objective` is that of the scenario."""
        self.is_valid()
        found = self.cleaned_data
        question: dict[str, Any] = {
            "objective": found.get("objective") or objective,
            "seconds": found.get("seconds") or DEFAULT_SECONDS,
        }
        if kind is WHY_NOT:
            question["option"] = found.get("option") or ""
        return question


def is_asked(kind: Kind, question: dict[str, Any], given: Any) -> bool:
    """Whether the page was asked something: a front costs minutes and is not made unasked."""
    if kind is WHY_NOT:
        return bool(question["option"])
    return kind is BEST or "objective" in given
