"""What the sizing of a training fleet rests on, as named terms (P11, P13.3)."""

from __future__ import annotations

import math

from tco.inputs import Fleet, Status
from tco.performance import defaults
from tco.performance.growth import whole_servers
from tco.performance.machine import Machine
from tco.performance.training.factors import SOURCE
from tco.performance.training.predict import Predicted
from tco.performance.training.run import TrainingRun
from tco.results import Term

SHADE = "memory bandwidth in use"


def goodput_terms(run: TrainingRun, devices: int) -> tuple[Term, ...]:
    """Failures, checkpoint interval and what is left of the time (F10.4)."""
    found = run.goodput(devices)
    if math.isinf(found.between_failures_hours):
        return (Term.of("failures", run.failures),)
    source = "F10.4, Daly 2006; interval by Young"
    return (
        Term.of("failures", run.failures),
        Term("time between checkpoints", found.interval_hours, "h", Status.ESTIMATED, source),
        Term("goodput", found.fraction, "fraction", Status.ESTIMATED, source),
    )


def scaling_term(run: TrainingRun, machine: Machine, devices: int, found: Predicted) -> Term:
    """Speed per device over that of the fewest servers the run fits on (strong scaling)."""
    count = machine.device_count
    servers = max(1, whole_servers(float(run.devices_to_fit()), count))
    few = min(devices, servers * count)
    one = run.predicted(few)
    fraction = 1.0 if one is None else one.seconds * few / (found.seconds * devices)
    source = f"{SOURCE}; against {few:,} devices, the same batch"
    return Term("scaling efficiency", fraction, "fraction", Status.ESTIMATED, source)


def predicted_terms(found: Predicted) -> tuple[Term, ...]:
    """Step time with its 80 % interval, MFU, what of the step is network (P11, P13.3)."""

    def term(name: str, value: float, unit: str) -> Term:
        return Term(name, value, unit, Status.ESTIMATED, f"{SOURCE}; {found.label}")

    step = found.step
    stalled = 1 - step.seconds / found.seconds if found.slowest_input else 0.0
    return (
        term("step time", found.seconds, "s"),
        term("step time, low", found.seconds * found.low, "s"),
        term("step time, high", found.seconds * found.high, "s"),
        term("model flops utilisation", found.mfu_fraction, "fraction"),
        term("exposed network, of the step", step.network / step.seconds, "fraction"),
        term("pipeline bubble, of the step", step.bubble / step.seconds, "fraction"),
        *([term(f"waits for the {found.slowest_input}", stalled, "fraction")] if stalled else []),
    )


def run_terms(fleet: Fleet, run: TrainingRun) -> tuple[Term, ...]:
    training = run.training
    terms = [
        Term.of("tokens per run", training.tokens),
        Term.of("global batch", training.global_batch_tokens),
        Term.of("model parameters", run.model.parameters_g),
        Term.of("dense peak", run.peak),
        *([] if run.modelled else [Term.of("model flops utilisation", run.mfu)]),
        Term.of("training state", defaults.TRAINING_STATE_BYTES),
        Term.of(SHADE, defaults.TRAINING_MEMORY_FRACTION),
    ]
    if run.device.memory_gb is not None:
        terms.append(Term.of("device memory", run.device.memory_gb))
    if fleet.workload.growth_fraction_per_year.value:
        terms.append(Term.of("growth per year", fleet.workload.growth_fraction_per_year))
    return tuple(terms)
