"""Steady states of many replicas at once: static batches, closed loops, saturation (P6.3, P8).

Means only, vectorised over replicas; for searches, for throughput, and to compare with measured
rows. Percentiles and queues under open load are `tco.performance.serving` and `tco.simulate`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tco.performance.step import StepArrays, seconds

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Batch:
    """N replicas and the lengths of their requests."""

    arrays: StepArrays
    at: Mapping[str, Array]  # from `step.shares`
    input_tokens: Array
    output_tokens: Array
    kv_tokens: Array  # room of the replica
    max_sequences: Array
    cached_tokens: Array  # of the input, found in the prefix cache

    @property
    def fresh_tokens(self) -> Array:
        """Prompt tokens that are processed: those not found in the prefix cache."""
        return np.maximum(self.input_tokens - self.cached_tokens, 1.0)

    @property
    def zero(self) -> Array:
        """Zeros of the right shape."""
        return np.zeros_like(self.input_tokens)

    def prompt_s(self, prompts: Array | float = 1.0) -> Array:
        """Return seconds of `prompts` prompts processed on their own."""
        tokens = self.fresh_tokens * prompts
        attended = tokens * (self.cached_tokens + self.fresh_tokens / 2)
        return seconds(self.arrays, self.at, tokens, attended, self.zero, self.zero)

    def mean_context(self) -> Array:
        """Tokens of a sequence halfway through its answer."""
        return self.input_tokens + self.output_tokens / 2

    def decode_s(self, sequences: Array) -> Array:
        """Return seconds of an iteration that only decodes."""
        context = sequences * self.mean_context()
        return seconds(self.arrays, self.at, self.zero, self.zero, sequences, context)

    def mixed_s(self, prompt: Array, sequences: Array) -> Array:
        """Return seconds of an iteration with `prompt` rows of prompts beside the sequences."""
        context = sequences * self.mean_context()
        attended = prompt * (self.cached_tokens + self.fresh_tokens / 2)
        return seconds(self.arrays, self.at, prompt, attended, sequences, context)

    def room(self, share_of_answer: float = 0.5) -> Array:
        """Sequences that fit at `share_of_answer` of their answer, at most the limit."""
        held = self.input_tokens + self.output_tokens * share_of_answer
        return np.maximum(np.minimum(self.kv_tokens / held, self.max_sequences), 1.0)


@dataclass(frozen=True, eq=False)
class Steady:
    """Means of a steady state; seconds, tokens per second of the replica."""

    tpot_s: Array
    ttft_s: Array
    e2e_s: Array
    output_tokens_per_s: Array
    sequences: Array
    prompt_share: Array  # of the time


def static_batch(batch: Batch, size: Array) -> Steady:
    """One batch of `size` requests that start together; in waves where the room is short."""
    together = np.minimum(
        size, np.maximum(batch.kv_tokens / (batch.input_tokens + batch.output_tokens * 0.75), 1.0)
    )
    waves = size / together
    first = batch.prompt_s(size)
    step = batch.decode_s(together)
    total = first + (batch.output_tokens - 1) * step * waves
    return Steady(
        tpot_s=step,
        ttft_s=first,
        e2e_s=total,
        output_tokens_per_s=size * batch.output_tokens / total,
        sequences=together,
        prompt_share=first / total,
    )


def closed_loop(batch: Batch, concurrency: Array) -> Steady:
    """`concurrency` requests always in flight; prompts stop decoding while they are processed."""
    most = np.minimum(concurrency, batch.room())
    prompt, steps = batch.prompt_s(), np.maximum(batch.output_tokens - 1, 0.0)
    decoding = most.copy()
    for _ in range(4):
        step = batch.decode_s(decoding)
        rate = 1 / (prompt + steps * step / decoding)
        away = np.maximum(most - rate * prompt * 1.5, 0.3 * most)
        decoding = 0.5 * (decoding + away)
    occupied = np.minimum(rate * prompt, 0.95)
    token = step / (1 - occupied)
    in_system = concurrency / rate
    first = np.maximum(in_system - steps * token, prompt + 0.5 * step) + batch.at["request_s"]
    alone = prompt + 0.5 * step * np.minimum(most - 1, 1.0) + batch.at["request_s"]
    first = np.where(concurrency <= most, np.minimum(first, alone * 2), first)
    return Steady(
        token, first, first + steps * token, rate * batch.output_tokens, decoding, occupied
    )


def saturated(batch: Batch, sequences: Array) -> Steady:
    """All slots taken: the most that `sequences` at a time give (offline throughput)."""
    prompt, steps = batch.prompt_s(), np.maximum(batch.output_tokens - 1, 0.0)
    step = batch.decode_s(sequences)
    rate = 1 / (prompt + steps * step / sequences)
    occupied = np.minimum(rate * prompt, 0.95)
    token = step / (1 - occupied)
    first = prompt + batch.at["request_s"]
    return Steady(
        token, first, first + steps * token, rate * batch.output_tokens, sequences, occupied
    )


def within_token_time(batch: Batch, limit_s: Array, most: Array) -> Steady:
    """The largest batch whose mean time per output token keeps `limit_s`."""
    low, high = np.ones_like(limit_s), np.maximum(most, 1.0)
    for _ in range(9):
        middle = np.sqrt(low * high)
        fits = saturated(batch, middle).tpot_s <= limit_s
        low, high = np.where(fits, middle, low), np.where(fits, high, middle)
    return saturated(batch, low)


def running_batch(batch: Batch, sequences: Array) -> Steady:
    """A server kept at a mean of `sequences`: each finished answer lets one prompt in.

    The median token time is that of an iteration without prompts while fewer than half of the
    iterations carry one.
    """
    prompts = sequences / batch.output_tokens  # a step
    mean = batch.mixed_s(batch.fresh_tokens * prompts, sequences)
    common = np.where(prompts >= 0.5, batch.fresh_tokens * prompts, 0.0)
    median = batch.mixed_s(common, sequences)
    first = batch.mixed_s(batch.fresh_tokens, sequences) + batch.at["request_s"]
    return Steady(
        tpot_s=median,
        ttft_s=first,
        e2e_s=first + batch.output_tokens * mean,
        output_tokens_per_s=sequences / mean,
        sequences=sequences,
        prompt_share=1 - median / mean,
    )


def open_loop(batch: Batch, requests_per_s: Array, *, random: bool = True) -> Steady:
    """Arrivals at a rate below saturation: Little's law over the iteration time (P6.3).

    `random`: Poisson arrivals, whose prompts wait for each other as in M/D/1; else constant
    intervals, where a prompt has been processed before the next one comes.
    """
    steps = np.maximum(batch.output_tokens - 1, 0.0)
    token = batch.decode_s(np.ones_like(requests_per_s))
    for _ in range(10):
        decoding = np.maximum(requests_per_s * steps * token, 1.0)
        step = batch.decode_s(decoding)
        extra = batch.mixed_s(batch.fresh_tokens, decoding) - step
        token = 0.4 * token + 0.6 * step / (1 - np.minimum(requests_per_s * extra, 0.9))
    service = step + extra
    load = np.minimum(requests_per_s * service, 0.95)
    queue = load * service / (2 * (1 - load)) if random else batch.zero
    first = service + 0.5 * step + queue + batch.at["request_s"]
    return Steady(
        tpot_s=token,
        ttft_s=first,
        e2e_s=first + steps * token,
        output_tokens_per_s=requests_per_s * batch.output_tokens,
        sequences=decoding,
        prompt_share=load,
    )
