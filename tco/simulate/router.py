"""What a router decides, over replicas that come and go: losses, deploys, autoscaling (P7).

A router knows what it has sent and a rate of service, not what a replica does inside. So requests
are dealt first, by that knowledge; `tco.simulate.cluster` then simulates each replica exactly.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from tco.errors import InputError
from tco.simulate.requests import Requests
from tco.simulate.step_table import StepTable

ROUTERS = ("round_robin", "least_work", "prefix")
SPILL = 2.0  # a prefix is left where its replica has so many times the least work, plus a prompt


@dataclass(frozen=True, slots=True)
class Life:
    """When a replica takes requests; seconds. It ends what it has after `to_s`.

    Examples
    --------
    >>> Life(60.0).to_s
    inf
    """

    from_s: float = 0.0
    to_s: float = math.inf

    def __post_init__(self) -> None:
        if not self.from_s < self.to_s:
            said = f"{self.to_s:g} s is not after {self.from_s:g} s, when the replica comes"
            raise InputError("to_s", said, "let a replica go after it has come")


@dataclass(frozen=True, slots=True)
class Dealt:
    """Replica of each request, and how long it was held for want of one; seconds."""

    replica: list[int]
    held_s: list[float]


def alike(replicas: int, *, lost: int = 0, lost_from_s: float = 0.0) -> list[Life]:
    """Return the lives of replicas of which the last `lost` take nothing from a second on.

    Raises
    ------
    InputError
        No replica is left, or the second is no time.

    Examples
    --------
    >>> [life.to_s for life in alike(3, lost=1, lost_from_s=60.0)]
    [inf, inf, 60.0]
    """
    if replicas < 1 or lost < 0 or lost >= replicas:
        said = f"{lost} of {replicas} replicas are lost"
        raise InputError("lost", said, "leave at least one replica")
    if not math.isfinite(lost_from_s):
        raise InputError("lost_from_s", f"{lost_from_s:g} is no time", "enter seconds")
    short = Life(-math.inf, lost_from_s)
    return [Life(-math.inf)] * (replicas - lost) + [short] * lost


def deploy(
    replicas: int, *, from_s: float, overlap_s: float, extra: int | None = None
) -> list[Life]:
    """Return the lives of replicas that are replaced by new ones, `extra` at a time.

    New replicas come, run beside those they replace for `overlap_s`, and these go; then the next
    batch. Each pair of old and new is paid together for `overlap_s`, whatever the batch. A new
    replica starts with an empty prefix cache.

    Parameters
    ----------
    extra
        Replicas above the usual number during the deploy; None: all at once (blue/green).

    Raises
    ------
    InputError
        A number of replicas below 1, more extra than replicas, a time that is none.

    Examples
    --------
    >>> lives = deploy(2, from_s=100.0, overlap_s=30.0, extra=1)
    >>> [(life.from_s, life.to_s) for life in lives]
    [(-inf, 130.0), (-inf, 160.0), (100.0, inf), (130.0, inf)]
    """
    if replicas < 1:
        raise InputError("replicas", f"{replicas} is below 1", "use at least one replica")
    batch = replicas if extra is None else extra
    if not 1 <= batch <= replicas:
        said = f"{batch} beside {replicas} replicas"
        raise InputError("extra", said, "replace from one to all of them at a time")
    if not math.isfinite(from_s):
        raise InputError("from_s", f"{from_s:g} is no time", "enter seconds")
    if not 0 < overlap_s < math.inf:
        mend = "enter the seconds for which old and new run side by side"
        raise InputError("overlap_s", f"{overlap_s:g} s is not above 0", mend)
    starts = [from_s + place // batch * overlap_s for place in range(replicas)]
    old = [Life(-math.inf, start + overlap_s) for start in starts]
    return old + [Life(start) for start in starts]


def surge(replicas: int, *, extra: int, from_s: float, seconds: float) -> list[Life]:
    """Return the lives of replicas with `extra` more for some seconds.

    Raises
    ------
    InputError
        No replica, fewer than 0 extra, a time that is none.

    Examples
    --------
    >>> [life.from_s for life in surge(1, extra=2, from_s=60.0, seconds=300.0)]
    [-inf, 60.0, 60.0]
    """
    if replicas < 1:
        raise InputError("replicas", f"{replicas} is below 1", "use at least one replica")
    if extra < 0:
        raise InputError("extra", f"{extra} is below 0", "enter 0 or more replicas")
    if not math.isfinite(from_s):
        raise InputError("from_s", f"{from_s:g} is no time", "enter seconds")
    if not seconds > 0:
        raise InputError("seconds", f"{seconds:g} is not above 0", "enter seconds above 0")
    return [Life(-math.inf)] * replicas + [Life(from_s, from_s + seconds)] * extra


def replica_hours(lives: Sequence[Life], from_s: float, to_s: float) -> float:
    """Return the hours for which replicas take requests in a stretch of time.

    Examples
    --------
    >>> replica_hours(deploy(4, from_s=600.0, overlap_s=900.0), 0.0, 3600.0)  # 4 h + 4 x 900 s
    5.0
    """
    if not from_s <= to_s:
        raise InputError("to_s", f"{to_s:g} s is before {from_s:g} s", "end after the start")
    held = (min(life.to_s, to_s) - max(life.from_s, from_s) for life in lives)
    return sum(max(0.0, one) for one in held) / 3600


def skewed(
    requests: int, keys: int, *, exponent: float = 1.0, seed: int = 0, group: int = 1
) -> list[int]:
    """Return the key (session, tenant, system prompt) of each request, some far more used.

    Parameters
    ----------
    exponent
        Key ``k`` is used in proportion to ``(k + 1) ** -exponent`` (Zipf); 0: all alike.
    group
        Requests one after the other with the same key.

    Raises
    ------
    InputError
        Fewer than one key or request in a group, an exponent below 0.

    Examples
    --------
    >>> drawn = skewed(30_000, 2, exponent=1.0, seed=1)
    >>> round(drawn.count(0) / 30_000, 2)  # 1 : 1/2
    0.67
    """
    for name, value in (("keys", keys), ("group", group)):
        if value < 1:
            raise InputError(name, f"{value} is below 1", "enter at least one")
    if requests < 0:
        raise InputError("requests", f"{requests} is below 0", "enter 0 or more")
    if not 0 <= exponent < math.inf:
        raise InputError("exponent", f"{exponent:g} is below 0", "0 is even; try 1")
    weights = np.arange(1, keys + 1, dtype=np.float64) ** -exponent
    rng = np.random.default_rng(seed)
    drawn = rng.choice(keys, -(-requests // group), p=weights / weights.sum())
    return [int(key) for key in np.repeat(drawn, group)[:requests]]


def service_s(table: StepTable, prompt: int, answer: int) -> float:
    """Return the seconds of work a router books for a request: its prefill and its share of steps.

    A step is shared by the batch that the replica can hold, at half of the batch limit.
    """
    batch = max(1.0, table.max_sequences / 2)
    first = float(table.seconds(prompt, prompt * prompt / 2, 0, 0))
    step = float(table.seconds(0, 0, batch, batch * (prompt + answer / 2)))
    return first + answer * step / batch


def route(
    table: StepTable,
    requests: Requests,
    lives: Sequence[Life],
    *,
    router: str = "round_robin",
    prefixes: Sequence[Hashable] = (),
    spill: float = SPILL,
) -> Dealt:
    """Return the replica of each request; one that finds none up is held until the next comes.

    Parameters
    ----------
    router
        ``round_robin``: dealt in turn; ``least_work``: the least booked and not yet served;
        ``prefix``: where the prefix was before, unless that replica is gone or overloaded.
    prefixes
        Session or system prompt of each request, for ``prefix``.
    spill
        Overloaded: its work booked is above so many times the least, plus the request itself.
        0: above the request itself; infinite: a prefix never leaves.

    Raises
    ------
    InputError
        Unknown router, no replica, a column of another length, or no replica to come any more.

    Examples
    --------
    >>> table = StepTable(np.full(100, 0.01), 0.0, 0.0, 1e6, 4, 64)
    >>> load = Requests([0.0, 1.0, 2.0], [50] * 3, [1] * 3)
    >>> route(table, load, [Life(0.5, 1.5), Life(1.8)])
    Dealt(replica=[0, 0, 1], held_s=[0.5, 0.0, 0.0])
    """
    count = len(requests.arrival_s)
    if router not in ROUTERS:
        raise InputError("router", f"{router!r} is none", f"use one of {', '.join(ROUTERS)}")
    if not lives:
        raise InputError("lives", "there is no replica", "give the life of at least one")
    if router == "prefix" and len(prefixes) != count:
        mend = "give the prefix of each request"
        raise InputError("prefixes", f"{len(prefixes)} for {count}", mend)
    if not spill >= 0:
        raise InputError("spill", f"{spill:g} is below 0", "2 is usual; infinite never spills")
    coming = [(life.from_s, replica) for replica, life in enumerate(lives)]
    heapq.heapify(coming)
    alive: list[int] = []
    next_end = math.inf
    free_at = [0.0] * len(lives)
    home: dict[Hashable, int] = {}
    chosen, held, turn = [], [], 0
    rows = zip(requests.arrival_s, requests.input_tokens, requests.output_tokens, strict=True)
    memory: dict[tuple[int, int], float] = {}
    for place, (arrived, prompt, answer) in enumerate(rows):
        now = arrived
        while (coming and coming[0][0] <= now) or now >= next_end or not alive:
            while coming and coming[0][0] <= now:
                alive.append(heapq.heappop(coming)[1])
            alive = sorted(replica for replica in alive if lives[replica].to_s > now)
            next_end = min((lives[replica].to_s for replica in alive), default=math.inf)
            if not alive:
                if not coming:
                    said = f"no replica is up at {now:g} s, and none comes"
                    raise InputError("lives", said, "let one last as long as the requests")
                now = max(now, coming[0][0])
        if (prompt, answer) not in memory:
            memory[(prompt, answer)] = service_s(table, prompt, answer)
        work = memory[(prompt, answer)]
        if router == "round_robin":
            to, turn = alive[turn % len(alive)], turn + 1
        else:
            to = least = min(alive, key=free_at.__getitem__)
            if router == "prefix":
                to = home.get(prefixes[place], least)
                queued, shortest = max(0.0, free_at[to] - now), max(0.0, free_at[least] - now)
                if lives[to].to_s <= now or queued > spill * shortest + work:
                    to = least
                home[prefixes[place]] = to
        free_at[to] = max(now, free_at[to]) + work
        chosen.append(to)
        held.append(now - arrived)
    return Dealt(chosen, held)
