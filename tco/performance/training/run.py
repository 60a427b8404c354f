"""One training run on one kind of device: days, memory, goodput (P11, F10.4)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tco.inputs import Device, Figure, LanguageModel, Training
from tco.performance import defaults
from tco.performance.memory import GB, parameters
from tco.performance.operators import TERA
from tco.performance.training.data_path import given_path
from tco.performance.training.goodput import (
    FAILURES_PER_DEVICE_YEAR,
    Goodput,
    goodput,
    time_between_failures,
)
from tco.performance.training.predict import Predicted, Wishes, lacking, predict
from tco.results import MemoryLine

LEAST_BETWEEN = 2.5  # checkpoints between failures: fewer is said, not computed


def step_seconds(
    parameter_count: float, step_tokens: float, devices: int, peak_tflops: float, mfu: float
) -> float:
    """Return seconds of one optimiser step: 6·P·tokens / (N·peak·MFU) (P11, F1.8).

    `mfu` is the share of the dense peak that the run's 6·P·tokens make: a published one already
    contains attention, communication and stalls.

    Examples
    --------
    >>> round(step_seconds(405e9, 16e6, 16384, 989.5, 0.41), 2)
    5.85
    """
    return 6 * parameter_count * step_tokens / (devices * peak_tflops * TERA * mfu)


@dataclass(frozen=True)
class TrainingRun:
    """One training run on one kind of device."""

    model: LanguageModel
    training: Training
    device: Device
    peak: Figure
    mfu: Figure  # given, or of the model at one server
    throughput_fraction: float
    dtype: str = "bf16"
    server_devices: int = 8
    scale_out_gb_s: Figure | None = None  # of a device; None: one 400 Gb/s port
    modelled: bool = False  # True: no MFU is given, the step is computed

    def predicted(self, devices: int) -> Predicted | None:
        """Step time of the fastest plan on so many devices; None where the MFU is given."""
        if not self.modelled:
            return None
        return predict(
            self.model,
            self.device,
            devices=devices,
            server_devices=self.server_devices,
            batch_tokens=self.training.global_batch_tokens.value,
            sequence_tokens=float(self.training.sequence_tokens),
            dtype=self.dtype,
            wishes=self.wishes,
            scale_out_gb_s=self.scale_out_gb_s,
        )

    def lacking(self, devices: int) -> str:
        """What keeps every plan from so many devices, with the least change; empty if one fits."""
        if not self.modelled or self.predicted(devices) is not None:
            return ""
        return lacking(
            self.model,
            self.device,
            devices=devices,
            server_devices=self.server_devices,
            batch_tokens=self.training.global_batch_tokens.value,
            sequence_tokens=float(self.training.sequence_tokens),
            dtype=self.dtype,
            wishes=self.wishes,
        )

    @property
    def wishes(self) -> Wishes:
        """What the scenario fixes of the plan."""
        t = self.training
        return Wishes(
            t.recompute,
            t.sharding,
            t.micro_batch_sequences,
            t.pipeline,
            given_path(t.bytes_per_token, t.loader_tokens_per_s, t.storage_gb_s),
        )

    @property
    def failures(self) -> Figure:
        """Failures of a device in a year that stop the run."""
        return self.training.failures_per_device_year or FAILURES_PER_DEVICE_YEAR

    def goodput(self, devices: int) -> Goodput:
        """What failures leave of the time (F10.4); at the limit where nothing would get done."""
        between = time_between_failures(devices, self.failures.value)
        checkpoint = self.training.checkpoint_s / 3600
        return goodput(
            max(between, LEAST_BETWEEN * checkpoint),
            checkpoint=checkpoint,
            restart=self.training.restart_s / 3600,
        )

    @property
    def parameter_count(self) -> float:
        """Parameters, counted from the shape."""
        return float(parameters(self.model).total)

    def days(self, devices: int) -> float:
        """Days of one run on `devices` devices, failures and checkpoints included."""
        return self._useful_days(devices) * self.goodput(devices).factor

    def _useful_days(self, devices: int) -> float:
        steps = self.training.tokens.value / self.training.global_batch_tokens.value
        found = self.predicted(devices)
        if found is not None:
            return steps * found.seconds / self.throughput_fraction / 86400
        step = step_seconds(
            self.parameter_count,
            self.training.global_batch_tokens.value,
            devices,
            self.peak.value * self.throughput_fraction,
            self.mfu.value,
        )
        return steps * step / 86400

    @property
    def state_gb(self) -> float:
        """Weights, gradients and optimiser states of the whole model."""
        return self.parameter_count * defaults.TRAINING_STATE_BYTES.value / GB

    def devices_to_fit(self) -> int:
        """Devices over which the states fit, sharded evenly."""
        memory = self.device.memory_gb
        if memory is None:
            return 1
        room = memory.value * defaults.USABLE_MEMORY_FRACTION.value - self.activation_gb
        return math.ceil(self.state_gb / room) if room > 0 else 0

    @property
    def activation_gb(self) -> float:
        """One sequence with full recompute: the input of each layer, and one layer's inside."""
        m, tokens = self.model, self.training.sequence_tokens
        kept = m.layers * m.hidden * 2
        inside = (8 * m.hidden + 3 * m.feed_forward) * 2
        return tokens * (kept + inside) / GB

    def lines(self, devices: int) -> tuple[MemoryLine, ...]:
        """Memory table of one device."""
        state = defaults.TRAINING_STATE_BYTES.value
        each = self.state_gb / devices / state
        return (
            MemoryLine("weights", each * 2, "parameters × 2 B / devices"),
            MemoryLine("gradients", each * 2, "parameters × 2 B / devices"),
            MemoryLine("optimiser", each * (state - 4), f"parameters × {state - 4:g} B / devices"),
            MemoryLine(
                "activations", self.activation_gb, "one sequence, recomputed layer by layer"
            ),
        )
