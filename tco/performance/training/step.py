"""Time of one training step from its bases and the fitted factors (P11, P13.2)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from tco.performance.training.bases import Bases

# (factor, base): one line of the step each; the stack or the dtype picks the first name
FACTORS = (
    "products_16",
    "products_8",
    "products_4",
    "attention_generic",
    "attention_tuned",
    "softmax_generic",
    "softmax_tuned",
    "elements_eager",
    "elements_compiled",
    "elements_tuned",
    "loss",
    "data_exposed_generic",
    "data_exposed_tuned",
    "tensor_exposed",
    "expert_exposed",
    "routed",
    "straggle",
)


@dataclass(frozen=True, slots=True)
class StepTime:
    """Seconds of one step by part; `seconds` is their sum."""

    products: float
    attention: float
    elements: float  # between products, loss and optimiser
    network: float  # exposed
    bubble: float
    waiting: float  # for the slowest of many servers
    input_stall: float
    floor: float

    @property
    def seconds(self) -> float:
        """All parts."""
        return (
            self.products
            + self.attention
            + self.elements
            + self.network
            + self.bubble
            + self.waiting
            + self.input_stall
        )


def step_time(
    bases: Bases, factors: Mapping[str, float], stack: str, *, input_seconds: float = 0.0
) -> StepTime:
    """Return the time of a step, part by part (P11).

    Parameters
    ----------
    factors
        By the names in `FACTORS`: each multiplies a physical basis.
    stack
        eager, compiled or tuned.
    input_seconds
        Time of the data path for the batch of a step (P12); what the step does not hide stalls it.
    """
    kernel = "tuned" if stack == "tuned" else "generic"
    narrow = factors[f"products_{bases.narrow}"] if bases.narrow else 1.0
    products = (
        bases.products_16 * factors["products_16"]
        + bases.products_narrow * narrow
        + bases.product_traffic
        + bases.routed * factors["routed"]
    )
    attention = (
        bases.attention * factors[f"attention_{kernel}"]
        + bases.softmax * factors[f"softmax_{kernel}"]
    )
    elements = bases.elements * factors[f"elements_{stack}"] + bases.loss * factors["loss"]
    compute = products + attention + elements
    bubble = compute * bases.bubble
    shown = factors[f"data_exposed_{kernel}"]
    hidden = (1 - shown) * bases.data_network
    network = (
        shown * bases.data_network
        + max(0.0, hidden - compute)
        + factors["tensor_exposed"] * bases.tensor_network
        + factors["expert_exposed"] * bases.expert_network
    )
    waiting = compute * factors["straggle"] * math.log2(bases.servers)
    total = compute + bubble + network + waiting + bases.optimizer
    return StepTime(
        products=products,
        attention=attention,
        elements=elements + bases.optimizer,
        network=network,
        bubble=bubble,
        waiting=waiting,
        input_stall=max(0.0, input_seconds - total),
        floor=bases.floor,
    )
