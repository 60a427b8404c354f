"""What can go wrong with a save."""

from __future__ import annotations

from planner.scenarios.differences import Change


class StaleRevision(ValueError):
    """Somebody saved in between: the save is refused and says what they changed.

    Parameters
    ----------
    base_number
        Revision the save started from.
    current_number
        Newest revision.
    changes
        What the newest revision changed against the base.
    conflicts
        Fields that both changed, with the other's value as `old` and the refused one as `new`.
    """

    def __init__(
        self,
        base_number: int,
        current_number: int,
        changes: tuple[Change, ...],
        conflicts: tuple[Change, ...] = (),
    ) -> None:
        self.base_number = base_number
        self.current_number = current_number
        self.changes = changes
        self.conflicts = conflicts
        super().__init__(
            f"The scenario is at revision {current_number}; this save started from {base_number}."
        )
