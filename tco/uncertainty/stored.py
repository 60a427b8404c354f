"""An assessment read back from its JSON values, for pages and files made of a stored one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tco.inputs import BASE, Status
from tco.uncertainty.assess import Assessment, Duel, Spread, Swing
from tco.uncertainty.drivers import Driver
from tco.uncertainty.switching import Switch


def assessment_of(stored: Mapping[str, Any]) -> Assessment:
    """Return the assessment of `Assessment.to_dict()`; drivers come without their figures.

    Raises
    ------
    KeyError, TypeError
        Values of another version of the engine.
    """
    return Assessment(
        draws=stored["draws"],
        seed=stored["seed"],
        options=tuple(Spread(**one) for one in stored["options"]),
        duels=tuple(Duel(**one) for one in stored["duels"]),
        swings={
            key: tuple(Swing(**{**one, "status": Status(one["status"])}) for one in swings)
            for key, swings in stored["swings"].items()
        },
        switches=tuple(Switch(**one) for one in stored["switches"]),
        drivers=tuple(
            Driver(
                **{
                    **one,
                    "figure": None,
                    "status": Status(one["status"]),
                    "samples": tuple(one["samples"]),
                    "fleets": frozenset(one["fleets"]),
                }
            )
            for one in stored["drivers"]
        ),
        not_carried=tuple(stored["not_carried"]),
        left_out=tuple(stored["left_out"]),
        currency=stored.get("currency", BASE),
    )
