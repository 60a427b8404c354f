"""What serves one stage of a pipeline: cores, batches, or replicas of a language model (P9).

Each takes rising arrival times and gives the time each request leaves. Queues are first come,
first served.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tco.simulate.dynamic_batching import simulate_batches
from tco.simulate.step_table import StepTable

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CpuTier:
    """Cores behind one queue; times of a gamma law with this mean and variation."""

    cores: int
    mean_s: float
    variation_fraction: float = 1.0

    def finish(self, arrivals_s: Array, seed: int) -> Array:
        """Return when each request leaves."""
        times = self.times_s(arrivals_s.size, seed).tolist()
        free = [0.0] * self.cores
        leave = []
        for at, spent in zip(arrivals_s.tolist(), times, strict=True):
            start = max(heapq.heappop(free), at)
            heapq.heappush(free, start + spent)
            leave.append(start + spent)
        return np.array(leave)

    def times_s(self, count: int, seed: int) -> Array:
        """Return service times of `count` requests."""
        if self.variation_fraction <= 0:
            return np.full(count, self.mean_s)
        shape = self.variation_fraction**-2
        return np.random.default_rng(seed).gamma(shape, self.mean_s / shape, count)

    @property
    def rate_per_s(self) -> float:
        """Requests per second of all cores."""
        return self.cores / self.mean_s

    def with_units(self, units: int) -> CpuTier:
        """Return the tier with so many cores."""
        return CpuTier(units, self.mean_s, self.variation_fraction)


@dataclass(frozen=True, eq=False)
class BatchTier:
    """Replicas of an encoder behind one queue that gathers batches."""

    replicas: int
    service_s: Array  # by requests in the batch; index 0 unused
    batch_limit: int
    timeout_s: float = 0.0

    def finish(self, arrivals_s: Array, seed: int) -> Array:
        """Return when each request leaves; nothing here is random."""
        run = simulate_batches(
            arrivals_s,
            self.service_s,
            batch_limit=self.batch_limit,
            timeout_s=self.timeout_s,
            workers=self.replicas,
            warm_up_fraction=0.0,
        )
        return np.asarray(arrivals_s + run.latency_s)

    @property
    def rate_per_s(self) -> float:
        """Requests per second of full batches."""
        return self.replicas * self.batch_limit / float(self.service_s[self.batch_limit])

    def with_units(self, units: int) -> BatchTier:
        """Return the tier with so many replicas."""
        return BatchTier(units, self.service_s, self.batch_limit, self.timeout_s)


@dataclass(frozen=True, eq=False)
class ReplicaTier:
    """Replicas of a language model, requests dealt in turn; lengths are the stage's means (P6.1).

    Continuous batching: every iteration carries one token of each running answer and as much of
    the waiting prompts as `max_batched_tokens` leaves.
    """

    replicas: int
    table: StepTable
    prompt_tokens: int
    output_tokens: int

    def finish(self, arrivals_s: Array, seed: int) -> Array:
        """Return when the last token of each request leaves."""
        step = _Step(self.table)
        if self.replicas >= arrivals_s.size:  # nobody meets anybody
            return arrivals_s + _serve(self, step, [0.0])[0] + self.table.request_s
        leave = np.empty_like(arrivals_s)
        for first in range(self.replicas):
            part = arrivals_s[first :: self.replicas]
            leave[first :: self.replicas] = _serve(self, step, part.tolist())
        return leave + self.table.request_s

    @property
    def rate_per_s(self) -> float:
        """Requests per second with all sequence places taken: prompts and answers share steps."""
        most = self._most_sequences()
        per_s = most / self._life_s(most)
        return self.replicas * per_s

    def _most_sequences(self) -> int:
        held = self.prompt_tokens + self.output_tokens
        room = self.table.kv_tokens / held if math.isfinite(self.table.kv_tokens) else math.inf
        return max(1, int(min(self.table.max_sequences, room)))

    def _life_s(self, sequences: int) -> float:
        """Seconds in which `sequences` requests pass at saturation: prompts spread over steps."""
        steps = max(self.output_tokens - 1, 1)
        prompt = sequences * self.prompt_tokens
        each = min(prompt / steps, float(self.table.max_batched_tokens))
        context = sequences * (self.prompt_tokens + self.output_tokens / 2)
        rounds = prompt / each
        attended = each * self.prompt_tokens / 2
        if self.output_tokens == 1:
            return float(self.table.seconds(each, attended, 0.0, 0.0)) * rounds
        return float(self.table.seconds(each, attended, float(sequences), context)) * rounds

    def with_units(self, units: int) -> ReplicaTier:
        """Return the tier with so many replicas."""
        return ReplicaTier(units, self.table, self.prompt_tokens, self.output_tokens)


Tier = CpuTier | BatchTier | ReplicaTier


def _serve(tier: ReplicaTier, step: _Step, arrivals: list[float]) -> list[float]:
    """Run one replica by iterations; answers of equal length leave in the order they began."""
    table, prompt, output = tier.table, tier.prompt_tokens, tier.output_tokens
    most = tier._most_sequences()
    leave = [0.0] * len(arrivals)
    running: deque[tuple[int, int]] = deque()  # last iteration, request
    now, turn, context = 0.0, 0, 0.0
    arrived = begun = 0  # requests that have come; requests whose prompt was begun
    done = 0  # tokens of the prompt under way
    count = len(arrivals)
    while begun < count or running:
        if not running and done == 0 and (begun == arrived and arrivals[begun] > now):
            now = arrivals[begun]
        while arrived < count and arrivals[arrived] <= now:
            arrived += 1
        sequences = len(running)
        room = table.max_batched_tokens - sequences
        taken, attended = 0, 0.0
        finished: list[int] = []
        while room > 0 and begun < arrived and sequences + len(finished) < most:
            chunk = min(room, prompt - done)
            attended += chunk * (done + chunk / 2)
            taken, room, done = taken + chunk, room - chunk, done + chunk
            if done < prompt:
                break
            finished.append(begun)
            begun, done = begun + 1, 0
        now += step.seconds(taken, attended, sequences, context)
        turn += 1
        context += sequences
        while running and running[0][0] <= turn:
            leave[running.popleft()[1]] = now
            context -= prompt + output - 1
        for request in finished:
            if output <= 1:
                leave[request] = now
            else:
                running.append((turn + output - 1, request))
                context += prompt
    return leave


class _Step:
    """Scalar form of `StepTable.seconds`: the loop asks it once an iteration."""

    def __init__(self, table: StepTable) -> None:
        self.rows_s = table.rows_s.tolist()
        self.table = table

    def seconds(self, prompt: int, attended: float, sequences: int, context: float) -> float:
        """Return seconds of one iteration."""
        t = self.table
        rows = max(1, min(prompt + sequences, len(self.rows_s) - 1))
        spent = self.rows_s[rows] + t.sequence_s * sequences + t.kv_s * context
        if t.window_tokens:
            spent += t.window_kv_s * min(context, sequences * t.window_tokens)
        if prompt:
            spent += t.prompt_s * attended + t.prompt_fixed_s
            if t.window_tokens:
                mean = min(attended / prompt, t.window_tokens)
                spent += t.window_prompt_s * prompt * mean
        return float(spent)
