"""The figures a sizing rests on, for explanation and status (P13.1)."""

from __future__ import annotations

import math

import numpy as np

from tco.inputs import Fleet, Status
from tco.performance import defaults
from tco.performance.iteration import IterationModel
from tco.performance.load_table import MAX_LOAD
from tco.performance.rates import link_figure
from tco.performance.replica import Replica
from tco.results import Term


def workload_terms(fleet: Fleet) -> list[Term]:
    """Return the demand side."""
    work = fleet.workload
    terms = [
        Term.of("peak requests", work.peak_requests_per_s),
        Term.of("input tokens", work.input_tokens),
        Term.of("output tokens", work.output_tokens),
    ]
    if work.growth_fraction_per_year.value:
        terms.append(Term.of("growth per year", work.growth_fraction_per_year))
    if work.headroom_fraction is not None:
        terms.append(Term.of("headroom", work.headroom_fraction))
    return terms


_FITTED = "fitted to public serving runs with {stack} (docs/accuracy.md); {kernels}"
_KERNELS = {
    "measured here": "kernels measured on this device by you",
    "measured elsewhere": "kernels measured on this device by others",
    "family": "kernels as on other devices",
}


def reached_terms(iteration: IterationModel) -> list[Term]:
    """Shares of the physical rates, and host times, that the fit gives a replica (P3.2, P3.3)."""
    a, at = iteration.arrays, iteration.at
    source = _FITTED.format(stack=iteration.stack, kernels=_KERNELS[iteration.rates.evidence])
    widest = int(np.argmax(a.count[0] * a.weights[0] * a.units[0]))
    with np.errstate(all="ignore"):  # a slip of the pen in a rate is told elsewhere
        compute = float(1 / (a.peak_flops[0, widest] * at["flop_s"][0, widest]))
        memory = float(1 / (a.bandwidth[0] * at["byte_s"][0, widest]))
        cache = float(1 / (a.bandwidth[0] * at["kv_byte_s"][0]))

    def term(name: str, value: float, unit: str) -> Term:
        return Term(name, value, unit, Status.ESTIMATED, source)

    found = [
        term("share of the peak reached by large products", compute, "fraction"),
        term("share of the bandwidth reached reading weights", memory, "fraction"),
        term("share of the bandwidth reached reading the KV cache", cache, "fraction"),
        term("launches and host time of a step", iteration.overhead_s * 1e3, "ms"),
        term("host time of a sequence in a step", float(at["sequence_s"][0]) * 1e6, "us"),
        term("host time of a request", float(at["request_s"][0]) * 1e3, "ms"),
    ]
    if float(a.collectives[0]):
        each = float(at["fixed_s"][0]) - iteration.overhead_s
        found.append(
            term("one small exchange between devices", each / float(a.collectives[0]) * 1e6, "us")
        )
    return [one for one in found if math.isfinite(one.value)]


def serving_terms(fleet: Fleet, replica: Replica) -> tuple[Term, ...]:
    """Return every figure behind a serving result; the status is their weakest."""
    terms = workload_terms(fleet)
    spec, device = replica.spec, replica.spec.device
    terms.append(Term.of("model parameters", spec.model.parameters_g))
    if device.memory_gb is not None:
        terms.append(Term.of("device memory", device.memory_gb))
    elif replica.plan is not None:
        needed = (replica.plan.weight_bytes + replica.plan.fixed_bytes) / 1e9
        unknown = "capacity of the device is not known: taken as enough"
        terms.append(Term("device memory needed", needed, "GB", Status.ASSUMED, unknown, False))
    terms.append(Term.of("usable memory", defaults.USABLE_MEMORY_FRACTION))
    if replica.note:
        terms.append(Term("executed dtype", 1.0, "ratio", Status.ESTIMATED, replica.note))
    if replica.iteration is None:
        return tuple(terms)
    iteration = replica.iteration
    body = iteration.body
    terms.append(Term.of("memory bandwidth", body.memory.figure))
    measured = [p for p in device.measured.gemm if p.dtype == body.dtype] if device.measured else []
    if measured:
        best = max(measured, key=lambda point: point.tflops.value)
        terms.append(Term.of(f"matrix products {body.dtype}, best of {len(measured)}", best.tflops))
    else:
        peak = device.peak(body.dtype)
        if peak is not None:
            terms.append(Term.of(f"dense peak {body.dtype}", peak))
    terms += reached_terms(iteration)
    if spec.parallel.stage_devices > 1:
        terms.append(Term.of("scale-up link", link_figure(device, spec.parallel.stage_devices)))
    if device.measured is not None and device.measured.launch_us is not None:
        terms.append(Term.of("launch", device.measured.launch_us))
    terms.append(Term.of("highest planned load", MAX_LOAD))
    if spec.throughput_fraction < 1:
        note = "measured power cap (F2.2)"
        terms.append(
            Term("speed under the cap", spec.throughput_fraction, "fraction", Status.MEASURED, note)
        )
    return tuple(terms)
