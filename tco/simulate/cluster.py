"""Replicas behind a router: dealt, by outstanding work, or by prefix; some lost (P7).

A router knows what it has sent and a rate of service, not what a replica does inside. So requests
are dealt first, by that knowledge, and each replica is then simulated exactly.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from tco.errors import InputError
from tco.simulate.replica import Requests, Served, simulate
from tco.simulate.step_table import StepTable

ROUTERS = ("round_robin", "least_work", "prefix")
SPILL = 2.0  # a prefix is left where its replica has so many times the least work, plus a prompt


@dataclass(frozen=True, slots=True)
class ClusterRun:
    """What each request met, in the order given, and which replica served it."""

    replica: list[int]
    ttft_s: list[float]
    e2e_s: list[float]
    served: list[Served | None]  # by replica; None: got nothing
    cached_fraction: float  # of the prompt tokens, found in a replica's prefix cache


def service_s(table: StepTable, prompt: int, answer: int) -> float:
    """Return the seconds of work a router books for a request: its prefill and its share of steps.

    A step is shared by the batch that the replica can hold, at half of the batch limit.
    """
    batch = max(1.0, table.max_sequences / 2)
    first = float(table.seconds(prompt, prompt * prompt / 2, 0, 0))
    step = float(table.seconds(0, 0, batch, batch * (prompt + answer / 2)))
    return first + answer * step / batch


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
    if router not in ROUTERS:
        raise InputError("router", f"{router!r} is none", f"use one of {', '.join(ROUTERS)}")
    if replicas < 1 or lost < 0 or lost >= replicas:
        said = f"{lost} of {replicas} replicas are lost"
        raise InputError("lost", said, "leave at least one replica")
    if router == "prefix" and len(prefixes) != len(requests.arrival_s):
        mend = "give the prefix of each request"
        raise InputError("prefixes", f"{len(prefixes)} for {len(requests.arrival_s)}", mend)
    free_at = [0.0] * replicas
    home: dict[Hashable, int] = {}
    chosen, turn = [], 0
    rows = zip(requests.arrival_s, requests.input_tokens, requests.output_tokens, strict=True)
    memory: dict[tuple[int, int], float] = {}
    for place, (now, prompt, answer) in enumerate(rows):
        alive = replicas - lost if now >= lost_from_s else replicas
        if (prompt, answer) not in memory:
            memory[(prompt, answer)] = service_s(table, prompt, answer)
        work = memory[(prompt, answer)]
        least = min(range(alive), key=lambda r: free_at[r])
        to = least
        if router == "round_robin":
            to, turn = turn % alive, turn + 1
        elif router == "prefix":
            to = home.get(prefixes[place], least)
            queued, shortest = max(0.0, free_at[to] - now), max(0.0, free_at[least] - now)
            if to >= alive or queued > SPILL * shortest + work:
                to = least
            home[prefixes[place]] = to
        free_at[to] = max(now, free_at[to]) + work
        chosen.append(to)
    return chosen


def simulate_cluster(
    table: StepTable,
    requests: Requests,
    replicas: int,
    *,
    router: str = "round_robin",
    prefixes: Sequence[Hashable] = (),
    prefix_tokens: int = 0,
    lost: int = 0,
    lost_from_s: float = 0.0,
) -> ClusterRun:
    """Serve `requests` on `replicas` alike.

    Parameters
    ----------
    prefix_tokens
        Length of a prefix: cached on a replica from its second request there on.
    """
    chosen = deal(
        table,
        requests,
        replicas,
        router=router,
        prefixes=prefixes,
        lost=lost,
        lost_from_s=lost_from_s,
    )
    count = len(chosen)
    cached = list(requests.cached) or [0] * count
    seen: set[tuple[int, Hashable]] = set()
    if prefixes and prefix_tokens:
        for place, to in enumerate(chosen):
            key = (to, prefixes[place])
            if key in seen:
                most = requests.input_tokens[place] - 1
                cached[place] = max(cached[place], min(prefix_tokens, most))
            seen.add(key)
    ttft, e2e = [0.0] * count, [0.0] * count
    served: list[Served | None] = []
    for replica in range(replicas):
        mine = [place for place, to in enumerate(chosen) if to == replica]
        if not mine:
            served.append(None)
            continue
        part = Requests(
            [requests.arrival_s[place] for place in mine],
            [requests.input_tokens[place] for place in mine],
            [requests.output_tokens[place] for place in mine],
            [cached[place] for place in mine],
        )
        one = simulate(table, part)
        served.append(one)
        for row, place in enumerate(mine):
            ttft[place], e2e[place] = one.ttft_s[row], one.e2e_s[row]
    share = sum(cached) / max(1, sum(requests.input_tokens))
    return ClusterRun(chosen, ttft, e2e, served, share)


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
