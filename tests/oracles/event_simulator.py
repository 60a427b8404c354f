"""A small event simulator of a continuous-batching engine: the oracle of the closed form.

It shares only the iteration times with the code under test. Serial prefill: the first waiting
prompt is processed chunk by chunk, one chunk an iteration, together with one token of every
decoding sequence. A prompt is admitted when a slot is free. Poisson arrivals, fixed lengths.
"""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass

import numpy as np


@dataclass
class Simulated:
    """Seconds per request, after the warm-up."""

    ttft_s: np.ndarray
    tpot_s: np.ndarray
    e2e_s: np.ndarray


def simulate(
    decode_s: np.ndarray,
    prefill_s: np.ndarray,
    *,
    chunks: int,
    decode_tokens: int,
    requests_per_s: float,
    requests: int,
    seed: int,
    host_s: float,
) -> Simulated:
    """Run `requests` requests and return those after the first fifth."""
    rng = np.random.default_rng(seed)
    arrivals = np.cumsum(rng.exponential(1 / requests_per_s, requests))
    events = [(float(at), index) for index, at in enumerate(arrivals)]
    heapq.heapify(events)
    slots = len(decode_s) - 1
    waiting: deque[int] = deque()
    # a decoding sequence ends when the count of decode tokens made reaches its mark
    ending: list[tuple[int, int]] = []
    first = np.zeros(requests)
    last = np.zeros(requests)
    now, made, chunk, finished = 0.0, 0, 0, 0
    while finished < requests:
        if not waiting and not ending:
            now = max(now, events[0][0])
        while events and events[0][0] <= now:
            waiting.append(heapq.heappop(events)[1])
        decoding = len(ending)
        admit = bool(waiting) and (decoding < slots or chunk > 0)
        if admit:
            now += float(prefill_s[min(decoding, slots)]) / chunks
        elif decoding:
            now += float(decode_s[decoding])
        else:
            continue
        if decoding:
            made += 1
            while ending and ending[0][0] <= made:
                last[heapq.heappop(ending)[1]] = now
                finished += 1
        if admit:
            chunk += 1
            if chunk == chunks:
                chunk = 0
                request = waiting.popleft()
                first[request] = now
                heapq.heappush(ending, (made + decode_tokens, request))
    keep = slice(requests // 5, requests - requests // 20)
    ttft = (first - arrivals)[keep] + host_s
    decode = (last - first)[keep]
    return Simulated(ttft, decode / decode_tokens, ttft + decode)
