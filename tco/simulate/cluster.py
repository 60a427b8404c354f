"""Replicas behind a router: dealt, by outstanding work, or by prefix; some lost (P7).

Requests are dealt first, by what a router knows (`tco.simulate.router`), and each replica is then
simulated exactly. A lost replica is drained (it ends what it has) or crashes (what it has is begun
again on the others).
"""

from __future__ import annotations

import bisect
import dataclasses
import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from tco.errors import InputError
from tco.simulate.replica import simulate
from tco.simulate.requests import Requests, Served
from tco.simulate.reuse import reuse, session_pieces
from tco.simulate.router import SPILL, Life, alike, route, service_s
from tco.simulate.step_table import StepTable


@dataclass(frozen=True, slots=True)
class ClusterRun:
    """What each request met, in the order given, and which replica served it."""

    replica: list[int]
    ttft_s: list[float]
    e2e_s: list[float]
    served: list[Served | None]  # by replica, as if none had crashed; None: got nothing
    cached_fraction: float  # of the prompt tokens, found in a replica's prefix cache
    restarted: int = 0  # requests begun again after a crash
    held_s: Sequence[float] = ()  # before a replica was up; part of the times above


def deal(
    table: StepTable,
    requests: Requests,
    replicas: int,
    *,
    router: str = "round_robin",
    prefixes: Sequence[Hashable] = (),
    lost: int = 0,
    lost_from_s: float = 0.0,
) -> list[int]:
    """Return the replica of each request.

    Parameters
    ----------
    prefixes
        Session or system prompt of each request, for ``prefix``: sent where it was before unless
        that replica is overloaded.
    lost, lost_from_s
        So many replicas take no request from that second on.

    Raises
    ------
    InputError
        Unknown router, no replica left, a column of another length.
    """
    lives = alike(replicas, lost=lost, lost_from_s=lost_from_s)
    return route(table, requests, lives, router=router, prefixes=prefixes).replica


def simulate_cluster(
    table: StepTable,
    requests: Requests,
    replicas: int | Sequence[Life],
    *,
    router: str = "round_robin",
    prefixes: Sequence[Hashable] = (),
    prefix_tokens: int = 0,
    lost: int = 0,
    lost_from_s: float = 0.0,
    crash: bool = False,
    spill: float = SPILL,
) -> ClusterRun:
    """Serve `requests` on `replicas` alike.

    Parameters
    ----------
    replicas
        How many; or when each takes requests (a deploy, a surge, autoscaling), without `lost`.
    prefix_tokens
        Length of a prefix: found on a replica from its second request there on, for as long as
        the KV room of the replica holds it (`tco.simulate.reuse`).
    crash
        Requests on a lost replica at `lost_from_s` are sent again to the others at once and begin
        anew; their time counts from their first arrival. False: they end where they are.

    Raises
    ------
    InputError
        As `tco.simulate.router.route`, and where more is lost than there is.
    """
    if isinstance(replicas, int):
        lives = alike(replicas, lost=lost, lost_from_s=lost_from_s)
    elif lost:
        said = f"{lost} beside the lives of {len(replicas)} replicas"
        raise InputError("lost", said, "end the lives of those that are lost")
    else:
        lives = list(replicas)
    how = _How(lives, router, prefix_tokens, spill)
    run = _simulate(table, requests, list(prefixes), how)
    if not crash or not lost:
        return run
    count, staying = len(run.replica), len(lives) - lost
    again = [
        place
        for place in range(count)
        if run.replica[place] >= staying
        and requests.arrival_s[place] + run.e2e_s[place] > lost_from_s
    ]
    cut = bisect.bisect_left(requests.arrival_s, lost_from_s)
    order = [*range(cut), *again, *range(cut, count)]
    sent_again = range(cut, cut + len(again))
    at_s = [requests.arrival_s[place] for place in order]
    for row in sent_again:
        at_s[row] = lost_from_s
    tags = [prefixes[place] for place in order] if len(prefixes) else []
    second = _simulate(table, requests.take(order, at_s), tags, how)
    replica, ttft, e2e = [0] * count, [0.0] * count, [0.0] * count
    for row, place in enumerate(order):
        if row not in sent_again:
            replica[place], ttft[place] = second.replica[row], second.ttft_s[row]
            e2e[place] = second.e2e_s[row]
    for row in sent_again:  # the second try stands above the first, but a token that came has come
        place = order[row]
        late = lost_from_s - requests.arrival_s[place]
        if ttft[place] > late:
            ttft[place] = second.ttft_s[row] + late
        replica[place], e2e[place] = second.replica[row], second.e2e_s[row] + late
    return ClusterRun(replica, ttft, e2e, second.served, second.cached_fraction, len(again))


@dataclass(frozen=True, slots=True)
class _How:
    """The cluster and how it is dealt to."""

    lives: list[Life]
    router: str
    prefix_tokens: int
    spill_per_least: float


def _simulate(
    table: StepTable, requests: Requests, prefixes: Sequence[Hashable], how: _How
) -> ClusterRun:
    dealt = route(
        table, requests, how.lives, router=how.router, prefixes=prefixes, spill=how.spill_per_least
    )
    chosen, held = dealt.replica, dealt.held_s
    count, prefix_tokens = len(chosen), how.prefix_tokens
    cached = list(requests.cached) or [0] * count
    if prefixes and prefix_tokens:
        alone: list[Hashable] = [None] * count
        pieces = session_pieces(requests, alone, system_tokens=prefix_tokens, systems=prefixes)
        found = reuse(
            requests,
            pieces,
            room_tokens=table.kv_tokens,
            block_tokens=table.block_tokens,
            replica=chosen,
        )
        cached = [max(pair) for pair in zip(cached, found.cached, strict=True)]
    filled = dataclasses.replace(requests, cached=cached)
    ttft, e2e = [0.0] * count, [0.0] * count
    served: list[Served | None] = []
    for replica in range(len(how.lives)):
        mine = [place for place, to in enumerate(chosen) if to == replica]
        if not mine:
            served.append(None)
            continue
        sent_s = [requests.arrival_s[place] + held[place] for place in mine]
        one = simulate(table, filled.take(mine, sent_s))
        served.append(one)
        for row, place in enumerate(mine):
            ttft[place] = held[place] + one.ttft_s[row]
            e2e[place] = held[place] + one.e2e_s[row]
    share = sum(cached) / max(1, sum(requests.input_tokens))
    return ClusterRun(chosen, ttft, e2e, served, share, held_s=held)


def degrade(
    table: StepTable, requests: Requests, *, wait_s: float
) -> tuple[list[int], list[int], float]:
    """Part requests by what a replica can take: those it serves and those it sends on (P7).

    A request that would wait longer than `wait_s` for its turn is shed, or answered by a smaller
    model elsewhere; the places of both, and the share sent on, are returned.

    Examples
    --------
    >>> import numpy as np
    >>> table = StepTable(np.full(100, 0.01), 0.0, 0.0, 1e6, 4, 64)
    >>> burst = Requests([0.0] * 10, [50] * 10, [1] * 10)
    >>> kept, sent, share = degrade(table, burst, wait_s=0.05)
    >>> len(kept), round(share, 1)
    (4, 0.6)
    """
    if wait_s < 0:
        raise InputError("wait_s", f"{wait_s:g} s is below 0", "enter the longest wait allowed")
    kept, sent, free_at = [], [], 0.0
    rows = zip(requests.arrival_s, requests.input_tokens, requests.output_tokens, strict=True)
    for place, (now, prompt, answer) in enumerate(rows):
        if free_at - now > wait_s:
            sent.append(place)
            continue
        kept.append(place)
        free_at = max(now, free_at) + service_s(table, prompt, answer)
    return kept, sent, len(sent) / max(1, len(kept) + len(sent))


@dataclass(frozen=True, slots=True)
class DegradedRun:
    """What a replica met that sends on what it cannot serve in time; seconds by request."""

    sent_fraction: float  # shed, or answered by the smaller model
    answered: list[bool]
    ttft_s: list[float]  # infinite where shed
    e2e_s: list[float]
    served: Served
    smaller: Served | None


def simulate_degraded(
    table: StepTable, requests: Requests, *, wait_s: float, smaller: StepTable | None = None
) -> DegradedRun:
    """Serve what can be served in time, the rest by a smaller model or not at all (P7).

    Parameters
    ----------
    smaller
        Replica of the smaller model; None: requests are shed.
    """
    kept, sent, share = degrade(table, requests, wait_s=wait_s)
    count = len(requests.arrival_s)
    ttft, e2e, answered = [math.inf] * count, [math.inf] * count, [False] * count
    runs = [(kept, simulate(table, requests.take(kept)))]
    if smaller is not None and sent:
        runs.append((sent, simulate(smaller, requests.take(sent))))
    for places, one in runs:
        for row, place in enumerate(places):
            ttft[place], e2e[place] = one.ttft_s[row], one.e2e_s[row]
            answered[place] = True
    return DegradedRun(share, answered, ttft, e2e, runs[0][1], runs[1][1] if runs[1:] else None)
