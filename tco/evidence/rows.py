"""Rows of the UNIFIED schema, grouped into runs; a bad row is counted and named, never dropped."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tco.errors import InputError
from tco.evidence.metrics import LOAD_KINDS, LOADED_KINDS, METRICS, OVERLOAD_TTFT_MS, unit_factor
from tco.evidence.run import MeasuredValue, Run

PATTERN = "UNIFIED*.csv"
REQUIRED = ("device_key", "model", "load_kind", "metric", "value")
MAX_FILE_BYTES = 512 * 1024 * 1024
_WHOLE = ("gpus", "tp", "dp", "ep")
_NUMBERS = ("input_tokens", "output_tokens", "load_value", "limit_ttft_ms", "limit_tpot_ms")
_YES = frozenset({"yes", "true", "1"})
_NO = frozenset({"", "no", "false", "0"})
# what must be the same in all rows of a run
_SETTINGS = (
    "stratum",
    "source",
    "device_key",
    "gpus",
    "tp",
    "dp",
    "ep",
    "model",
    "precision",
    "precision_assumed",
    "engine",
    "input_tokens",
    "output_tokens",
    "load_kind",
    "load_value",
    "limit_ttft_ms",
    "limit_tpot_ms",
    "note",
)


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that could not be used; `rows` counts all of a file that lacks a column."""

    file: str
    line: int
    field: str
    value: str
    reason: str
    rows: int = 1


@dataclass(frozen=True, slots=True)
class RowSet:
    """All rows of a folder."""

    runs: tuple[Run, ...]
    bad: tuple[BadRow, ...]
    files: tuple[str, ...]
    rows: int  # good and bad

    @property
    def bad_rows(self) -> int:
        """Rows that could not be used."""
        return sum(row.rows for row in self.bad)


@dataclass(slots=True)
class _Open:
    """A run while its rows are read."""

    settings: dict[str, object]
    overloaded: bool = False
    measured: dict[str, MeasuredValue] = field(default_factory=dict)


class _Refused(Exception):
    """One row is bad."""

    def __init__(self, column: str, value: str, reason: str) -> None:
        self.column, self.value, self.reason = column, value, reason
        super().__init__(reason)


def read_runs(folder: str | Path) -> list[Run]:
    """Return the runs of every ``UNIFIED*.csv`` of `folder`; see `read_folder` for the bad rows."""
    return list(read_folder(folder).runs)


def read_folder(folder: str | Path) -> RowSet:
    """Read every ``UNIFIED*.csv`` of `folder` (P16.1).

    Only device, model, load kind, metric and value are required; a missing run id groups by all
    settings, a missing unit is the metric's own, a missing number of devices is tensor x data
    parallel. Latencies in seconds become milliseconds.

    Raises
    ------
    InputError
        If the folder is missing or empty, holds no such file, or a file cannot be read.
    """
    files = unified_files(folder)
    open_runs: dict[tuple[object, ...], _Open] = {}
    bad: list[BadRow] = []
    count = 0
    for path in files:
        count += _read_file(path, open_runs, bad)
    runs = tuple(_run(key, one) for key, one in open_runs.items())
    return RowSet(runs, tuple(bad), tuple(path.name for path in files), count)


def unified_files(folder: str | Path) -> list[Path]:
    """Return the files of the UNIFIED schema in `folder`, sorted by name."""
    place = Path(folder)
    if not place.exists():
        raise InputError(str(folder), "there is no such folder", "check the path")
    if not place.is_dir():
        raise InputError(str(folder), "is a file", f"name the folder that holds {PATTERN}")
    files = sorted(path for path in place.glob(PATTERN) if path.is_file())
    if not files:
        found = sum(1 for _ in place.iterdir())
        what = f"holds {found} files but no {PATTERN}" if found else "is empty"
        raise InputError(
            str(folder), what, "put the measured rows there, columns as in docs/accuracy.md"
        )
    return files


def _read_file(path: Path, runs: dict[tuple[object, ...], _Open], bad: list[BadRow]) -> int:
    if path.stat().st_size > MAX_FILE_BYTES:
        raise InputError(str(path), "is larger than 512 MiB", "split it")
    count = 0
    try:
        with path.open(newline="", encoding="utf-8-sig") as handle:
            reader = csv.DictReader(handle)
            names = reader.fieldnames or ()
            missing = [name for name in REQUIRED if name not in names]
            for row in reader:
                count += 1
                if missing:
                    continue
                try:
                    _take(row, f"{path.name}:{reader.line_num}", runs)
                except _Refused as why:
                    line = reader.line_num
                    bad.append(BadRow(path.name, line, why.column, why.value, why.reason))
            for name in missing[:1]:
                reason = "the file has no such column"
                bad.append(BadRow(path.name, 1, name, "", reason, rows=count))
    except UnicodeDecodeError as error:
        raise InputError(
            str(path), f"is not UTF-8 at byte {error.start}", "save it as UTF-8"
        ) from (error)
    except csv.Error as error:
        raise InputError(str(path), f"is not CSV: {error}", "save it as CSV with commas") from error
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror}", "check it") from error
    return count


def _take(row: Mapping[str, str], place: str, runs: dict[tuple[object, ...], _Open]) -> None:
    """Put a row into its run, or say why not."""
    if None in row:
        raise _Refused("", "", "the row has more cells than the header")
    metric = _text(row, "metric")
    if metric not in METRICS:
        raise _Refused("metric", metric, "unknown metric" if metric else "missing")
    settings = _settings(row)
    unit = _text(row, "unit")
    factor = unit_factor(metric, unit)
    if factor is None:
        raise _Refused("unit", unit, f"{metric} is in {METRICS[metric].unit}")
    value = _number(row, "value")
    if value is None:
        raise _Refused("value", "", "missing")
    if value <= 0:
        raise _Refused("value", _text(row, "value"), "zero is not a measurement")
    flag = _text(row, "overloaded").lower()
    if flag not in _YES | _NO:
        raise _Refused("overloaded", flag, "neither yes nor empty")
    name = _text(row, "run_id")
    identity = ("source", "device_key", "model")
    key: tuple[object, ...] = (
        (name, *(settings[one] for one in identity))
        if name
        else ("", *(settings[one] for one in _SETTINGS))
    )
    run = runs.setdefault(key, _Open(settings))
    for one in _SETTINGS:
        if run.settings[one] != settings[one]:
            raise _Refused(one, _text(row, one), f"other rows of run {name} say otherwise")
    if metric in run.measured:
        raise _Refused("metric", metric, "the run has this metric already")
    run.measured[metric] = MeasuredValue(
        value * factor, METRICS[metric].unit, _text(row, "row_id") or place
    )
    run.overloaded |= flag in _YES


def _settings(row: Mapping[str, str]) -> dict[str, object]:
    found: dict[str, object] = {
        "stratum": _text(row, "stratum") or "not stated",
        "source": _text(row, "source") or "not stated",
        "device_key": _needed(row, "device_key"),
        "model": _needed(row, "model"),
        "precision": _text(row, "precision").lower(),
        "precision_assumed": _text(row, "precision_assumed").lower() in _YES,
        "engine": _text(row, "engine"),
        "note": _text(row, "note"),
    }
    for column in _WHOLE:
        found[column] = _degree(row, column)
    for column in _NUMBERS:
        found[column] = _number(row, column)
    load_kind = _text(row, "load_kind")
    if load_kind not in LOAD_KINDS:
        raise _Refused("load_kind", load_kind, "unknown load kind" if load_kind else "missing")
    found["load_kind"] = load_kind
    if load_kind in LOADED_KINDS and not found["load_value"]:
        raise _Refused("load_value", _text(row, "load_value"), f"{load_kind} needs one above zero")
    if found["gpus"] is None:
        if found["tp"] is None:
            raise _Refused("gpus", "", "neither devices nor tensor degree are given")
        found["gpus"] = (_int(found["tp"]) or 1) * (_int(found["dp"]) or 1)
    return found


def _text(row: Mapping[str, str], column: str) -> str:
    return (row.get(column) or "").strip()


def _needed(row: Mapping[str, str], column: str) -> str:
    found = _text(row, column)
    if not found:
        raise _Refused(column, "", "missing")
    return found


def _number(row: Mapping[str, str], column: str) -> float | None:
    text = _text(row, column)
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        raise _Refused(column, text, "not a number") from None
    if not math.isfinite(value):
        raise _Refused(column, text, "not a finite number")
    if value < 0:
        raise _Refused(column, text, "negative")
    return value


def _degree(row: Mapping[str, str], column: str) -> int | None:
    value = _number(row, column)
    if value is None:
        return None
    if value != int(value) or value < 1:
        raise _Refused(column, _text(row, column), "not a whole number of one or more")
    return int(value)


def _run(key: Sequence[object], one: _Open) -> Run:
    told = one.settings
    first = next(iter(one.measured.values()))
    own = [one.measured[name].value for name in ("ttft_mean", "ttft_p50") if name in one.measured]
    return Run(
        run_id=str(key[0]) or first.row_id,
        stratum=str(told["stratum"]),
        source=str(told["source"]),
        device_key=str(told["device_key"]),
        devices=_int(told["gpus"]) or 1,
        tensor_parallel=_int(told["tp"]),
        data_parallel=_int(told["dp"]),
        expert_parallel=_int(told["ep"]),
        model=str(told["model"]),
        precision=str(told["precision"]),
        precision_assumed=bool(told["precision_assumed"]),
        engine=str(told["engine"]),
        input_tokens=_float(told["input_tokens"]) or None,
        output_tokens=_float(told["output_tokens"]) or None,
        load_kind=str(told["load_kind"]),
        load_value=_float(told["load_value"]),
        limit_ttft_ms=_float(told["limit_ttft_ms"]),
        limit_tpot_ms=_float(told["limit_tpot_ms"]),
        overloaded=one.overloaded or any(value > OVERLOAD_TTFT_MS for value in own),
        note=str(told["note"]),
        measured=dict(one.measured),
    )


def _int(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _float(value: object) -> float | None:
    return value if isinstance(value, float) else None


def values_of(runs: Sequence[Run]) -> Iterator[tuple[Run, str, MeasuredValue]]:
    """Yield every measured value with its run and metric."""
    for run in runs:
        for metric, value in run.measured.items():
            yield run, metric, value
