"""Every way to spread a model over the devices of a server (P4, P6.5)."""

from __future__ import annotations

from collections.abc import Iterator

from tco.inputs import Parallel
from tco.performance.degrees import degrees_problem, divisors
from tco.performance.dtypes import BYTES, execution
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


def configurations(request: Request) -> tuple[list[Configuration], list[Excluded]]:
    """Return what may be tried, and what degrees and formats rule out at once."""
    tried: list[Configuration] = []
    excluded: list[Excluded] = []
    weights = [dtype for dtype in request.weight_dtypes if dtype in BYTES]
    for parallel in layouts(request):
        problem = degrees_problem(request.model, parallel)
        for weight in weights:
            for cache in request.kv_dtypes:
                first = Configuration(parallel, weight, cache, request.batch_limits[0])
                if problem:
                    excluded.append(Excluded(first, "degrees", problem))
                    continue
                if execution(request.device, weight) is None:
                    said = f"{request.device.name} has no rate for {weight} or anything wider"
                    excluded.append(Excluded(first, "dtype", said))
                    continue
                for limit in request.batch_limits:
                    tried.append(Configuration(parallel, weight, cache, limit))
                if request.split and parallel.pipeline == 1 and parallel.attention_data == 1:
                    tried += _splits(request, parallel, weight, cache)
    return tried, excluded


def _splits(
    request: Request, parallel: Parallel, weight: str, cache: str
) -> Iterator[Configuration]:
    """Prefill and decode workers that together fill the server, batch at its largest limit."""
    workers = request.devices // parallel.devices
    for prefill in range(1, workers):
        yield Configuration(
            parallel, weight, cache, max(request.batch_limits), prefill, workers - prefill
        )
