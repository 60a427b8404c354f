"""Which part of each prompt the prefix cache still holds, by reuse distance (P6.1).

An engine keeps the KV of ended requests until their blocks are needed, the least recently used
first. So a piece of a prompt is found again if less than the KV room was written between its two
uses. A request counts as used when it arrives, with its prompt and its answer; the requests that
run are then the most recent part of the cache, so the whole KV room is the room of the cache. What
leaves the device may stay on the host, from where it is copied.
"""

from __future__ import annotations

import dataclasses
import math
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from tco.errors import InputError
from tco.simulate.requests import Requests

Pieces = Sequence[tuple[Hashable, int]]  # of a prompt from its start: name of the text, tokens


@dataclass(frozen=True, slots=True)
class Reuse:
    """Prompt tokens found again, by request."""

    cached: list[int]  # found, the host's among them
    fetched: list[int]  # of those, found on the host
    cached_fraction: float  # found, of all prompt tokens

    def applied(self, requests: Requests, *, host_copy_s_per_token: float = 0.0) -> Requests:
        """Return the requests with what they find; copies from the host take their seconds."""
        fetch_s = [host_copy_s_per_token * tokens for tokens in self.fetched]
        return dataclasses.replace(
            requests, cached=self.cached, fetch_s=fetch_s if any(fetch_s) else ()
        )


def session_pieces(
    requests: Requests,
    sessions: Sequence[Hashable],
    *,
    system_tokens: int = 0,
    systems: Sequence[Hashable] = (),
) -> list[Pieces]:
    """Return the pieces of prompts that each repeat all that was said in their session before.

    Parameters
    ----------
    sessions
        Of each request; None: it is alone.
    system_tokens
        Length of a system prompt at the start of each, shared between sessions.
    systems
        Which system prompt, of each request; empty: the same for all.

    Raises
    ------
    InputError
        A column of another length, a negative length.

    Examples
    --------
    >>> load = Requests([0.0, 1.0], [50, 90], [9, 9])
    >>> session_pieces(load, ["a", "a"], system_tokens=20)[1]
    [(('system', None), 20), (('session', 'a'), 70)]
    """
    count = len(requests.arrival_s)
    for name, column in (("sessions", sessions), ("systems", systems)):
        if len(column) != count and (name == "sessions" or len(column)):
            raise InputError(name, f"{len(column)} for {count} requests", "give one a request")
    if system_tokens < 0:
        raise InputError("system_tokens", f"{system_tokens} is below 0", "enter 0 or more tokens")
    found: list[Pieces] = []
    for place, prompt in enumerate(requests.input_tokens):
        session = sessions[place]
        own = ("alone", place) if session is None else ("session", session)
        first = min(system_tokens, prompt)
        system = ("system", systems[place] if len(systems) else None)
        pieces = [(system, first), (own, prompt - first)]
        found.append([piece for piece in pieces if piece[1]])
    return found


def block_pieces(
    requests: Requests, ids: Sequence[Sequence[Hashable]], *, tokens: int = 512
) -> list[Pieces]:
    """Return the pieces of prompts whose blocks have names, as in the Mooncake shape.

    Equal names mean equal text up to the end of the block. What the names do not reach is alone.

    Examples
    --------
    >>> block_pieces(Requests([0.0], [1100], [1]), [["x", "y", "z"]])[0]
    [('x', 512), ('y', 512), ('z', 76)]
    """
    if tokens < 1:
        raise InputError("tokens", f"{tokens} is below 1", "enter the tokens of a block")
    if len(ids) != len(requests.arrival_s):
        said = f"{len(ids)} for {len(requests.arrival_s)} requests"
        raise InputError("hash_ids", said, "give the blocks of each request")
    found: list[Pieces] = []
    for place, prompt in enumerate(requests.input_tokens):
        pieces: list[tuple[Hashable, int]] = []
        left = prompt
        for name in ids[place]:
            if left > 0:
                pieces.append((name, min(tokens, left)))
                left -= tokens
        if left > 0:
            pieces.append((("alone", place), left))
        found.append(pieces)
    return found


def reuse(
    requests: Requests,
    pieces: Sequence[Pieces],
    *,
    room_tokens: float,
    host_tokens: float = 0.0,
    block_tokens: int = 16,
    replica: Sequence[int] = (),
) -> Reuse:
    """Return what each prompt finds, least recently used first to go.

    Parameters
    ----------
    pieces
        Of each prompt, in order, as `session_pieces` and `block_pieces` make them; the answer
        extends the last piece.
    room_tokens
        KV room of a replica (`StepTable.kv_tokens`); infinite: what could be found at best.
    host_tokens
        Room of the second cache on the host.
    replica
        Of each request (`tco.simulate.router.route`): each has a cache of its own. Empty: one.

    Raises
    ------
    InputError
        A room below 0, a column of another length, pieces that are not the prompt.

    Examples
    --------
    >>> load = Requests([0.0, 1.0, 2.0], [64, 500, 96], [16, 12, 16])
    >>> turns = session_pieces(load, ["a", None, "a"])
    >>> [reuse(load, turns, room_tokens=room).cached[2] for room in (1000, 560, 500)]
    [80, 48, 0]
    """
    count = len(requests.arrival_s)
    for name, value in (("room_tokens", room_tokens), ("host_tokens", host_tokens)):
        if not value >= 0:
            raise InputError(name, f"{value:g} is below 0", "enter 0 or more tokens")
    if block_tokens < 1:
        raise InputError("block_tokens", f"{block_tokens} is below 1", "enter 1 or more tokens")
    for name, size in (("pieces", len(pieces)), ("replica", len(replica) or count)):
        if size != count:
            raise InputError(name, f"{size} for {count} requests", "give one for each request")
    caches: dict[int, _Cache] = {}
    cached, fetched = [], []
    for place, prompt in enumerate(requests.input_tokens):
        parts = pieces[place]
        if sum(tokens for _, tokens in parts) != prompt:
            said = f"{sum(tokens for _, tokens in parts)} tokens for a prompt of {prompt}"
            raise InputError(f"pieces[{place}]", said, "cover the prompt from start to end")
        home = replica[place] if len(replica) else 0
        if home not in caches:
            caches[home] = _Cache(room_tokens, host_tokens)
        here, there = caches[home].find(parts)
        # whole blocks only, and at least one token is computed to answer at all
        whole = min(here + there, prompt - 1) // block_tokens * block_tokens
        cached.append(whole)
        fetched.append(max(0, whole - here))
        caches[home].use(parts, requests.output_tokens[place])
    return Reuse(cached, fetched, sum(cached) / max(1, sum(requests.input_tokens)))


class _Cache:
    """Tokens by name of the text, least recently used first; what leaves goes to the host."""

    def __init__(self, room: float, host_room: float) -> None:
        self.room, self.host_room = room, host_room
        self.held: OrderedDict[Hashable, int] = OrderedDict()
        self.total = 0
        self.host: OrderedDict[Hashable, int] = OrderedDict()  # what follows the part held
        self.host_total = 0

    def find(self, parts: Pieces) -> tuple[int, int]:
        """Return the tokens found from the start on: on the device, on the host."""
        here = there = 0
        for name, tokens in parts:
            near = min(tokens, self.held.get(name, 0))
            far = min(tokens - near, self.host.get(name, 0))
            here, there = here + near, there + far
            if near + far < tokens:
                break
        return here, there

    def use(self, parts: Pieces, answer: int) -> None:
        """Write a request: the start of its prompt is the most recent, the answer the least."""
        for place in range(len(parts) - 1, -1, -1):
            name, tokens = parts[place]
            kept = tokens + (answer if place == len(parts) - 1 else 0)
            before = self.held.pop(name, 0)
            self.held[name] = max(before, kept)
            self.total += self.held[name] - before
            self.host_total -= self.host.pop(name, 0)
        while self.total > self.room:
            name, tokens = self.held.popitem(last=False)
            gone = min(tokens, math.ceil(self.total - self.room))
            if gone < tokens:  # the end goes first
                self.held[name] = tokens - gone
                self.held.move_to_end(name, last=False)
            self.total -= gone
            if self.host_room:
                self._to_host(name, gone)

    def _to_host(self, name: Hashable, tokens: int) -> None:
        self.host[name] = self.host.pop(name, 0) + tokens
        self.host_total += tokens
        while self.host_total > self.host_room:
            oldest, there = self.host.popitem(last=False)
            gone = min(there, math.ceil(self.host_total - self.host_room))
            if gone < there:
                self.host[oldest] = there - gone
                self.host.move_to_end(oldest, last=False)
            self.host_total -= gone


def conversations(
    sessions: int,
    *,
    turns: int,
    sessions_per_s: float,
    turn_gap_s: float,
    question_tokens: int,
    answer_tokens: int,
    system_tokens: int = 0,
    seed: int = 0,
) -> tuple[Requests, list[Pieces], list[Hashable]]:
    """Return requests of sessions of several turns, their pieces and their sessions.

    Sessions begin as a Poisson process; a turn follows the one before after an exponential pause
    of mean `turn_gap_s`, and repeats all that was said before it.

    Raises
    ------
    InputError
        A count below 1, a rate or a pause that is not above 0, a negative length.

    Examples
    --------
    >>> load, pieces, names = conversations(
    ...     1, turns=3, sessions_per_s=1.0, turn_gap_s=9.0, question_tokens=50, answer_tokens=30
    ... )
    >>> load.input_tokens, reuse(load, pieces, room_tokens=1e6, block_tokens=1).cached
    ([50, 130, 210], [0, 80, 160])
    """
    counts = {"sessions": sessions, "turns": turns}
    counts |= {"question_tokens": question_tokens, "answer_tokens": answer_tokens}
    for name, count in counts.items():
        if count < 1:
            raise InputError(name, f"{count} is below 1", "enter 1 or more")
    for name, value in (("sessions_per_s", sessions_per_s), ("turn_gap_s", turn_gap_s)):
        if not 0 < value < math.inf:
            raise InputError(name, f"{value:g} is not above 0", "enter a number above 0")
    rng = np.random.default_rng(seed)
    begins = np.cumsum(rng.exponential(1 / sessions_per_s, sessions))
    pauses = rng.exponential(turn_gap_s, (sessions, turns))
    pauses[:, 0] = 0.0
    at_s = begins[:, None] + np.cumsum(pauses, axis=1)
    order = np.argsort(at_s, axis=None, kind="stable")
    turn = order % turns
    requests = Requests(
        at_s.reshape(-1)[order].tolist(),
        (system_tokens + question_tokens + turn * (question_tokens + answer_tokens)).tolist(),
        [answer_tokens] * len(order),
    )
    names: list[Hashable] = (order // turns).tolist()
    return requests, session_pieces(requests, names, system_tokens=system_tokens), names
