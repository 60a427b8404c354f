"""How a step is cut over devices, and the rates it runs at (P11)."""

from __future__ import annotations

from dataclasses import dataclass

RECOMPUTE = ("none", "selective", "full")
SHARDING = ("none", "optimizer", "gradients", "full")
STACKS = ("eager", "compiled", "tuned")


@dataclass(frozen=True, slots=True)
class Plan:
    """One step on `devices` devices.

    `sharding`: none copies everything (all-reduce of gradients); optimizer shards the states
    (ZeRO-1); gradients shards gradients too and gathers weights once a micro-batch; full gathers
    them for the backward pass again (FSDP, ZeRO-3). `recompute`: none; selective makes every
    second product and all element-wise work again; full makes every layer again.
    """

    devices: int
    sequence_tokens: float
    micro_batch: float  # sequences a data-parallel rank works on at once
    micro_batches: float  # of one step, one after the other
    tensor: int = 1
    pipeline: int = 1
    virtual: int = 1  # chunks of layers a stage holds (interleaved schedule)
    context: int = 1
    expert: int = 1
    sharding: str = "full"
    recompute: str = "none"
    dtype: str = "bf16"  # of the products
    reduce_bytes: float = 4.0  # of one gradient on the wire
    stack: str = "compiled"
    adapter: bool = False  # frozen weights: no weight gradients, no state to speak of

    @property
    def model_devices(self) -> int:
        """Devices of one copy of a sequence's work."""
        return self.tensor * self.pipeline * self.context

    @property
    def data_parallel(self) -> float:
        """Ranks that hold different sequences."""
        return self.devices / self.model_devices

    @property
    def step_sequences(self) -> float:
        """Sequences of a step."""
        return self.micro_batch * self.micro_batches * self.data_parallel

    @property
    def step_tokens(self) -> float:
        """Tokens of a step."""
        return self.step_sequences * self.sequence_tokens


@dataclass(frozen=True, slots=True)
class Platform:
    """Rates of one device in its server; flops and bytes a second."""

    name: str
    peak_16: float  # dense peak, flop/s
    peak: float  # dense peak of the products' dtype
    sustained_16: float  # what large products reach and keep
    sustained: float
    memory: float  # bytes/s, printed
    memory_bytes: float | None  # capacity
    scale_up: float  # bytes/s, one direction, one device
    scale_up_domain: int
    scale_out: float  # bytes/s of the network, per device
    server_devices: int
    evidence: str = ""  # where the sustained rate comes from
    measured_rate: bool = False  # large products of the chip were measured
