"""From a stored sweep to the engine's, kept in the process while its shards are worked."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from planner.scenarios.to_engine import catalog_of
from tco.sweep.axes import Axis, checked
from tco.sweep.run import Sweep as Grid

if TYPE_CHECKING:
    from planner.models import ScenarioRevision, Sweep

KEPT = 4
_lock = threading.Lock()
_kept: OrderedDict[int, Grid] = OrderedDict()


def axes_of(stored: list[dict[str, Any]]) -> tuple[Axis, ...]:
    """Return the axes of their JSON values."""
    return tuple(
        checked(
            Axis(
                one["path"],
                tuple(x if isinstance(x, str) else float(x) for x in one["values"]),
            )
        )
        for one in stored
    )


def grid(revision: ScenarioRevision, axes: tuple[Axis, ...]) -> Grid:
    """Return the engine's sweep of a revision with the figures of today.

    Raises
    ------
    tco.errors.InputErrors
        What cannot be swept, before anything is computed.
    """
    return Grid(revision.document, catalog_of(revision.scenario.organisation), axes)


def kept_grid(sweep: Sweep) -> Grid:
    """Return the engine's sweep of a stored one; making it takes longer than a shard."""
    with _lock:
        found = _kept.get(sweep.pk)
        if found is not None:
            _kept.move_to_end(sweep.pk)
            return found
    made = grid(sweep.revision, axes_of(sweep.axes))
    with _lock:
        _kept[sweep.pk] = made
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return made
