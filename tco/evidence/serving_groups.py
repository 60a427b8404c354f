"""Measured serving runs laid out for the model: one group a load kind, arrays over its runs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tco.evidence.run import ResolvedRun, Run
from tco.performance import steady
from tco.performance.factors import Key, Subject, resolve, subject
from tco.performance.rates import replica_rates
from tco.performance.step import StepArrays, shares, step_arrays
from tco.performance.work import work_of

Array = NDArray[np.float64]
USABLE = 0.88  # of the memory, before weights: what servers of the rows left for weights and cache
MOST_SEQUENCES = {"offline": 1024.0, "open_poisson_at_slo": 4096.0}
SLO_MARGIN = 0.9  # mean token time of a run tuned to keep a p99 limit
TUNED_LOAD = 0.95  # of the saturation at that batch
VENDOR_BATCH = 2048.0  # published maxima that do not say their batch
STATIC, CLOSED, RUNNING = "static_batch", "closed", "static_max_num_seqs"
CONSTANT = "open_constant_rps"
OPEN = (CONSTANT, "open_poisson_rps")
OFFLINE, AT_SLO = "offline", "open_poisson_at_slo"


def stack_of(source: str, engine: str) -> str:
    """Name the serving stack of a run: engine and, where it decides, who tuned it and when.

    Examples
    --------
    >>> stack_of("mlperf_inference", "TensorRT 10.2"), stack_of("anything new", "vLLM 0.21")
    ('mlperf', 'vllm')
    """
    low = engine.lower()
    if "sglang" in low:
        name = "sglang"
    elif "trt" in low or "tensorrt" in low or "nim" in low:
        name = "trtllm"
    elif "deepspeed" in low:
        name = "deepspeed"
    elif "samba" in low:
        name = "sambaflow"
    else:
        name = "vllm"
    if source.startswith("argonne"):
        return f"{name}-2024"
    if source.startswith("mlperf"):
        return "mlperf"
    if source.startswith("vendor"):
        return "vendor"
    if source.startswith("mlenergy"):
        return "vllm-mlenergy"
    if source.startswith("vllm"):
        return "vllm"
    if source.startswith(("inferencex", "b200_dsr1")):
        return f"{name}-tuned"
    return name


_DATE = re.compile(r"\b(20\d\d)-?(\d\d)-?\d\d\b")


def vintage_of(run: Run) -> str:
    """Return the stack and the half-year a run's note is dated, or an empty text.

    Software moves speed by 10 to 30 % between dates (P16.5).
    """
    found = _DATE.search(run.note)
    if not found:
        return ""
    half = 1 if int(found.group(2)) <= 6 else 2
    return f"{stack_of(run.source, run.engine)} {found.group(1)}H{half}"


@dataclass(frozen=True, eq=False)
class Group:
    """Runs of one load kind."""

    kind: str
    index: NDArray[np.int64]  # in the list given
    arrays: StepArrays
    subjects: tuple[Subject, ...]
    input_tokens: Array
    output_tokens: Array
    cached_tokens: Array
    kv_tokens: Array
    load: Array  # NaN where none is given
    limit_tpot_s: Array
    devices: Array

    def batch(self, values: Mapping[Key, float]) -> steady.Batch:
        """Return the group's replicas under the fitted factors `values`."""
        return steady.Batch(
            arrays=self.arrays,
            at=shares(self.arrays, resolve(values, self.subjects)),
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            kv_tokens=self.kv_tokens,
            max_sequences=np.full_like(self.load, np.inf),
            cached_tokens=self.cached_tokens,
        )

    def state(self, values: Mapping[Key, float]) -> steady.Steady:
        """Return the steady state of each run under its own kind of load."""
        batch = self.batch(values)
        load = np.nan_to_num(self.load, nan=1.0)
        if self.kind == STATIC:
            return steady.static_batch(batch, load)
        if self.kind == CLOSED:
            return steady.closed_loop(batch, load)
        if self.kind == RUNNING:
            return steady.running_batch(batch, np.maximum(load, 1.0))
        if self.kind in OPEN:
            return steady.open_loop(batch, load, random=self.kind != CONSTANT)
        most = np.minimum(batch.room(), MOST_SEQUENCES[self.kind] * self.arrays.attention_data)
        if self.kind == OFFLINE:
            given = np.where(np.isnan(self.load), VENDOR_BATCH, self.load)
            return steady.saturated(batch, np.minimum(most, np.maximum(given, 1.0)))
        limit = np.where(np.isnan(self.limit_tpot_s), 0.2, self.limit_tpot_s)
        return steady.within_token_time(batch, limit * SLO_MARGIN, most)


_PREFIX = re.compile(r"shared prefix (\d+) tok")
_STUDY_PREFIX = {"roleplay": 150.0, "general": 100.0, "codegen": 100.0, "reasoning": 100.0}


def shared_prefix_tokens(run: Run) -> float:
    """Return the prompt tokens that all requests of a run share, so that the cache holds them.

    The sim2real study uses the prompts of the runs whose notes print the length.
    """
    printed = _PREFIX.search(run.note)
    if printed:
        return float(printed.group(1))
    if run.source == "vllm_sim2real_actuals":
        return next((n for word, n in _STUDY_PREFIX.items() if f"-{word}" in run.note), 0.0)
    return 0.0


def kv_room_tokens(run: ResolvedRun, weight_bytes: float, kv_bytes: float) -> float:
    """Tokens of cache that a replica holds beside its weights."""
    if run.device.memory_gb is None or kv_bytes <= 0:
        return float("inf")
    memory = run.device.memory_gb.value * 1e9
    room = max(memory * USABLE - weight_bytes, memory * 0.02)
    return room / kv_bytes * run.parallel.attention_data


def groups(runs: Sequence[ResolvedRun]) -> tuple[list[Group], dict[int, str]]:
    """Lay out `runs` by load kind; the second part says why a run cannot be predicted."""
    by_kind: dict[str, list[int]] = {}
    refused: dict[int, str] = {}
    works, rates = {}, {}
    for place, each in enumerate(runs):
        if not each.model.supported:
            refused[place] = each.model.why_unsupported or f"{each.model.name} is not sized"
            continue
        work = work_of(
            each.model, each.parallel, weight_dtype=each.weight_dtype, kv_dtype=each.kv_dtype
        )
        dtypes = tuple({product.dtype for product in work.products})
        rate = replica_rates(each.device, each.parallel, dtypes)
        if isinstance(rate, str):
            refused[place] = rate
            continue
        works[place], rates[place] = work, rate
        by_kind.setdefault(each.run.load_kind, []).append(place)
    found = []
    for kind, places in sorted(by_kind.items()):
        chosen = [runs[place] for place in places]
        held = [works[place] for place in places]

        def column(values: list[float | None]) -> Array:
            return np.array([np.nan if v is None else v for v in values], dtype=np.float64)

        found.append(
            Group(
                kind=kind,
                index=np.array(places, dtype=np.int64),
                arrays=step_arrays(held, [rates[place] for place in places]),
                subjects=tuple(
                    subject(
                        run.device,
                        stack_of(run.run.source, run.run.engine),
                        vintage_of(run.run),
                    )
                    for run in chosen
                ),
                input_tokens=column([max(run.input_tokens, 1.0) for run in chosen]),
                output_tokens=column([max(run.output_tokens, 1.0) for run in chosen]),
                kv_tokens=column(
                    [
                        kv_room_tokens(
                            run,
                            work.weight_bytes(1e9),
                            (work.full.kv_bytes + work.window.kv_bytes),
                        )
                        for run, work in zip(chosen, held, strict=True)
                    ]
                ),
                cached_tokens=column([shared_prefix_tokens(run.run) for run in chosen]),
                load=column([run.run.load_value for run in chosen]),
                limit_tpot_s=column(
                    [
                        None if run.run.limit_tpot_ms is None else run.run.limit_tpot_ms / 1e3
                        for run in chosen
                    ]
                ),
                devices=column([float(run.parallel.devices) for run in chosen]),
            )
        )
    return found, refused
