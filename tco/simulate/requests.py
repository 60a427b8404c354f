"""Requests of a load, what was met by each, and the line in which they wait (P6.1)."""

from __future__ import annotations

import heapq
import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from tco.errors import InputError


@dataclass(frozen=True, slots=True)
class Requests:
    """Requests in order of arrival; seconds and tokens.

    Parameters
    ----------
    cached
        Prompt tokens found in the prefix cache; empty: none.
    priority
        Class of each request, the lowest number first; empty: one class, first come first served.
    fetch_s
        Seconds to copy the part of `cached` that lies on the host; empty: none.
    """

    arrival_s: Sequence[float]
    input_tokens: Sequence[int]
    output_tokens: Sequence[int]
    cached: Sequence[int] = ()
    priority: Sequence[int] = ()
    fetch_s: Sequence[float] = ()

    def __post_init__(self) -> None:
        count = len(self.arrival_s)
        if {len(self.input_tokens), len(self.output_tokens)} - {count}:
            raise InputError("requests", "the columns differ in length", "give one row a request")
        for name in ("cached", "priority", "fetch_s"):
            size = len(getattr(self, name))
            if size not in (0, count):
                raise InputError(
                    name,
                    f"{size} values for {count} requests",
                    "give one for each request, or none",
                )
        last = -math.inf
        for row, at in enumerate(self.arrival_s):
            if not math.isfinite(at):
                raise InputError(f"arrival_s[{row}]", f"{at} is no time", "enter seconds")
            if at < last:
                raise InputError(
                    f"arrival_s[{row}]",
                    f"{at:g} s comes before the one ahead, {last:g} s",
                    "sort the requests by arrival",
                )
            last = at
        for name, column in (("input", self.input_tokens), ("output", self.output_tokens)):
            low = min(column, default=1)
            if low < 1:
                raise InputError(f"{name}_tokens", f"{low} is below 1", "count at least one token")
        if min(self.cached, default=0) < 0:
            mend = "count the prompt tokens found, 0 if none"
            raise InputError("cached", f"{min(self.cached)} is below 0", mend)
        if not all(0 <= value < math.inf for value in self.fetch_s):
            raise InputError("fetch_s", "a copy takes less than 0 s", "enter 0 or more seconds")

    def take(self, places: Sequence[int], at_s: Sequence[float] | None = None) -> Requests:
        """Return the requests at `places`, arriving as they did or at `at_s`.

        Examples
        --------
        >>> Requests([0.0, 1.0, 2.0], [5, 6, 7], [1, 1, 1]).take([0, 2]).input_tokens
        [5, 7]
        """

        def part(column: Sequence[int]) -> list[int]:
            return [column[place] for place in places] if len(column) else []

        return Requests(
            [self.arrival_s[place] for place in places] if at_s is None else list(at_s),
            part(self.input_tokens),
            part(self.output_tokens),
            part(self.cached),
            part(self.priority),
            [self.fetch_s[place] for place in places] if len(self.fetch_s) else [],
        )


@dataclass(frozen=True, slots=True)
class Gaps:
    """Waits between one token and the next, in runs of iterations of the same batch; seconds.

    The iterations of run ``i`` start at ``at_s[i]`` and take ``first_s[i]``,
    ``first_s[i] + growth_s[i]`` and so on, ``turns[i]`` of them; each gives one wait to each of
    ``sequences[i]`` answers.
    """

    at_s: array[float]
    first_s: array[float]
    growth_s: array[float]
    turns: array[int]
    sequences: array[int]

    @staticmethod
    def empty() -> Gaps:
        """Return a record to be filled."""
        return Gaps(array("d"), array("d"), array("d"), array("q"), array("q"))

    def add(self, at: float, first: float, growth: float, turns: int, sequences: int) -> None:
        """Write a run down."""
        self.at_s.append(at)
        self.first_s.append(first)
        self.growth_s.append(growth)
        self.turns.append(turns)
        self.sequences.append(sequences)


@dataclass(frozen=True, slots=True)
class Served:
    """What happened to each request, in the order given; seconds since its arrival."""

    arrival_s: list[float]
    ttft_s: list[float]
    e2e_s: list[float]
    output_tokens: list[int]
    iterations: int
    busy_s: float
    end_s: float
    decoding_s: float  # integral of the number of decoding sequences over time
    kv_token_s: float  # integral of the tokens of context held by decoding sequences
    preemptions: int
    most_kv_tokens: int
    gaps: Gaps | None = None  # where asked for

    @property
    def tpot_s(self) -> list[float]:
        """Mean seconds between the tokens of each answer of two tokens and more."""
        rows = zip(self.ttft_s, self.e2e_s, self.output_tokens, strict=True)
        return [(end - first) / (tokens - 1) for first, end, tokens in rows if tokens > 1]


class Line:
    """A waiting line by class, then by arrival: the four calls of a deque that a replica makes."""

    def __init__(self, priority: Sequence[int]) -> None:
        self.priority = priority
        self.heap: list[tuple[int, int, int]] = []
        self.back = self.front = 0

    def __len__(self) -> int:
        return len(self.heap)

    def __getitem__(self, place: int) -> int:
        """Return the request at the head; there is no other place."""
        return self.heap[place][2]

    def append(self, request: int) -> None:
        """Let a request join behind all of its class."""
        self.back += 1
        heapq.heappush(self.heap, (self.priority[request], self.back, request))

    def appendleft(self, request: int) -> None:
        """Put a request back before all of its class."""
        self.front -= 1
        heapq.heappush(self.heap, (self.priority[request], self.front, request))

    def popleft(self) -> int:
        """Take the head."""
        return heapq.heappop(self.heap)[2]
