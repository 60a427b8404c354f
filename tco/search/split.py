"""Prefill and decode on workers of their own (P6.5).

Method
------
A prompt goes to the least busy of x prefill workers, so it waits as in M/D/x: half of the wait of
M/M/x (Erlang C), exact for one worker. The KV cache of a prompt then crosses the link of its
worker: KV transfer = KV bytes / link rate. Two servers of constant time in a row wait as long as
the slower one alone, so the wait is taken at the longer of the two times. Each of y decode workers
is a processor-sharing queue with the product form of its number of sequences (as in
`tco.performance.serving`, without prompts in between). The first token is seen when a decode worker
has taken the request on, after half of the iteration under way.

Percentiles: a wait that is not 0 has an exponential law with that mean; a token takes as long as at
the same percentile of the batch for a whole answer, and end to end is the sum of the two.

Validity
--------
Against the event simulator of two pools (tests), at 30, 60 and 80 % of saturation: mean time per
token within 2 %, mean first token within 6 %; 95th percentiles of a token 0 to 4 % above, of the
first token 4 % below to 15 % above.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tco.performance.iteration import IterationModel
from tco.performance.load_table import MAX_LOAD, LoadTable
from tco.performance.memory import MemoryPlan
from tco.performance.operators import GIGA
from tco.performance.rates import link_figure
from tco.performance.serving import StepTimes
from tco.search.request import Configuration, Request

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Split:
    """Times of a split; seconds."""

    prompt_s: float
    move_s: float
    decode_s: Array  # by number of sequences 0..B of one decode worker
    answer_tokens: float  # after the first
    host_s: float
    prefill_workers: int
    decode_workers: int

    @property
    def slots(self) -> int:
        """Sequences that may decode at once, all decode workers."""
        return (len(self.decode_s) - 1) * self.decode_workers

    @property
    def _leave(self) -> Array:
        """Requests per s that one decode worker finishes, by its number of sequences."""
        n = np.arange(len(self.decode_s), dtype=np.float64)
        return np.asarray(n / (self.decode_s * self.answer_tokens))

    @property
    def _limits(self) -> dict[str, float]:
        return {
            "prefill workers": self.prefill_workers / self.prompt_s,
            "KV link": self.prefill_workers / self.move_s if self.move_s > 0 else math.inf,
            "decode workers": self.decode_workers * float(self._leave.max()),
        }

    @property
    def saturation_per_s(self) -> float:
        """Requests per s at which the slowest of the three is always busy."""
        return min(self._limits.values())

    @property
    def limit_per_s(self) -> float:
        """Largest planned load."""
        return self.saturation_per_s * MAX_LOAD.value

    @property
    def bound(self) -> str:
        """What binds at that load."""
        limits = self._limits
        return f"{min(limits, key=limits.__getitem__)}: {MAX_LOAD.value:.0%} of what they can do"

    def table(
        self, rates: Array, percentiles: Sequence[float], metrics: Sequence[str]
    ) -> LoadTable:
        """Return latencies at each rate of the whole split."""
        levels = np.array(percentiles) / 100
        service = max(self.prompt_s, self.move_s)
        waits, wait = mdx_wait(rates, service, self.prefill_workers)
        share, mean, slot_share, slot_per_s = self._batch(rates / self.decode_workers)
        life = mean / (rates / self.decode_workers)
        met = share[:, 1:] @ self.decode_s[1:]  # decode iteration under way, waited out
        first = self.prompt_s + self.move_s + self.host_s
        ttft = wait + first + met / 2 + slot_share / slot_per_s
        quantile_s: dict[str, Array] = {}
        if "ttft" in metrics or "e2e" in metrics:
            late = _tail_s(waits, waits / np.maximum(wait, 1e-12), levels)
            late = late + _tail_s(slot_share, slot_per_s, levels) + met[:, None] * levels[None, :]
            quantile_s["ttft"] = first + late
        if "tpot" in metrics or "e2e" in metrics:
            below = np.cumsum(share, axis=1)
            at = (below[:, None, :] < levels[None, :, None] - 1e-12).sum(axis=2)
            step = self.decode_s[np.minimum(at, len(self.decode_s) - 1)]
            lives = np.maximum(step * self.answer_tokens, life[:, None])
            quantile_s["tpot"] = lives / self.answer_tokens
            if "e2e" in metrics:
                quantile_s["e2e"] = quantile_s["ttft"] + lives
        return LoadTable(
            requests_per_s=rates,
            saturated=rates >= self.saturation_per_s * 0.999,
            percentiles=tuple(percentiles),
            mean_s={"ttft": ttft, "tpot": life / self.answer_tokens, "e2e": ttft + life},
            quantile_s=quantile_s,
            in_flight=rates * (ttft + life),
            decoding=mean * self.decode_workers,
            busy_fraction=rates / self.prefill_workers * self.prompt_s,
            slot_share=slot_share,
            iterations_per_s=rates / self.prefill_workers,
        )

    def _batch(self, rate: Array) -> tuple[Array, Array, Array, Array]:
        """Shares of time by number of sequences, their mean, waits for a slot and their rate."""
        leave = self._leave
        logs = np.zeros((len(rate), len(leave)))
        np.cumsum(np.log(rate[:, None] / leave[None, 1:]), axis=1, out=logs[:, 1:])
        weight = np.exp(logs - logs.max(axis=1, keepdims=True))
        weight[:, -1] /= 1 - np.minimum(rate / leave[-1], 0.999)
        share = weight / weight.sum(axis=1, keepdims=True)
        mean = share @ np.arange(len(leave), dtype=np.float64)
        free = np.maximum(leave[-1] - rate, leave[-1] * 1e-3)
        return share, mean, share[:, -1], free


def mdx_wait(rate_per_s: Array, service_s: float, servers: int) -> tuple[Array, Array]:
    """Return the chance of waiting in M/D/x (Erlang C) and the mean wait in seconds.

    Examples
    --------
    >>> chance, wait = mdx_wait(np.array([0.8]), 1.0, 1)  # M/D/1: rho, rho S / (2 (1 - rho))
    >>> round(float(chance[0]), 6), round(float(wait[0]), 6)
    (0.8, 2.0)
    >>> chance, wait = mdx_wait(np.array([1.6]), 1.0, 2)  # Erlang C of 2 servers: 2 rho^2/(1+rho)
    >>> round(float(chance[0]), 4), round(float(wait[0]), 4)
    (0.7111, 0.8889)
    """
    offered = np.minimum(rate_per_s * service_s, servers * 0.999)
    blocked = np.ones_like(offered)  # Erlang B, server by server
    for count in range(1, servers + 1):
        blocked = offered * blocked / (count + offered * blocked)
    busy = offered / servers
    chance = blocked / (1 - busy + busy * blocked)
    return chance, chance * service_s / (2 * servers * (1 - busy))


def _tail_s(chance: Array, per_s: Array, levels: Array) -> Array:
    """Quantiles [load, level] of a wait that comes with `chance` and is exponential then."""
    share = np.maximum(chance[:, None] / (1 - levels[None, :]), 1.0)
    return np.asarray(np.log(share) / np.maximum(per_s, 1e-12)[:, None])


def split_of(
    request: Request,
    each: Configuration,
    plan: MemoryPlan,
    made: tuple[IterationModel, StepTimes],
) -> Split:
    """Return the times of a split; each device sends its part of a prompt's cache (P6.5)."""
    model, times = made
    sent = float(plan.cache.bytes(request.input_tokens))
    link = link_figure(model.device, request.devices).value * GIGA
    return Split(
        prompt_s=float(times.prefill_s[0]),
        move_s=sent / link,
        decode_s=times.decode_s,
        answer_tokens=times.decode_tokens,
        host_s=times.host_s,
        prefill_workers=each.prefill_workers,
        decode_workers=each.decode_workers,
    )
