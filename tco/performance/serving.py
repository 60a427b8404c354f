"""Continuous batching in closed form: percentiles of TTFT, TPOT and end to end (P6.3).

Method
------
Prompts are admitted one at a time (serial prefill); each iteration carries one chunk of the first
waiting prompt and one token of every decoding sequence. With n sequences decoding, prompts arriving
at rate lambda, k chunks a prompt, S(n) seconds of prefill iterations a prompt and T(n) seconds of a
decode iteration, the replica makes ``k·lambda + (1 - lambda·S(n)) / T(n)`` iterations a second.
Decoding is then a processor-sharing queue whose speed depends on n. Its stationary law has a
product form that holds for any law of output lengths; its mean is Little's fixed point over T. The
first token waits as in M/D/1, plus the rest of the decode iteration under way, plus the wait for a
KV slot once all are taken. TPOT varies with the prompts and sequences met during a request's life
(a Poisson count); both tails are fitted by two moments.

Validity
--------
Poisson arrivals, fixed lengths, first come first served, no preemption, no prefix cache, up to 90 %
of the saturation load. Against an event simulator of the same engine (tests): means within 5 %,
95th and 99th percentiles within 15 % up to 80 % load.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tco.performance import defaults
from tco.performance.iteration import IterationModel
from tco.performance.operators import Array, BoolArray
from tco.performance.queueing import gamma_quantiles, md1_wait_s, wait_quantiles_s
from tco.results import LoadPoint

PERCENTILES = (50.0, 90.0, 95.0, 99.0)
METRICS = ("ttft", "tpot", "e2e")


@dataclass(frozen=True)
class StepTimes:
    """Times of a replica by number of decoding sequences 0..B; seconds."""

    decode_s: Array  # T(n); index 0 is that of one sequence
    prefill_s: Array  # S(n), all chunks of one prompt
    chunks: int
    decode_tokens: float  # output tokens after the first
    host_s: float  # per request, in parallel

    @property
    def slots(self) -> int:
        """Most sequences decoding at once, B."""
        return len(self.decode_s) - 1

    @property
    def saturation_per_s(self) -> float:
        """Largest stable request rate: all KV slots taken, or prefill all the time."""
        full = float(self.slots)
        if self.decode_tokens > 0:
            full = min(full, max(self.decode_tokens / self.chunks, 1.0))
        n = max(1, math.floor(full))
        prefill, step = float(self.prefill_s[n]), float(self.decode_s[n])
        by_slots = full / (step * self.decode_tokens + full * (prefill - self.chunks * step))
        return min(by_slots, 1 / prefill) if self.decode_tokens > 0 else 1 / prefill


def step_times(
    iteration: IterationModel, *, input_tokens: float, output_tokens: float, slots: int
) -> StepTimes:
    """Tabulate T(n) and S(n) of a replica for a workload (P5)."""
    sequences = np.arange(slots + 1, dtype=np.float64)
    context = input_tokens + output_tokens / 2
    decode = iteration.seconds(0.0, 0.0, np.maximum(sequences, 1.0), context)
    budget = defaults.MAX_BATCHED_TOKENS.value
    chunks = max(1, math.ceil(input_tokens / budget))
    size = input_tokens / chunks
    prefill = np.zeros_like(sequences)
    for chunk in range(chunks):
        prefill = prefill + iteration.seconds(size, chunk * size, sequences, context)
    return StepTimes(
        decode_s=decode,
        prefill_s=prefill,
        chunks=chunks,
        decode_tokens=max(output_tokens - 1, 0.0),
        host_s=defaults.HOST_REQUEST_MS.value * 1e-3,
    )


@dataclass(frozen=True)
class LoadTable:
    """Results for an array of request rates per replica; seconds, [load] or [load, percentile]."""

    requests_per_s: Array
    saturated: BoolArray
    percentiles: tuple[float, ...]
    mean_s: dict[str, Array]
    quantile_s: dict[str, Array]
    in_flight: Array
    busy_fraction: Array
    iterations_per_s: Array

    def at(self, metric: str, percentile: float) -> Array:
        """Return seconds of one percentile for every load."""
        return np.asarray(self.quantile_s[metric][:, self.percentiles.index(percentile)])

    def point(
        self, row: int, *, replicas: int, saturation_per_s: float, measured_range: bool
    ) -> LoadPoint:
        """Return one load of `replicas` replicas; a saturated one has no latencies (P6.2)."""
        rate = float(self.requests_per_s[row])
        saturated = bool(self.saturated[row])

        def milliseconds(metric: str) -> dict[str, float]:
            if saturated:
                return {}
            named = {"mean": 1e3 * float(self.mean_s[metric][row])}
            for percentile in PERCENTILES:
                column = self.percentiles.index(percentile)
                value = float(self.quantile_s[metric][row, column])
                named[f"p{percentile:g}"] = 1e3 * value
            return named

        return LoadPoint(
            requests_per_s=rate * replicas,
            utilisation_fraction=rate / saturation_per_s,
            ttft_ms=milliseconds("ttft"),
            tpot_ms=milliseconds("tpot"),
            e2e_ms=milliseconds("e2e"),
            saturated=saturated,
            measured_range=measured_range,
        )


def evaluate(
    times: StepTimes, requests_per_s: Array, percentiles: tuple[float, ...] = PERCENTILES
) -> LoadTable:
    """Evaluate the closed form at each request rate of one replica (P6.3).

    Parameters
    ----------
    requests_per_s
        Rates above 0; at or above saturation the row is marked and its numbers mean nothing.

    Notes
    -----
    See the module for the method and its validity.
    """
    limit = times.saturation_per_s
    saturated = requests_per_s >= limit * 0.999
    rate = np.where(saturated, limit * 0.5, np.maximum(requests_per_s, limit * 1e-9))
    n = np.arange(times.slots + 1, dtype=np.float64)
    k, tokens = times.chunks, times.decode_tokens
    step, prefill = times.decode_s, times.prefill_s
    occupied = np.minimum(rate[:, None] * prefill, 1.0)
    speed = np.where(  # iterations per s with n sequences decoding
        occupied < 1.0,
        k * rate[:, None] + (1 - occupied) / step,
        k / prefill,
    )
    share, extra = _stationary(rate, speed, n, tokens)
    slot_share, slot_rate, slot_mean_s = extra
    in_decode = share @ n
    mean_tpot = in_decode / rate / tokens if tokens > 0 else np.zeros_like(rate)
    service = share @ prefill
    decode_only = share[:, 1:].sum(axis=1)
    vacation = np.divide(
        share[:, 1:] @ step[1:], decode_only, out=np.zeros_like(rate), where=decode_only > 0
    )
    rho = np.minimum(rate * service, 0.999)
    wait = md1_wait_s(rate, rho / rate)
    ttft = wait + decode_only * vacation / 2 + service + times.host_s + slot_mean_s
    levels = np.array(percentiles) / 100
    ttft_q = (
        wait_quantiles_s(rate, rho / rate, vacation, decode_only, levels, slot_share, slot_rate)
        + (service + times.host_s)[:, None]
    )
    spread_decode = _decode_variance(times, rate, share, n, speed, in_decode)
    life = tokens * mean_tpot
    least_life = np.full_like(rate, tokens * float(step[min(1, times.slots)]))
    life_q = gamma_quantiles(np.minimum(least_life, life), life, spread_decode, levels)
    spread_wait = wait**2 + rate * service**3 / (3 * (1 - rho)) + vacation**2 / 12
    spread_wait = spread_wait + slot_share * (2 - slot_share) / slot_rate**2
    least = least_life + float(prefill[0]) + times.host_s
    total = ttft + life
    e2e_q = gamma_quantiles(np.minimum(least, total), total, spread_wait + spread_decode, levels)
    per_token = 1 / tokens if tokens > 0 else 0.0
    return LoadTable(
        requests_per_s=requests_per_s,
        saturated=saturated,
        percentiles=percentiles,
        mean_s={"ttft": ttft, "tpot": mean_tpot, "e2e": total},
        quantile_s={"ttft": ttft_q, "tpot": life_q * per_token, "e2e": e2e_q},
        in_flight=rate * total,
        busy_fraction=1 - (1 - decode_only) * (1 - rho),
        iterations_per_s=k * rate + (share[:, 1:] * ((1 - occupied) / step)[:, 1:]).sum(axis=1),
    )


def _stationary(
    rate: Array, speed: Array, n: Array, tokens: float
) -> tuple[Array, tuple[Array, Array, Array]]:
    """Law of the number decoding, and the wait for a slot when all are taken.

    Returns the shares [load, n], all waiting states counted in the last, and (probability of
    waiting, decay rate of the wait per s, mean wait in s).
    """
    loads, states = speed.shape
    if tokens <= 0 or states < 2:
        share = np.zeros((loads, states))
        share[:, 0] = 1.0
        return share, (np.zeros(loads), np.ones(loads), np.zeros(loads))
    leave = n[1:] * speed[:, 1:] / tokens  # requests per s that finish
    logs = np.zeros((loads, states))
    np.cumsum(np.log(rate[:, None] / leave), axis=1, out=logs[:, 1:])
    logs -= logs.max(axis=1, keepdims=True)
    weight = np.exp(logs)
    ratio = np.minimum(rate / leave[:, -1], 0.999)
    weight[:, -1] /= 1 - ratio
    share = weight / weight.sum(axis=1, keepdims=True)
    # fixed lengths: half the wait of exponential ones (Allen-Cunneen, Cs = 0)
    decay = 2 * leave[:, -1] * (1 - ratio)
    waiting = share[:, -1]
    return share, (waiting, decay, waiting / decay)


def _decode_variance(
    times: StepTimes, rate: Array, share: Array, n: Array, speed: Array, in_decode: Array
) -> Array:
    """Variance of a request's decode time in s².

    A request of life D meets Poisson arrivals: each that comes during the life adds its prefill
    (beta), and each sequence present adds to the iterations it overlaps (alpha, a triangle over
    twice the life): b·(2/3·alpha² + alpha·beta + beta²) with b = lambda·D. Where the number
    decoding varies more than Poisson, all is scaled by that excess.
    """
    if times.decode_tokens <= 0 or times.slots < 2:
        return np.zeros_like(rate)
    life = times.decode_tokens / speed
    middle = np.clip(np.rint(in_decode).astype(int), 1, times.slots - 1)
    rows = np.arange(len(rate))
    alpha = (life[rows, middle + 1] - life[rows, middle - 1]) / 2
    beta = times.prefill_s[middle] - times.chunks * times.decode_s[middle]
    spread = share @ n**2 - in_decode**2
    excess = np.clip(spread / np.maximum(in_decode, 1e-12), 1.0, 4.0)
    shape = 2 / 3 * alpha**2 + alpha * beta + beta**2
    return np.asarray(excess * in_decode * shape)
