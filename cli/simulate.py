"""`tco simulate`: one replica of a scenario's fleet under arrivals of any kind (P6)."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tco.errors import InputError
from tco.inputs import Fleet, ScenarioInputs, plain

OK, FINDING = 0, 1
ARRIVALS = ("poisson", "constant", "bursty", "trace", "closed")
Read = Callable[[str], ScenarioInputs]


def add_simulate(commands: Any, read: Read) -> None:
    """Add the command; `read` gives the inputs of a scenario file."""
    command = commands.add_parser(
        "simulate",
        help="run one copy of a fleet's model under a kind of load, request by request",
        description=(
            "Sizes the fleet as `tco project` does, then simulates one copy of its model with its "
            "share of the peak: latencies with 95 % confidence intervals, batch, KV use."
        ),
    )
    command.add_argument("file", metavar="FILE", help="scenario, YAML or JSON")
    command.add_argument("--option", metavar="KEY", help="default: the first one")
    command.add_argument("--fleet", metavar="KEY", help="default: the first one that serves")
    command.add_argument("--arrivals", choices=ARRIVALS, default="poisson")
    command.add_argument("--variation", type=float, default=2.0, help="of bursty intervals")
    command.add_argument("--trace", metavar="CSV", help="arrival_s, input_tokens, output_tokens")
    command.add_argument("--concurrency", type=int, help="of a closed loop, one copy")
    command.add_argument("--requests-per-s", type=float, help="of one copy, in place of its share")
    command.add_argument("--requests", type=int, default=10_000)
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("--json", action="store_true")
    command.set_defaults(run=lambda options: _run(options, read))


def _fleet(inputs: ScenarioInputs, options: argparse.Namespace) -> Fleet:
    keys = [option.key for option in inputs.options]
    wanted = options.option or (keys[0] if keys else "")
    chosen = next((one for one in inputs.options if one.key == wanted), None)
    if chosen is None:
        raise InputError("--option", f"{wanted!r} is not in the file", f"use {', '.join(keys)}")
    serving = [one for one in chosen.fleets if one.workload.kind == "serving"]
    names = [one.key for one in serving]
    found = next((one for one in serving if one.key == (options.fleet or one.key)), None)
    if found is None:
        mend = f"use {', '.join(names)}" if names else "give a fleet that serves a language model"
        raise InputError("--fleet", f"{options.fleet!r} does not serve in {wanted}", mend)
    return found


def _run(options: argparse.Namespace, read: Read) -> int:
    from tco.performance import size_fleet
    from tco.performance.machine import machine_of
    from tco.performance.replica import build_replica
    from tco.performance.serving_fleet import replica_spec
    from tco.simulate.outcomes import outcome
    from tco.simulate.replica import simulate

    inputs = read(options.file)
    fleet = _fleet(inputs, options)
    sized = size_fleet(fleet, horizon_months=inputs.finance.horizon_months)
    machine = machine_of(fleet)
    if machine is None or not sized.replicas:
        print(f"{fleet.name}: {sized.binds}")
        return FINDING
    replica = build_replica(replica_spec(fleet, machine, sized.tensor_parallel, 1.0), ())
    table = replica.step_table()
    peak = fleet.workload.peak_requests_per_s.value * fleet.share_fraction
    rate = options.requests_per_s or peak / sized.replicas
    requests, concurrency = _requests(options, fleet, rate, sized.replicas)
    served = simulate(table, requests, concurrency=concurrency, gaps=True)
    offered = None if concurrency else rate
    found = outcome(served, table, offered_per_s=offered)
    if options.json:
        print(json.dumps({"replica": sized.parallel, **plain(dataclasses.asdict(found))}, indent=1))
    else:
        print(_text(fleet, sized.parallel, sized.replicas, rate, concurrency, found))
    return FINDING if found.saturated else OK


def _requests(
    options: argparse.Namespace, fleet: Fleet, rate: float, replicas: int
) -> tuple[Any, int | None]:
    from tco.simulate.arrivals import bursty, constant, poisson
    from tco.simulate.replica import Requests
    from tco.simulate.trace import read_trace

    if options.arrivals == "trace":
        if not options.trace:
            raise InputError("--trace", "is missing", "name a CSV of requests")
        try:
            text = Path(options.trace).read_text(encoding="utf-8")
        except OSError as error:
            raise InputError(options.trace, f"cannot be read: {error.strerror}", "check") from error
        whole = read_trace(text, name=options.trace).requests
        # dealt round robin: this copy takes every n-th request
        return (
            Requests(
                whole.arrival_s[::replicas],
                whole.input_tokens[::replicas],
                whole.output_tokens[::replicas],
            ),
            None,
        )
    count = options.requests
    if count < 100:
        raise InputError("--requests", f"{count} is too few to sum up", "simulate at least 100")
    if options.arrivals == "constant":
        times = constant(rate, count)
    elif options.arrivals == "bursty":
        times = bursty(rate, count, options.variation, options.seed)
    else:
        times = poisson(rate, count, options.seed)
    work = fleet.workload
    columns = (
        [max(1, round(work.input_tokens.value))] * count,
        [max(1, round(work.output_tokens.value))] * count,
    )
    if options.arrivals == "closed":
        if options.concurrency is None:
            raise InputError("--concurrency", "is missing", "name the requests in flight")
        return Requests([0.0] * count, *columns), options.concurrency
    return Requests(times.tolist(), *columns), None


def _text(
    fleet: Fleet, parallel: str, replicas: int, rate: float, concurrency: int | None, found: Any
) -> str:
    load = f"{concurrency} in flight" if concurrency else f"{rate:,.3g} requests/s"
    lines = [
        f"{fleet.name}: one of {replicas:,} copies ({parallel}), {load}",
        f"{'':>6}{'mean':>18}{'p50':>10}{'p90':>10}{'p95':>10}{'p99':>18}   ms",
    ]
    for metric, measures in found.measures.items():
        cells = []
        for name, one in measures.items():
            text = f"{one.value_s * 1e3:,.1f}"
            if name in ("mean", "p99") and one.low_s is not None:
                text += f" ±{(one.high_s - one.value_s) * 1e3:,.1f}"
            cells.append(f"{text:>{18 if name in ('mean', 'p99') else 10}}")
        lines.append(f"{metric:>6}{''.join(cells)}")
    kv = "unknown" if found.kv_fraction is None else f"{found.kv_fraction:.0%}"
    lines.append(
        f"batch {found.batch:,.1f}, KV room used {kv}, busy {found.busy_fraction:.0%}, "
        f"{found.preemptions:,} preemptions; {found.requests:,} requests after a warm-up of "
        f"{found.warm_up:,}; ± is half of the 95 % confidence interval"
    )
    if found.saturated:
        lines.append(
            "saturated: arrivals outrun service; latencies grow with the length of the run"
        )
    elif not found.steady:
        lines.append("not steady yet: simulate more requests")
    return "\n".join(lines)
