"""Step time of a training run on given devices: the fastest plan that fits (P11, P13)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from tco.defaults import default
from tco.inputs import Device, Figure, LanguageModel
from tco.performance.dtypes import execution
from tco.performance.operators import best_tflops
from tco.performance.parameters import parameters as counts
from tco.performance.training.bases import bases_of
from tco.performance.training.data_path import DataPath, input_time
from tco.performance.training.factors import (
    device_factor,
    evidence_class,
    factors,
    interval_of,
)
from tco.performance.training.memory import (
    TrainingMemory,
    smallest_change,
    training_memory,
    usable_bytes,
)
from tco.performance.training.plan import RECOMPUTE, Plan, Platform
from tco.performance.training.rates import TERA, sustained_rate
from tco.performance.training.shape import training_shape
from tco.performance.training.step import StepTime, step_time

GIGA = 1e9
SCALE_OUT_GB_S = default("training.predict.scale_out_gb_s")
_MICRO = (1.0, 2.0, 4.0, 8.0)
_PIPELINES = (1, 2, 4, 8, 16)
_VIRTUAL = 4  # chunks of layers a stage holds, interleaved, as large runs are set up
ANY = "auto"


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the scenario fixes of the plan; the rest is searched."""

    recompute: str = ANY
    sharding: str = ANY
    micro_batch: int | None = None
    pipeline: int | None = None
    data: DataPath = field(default_factory=DataPath)


@dataclass(frozen=True, slots=True)
class Predicted:
    """Step time of the fastest plan, with its parts and its 80 % interval."""

    plan: Plan
    step: StepTime
    seconds: float
    mfu_fraction: float  # 6·P·tokens over devices, dense peak and step time
    low: float  # measured over predicted
    high: float
    evidence: str
    memory: TrainingMemory
    slowest_input: str  # stage of the data path that takes longest (P12)

    @property
    def label(self) -> str:
        """The plan as printed."""
        p = self.plan
        text = f"{p.sharding} sharding, recompute {p.recompute}, micro-batch {p.micro_batch:g}"
        text += f", tensor {p.tensor}" if p.tensor > 1 else ""
        return text + (f", pipeline {p.pipeline}" if p.pipeline > 1 else "")


def platform_of(
    device: Device, dtype: str, *, server_devices: int, scale_out_gb_s: Figure | None = None
) -> Platform | None:
    """Return the rates of a device in its server, or None where one is not known."""
    wide, own = execution(device, "bf16"), execution(device, dtype)
    if wide is None or own is None or device.memory_bandwidth_gb_s is None:
        return None
    peak_16, peak = best_tflops(device, wide.dtype), best_tflops(device, own.dtype)
    if peak_16 is None or peak is None or min(peak.value, peak_16.value) <= 0:
        return None
    rates = {
        name: sustained_rate(
            device.key, name, peak=figure.value * TERA, peak_16=peak_16.value * TERA
        )
        for name, figure in (("bf16", peak_16), (own.dtype, peak))
    }
    network = (scale_out_gb_s or SCALE_OUT_GB_S).value
    inside = device.scaleup_gb_s.value if device.scaleup_gb_s else network
    return Platform(
        name=device.key,
        peak_16=peak_16.value * TERA,
        peak=peak.value * TERA,
        sustained_16=rates["bf16"].flops,
        sustained=rates[own.dtype].flops,
        memory=device.memory_bandwidth_gb_s.value * GIGA,
        memory_bytes=device.memory_gb.value * GIGA if device.memory_gb else None,
        scale_up=inside * GIGA,
        scale_up_domain=max(1, device.scaleup_domain),
        scale_out=network * GIGA,
        server_devices=server_devices,
        evidence=rates[own.dtype].source,
        measured_rate=rates["bf16"].measured,
    )


def _plans(
    devices: int,
    server_devices: int,
    batch_tokens: float,
    sequence_tokens: float,
    dtype: str,
    wishes: Wishes,
) -> Iterator[Plan]:
    sequences = max(batch_tokens / sequence_tokens, 1.0)
    for tensor in sorted({1, min(server_devices, devices)}):
        for pipeline in (wishes.pipeline,) if wishes.pipeline else _PIPELINES:
            ranks = devices / (tensor * pipeline)
            each = sequences / ranks  # of a rank and step
            if ranks < 1 or (pipeline > 1 and each < pipeline):
                continue
            sizes = _MICRO if pipeline == 1 else _MICRO[:1]
            for micro in (float(wishes.micro_batch),) if wishes.micro_batch else sizes:
                if micro > max(each, 1.0):
                    continue
                for recompute in RECOMPUTE if wishes.recompute == ANY else (wishes.recompute,):
                    yield Plan(
                        devices=devices,
                        sequence_tokens=sequence_tokens,
                        micro_batch=min(micro, each),
                        micro_batches=each / min(micro, each),
                        tensor=tensor,
                        pipeline=pipeline,
                        virtual=_VIRTUAL if pipeline > 1 else 1,
                        recompute=recompute,
                        dtype=dtype,
                        sharding=_sharding(wishes, pipeline),
                    )


def _sharding(wishes: Wishes, pipeline: int) -> str:
    if wishes.sharding != ANY:
        return wishes.sharding
    return "full" if pipeline == 1 else "optimizer"


@lru_cache(maxsize=1024)
def predict(
    model: LanguageModel,
    device: Device,
    *,
    devices: int,
    server_devices: int,
    batch_tokens: float,
    sequence_tokens: float,
    dtype: str,
    scale_out_gb_s: Figure | None = None,
    wishes: Wishes | None = None,
) -> Predicted | None:
    """Return the fastest plan that fits, or None where a rate is missing or nothing fits.

    Parameters
    ----------
    batch_tokens
        Tokens of one optimiser step over all devices.
    scale_out_gb_s
        Network between servers, per device and direction.
    wishes
        What is fixed of the plan, and the data path; left out: nothing, text.
    """
    wishes = wishes or Wishes()
    run = execution(device, dtype)
    platform = platform_of(
        device, dtype, server_devices=server_devices, scale_out_gb_s=scale_out_gb_s
    )
    if run is None or platform is None:
        return None
    shape = training_shape(model)
    servers = max(1.0, devices / server_devices)
    read = input_time(wishes.data, step_tokens=batch_tokens, servers=servers, devices=devices)
    best: tuple[float, Plan, StepTime, TrainingMemory] | None = None
    for plan in _plans(devices, server_devices, batch_tokens, sequence_tokens, run.dtype, wishes):
        memory = training_memory(model, shape, plan)
        room = platform.memory_bytes
        if room is not None and memory.total > usable_bytes(room):
            continue
        bases = bases_of(shape, plan, platform)
        step = step_time(bases, factors(), plan.stack)
        # the data of the next step is read behind this one; what is longer stalls it
        seconds = max(bases.floor, step.seconds * device_factor(device.key), read.seconds)
        if best is None or seconds < best[0]:
            best = (seconds, plan, step, memory)
    if best is None:
        return None
    seconds, plan, step, memory = best
    known = counts(model)
    # the usual count: every parameter that a token meets, a separate embedding included
    active = float(known.active + (known.embedding if known.head else 0))
    evidence = evidence_class(shape, run.dtype, measured_rate=platform.measured_rate)
    spread = interval_of(evidence)
    peak = platform.peak
    return Predicted(
        plan=plan,
        step=step,
        seconds=seconds,
        mfu_fraction=6 * active * batch_tokens / (devices * peak * seconds),
        low=spread.low,
        high=spread.high,
        evidence=f"{evidence}: {platform.evidence}",
        memory=memory,
        slowest_input=read.slowest if read.seconds >= seconds else "",
    )


def lacking(
    model: LanguageModel,
    device: Device,
    *,
    devices: int,
    server_devices: int,
    batch_tokens: float,
    sequence_tokens: float,
    dtype: str,
    wishes: Wishes,
) -> str:
    """Return why no plan fits, with the smallest change that helps; empty where rates are missing.

    Parameters as of `predict`.
    """
    run = execution(device, dtype)
    platform = platform_of(device, dtype, server_devices=server_devices)
    if run is None or platform is None or platform.memory_bytes is None:
        return ""
    shape = training_shape(model)
    plans = [*_plans(devices, server_devices, batch_tokens, sequence_tokens, run.dtype, wishes)]
    if not plans:
        return f"plan: {devices:,} devices cannot be cut as asked; fix less of the plan"
    nearest = min(plans, key=lambda plan: training_memory(model, shape, plan).total)
    change = smallest_change(model, shape, nearest, platform.memory_bytes)
    missing = training_memory(model, shape, nearest).total - usable_bytes(platform.memory_bytes)
    return f"memory: {missing / GIGA:,.1f} GB missing on each of {devices:,} devices; {change}"
