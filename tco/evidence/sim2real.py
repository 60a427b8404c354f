"""Runs of the vllm_sim2real study with their staged load: what a simulator can predict whole.

A run is one server under constant arrivals at one or two rates in turn ("5 then 10 req/s, 600 s
each"). The measured figures are those of each stage and of the whole run (stage -1). The two sets
are kept apart: public simulators may have been fitted on the first.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tco.errors import InputError
from tco.evidence.aliases import Aliases, Catalog
from tco.evidence.resolve import Unresolved, resolve
from tco.evidence.run import MeasuredValue, Predicted, ResolvedRun, Run

FILE = "vllm_sim2real_actuals.csv"
LENGTHS_FILE = "vllm_h100_ground_truth_blis.csv"
SOURCE = "vllm_sim2real_actuals"
WHOLE_RUN = -1
DEFAULT_MEMORY_FRACTION = 0.9  # the engine's default where the study does not say
METRICS = ("e2e_mean", "e2e_p90", "e2e_p99", "itl_mean", "ttft_mean", "ttft_p90", "ttft_p99")
_RATES = re.compile(r"^(\d+(?:\.\d+)?)(?: then (\d+(?:\.\d+)?))? req/s, (\d+) s(?: each)?$")
_Table = list[dict[str, str]]


@dataclass(frozen=True, slots=True)
class Stage:
    """One rate of a run."""

    index: int
    rate_per_s: float
    duration_s: float
    measured: Mapping[str, float]  # ms by metric; empty where the study has no row of the stage


@dataclass(frozen=True, slots=True)
class StagedRun:
    """A run with its stages; lengths, degrees and dtypes are in `resolved`."""

    set: str
    experiment: str
    workload: str
    resolved: ResolvedRun  # its rows are those of the whole run
    stages: tuple[Stage, ...]
    max_batched_tokens: int
    memory_fraction: float  # of the device's memory that the engine may use
    cpu_offload: bool
    shared_prefix_tokens: float  # system prompt shared by the users of a group
    lengths_from: str
    doubt: str = ""  # why the stated load may not be the one that ran

    @property
    def whole(self) -> dict[str, float]:
        """Measured values of the whole run, ms by metric."""
        return {metric: value.value for metric, value in self.resolved.run.measured.items()}


StagedPredictor = Callable[
    [Sequence[StagedRun], str], list[dict[int, dict[str, Predicted]] | str]
]  # by stage index, -1 for the whole run; a text says why there is no answer


def parse_load(text: str) -> tuple[tuple[float, float], ...]:
    """Return (rate in requests/s, seconds) of each stage; none where the rate is not published.

    Examples
    --------
    >>> parse_load("5 then 10 req/s, 600 s each")
    ((5.0, 600.0), (10.0, 600.0))
    >>> parse_load("6 req/s, 1200 s"), parse_load("reduced-rate variant; rate not published")
    (((6.0, 1200.0),), ())
    """
    found = _RATES.match(text.strip())
    if found is None:
        return ()
    rates = [rate for rate in found.groups()[:2] if rate is not None]
    return tuple((float(rate), float(found.group(3))) for rate in rates)


def read_staged(
    folder: str | Path, catalog: Catalog, aliases: Aliases
) -> tuple[list[StagedRun], list[Unresolved]]:
    """Return the runs of `folder`'s study and those that cannot be predicted, with the reason.

    Two empty lists where the folder does not hold the study.

    Raises
    ------
    InputError
        If the file is there and cannot be used.
    """
    path = Path(folder) / FILE
    if not path.is_file():
        return [], []
    lengths = _Lengths(_table(Path(folder) / LENGTHS_FILE))
    groups: dict[tuple[str, str], _Table] = {}
    for row in _table(path):
        groups.setdefault((row["set"], row["exp"]), []).append(row)
    staged: list[StagedRun] = []
    unresolved: list[Unresolved] = []
    for (name, experiment), rows in groups.items():
        try:
            one = _staged(name, experiment, rows, lengths, catalog, aliases)
        except (KeyError, ValueError) as error:
            raise InputError(
                str(path), f"{experiment} cannot be used: {error!r}", "check its rows"
            ) from error
        if isinstance(one, StagedRun):
            staged.append(one)
        else:
            unresolved.append(one)
    return staged, unresolved


def _table(path: Path) -> _Table:
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8-sig") as handle:
        return list(csv.DictReader(handle))


class _Lengths:
    """Mean lengths as measured in the study that shares runs and workloads with this one."""

    def __init__(self, table: _Table) -> None:
        self._runs = [row for row in table if row["stage"] == "summary"]

    def of(self, row: Mapping[str, str]) -> tuple[float, float, float, str]:
        """Return (input, output, shared prefix, where from).

        The same model and workload first; then the mean over the other models of the workload: a
        tokenizer moves the input by about 2 %. The output length depends on the model (one stops
        early), so there the nominal length stands, less what the others fall short by.
        """
        same = [one for one in self._runs if one["workload"] == row["workload"]]
        exact = [one for one in same if one["model"] == row["model"]]
        chosen, where = (exact, "measured, same model") if exact else (same, "other models")
        if not chosen:
            return (
                float(row["nominal_input_tokens"]),
                float(row["nominal_output_tokens"]),
                0.0,
                "nominal",
            )
        answer = _mean(chosen, "mean_output_tokens")
        if not exact:  # the early stopper says nothing of the others
            answer = max(float(one["mean_output_tokens"]) for one in chosen)
        return _mean(chosen, "mean_input_tokens"), answer, _mean(chosen, "system_prompt_len"), where


def _mean(rows: _Table, column: str) -> float:
    return sum(float(row[column]) for row in rows) / len(rows)


def _staged(
    name: str,
    experiment: str,
    rows: _Table,
    lengths: _Lengths,
    catalog: Catalog,
    aliases: Aliases,
) -> StagedRun | Unresolved:
    by_stage = {int(float(row["stage_index"])): row for row in rows}
    first = by_stage.get(WHOLE_RUN, rows[0])
    load = parse_load(first["nominal_load"])
    known = bool(load) and bool(first["nominal_input_tokens"])
    prompt, answer, prefix, where = lengths.of(first) if known else (None, None, 0.0, "")
    tensor = int(float(first["tp"]))
    seconds = sum(duration for _, duration in load)
    run = Run(
        run_id=f"{name}/{experiment}",
        stratum=first.get("stratum") or "not stated",
        source=SOURCE,
        device_key=first["device_key"],
        devices=tensor,
        tensor_parallel=tensor,
        data_parallel=1,
        expert_parallel=None,
        model=first["model"],
        precision=first["precision"].lower(),
        precision_assumed=False,
        engine="vllm",
        input_tokens=prompt,
        output_tokens=answer,
        load_kind="open_constant_rps",
        load_value=sum(rate * duration for rate, duration in load) / seconds if load else None,
        limit_ttft_ms=None,
        limit_tpot_ms=None,
        overloaded=False,
        note=first["nominal_load"],
        measured={
            metric: MeasuredValue(value, "ms", f"{experiment}:{WHOLE_RUN}")
            for metric, value in _measured(by_stage.get(WHOLE_RUN)).items()
        },
    )
    if not known:
        return Unresolved(run, "its rate was never published")
    resolved = resolve([run], catalog, aliases)[0]
    if isinstance(resolved, Unresolved):
        return resolved
    share = first["gpu_mem_util"]
    return StagedRun(
        set=name,
        experiment=experiment,
        workload=first["workload"],
        resolved=resolved,
        stages=tuple(
            Stage(index, rate, duration, _measured(by_stage.get(index)))
            for index, (rate, duration) in enumerate(load)
        ),
        max_batched_tokens=int(float(first["max_num_batched_tokens"])),
        memory_fraction=float(share) if share else DEFAULT_MEMORY_FRACTION,
        cpu_offload=first["cpu_offload"].lower() == "true",
        shared_prefix_tokens=prefix,
        lengths_from=where,
        doubt=(
            "named a lite variant, whose rate was never published; the full rate is taken"
            if "-lite" in experiment
            else ""
        ),
    )


def _measured(row: Mapping[str, str] | None) -> dict[str, float]:
    if row is None:
        return {}
    return {metric: float(row[f"{metric}_ms"]) for metric in METRICS if row.get(f"{metric}_ms")}
