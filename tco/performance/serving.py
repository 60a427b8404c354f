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
KV slot once all are taken. A life is one iteration a token (`tco.performance.decode_life`), so TPOT
lies between a decode step alone and the longest mixed iteration. End to end is fitted by two
moments within the bounds that its two parts set for each percentile.

Validity
--------
Poisson arrivals, fixed lengths, first come first served, no preemption, no prefix cache; up to 90 %
of the saturation load and while at most 1 % of requests wait for a KV slot: other points are marked
(`LoadPoint.within_model_range`). Against an event simulator of the same engine (tests), up to 80 %
load: chat-like answers (250 tokens and more) means within 5 %, 95th and 99th percentiles within
15 %; answers of 2 to 20 tokens to 1,000 to 20,000 means within 10 % (16 % from 60 % load), the same
percentiles within 20 %. Medians are not promised where a few counts decide. Between 20 and 250
tokens, where slots run short, and in the tail of long answers to prompts of several chunks at 80 %
load (low), errors reach 30 %. At 90 %: means of chat within 10 %.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tco.performance import defaults
from tco.performance.decode_life import DecodeLife, decode_life
from tco.performance.iteration import IterationModel
from tco.performance.load_table import METRICS, PERCENTILES, LoadTable
from tco.performance.operators import Array, IntArray
from tco.performance.queueing import gamma_quantiles, md1_wait_s, wait_quantiles_s


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
        if self.decode_tokens <= 0:
            return 1 / float(self.prefill_s[0])
        full = min(float(self.slots), max(self.decode_tokens / self.chunks, 1.0))
        n = max(1, math.floor(full))
        prefill, step = float(self.prefill_s[n]), float(self.decode_s[n])
        by_slots = full / (step * self.decode_tokens + full * (prefill - self.chunks * step))
        return min(by_slots, 1 / prefill)


def step_times(
    iteration: IterationModel,
    *,
    input_tokens: float,
    output_tokens: float,
    slots: int,
    cached_tokens: float = 0.0,
) -> StepTimes:
    """Tabulate T(n) and S(n) of a replica for a workload (P5).

    `cached_tokens` of the input are found in the prefix cache and not processed again.
    """
    sequences = np.arange(slots + 1, dtype=np.float64)
    context = input_tokens + output_tokens / 2
    decode = iteration.seconds(0.0, 0.0, np.maximum(sequences, 1.0), context)
    budget = defaults.MAX_BATCHED_TOKENS.value
    fresh = max(input_tokens - cached_tokens, 1.0)
    chunks = max(1, math.ceil(fresh / budget))
    size = fresh / chunks
    prefill = np.zeros_like(sequences)
    for chunk in range(chunks):
        done = cached_tokens + chunk * size
        prefill = prefill + iteration.seconds(size, done, sequences, context)
    return StepTimes(
        decode_s=decode,
        prefill_s=prefill,
        chunks=chunks,
        decode_tokens=max(output_tokens - 1, 0.0),
        host_s=float(iteration.at["request_s"][0]),
    )


def evaluate(
    times: StepTimes,
    requests_per_s: Array,
    percentiles: tuple[float, ...] = PERCENTILES,
    metrics: tuple[str, ...] = METRICS,
) -> LoadTable:
    """Evaluate the closed form at each request rate of one replica (P6.3).

    Parameters
    ----------
    requests_per_s
        Rates above 0; at or above saturation the row is marked and its numbers mean nothing.
    metrics
        Those whose percentiles are wanted; means are always given.

    Notes
    -----
    See the module for the method and its validity.
    """
    limit = times.saturation_per_s
    saturated = requests_per_s >= limit * 0.999
    rate = np.where(saturated, limit * 0.5, np.maximum(requests_per_s, limit * 1e-9))
    k, tokens = times.chunks, times.decode_tokens
    step, prefill = times.decode_s, times.prefill_s
    occupied = np.minimum(rate[:, None] * prefill, 1.0)
    speed = np.where(  # iterations per s with n sequences decoding
        occupied < 1.0,
        k * rate[:, None] + (1 - occupied) / step,
        k / prefill,
    )
    law = _stationary(times, rate, speed)
    life = law.decoding / rate if tokens > 0 else np.zeros_like(rate)
    service = law.share @ prefill + law.shift * law.prefill_slope_s
    wait = _prefill_wait_s(rate, service, law)
    # the service that would give this wait with a constant batch
    service_q = -wait + np.sqrt(wait**2 + 2 * wait / rate)
    rho = np.minimum(rate * service_q, 0.999)
    vacation = law.vacation_s
    held = _interruption_s(times, rate, law)
    met = _backlog(times, rate, law, rate * (wait + service), rho)
    decoding = _decode_life(times, rate, law, life, met, rho) if tokens > 0 else None
    life = decoding.mean_s if decoding else life
    ttft = wait + law.some * vacation / 2 + service + times.host_s + law.slot_share / law.slot_per_s
    total = ttft + life
    levels = np.array(percentiles) / 100
    per_token = 1 / tokens if tokens > 0 else math.nan
    quantile_s: dict[str, Array] = {}
    life_q = np.zeros((len(rate), len(levels)))
    if decoding and ("tpot" in metrics or "e2e" in metrics):
        life_q = decoding.quantiles(levels)
    if "tpot" in metrics:
        quantile_s["tpot"] = life_q * per_token
    if "ttft" in metrics or "e2e" in metrics:
        wait_q = wait_quantiles_s(
            rate, rho / rate, vacation, law.some, levels, law.slot_share, law.slot_per_s
        )
        quantile_s["ttft"] = wait_q + (service + times.host_s)[:, None]
    if "e2e" in metrics:
        quantile_s["e2e"] = quantile_s["ttft"]
    if "e2e" in metrics and decoding:
        variance = wait**2 + rate * service**3 / (3 * (1 - rho)) + vacation**2 / 12
        # who waits long leaves as many prompts behind, and meets them while decoding
        fixed = service + times.host_s
        touch = np.minimum(held * rate, decoding.extra_s * tokens / np.maximum(wait, 1e-12))
        variance = decoding.variance_s2 + variance * (1 + 2 * touch)
        variance += law.slot_share * (2 - law.slot_share) / law.slot_per_s**2
        least = np.minimum(decoding.least_s + float(prefill[0]) + times.host_s, total)
        fitted = gamma_quantiles(least, total, variance, levels)
        # a request takes its first token and its life: bounds that hold for each percentile
        quick = quantile_s["ttft"] + decoding.least_s[:, None]
        slow = quantile_s["ttft"] + decoding.most_s[:, None]
        fitted = np.clip(fitted, quick, np.maximum(slow, quick))
        quantile_s["e2e"] = np.maximum(fitted, life_q + fixed[:, None])
    decode_only = ((1 - occupied) / step)[:, 1:]
    return LoadTable(
        requests_per_s=requests_per_s,
        saturated=saturated,
        percentiles=percentiles,
        mean_s={"ttft": ttft, "tpot": life * per_token, "e2e": total},
        quantile_s=quantile_s,
        in_flight=rate * total,
        decoding=law.decoding,
        busy_fraction=1 - (1 - law.some) * (1 - rho),
        slot_share=law.slot_share,
        iterations_per_s=k * rate + (law.share[:, 1:] * decode_only).sum(axis=1),
    )


@dataclass(frozen=True)
class _Law:
    """The number of sequences decoding, by load."""

    share: Array  # [load, n]
    some: Array  # share of time with at least one
    decoding: Array  # mean, with the shift
    variance: Array
    shift: Array  # of the mean, from prefill interruptions
    jump: Array  # sequences that one arrival adds, its own and those it delays
    relax_per_s: Array  # how fast the number returns to its mean
    middle: IntArray  # nearest state to the mean, 1..B-1
    vacation_s: Array  # decode iteration under way
    prefill_slope_s: Array  # dS/dn
    slot_share: Array  # probability of waiting for a slot
    slot_per_s: Array  # decay rate of that wait


def _stationary(times: StepTimes, rate: Array, speed: Array) -> _Law:
    """Product form of the number decoding, widened by the prefills that interrupt decoding.

    With mu(n) = n·speed / tokens the product form has variance lambda / gamma, gamma the pull to
    the mean. Each arrival adds itself and holds up n·(S/T - k) tokens, so it counts as a jump of
    1 + n·(S/T - k) / tokens; the variance grows by (jump² + 1) / 2, and the curvature of mu turns
    that into a shift of the mean.
    """
    loads, states = speed.shape
    zeros, ones = np.zeros(loads), np.ones(loads)
    tokens, step, prefill = times.decode_tokens, times.decode_s, times.prefill_s
    if tokens <= 0 or states < 3:
        share = np.zeros((loads, states))
        share[:, 0] = 1.0
        middle = np.zeros(loads, dtype=np.int64)
        return _Law(
            share, zeros, zeros, zeros, zeros, ones, ones, middle, zeros, zeros, zeros, ones
        )
    n = np.arange(states, dtype=np.float64)
    leave = np.zeros_like(speed)  # requests per s that finish
    leave[:, 1:] = n[1:] * speed[:, 1:] / tokens
    logs = np.zeros((loads, states))
    np.cumsum(np.log(rate[:, None] / leave[:, 1:]), axis=1, out=logs[:, 1:])
    logs -= logs.max(axis=1, keepdims=True)
    weight = np.exp(logs)
    ratio = np.minimum(rate / leave[:, -1], 0.999)
    weight[:, -1] /= 1 - ratio
    share = weight / weight.sum(axis=1, keepdims=True)
    mean = share @ n
    plain = np.maximum(share @ n**2 - mean**2, 1e-12)
    middle = np.clip(np.rint(mean).astype(np.int64), 1, states - 2)
    held = prefill[middle] / step[middle] - times.chunks
    jump = 1 + np.maximum(mean * held, 0.0) / tokens
    widening = (jump**2 + 1) / 2
    relax = rate / plain
    rows = np.arange(loads)
    reach = np.minimum(np.maximum(np.rint(np.sqrt(plain * widening)).astype(np.int64), 1), middle)
    reach = np.minimum(reach, states - 1 - middle)
    bend = leave[rows, middle + reach] - 2 * leave[rows, middle] + leave[rows, middle - reach]
    bend = bend / reach**2
    shift = np.clip(-bend / (2 * relax) * plain * (widening - 1), 0.0, mean)
    some = share[:, 1:].sum(axis=1)
    vacation = (share[:, 1:] @ step[1:]) / np.maximum(some, 1e-300)
    slope = (prefill[middle + 1] - prefill[middle - 1]) / 2
    full = 1 + np.maximum(n[-1] * (prefill[-1] / step[-1] - times.chunks), 0.0) / tokens
    return _Law(
        share=share,
        some=some,
        decoding=mean + shift,
        variance=plain * widening,
        shift=shift,
        jump=jump,
        relax_per_s=relax,
        middle=middle,
        vacation_s=vacation,
        prefill_slope_s=slope,
        slot_share=share[:, -1] ** (1 / widening),
        # fixed lengths: the variation is that of the arrivals alone (Allen-Cunneen, Cs = 0)
        slot_per_s=2 * np.maximum(leave[:, -1] - rate, leave[:, -1] * 1e-3) / full**2,
    )


def _prefill_wait_s(rate: Array, service: Array, law: _Law) -> Array:
    """Mean wait of M/D/1, with the part that a slowly changing batch adds (second order)."""
    rho = np.minimum(rate * service, 0.999)
    swing = rate * law.prefill_slope_s**2 * law.variance / (2 * (1 - rho) ** 3)
    wait = md1_wait_s(rate, rho / rate)
    return np.asarray(wait + np.minimum(swing, wait))


def _interruption_s(times: StepTimes, rate: Array, law: _Law) -> Array:
    """Seconds one prefill adds to a life, with the prefills that arrive in those seconds."""
    if times.decode_tokens <= 0:
        return np.zeros_like(rate)
    held = times.prefill_s[law.middle] - times.chunks * times.decode_s[law.middle]
    held = np.maximum(held, 0.0)
    return np.asarray(held / (1 - np.minimum(rate * held, 0.95)))


def _backlog(times: StepTimes, rate: Array, law: _Law, prompts: Array, rho: Array) -> Array:
    """Prompts a life meets beyond the average, because decoding starts at the end of a prefill.

    It starts with `prompts` left behind on average, and ends at any iteration, most of which find
    none.
    """
    mixed = times.chunks * rate
    plain = (1 - rho) / times.decode_s[law.middle]
    share = mixed / (mixed + plain) / np.maximum(rho, 1e-12)
    return np.asarray(prompts * np.maximum(1 - share, 0.0))


def _decode_life(
    times: StepTimes, rate: Array, law: _Law, stationary_s: Array, met: Array, rho: Array
) -> DecodeLife:
    """Law of a request's decode time: one iteration a token, plain or mixed."""
    k, tokens, at = times.chunks, times.decode_tokens, law.middle
    plain, mixed = times.decode_s[at], times.prefill_s[at] / k
    crowd = np.minimum(at + 3 * np.sqrt(law.variance), times.slots).astype(np.int64)
    held = _interruption_s(times, rate, law)
    long_run = k * rate / (k * rate + (1 - rho) / plain)
    # a departing prompt leaves none behind: nor does one arrive in the decode iteration it met
    came = rate * plain
    alone = (1 - rho) * (1 - law.some + law.some * -np.expm1(-came) / came)
    pull = np.clip(law.relax_per_s * stationary_s, 0.25, 1.0)  # a longer life crowds the batch
    surplus = met * held / pull / np.maximum(k * mixed - k * plain, 1e-12)
    return decode_life(
        tokens=tokens,
        chunks=k,
        plain_s=plain,
        mixed_s=mixed,
        least_s=np.full_like(rate, tokens * float(times.decode_s[min(1, times.slots)])),
        most_s=tokens * times.prefill_s[crowd] / k,
        first=1 - alone,
        long_run=long_run,
        surplus_prompts=surplus,
        stationary_s=stationary_s,
        requests_per_s=rate,
        left_behind=met,
        held_s=held,
        batch_variance_s2=_batch_variance(times, rate, law, stationary_s, held),
    )


def _batch_variance(times: StepTimes, rate: Array, law: _Law, life: Array, held: Array) -> Array:
    """Variance of a decode time from the number decoding, in s².

    The number is averaged over the life (alpha seconds a sequence, correlation exp(-gamma·t)); it
    also goes with the count of prompts met.
    """
    if times.slots < 2:
        return np.zeros_like(rate)
    step, prefill, k = times.decode_s, times.prefill_s, times.chunks
    at = law.middle

    def life_at(state: IntArray) -> Array:
        occupied = np.minimum(rate * prefill[state], 0.99)
        return np.asarray(times.decode_tokens / (k * rate + (1 - occupied) / step[state]))

    alpha = (life_at(at + 1) - life_at(at - 1)) / 2
    x = np.maximum(law.relax_per_s * life, 1e-6)
    over_life = 2 * (x - 1 + np.exp(-x)) / x**2
    shared = rate * law.jump / law.relax_per_s * (1 - (1 - np.exp(-x)) / x)
    both = alpha**2 * law.variance * over_life + 2 * alpha * held * shared
    return np.asarray(np.maximum(both, 0.0))
