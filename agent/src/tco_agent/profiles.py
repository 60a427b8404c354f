"""Profiles: how long a run may take, and how it spends that time."""

from __future__ import annotations

from dataclasses import dataclass

NS = 1_000_000_000


@dataclass(frozen=True)
class Profile:
    """Bounds of a run. The import of torch is outside the budget and reported by itself."""

    name: str
    budget_ns: int
    """Hard limit of the wall time; the watchdog ends whatever still runs."""
    prepare_share: float
    """Share of the budget after which no further case is prepared."""
    call_ns: int
    """Longest single call; a case predicted to take longer is skipped as too slow."""
    warmup_ns: int
    blocks: int
    """Blocks wanted for every case (rule G1: at least 5)."""
    most_blocks: int
    """Further blocks go to the cases whose interval is still too wide."""
    idle_check_ns: int
    memory_bytes: int
    """Cap of one child's private memory on the host."""
    memory_fraction: float
    """Cap of one child's share of a GPU's memory."""

    @property
    def soft_budget_ns(self) -> int:
        """When measuring stops by itself, so that the watchdog has nothing to do."""
        return self.budget_ns * 9 // 10


PROFILES = {
    "canary": Profile(
        name="canary",
        budget_ns=10 * NS,
        prepare_share=0.5,
        call_ns=NS // 8,
        warmup_ns=NS // 4,
        blocks=5,
        most_blocks=8,
        idle_check_ns=NS // 4,
        memory_bytes=2 << 30,
        memory_fraction=0.1,
    ),
    "quick": Profile(
        name="quick",
        budget_ns=60 * NS,
        prepare_share=0.45,
        call_ns=NS // 2,
        warmup_ns=NS // 2,
        blocks=6,
        most_blocks=12,
        idle_check_ns=NS,
        memory_bytes=4 << 30,
        memory_fraction=0.5,
    ),
}
