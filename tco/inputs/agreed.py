"""What was agreed with a supplier for a machine, and whether its price was taken (F6)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Agreed:
    """The entry of the price book that speaks of a fleet's machine.

    Parameters
    ----------
    state
        ``used``; ``ended`` or ``later`` on the valuation date; ``own_terms``: the scenario gives
        its own discount.
    """

    state: str
    reference: str
    supplier: str
    valid_from: str  # first and last day, ISO
    valid_to: str
    what: str  # of it: server, instance
    minimum_quantity: int | None = None

    @property
    def words(self) -> str:
        """Which entry it is."""
        return f"quote {self.reference} of {self.supplier}"
