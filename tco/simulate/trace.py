"""A trace of requests from a CSV: a user's own, or the two public shapes (P6.1).

Columns are found by name. Seconds: ``arrival_s``, ``arrived_at``, ``time``, ``timestamp_s``
(numbers), ``timestamp_ms`` or ``timestamp`` of the Mooncake shape (milliseconds); any of them may
hold dates and times instead, as ``TIMESTAMP`` of the Azure shape does (UTC where no zone is said).
Tokens: ``input_tokens``, ``ContextTokens``, ``input_length``; ``output_tokens``,
``GeneratedTokens``, ``output_length``; ``cached_tokens`` of the prompt, if known. What prompts
share: ``session_id`` (also ``session``, ``conversation_id``, ``chat_id``), or ``hash_ids`` of the
Mooncake shape, the names of a prompt's blocks from its start (a list, parted by spaces or commas).
"""

from __future__ import annotations

import csv
import datetime
import io
import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tco.errors import InputError, InputErrors
from tco.simulate.requests import Requests
from tco.simulate.reuse import Pieces, block_pieces, session_pieces

_TIMES = {
    "arrival_s": 1.0,
    "arrived_at": 1.0,
    "time": 1.0,
    "timestamp_s": 1.0,
    "timestamp_ms": 1e-3,
    "timestamp": 1e-3,
}
_INPUTS = ("input_tokens", "contexttokens", "input_length", "prompt_tokens")
_CACHED = "cached_tokens"
_SESSIONS = ("session_id", "session", "conversation_id", "chat_id")
_BLOCKS = "hash_ids"
_BETWEEN = re.compile(r"[\s,;|]+")
_LONG_FRACTION = re.compile(r"(\.\d{6})\d+")
_OUTPUTS = ("output_tokens", "generatedtokens", "output_length", "completion_tokens")
_SHOWN = 20  # errors listed one by one
_DATE = "write the time as 2023-11-16 18:15:46.68"


@dataclass(frozen=True, slots=True)
class Trace:
    """Requests of a trace, from its first arrival on, and what it looks like."""

    requests: Requests
    sessions: tuple[str | None, ...] = ()  # of each request, where the trace has them
    hash_ids: tuple[tuple[str, ...], ...] = ()  # blocks of each prompt, where it has them

    def pieces(self, *, system_tokens: int = 0, block_tokens: int = 512) -> list[Pieces]:
        """Return what prompts share, for `tco.simulate.reuse.reuse`: by blocks, else by session.

        Parameters
        ----------
        system_tokens
            Start of each prompt that all sessions share.
        block_tokens
            Tokens of a block that a hash names.

        Raises
        ------
        InputError
            The trace has neither.
        """
        if self.hash_ids:
            return block_pieces(self.requests, self.hash_ids, tokens=block_tokens)
        if not self.sessions:
            mend = "add a column session_id or hash_ids, or give the share that is cached"
            raise InputError("trace", "does not say what prompts share", mend)
        return session_pieces(self.requests, self.sessions, system_tokens=system_tokens)

    @property
    def requests_per_s(self) -> float:
        """Mean rate."""
        times = self.requests.arrival_s
        return (len(times) - 1) / max(times[-1] - times[0], 1e-9) if len(times) > 1 else 0.0

    @property
    def variation(self) -> float:
        """Coefficient of variation of the intervals: 1 is Poisson, above it come bursts."""
        times = self.requests.arrival_s
        gaps = [b - a for a, b in itertools.pairwise(times)]
        if len(gaps) < 2:
            return 0.0
        mean = sum(gaps) / len(gaps)
        spread = sum((gap - mean) ** 2 for gap in gaps) / (len(gaps) - 1)
        return math.sqrt(spread) / mean if mean else 0.0


def read_trace(text: str, *, name: str = "trace") -> Trace:
    """Read a trace; nothing is dropped silently.

    Raises
    ------
    InputErrors
        One error a bad cell: line, column, value and what to do; beyond twenty their number.
    InputError
        No CSV, no column of times or tokens, no row.

    Examples
    --------
    >>> trace = read_trace("arrival_s,input_tokens,output_tokens\\n0,10,5\\n0.5,20,5\\n")
    >>> trace.requests.input_tokens, trace.requests_per_s
    ([10, 20], 2.0)
    """
    rows = csv.reader(io.StringIO(text.removeprefix("\ufeff")))
    try:
        return _read(rows, name)
    except csv.Error as error:
        mend = "save it as a CSV of plain text"
        raise InputError(f"{name} line {rows.line_num}", f"is no CSV: {error}", mend) from error


def _read(rows: Iterator[list[str]], name: str) -> Trace:
    header = [column.strip() for column in next(rows, [])]
    columns = {column.lower(): place for place, column in enumerate(header)}
    time, scale = _time_column(columns, name)
    places = [time, _column(columns, _INPUTS, name), _column(columns, _OUTPUTS, name)]
    if _CACHED in columns:
        places.append(columns[_CACHED])
    session = next((columns[known] for known in _SESSIONS if known in columns), -1)
    blocks = columns.get(_BLOCKS, -1)
    sessions: list[str | None] = []
    hash_ids: list[tuple[str, ...]] = []
    errors: list[InputError] = []
    read: list[tuple[float, int, int, int]] = []
    bad = 0
    for line, row in enumerate(rows, start=2):
        if not any(cell.strip() for cell in row):
            continue  # an empty line is no request
        found: list[float] = []
        for kind, place in enumerate(places):
            cell = _cell(row, place)
            try:
                at = _seconds(cell, scale) if kind == 0 else _tokens(cell, least=int(kind < 3))
                if kind == 0 and read and at < read[-1][0]:
                    gap = f"comes {read[-1][0] - at:g} s before the row ahead"
                    raise _BadCell(gap, "sort the rows by time")
                if kind == 3 and len(found) == 3 and at > found[1]:
                    raise _BadCell("is more than the input tokens", "count those of the prompt")
            except _BadCell as error:
                bad += 1
                if len(errors) < _SHOWN:
                    said = f"{cell!r} {error.said}" if cell else "is empty"
                    field = f"{name} line {line}, {header[place]}"
                    errors.append(InputError(field, said, error.mend))
                continue
            found.append(at)
        if len(found) == len(places):
            cached = int(found[3]) if len(found) > 3 else 0
            read.append((found[0], int(found[1]), int(found[2]), cached))
            sessions.append((_cell(row, session) or None) if session >= 0 else None)
            names = _BETWEEN.split(_cell(row, blocks).strip("[]() ")) if blocks >= 0 else []
            hash_ids.append(tuple(name for name in names if name))
    if bad > len(errors):
        errors.append(InputError(name, f"{bad - len(errors):,} more cells are bad", "as above"))
    if errors:
        raise InputErrors(tuple(errors))
    if not read:
        raise InputError(name, "has no rows", "give one row a request below the header")
    times, inputs, outputs, cached_tokens = (list(column) for column in zip(*read, strict=True))
    return Trace(
        Requests(
            [at - read[0][0] for at in times],
            [int(n) for n in inputs],
            [int(n) for n in outputs],
            [int(n) for n in cached_tokens] if len(places) > 3 else (),
        ),
        tuple(sessions) if session >= 0 else (),
        tuple(hash_ids) if blocks >= 0 else (),
    )


def _cell(row: Sequence[str], place: int) -> str:
    return row[place].strip() if place < len(row) else ""


class _BadCell(ValueError):
    """A cell that cannot be used: what is wrong with it, and the mend."""

    def __init__(self, said: str, mend: str) -> None:
        self.said, self.mend = said, mend
        super().__init__(said)


def _time_column(columns: Mapping[str, int], name: str) -> tuple[int, float]:
    for known, scale in _TIMES.items():
        if known in columns:
            return columns[known], scale
    mend = f"name one of them {', '.join(_TIMES)}"
    raise InputError(name, "has no column of arrival times", mend)


def _column(columns: Mapping[str, int], names: tuple[str, ...], name: str) -> int:
    for known in names:
        if known in columns:
            return columns[known]
    raise InputError(name, f"has no column {names[0]}", f"name it one of {', '.join(names)}")


def _seconds(cell: str, scale: float) -> float:
    try:
        value = float(cell)
    except ValueError:
        return _date_s(cell)
    if not math.isfinite(value) or value < 0:
        raise _BadCell("is not 0 or more", "enter a time of 0 or more")
    return value * scale


def _date_s(cell: str) -> float:
    """Return seconds of a date and time; digits beyond microseconds are cut."""
    if not cell[:1].isdigit() or "-" not in cell:
        raise _BadCell("is no number", f"enter a number, or {_DATE}")
    try:
        at = datetime.datetime.fromisoformat(_LONG_FRACTION.sub(r"\1", cell))
    except ValueError:
        raise _BadCell("is no time", _DATE) from None
    if at.tzinfo is None:
        at = at.replace(tzinfo=datetime.UTC)
    return at.timestamp()


def _tokens(cell: str, *, least: int) -> int:
    try:
        value = float(cell)
    except ValueError:
        raise _BadCell("is no number", "enter a whole number of tokens") from None
    if not math.isfinite(value) or value != int(value):
        raise _BadCell("is no whole number", "enter a whole number of tokens")
    if value < least:
        raise _BadCell(f"is below {least}", f"count {least} token or more")
    return int(value)
