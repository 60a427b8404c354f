"""How one replica is spread over devices (P1, P4)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Parallel:
    """Degrees of one replica.

    A stage has ``tensor × attention_data`` devices; attention is split by `tensor` and repeated
    `attention_data` times on different sequences. Experts are spread over `expert` groups of
    ``stage_devices / expert`` devices that split each expert by tensor.

    Examples
    --------
    >>> Parallel(tensor=1, attention_data=8, expert=8).devices
    8
    >>> Parallel(tensor=4, pipeline=2).devices
    8
    """

    tensor: int = 1
    pipeline: int = 1
    expert: int = 1
    attention_data: int = 1

    @property
    def stage_devices(self) -> int:
        """Devices of one pipeline stage."""
        return self.tensor * self.attention_data

    @property
    def devices(self) -> int:
        """Devices of the replica."""
        return self.stage_devices * self.pipeline

    @property
    def expert_tensor(self) -> int:
        """Devices that split one expert by tensor."""
        return max(1, self.stage_devices // self.expert)

    @property
    def label(self) -> str:
        """As printed: ``t4``, ``t1 dp8 e8``, ``t4 p2``."""
        parts = [f"t{self.tensor}"]
        if self.pipeline > 1:
            parts.append(f"p{self.pipeline}")
        if self.attention_data > 1:
            parts.append(f"dp{self.attention_data}")
        if self.expert > 1:
            parts.append(f"e{self.expert}")
        return " ".join(parts)
