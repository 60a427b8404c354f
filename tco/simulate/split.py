"""Prefill and decode on workers of their own: the KV goes over a link in between (P6.5).

A prompt is processed on one of ``x`` prefill workers, its KV is sent to one of ``y`` decode workers
(one transfer at a time leaves a prefill worker), and the answer is made there. The first token
reaches the user when the decode worker takes the request on, so TTFT holds the wait for the prompt,
the transfer, and the wait for a place in the decode batch.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tco.errors import InputError
from tco.simulate.cluster import deal
from tco.simulate.replica import simulate
from tco.simulate.requests import Requests, Served
from tco.simulate.step_table import StepTable


@dataclass(frozen=True, slots=True)
class Split:
    """How many workers do what, and the link between them.

    Parameters
    ----------
    kv_bytes_per_token
        What one token of context keeps, over all layers and devices of a worker.
    link_bytes_per_s
        Of one prefill worker, to any decode worker.
    overlap_fraction
        Share of a transfer hidden behind the prefill itself (KV sent layer by layer).
    """

    prefill_workers: int
    decode_workers: int
    kv_bytes_per_token: float
    link_bytes_per_s: float
    overlap_fraction: float = 0.0

    def __post_init__(self) -> None:
        for name in ("prefill_workers", "decode_workers"):
            if getattr(self, name) < 1:
                raise InputError(name, f"{getattr(self, name)} is below 1", "use at least one")
        if not 0 <= self.kv_bytes_per_token < math.inf:
            mend = "enter the KV bytes of a token"
            raise InputError("kv_bytes_per_token", f"{self.kv_bytes_per_token:g}", mend)
        if not self.link_bytes_per_s > 0:
            mend = "enter bytes per second above 0"
            raise InputError("link_bytes_per_s", f"{self.link_bytes_per_s:g}", mend)
        if not 0 <= self.overlap_fraction <= 1:
            mend = "enter a share from 0 to 1"
            raise InputError("overlap_fraction", f"{self.overlap_fraction:g}", mend)

    def transfer_s(self, prompt_tokens: int) -> float:
        """Return the seconds that the KV of a prompt keeps the link, beyond the prefill.

        Examples
        --------
        >>> round(Split(1, 1, 327_680, 50e9).transfer_s(4096) * 1e3, 1)  # 70B, GQA, bf16
        26.8
        """
        size = prompt_tokens * self.kv_bytes_per_token
        return size * (1 - self.overlap_fraction) / self.link_bytes_per_s


@dataclass(frozen=True, slots=True)
class SplitRun:
    """What each request met, in the order given; seconds since its arrival."""

    split: Split
    ttft_s: list[float]
    e2e_s: list[float]
    transfer_s: list[float]  # wait for the link and the transfer
    prefill: list[Served | None]  # by worker; None: got nothing
    decode: list[Served | None]
    end_s: float
    output_tokens: list[int]

    def busy_fraction(self, pool: str) -> float:
        """Return the mean share of the run that the workers of ``prefill`` or ``decode`` worked."""
        served = self.prefill if pool == "prefill" else self.decode
        busy = sum(one.busy_s for one in served if one is not None)
        return busy / (len(served) * max(self.end_s, 1e-12))

    @property
    def tpot_s(self) -> list[float]:
        """Mean seconds between the tokens of each answer of two tokens and more."""
        rows = zip(self.ttft_s, self.e2e_s, self.output_tokens, strict=True)
        return [(end - first) / (tokens - 1) for first, end, tokens in rows if tokens > 1]


def _pool(
    table: StepTable, requests: Requests, workers: int, *, prefilled: bool
) -> tuple[list[int], list[Served | None], list[tuple[float, float]]]:
    """Serve on workers alike; (first token, end) of each request, seconds of the run's clock."""
    booked = requests
    if prefilled:  # no prompt is processed here: the router books the answers alone
        ones = [1] * len(requests.arrival_s)
        booked = dataclasses.replace(requests, input_tokens=ones)
    chosen = deal(table, booked, workers, router="least_work")
    times = [(0.0, 0.0)] * len(chosen)
    served: list[Served | None] = []
    for worker in range(workers):
        mine = [place for place, to in enumerate(chosen) if to == worker]
        if not mine:
            served.append(None)
            continue
        one = simulate(table, requests.take(mine), prefilled=prefilled)
        served.append(one)
        for row, place in enumerate(mine):
            at = one.arrival_s[row]
            times[place] = (at + one.ttft_s[row], at + one.e2e_s[row])
    return chosen, served, times


def simulate_split(
    prefill: StepTable, decode: StepTable, requests: Requests, split: Split
) -> SplitRun:
    """Serve `requests` on a prefill pool and a decode pool.

    Parameters
    ----------
    prefill, decode
        A worker of each pool; they may be of different devices and degrees.

    Raises
    ------
    InputError
        As `tco.simulate.replica.simulate`.
    """
    count = len(requests.arrival_s)
    answers = list(requests.output_tokens)
    # a prompt is over with its first token
    prompts = dataclasses.replace(requests, output_tokens=[1] * count)
    chosen, first_pool, ready = _pool(prefill, prompts, split.prefill_workers, prefilled=False)
    free_at = [0.0] * split.prefill_workers
    there = [0.0] * count
    for place in sorted(range(count), key=lambda one: ready[one][1]):
        worker = chosen[place]
        start = max(ready[place][1], free_at[worker])
        free_at[worker] = start + split.transfer_s(requests.input_tokens[place])
        there[place] = free_at[worker]
    order = sorted(range(count), key=lambda one: there[one])
    arriving = requests.take(order, [there[place] for place in order])
    # the request's own host time passes once, on the prefill side
    quiet = dataclasses.replace(decode, request_s=0.0)
    _, second_pool, times = _pool(quiet, arriving, split.decode_workers, prefilled=True)
    ttft, e2e = [0.0] * count, [0.0] * count
    for row, place in enumerate(order):
        at = requests.arrival_s[place]
        ttft[place], e2e[place] = times[row][0] - at, times[row][1] - at
    return SplitRun(
        split=split,
        ttft_s=ttft,
        e2e_s=e2e,
        transfer_s=[a - b[1] for a, b in zip(there, ready, strict=True)],
        prefill=first_pool,
        decode=second_pool,
        end_s=max((one.end_s for one in [*first_pool, *second_pool] if one), default=0.0),
        output_tokens=answers,
    )


def mixes(
    prefill: StepTable, decode: StepTable, requests: Requests, workers: int, link: Split
) -> list[SplitRun]:
    """Return a run of each way to part `workers` between the two pools.

    Parameters
    ----------
    link
        KV bytes and rate of the link; its numbers of workers are not used.

    Raises
    ------
    InputError
        Fewer than two workers.
    """
    if workers < 2:
        raise InputError("workers", f"{workers} cannot be parted", "use at least two")
    return [
        simulate_split(
            prefill,
            decode,
            requests,
            dataclasses.replace(link, prefill_workers=first, decode_workers=workers - first),
        )
        for first in range(1, workers)
    ]


def best_mix(
    runs: Sequence[SplitRun], *, ttft_s: float, tpot_s: float, percentile: float = 99.0
) -> SplitRun:
    """Return the run that keeps farthest within both targets, or misses them least (P6.5).

    Each run is judged by its worse ratio of a percentile to its target; a ratio above 1 misses.

    Parameters
    ----------
    ttft_s, tpot_s
        Targets of the percentile (0..100) of the first token and of the mean wait between tokens.

    Raises
    ------
    InputError
        No run, a target that is not above 0, a percentile outside 0..100.
    """
    if not runs:
        raise InputError("runs", "there is none", "give the runs of `mixes`")
    for name, value in (("ttft_s", ttft_s), ("tpot_s", tpot_s)):
        if not value > 0:
            raise InputError(name, f"{value:g} s is not above 0", "enter the target in seconds")
    if not 0 <= percentile <= 100:
        raise InputError("percentile", f"{percentile:g}", "enter 0 to 100")

    def worse(run: SplitRun) -> float:
        first = float(np.percentile(run.ttft_s, percentile)) / ttft_s
        waits = run.tpot_s
        return max(first, float(np.percentile(waits, percentile)) / tpot_s) if waits else first

    return min(runs, key=worse)
