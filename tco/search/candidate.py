"""A configuration with the times of its iterations; its largest load within the targets (P8).

The largest load lies in a bracket: `low` is within every target, `high` is not (or is the planned
share of saturation, which no load may pass). Loads in between narrow it. Every latency is that of
the closed form that sizes a fleet (`tco.performance.serving`); a split has its own (`split`).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tco.inputs import LatencyTarget
from tco.performance.iteration import IterationModel, iteration_model
from tco.performance.load_table import MAX_LOAD, MAX_SLOT_WAIT, LoadTable
from tco.performance.memory import MemoryPlan
from tco.performance.replica import applicable_targets, target_label
from tco.performance.serving import StepTimes, evaluate, step_times
from tco.search.request import Configuration, Request

Array = NDArray[np.float64]
LIGHT = 1e-3  # of the largest load: what fails here fails at every load
COARSE = np.array([LIGHT, 0.45, 0.75, 0.9, 1.0])
FINE = np.arange(1, 9) / 9
CLOSE = 1e-4  # of the load


class Server(Protocol):
    """What answers for the latencies of one copy."""

    @property
    def limit_per_s(self) -> float:
        """Largest planned load: 90 % of saturation."""
        ...

    @property
    def bound(self) -> str:
        """What binds at that load."""
        ...

    @property
    def slots(self) -> int:
        """Sequences that may decode at once."""
        ...

    def table(
        self, rates: Array, percentiles: Sequence[float], metrics: Sequence[str]
    ) -> LoadTable:
        """Return latencies at each rate."""
        ...


@dataclasses.dataclass(frozen=True, eq=False)
class Whole:
    """A replica whose devices process prompts and answers."""

    times: StepTimes
    limit_per_s: float
    bound: str = f"throughput: {MAX_LOAD.value:.0%} of the saturation load"

    @property
    def slots(self) -> int:
        """Sequences that may decode at once."""
        return self.times.slots

    def table(
        self, rates: Array, percentiles: Sequence[float], metrics: Sequence[str]
    ) -> LoadTable:
        """Return latencies at each rate (P6.3)."""
        return evaluate(self.times, rates, tuple(percentiles), tuple(metrics))


def whole(times: StepTimes) -> Whole:
    """Return a replica with its planned load."""
    return Whole(times, times.saturation_per_s * MAX_LOAD.value)


@dataclasses.dataclass(eq=False)
class Candidate:
    """A configuration and the bracket of its largest load."""

    configuration: Configuration
    plan: MemoryPlan
    server: Server
    low: float = 0.0  # requests per s of one copy
    high: float = math.inf
    binds: str = ""
    missed: str = ""  # the target that no load meets
    latency_per_limit: float = 0.0  # of that target
    means: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)  # ttft, tpot, e2e s; batch

    @property
    def value(self) -> float:
        """Requests per s and device that are certain."""
        return self.low / self.configuration.devices

    @property
    def most_value(self) -> float:
        """Requests per s and device that nothing exceeds."""
        return self.high / self.configuration.devices

    @property
    def close(self) -> bool:
        """Whether the bracket is narrow enough to print."""
        return bool(self.missed) or self.high - self.low <= CLOSE * self.high

    def narrow(self, targets: tuple[LatencyTarget, ...], output_tokens: float) -> None:
        """Try loads between the ends: all the way up at first, then within the bracket."""
        first_look = math.isinf(self.high)
        if first_look:
            rates = COARSE * self.server.limit_per_s
        else:
            rates = self.low + FINE * (self.high - self.low)
        judged = applicable_targets(targets, output_tokens)
        percentiles = sorted({t.percentile for t in judged})
        table = self.server.table(rates, percentiles, sorted({t.metric for t in judged}))
        ratio = np.array(
            [
                *(1e3 * table.at(t.metric, t.percentile) / t.limit_ms for t in judged),
                table.slot_share / MAX_SLOT_WAIT,
            ]
        )
        fails = ~(ratio <= 1).all(axis=0)
        first = int(np.argmax(fails)) if fails.any() else len(rates)
        if first < len(rates):
            worst = int(np.argmax(ratio[:, first]))
            self.high = float(rates[first])
            self.binds = target_label(judged[worst]) if worst < len(judged) else self._slots()
            if first_look and first == 0:
                self.latency_per_limit = float(ratio[worst, 0])
                self.missed = f"{self.binds}: {self.latency_per_limit:,.2f} x even at a light load"
                if worst < len(judged):
                    took = self.latency_per_limit * judged[worst].limit_ms
                    self.missed = f"{self.binds}: {took:,.1f} ms even at a light load"
        elif first_look:
            self.high = float(rates[-1])
            self.binds = self.server.bound
        if first > 0:
            row = first - 1
            self.low = float(rates[row])
            self.means = (
                float(table.mean_s["ttft"][row]),
                float(table.mean_s["tpot"][row]),
                float(table.mean_s["e2e"][row]),
                float(table.decoding[row]),
            )

    def _slots(self) -> str:
        limit = self.configuration.batch_limit * self.configuration.parallel.attention_data
        workers = max(1, self.configuration.decode_workers)
        if self.server.slots >= limit * workers:
            return f"batch limit: {self.server.slots:,} sequences"
        return f"memory: KV room for {self.server.slots:,} sequences"


def race(
    candidates: Iterable[Candidate],
    targets: tuple[LatencyTarget, ...],
    output_tokens: float,
    top: int,
) -> None:
    """Narrow the brackets until the order of the best `top` is certain.

    A candidate is left alone once `top` others are certain to carry more on a device than it can
    at most: exact, without looking at it any closer.
    """
    running = list(candidates)
    for one in running:
        one.narrow(targets, output_tokens)
    running = [one for one in running if not one.missed]
    while True:
        sure = sorted((one.value for one in running), reverse=True)
        bar = sure[top - 1] if len(sure) >= top else 0.0
        wide = [one for one in running if not one.close and one.most_value > bar]
        if not wide:
            return
        for one in wide:
            one.narrow(targets, output_tokens)


class Times:
    """Times of iterations by layout and format: a batch limit only cuts the table."""

    def __init__(
        self, request: Request, kept: Sequence[tuple[Configuration, MemoryPlan]] = ()
    ) -> None:
        self._request = request
        self._most: dict[tuple[object, ...], int] = {}
        self._made: dict[tuple[object, ...], tuple[IterationModel, StepTimes] | str] = {}
        for each, plan in kept:
            key = self._key(each)
            self._most[key] = max(self._most.get(key, 0), int(plan.replica_sequences))

    @staticmethod
    def _key(each: Configuration) -> tuple[object, ...]:
        return (each.parallel, each.weight_dtype, each.kv_dtype)

    def of(self, each: Configuration, plan: MemoryPlan) -> tuple[IterationModel, StepTimes] | str:
        """Return the iterations of a configuration, or why there are none (P5)."""
        key = self._key(each)
        if key not in self._made:
            self._made[key] = self._make(each, self._most.get(key, int(plan.replica_sequences)))
        made = self._made[key]
        if isinstance(made, str):
            return made
        model, times = made
        last = int(plan.replica_sequences) + 1
        cut = dataclasses.replace(
            times, decode_s=times.decode_s[:last], prefill_s=times.prefill_s[:last]
        )
        return model, cut

    def _make(self, each: Configuration, slots: int) -> tuple[IterationModel, StepTimes] | str:
        request = self._request
        model = iteration_model(
            request.model,
            request.device,
            each.parallel,
            weight_dtype=each.weight_dtype,
            kv_dtype=each.kv_dtype,
            stack=request.stack,
        )
        if isinstance(model, str):
            return model
        times = step_times(
            model,
            input_tokens=request.input_tokens,
            output_tokens=request.output_tokens,
            slots=slots,
            cached_tokens=request.cached_tokens,
        )
        ends = (times.decode_s[0], times.decode_s[-1], times.prefill_s[-1])
        if not all(1e-7 < float(end) < 1e6 for end in ends):  # a slip of the pen in the catalog
            return f"the figures of {request.device.name} give {float(ends[0]):.3g} s a token"
        return model, times
