"""A trace of requests from a CSV: a user's own, or the two public shapes (P6.1).

Columns are found by name. Seconds: ``arrival_s``, ``arrived_at``, ``time``, ``timestamp_s``
(numbers), ``timestamp_ms`` or ``timestamp`` of the Mooncake shape (milliseconds), ``TIMESTAMP`` of
the Azure shape (date and time). Tokens: ``input_tokens``, ``ContextTokens``, ``input_length``;
``output_tokens``, ``GeneratedTokens``, ``output_length``.
"""

from __future__ import annotations

import csv
import datetime
import io
import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass

from tco.errors import InputError, InputErrors
from tco.simulate.replica import Requests

_TIMES = {
    "arrival_s": 1.0,
    "arrived_at": 1.0,
    "time": 1.0,
    "timestamp_s": 1.0,
    "timestamp_ms": 1e-3,
    "timestamp": 1e-3,
}
_INPUTS = ("input_tokens", "contexttokens", "input_length", "prompt_tokens")
_OUTPUTS = ("output_tokens", "generatedtokens", "output_length", "completion_tokens")
_SHOWN = 20  # errors listed


@dataclass(frozen=True, slots=True)
class Trace:
    """Requests of a trace, from its first arrival on, and what it looks like."""

    requests: Requests

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
        One error a bad row: line, column, value and what to do.

    Examples
    --------
    >>> trace = read_trace("arrival_s,input_tokens,output_tokens\\n0,10,5\\n0.5,20,5\\n")
    >>> trace.requests.input_tokens, trace.requests_per_s
    ([10, 20], 2.0)
    """
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))
    columns = {(column or "").strip().lower(): column for column in reader.fieldnames or []}
    time, scale = _time_column(columns, name)
    prompt, answer = _column(columns, _INPUTS, name), _column(columns, _OUTPUTS, name)
    errors: list[InputError] = []
    times: list[float] = []
    inputs: list[int] = []
    outputs: list[int] = []
    for line, row in enumerate(reader, start=2):
        try:
            at = _seconds(row[time], scale)
            pair = (_tokens(row[prompt]), _tokens(row[answer]))
        except (_BadCell, TypeError) as error:
            column = {time: time, prompt: prompt, answer: answer}.get(
                _first_bad(row, time, prompt, answer), time
            )
            value, mend = str(row.get(column)), str(error) or "fill every column"
            errors.append(InputError(f"{name} line {line}, {column}", f"{value!r}: {mend}", mend))
            continue
        if times and at < times[-1]:
            errors.append(
                InputError(
                    f"{name} line {line}, {time}",
                    f"{row[time]} comes before the line ahead: a gap of {at - times[-1]:g} s",
                    "sort the rows by time",
                )
            )
            continue
        times.append(at)
        inputs.append(pair[0])
        outputs.append(pair[1])
    if errors:
        raise InputErrors(tuple(errors[:_SHOWN]))
    if not times:
        raise InputError(name, "has no rows", "give one row a request below the header")
    start = times[0]
    return Trace(Requests([at - start for at in times], inputs, outputs))


class _BadCell(ValueError):
    """A cell that cannot be used; the message is the mend."""


def _time_column(columns: Mapping[str, str], name: str) -> tuple[str, float | None]:
    if "timestamp" in columns and columns["timestamp"] == "TIMESTAMP":
        return columns["timestamp"], None
    for known, scale in _TIMES.items():
        if known in columns:
            return columns[known], scale
    raise InputError(name, "has no column of arrival times", f"name one {', '.join(_TIMES)}")


def _column(columns: Mapping[str, str], names: tuple[str, ...], name: str) -> str:
    for known in names:
        if known in columns:
            return columns[known]
    raise InputError(name, f"has no column {names[0]}", f"name it one of {', '.join(names)}")


def _seconds(text: str, scale: float | None) -> float:
    if scale is None:
        try:
            return datetime.datetime.fromisoformat(text.strip()[:26]).timestamp()
        except ValueError:
            raise _BadCell("write the time as 2023-11-16 18:15:46.68") from None
    try:
        value = float(text)
    except ValueError:
        raise _BadCell("enter a number") from None
    if not math.isfinite(value) or value < 0:
        raise _BadCell("enter a time of 0 or more")
    return value * scale


def _tokens(text: str) -> int:
    try:
        value = float(text)
    except ValueError:
        raise _BadCell("enter a whole number of tokens") from None
    if value != int(value) or value < 1:
        raise _BadCell("count at least one whole token")
    return int(value)


def _first_bad(row: Mapping[str, str], time: str, prompt: str, answer: str) -> str:
    for column, check in ((prompt, _tokens), (answer, _tokens)):
        try:
            check(row[column])
        except (_BadCell, TypeError, ValueError):
            return column
    return time
