"""The figures a sizing rests on, for explanation and status (P13.1)."""

from __future__ import annotations

from tco.inputs import Fleet, Status
from tco.performance import defaults
from tco.performance.iteration import link_figure
from tco.performance.operators import efficiency
from tco.performance.replica import Replica
from tco.performance.serving import MAX_LOAD
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
    body = replica.iteration.body
    terms.append(Term.of("memory bandwidth", body.memory.figure))
    if device.measured is None or device.measured.memory_bandwidth_gb_s is None:
        terms.append(Term.of("bandwidth reached", defaults.BANDWIDTH_FRACTION))
    measured = [p for p in device.measured.gemm if p.dtype == body.dtype] if device.measured else []
    if measured:
        best = max(measured, key=lambda point: point.tflops.value)
        terms.append(Term.of(f"matrix products {body.dtype}, best of {len(measured)}", best.tflops))
    else:
        peak = device.peak(body.dtype)
        if peak is not None:
            terms.append(Term.of(f"dense peak {body.dtype}", peak))
        terms.append(Term.of("matrix efficiency", efficiency(device, body.dtype)))
    if spec.tensor_parallel > 1:
        link = link_figure(device, spec.tensor_parallel)
        terms += [
            Term.of("scale-up link", link),
            Term.of("link efficiency", defaults.LINK_FRACTION),
            Term.of("all-reduce latency", defaults.ALL_REDUCE_LATENCY_US),
        ]
    if device.measured is not None and device.measured.launch_us is not None:
        terms.append(Term.of("launch", device.measured.launch_us))
        terms.append(Term.of("kernels per layer", defaults.KERNELS_PER_LAYER))
    else:
        terms.append(Term.of("layer overhead", defaults.LAYER_OVERHEAD_US))
    terms += [
        Term.of("host time per step", defaults.HOST_STEP_MS),
        Term.of("host time per request", defaults.HOST_REQUEST_MS),
        Term.of("highest planned load", MAX_LOAD),
    ]
    if spec.throughput_fraction < 1:
        note = "measured power cap (F2.2)"
        terms.append(
            Term("speed under the cap", spec.throughput_fraction, "fraction", Status.MEASURED, note)
        )
    return tuple(terms)
