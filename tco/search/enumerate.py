"""Every way to spread a model over the devices of a server (P4, P6.5)."""

from __future__ import annotations

from collections.abc import Iterator

from tco.inputs import Parallel
from tco.performance.degrees import degrees_problem, divisors
from tco.performance.dtypes import execution
from tco.search.request import Configuration, Excluded, Request


def layouts(request: Request) -> Iterator[Parallel]:
    """Yield degrees whose devices divide the server: tensor, pipeline, experts, attention data."""
    experts = request.model.experts is not None
    latent = request.model.latent is not None
    for devices in divisors(request.devices):
        for pipeline in divisors(devices):
            stage = devices // pipeline
            for groups in divisors(stage) if experts or latent else [1]:
                tensor = stage // groups
                for expert in sorted({1, stage}) if experts else [1]:
                    if groups > 1 and experts and expert == 1:
                        continue  # attention groups share their experts
                    yield Parallel(tensor, pipeline, expert, groups)


def problem(request: Request, each: Configuration) -> Excluded | None:
    """Return what rules a configuration out before its memory is laid out."""
    server = request.server
    said = degrees_problem(request.model, each.parallel)
    if not said and request.devices % each.devices:
        wanted = each.devices
        said = f"{wanted} devices do not divide the {request.devices} of the server"
        said += f"; use one of {', '.join(map(str, divisors(request.devices)))}"
    if said:
        return Excluded(each, "degrees", said, server=server)
    if execution(request.device, each.weight_dtype) is None:
        said = f"{request.device.name} has no rate for {each.weight_dtype} or anything wider"
        return Excluded(each, "dtype", said, server=server)
    return None


def configurations(request: Request) -> tuple[list[Configuration], list[Excluded]]:
    """Return what may be tried, and what degrees and formats rule out at once."""
    tried: list[Configuration] = []
    excluded: list[Excluded] = []
    for parallel in layouts(request):
        for weight in request.weight_dtypes:
            for cache in request.kv_dtypes:
                every = [
                    Configuration(parallel, weight, cache, limit)
                    for limit in sorted(set(request.batch_limits))
                ]
                if problem(request, every[0]) is not None:
                    excluded += [said for one in every if (said := problem(request, one))]
                    continue
                tried += every
                if request.split and parallel.pipeline == 1 and parallel.attention_data == 1:
                    tried += _splits(request, every[-1])
    return tried, excluded


def _splits(request: Request, one: Configuration) -> Iterator[Configuration]:
    """Prefill and decode workers that together fill the server, batch at its largest limit."""
    if request.output_tokens <= 1:
        return  # nothing is left to decode elsewhere
    workers = request.devices // one.parallel.devices
    for prefill in range(1, workers):
        yield Configuration(
            one.parallel,
            one.weight_dtype,
            one.kv_dtype,
            one.batch_limit,
            prefill,
            workers - prefill,
        )
