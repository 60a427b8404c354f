"""Memory of one device while training: weights, gradients, states, activations by mode (P11)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tco.inputs import LanguageModel
from tco.performance import defaults
from tco.performance.training.plan import Plan
from tco.performance.training.shape import TrainingShape
from tco.results import MemoryLine

GB = 1e9
# bytes a token and layer keeps, in widths of the model: 16 bits, attention not stored
KEPT_WIDTHS = {"none": 34.0, "selective": 18.0, "full": 2.0}
_WEIGHT, _GRADIENT = 2.0, 2.0
_LOGIT_BYTES = 6.0  # 16-bit logits and the 32-bit copy of the loss


@dataclass(frozen=True, slots=True)
class TrainingMemory:
    """Bytes of one device, by part."""

    weights_bytes: float
    gradients_bytes: float
    states_bytes: float
    activations_bytes: float
    logits_bytes: float
    layout: str

    @property
    def total(self) -> float:
        """All parts, bytes."""
        return (
            self.weights_bytes
            + self.gradients_bytes
            + self.states_bytes
            + self.activations_bytes
            + self.logits_bytes
        )

    @property
    def lines(self) -> tuple[MemoryLine, ...]:
        """The table people read."""
        parts = {
            "weights": (self.weights_bytes, "parameters × 2 B"),
            "gradients": (self.gradients_bytes, "trained parameters × 2 B"),
            "optimiser": (self.states_bytes, "trained parameters × 12 B"),
            "activations": (self.activations_bytes, "tokens × layers × widths kept"),
            "logits": (self.logits_bytes, "tokens × vocabulary × 6 B"),
        }
        return tuple(
            MemoryLine(name, value / GB, f"{formula}, {self.layout}")
            for name, (value, formula) in parts.items()
        )


def training_memory(model: LanguageModel, shape: TrainingShape, plan: Plan) -> TrainingMemory:
    """Return the memory of one device under `plan` (P11; ZeRO stages as published).

    Activations of a pipeline stage are those of as many micro-batches as there are stages.
    """
    held = shape.total_parameters / (plan.tensor * plan.pipeline)
    ranks = max(1.0, plan.data_parallel * plan.context)
    weights = held * _WEIGHT / (ranks if plan.sharding == "full" else 1.0)
    if plan.adapter:
        gradients = states = 0.0
    else:
        per_rank = ranks if plan.sharding in ("full", "gradients") else 1.0
        gradients = held * _GRADIENT / per_rank
        others = defaults.TRAINING_STATE_BYTES.value - _WEIGHT - _GRADIENT
        states = held * others / (1.0 if plan.sharding == "none" else ranks)
    tokens = plan.micro_batch * plan.sequence_tokens / plan.context
    width = shape.hidden * tokens / plan.tensor
    layers = shape.layers / plan.pipeline
    in_flight = min(float(plan.pipeline), plan.micro_batches)
    # under recompute the layer being made again is held whole, once
    again = 0.0 if plan.recompute == "none" else width * KEPT_WIDTHS["none"]
    kept = layers * width * KEPT_WIDTHS[plan.recompute] * max(1.0, in_flight) + again
    logits = tokens * model.vocabulary * _LOGIT_BYTES / plan.tensor
    layout = f"{plan.sharding} sharding over {ranks:g}, recompute {plan.recompute}"
    return TrainingMemory(weights, gradients, states, kept, logits, layout)


def usable_bytes(memory_bytes: float) -> float:
    """Return what a job may fill of a device's memory."""
    return memory_bytes * defaults.USABLE_MEMORY_FRACTION.value


def smallest_change(
    model: LanguageModel, shape: TrainingShape, plan: Plan, memory_bytes: float
) -> str:
    """Return the least change that makes `plan` fit, in words; empty where it fits already.

    Tried in the order of what they cost: smaller micro-batch, recompute, sharding, tensor
    parallelism in the server, shorter sequences.
    """
    room = usable_bytes(memory_bytes)
    if training_memory(model, shape, plan).total <= room:
        return ""
    for name, changed in _changes(plan):
        if training_memory(model, shape, changed).total <= room:
            return name
    return "use more devices or a shorter sequence"


def _changes(plan: Plan) -> list[tuple[str, Plan]]:
    found: list[tuple[str, Plan]] = []
    base = plan
    if plan.micro_batch > 1:
        base = replace(plan, micro_batch=1.0, micro_batches=plan.micro_batches * plan.micro_batch)
        found.append(("micro-batch of 1", base))
    for mode in ("selective", "full"):
        if mode != plan.recompute and KEPT_WIDTHS[mode] < KEPT_WIDTHS[plan.recompute]:
            found.append((f"recompute {mode}", replace(base, recompute=mode)))
    if plan.sharding != "full":
        found.append(("full sharding", replace(base, sharding="full")))
        found.append(
            ("full sharding and recompute", replace(base, sharding="full", recompute="full"))
        )
    if plan.tensor == 1 and plan.devices >= 8:
        wide = replace(base, tensor=8, recompute="full", sharding="full")
        found.append(("tensor 8, full sharding and recompute", wide))
    return found
