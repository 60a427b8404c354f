"""Training: servers for the runs of a year, and whether each deadline is met (P11)."""

from __future__ import annotations

from tco.inputs import Fleet, weakest
from tco.performance import defaults
from tco.performance.dtypes import execution
from tco.performance.growth import (
    MOST_SERVERS,
    TOO_MANY,
    growth_factors,
    servers_by_month,
    whole_servers,
)
from tco.performance.machine import DAY_HOURS, Machine, infeasible, machine_of
from tco.performance.operators import best_tflops
from tco.performance.training.goodput import time_between_failures
from tco.performance.training.network import rate_between_servers
from tco.performance.training.run import LEAST_BETWEEN, TrainingRun
from tco.performance.training.terms import (
    SHADE,
    goodput_terms,
    predicted_terms,
    run_terms,
    scaling_term,
)
from tco.results import FleetResult, HourLoad

_ROUNDS = 12  # of the search for a count of servers
_LONGEST_DAYS = 1e15  # on one device; beyond it a figure is a slip of the pen
YEAR_DAYS = {"720": 360.0, "730": 365.0, "calendar": 365.0}


def size_training(
    fleet: Fleet, *, horizon_months: int, hours: str = "730", throughput_fraction: float = 1.0
) -> FleetResult:
    """Size a training fleet so that the runs of a year, and each deadline, are met (P11)."""
    machine, work = machine_of(fleet), fleet.workload
    if machine is None or work.model is None or work.training is None:
        lacking = "model" if work.model is None else "training run"
        lacking = "server or offer" if machine is None else lacking
        return infeasible(fleet, f"no {lacking} is named", horizon_months=horizon_months)
    training, device = work.training, machine.device
    if not work.model.supported:
        why = f"{work.model.name}: {work.model.why_unsupported or 'not supported yet'}"
        return infeasible(fleet, why, horizon_months=horizon_months)
    run_as = execution(device, work.weight_dtype)
    peak = best_tflops(device, run_as.dtype) if run_as else None
    if peak is None or throughput_fraction <= 0:
        why = f"dtype: {device.name} has no rate for {work.weight_dtype}; enter a peak"
        return infeasible(fleet, why, horizon_months=horizon_months)
    lengths = (training.tokens.value, training.global_batch_tokens.value, training.sequence_tokens)
    if min(lengths) <= 0:
        return infeasible(fleet, "no tokens to train on", horizon_months=horizon_months)
    # a measured or published MFU wins over the model (P13.1)
    mfu = training.mfu_fraction or defaults.MODEL_FLOPS_FRACTION
    modelled = training.mfu_fraction is None
    if mfu.value <= 0 or peak.value <= 0:
        return infeasible(fleet, "mfu and peak: must be above 0", horizon_months=horizon_months)
    run = TrainingRun(
        work.model,
        training,
        device,
        peak,
        mfu,
        throughput_fraction,
        work.weight_dtype,
        machine.device_count,
        scale_out_gb_s=rate_between_servers(fleet),
        modelled=modelled,
    )
    if not run.days(1) < _LONGEST_DAYS:
        return infeasible(fleet, "tokens: the run does not end", horizon_months=horizon_months)
    year_days = YEAR_DAYS.get(hours, 365.0)
    return _report(fleet, machine, run, horizon_months, year_days)


def _needed(
    fleet: Fleet, machine: Machine, run: TrainingRun, factor: float, days: float
) -> tuple[int, str]:
    """Servers for `factor` times the runs of a year, and what sets the number."""
    training = run.training
    spare = fleet.workload.headroom_fraction
    runs = training.runs_per_year * fleet.share_fraction * factor
    if runs <= 0:
        return 0, "no runs"
    slack = 1 + (spare.value if spare else 0.0)
    at, servers, binds = machine.device_count, 1, "memory"
    # a step does not scale evenly over devices: the count is sought where its own speed holds
    for _ in range(_ROUNDS):
        device_days = run.days(at) * at
        wanted = {
            "runs per year": runs * device_days * slack / days,
            "memory": float(run.devices_to_fit()),
        }
        if training.deadline_days:
            wanted["deadline"] = device_days / training.deadline_days
        binds = max(wanted, key=lambda name: wanted[name])
        servers = max(whole_servers(wanted[binds], machine.device_count), 1)
        if servers * machine.device_count <= at:
            break
        at = servers * machine.device_count
    most = 4 * servers  # the states fit; what a step keeps beside them may need more devices
    while servers < most and run.lacking(servers * machine.device_count):
        servers, binds = servers + 1, "memory"
    return servers + fleet.workload.replicas_lost, binds


def _report(
    fleet: Fleet, machine: Machine, run: TrainingRun, horizon_months: int, year_days: float
) -> FleetResult:
    work, training = fleet.workload, run.training
    growth = growth_factors(work.growth_fraction_per_year.value, horizon_months)
    terms = run_terms(fleet, run)
    # the memory share in use only shades the power, it sizes nothing
    status = weakest(term.status for term in terms if term.name != SHADE)
    least = run.devices_to_fit()
    if least == 0:
        why = "memory: the activations of one sequence do not fit; shorten sequence_tokens"
        return infeasible(fleet, why, horizon_months=horizon_months, terms=terms, status=status)

    def needed(factor: float) -> int:
        if fleet.count is not None:
            return fleet.count
        return _needed(fleet, machine, run, factor, year_days)[0]

    months = servers_by_month(
        needed,
        growth,
        horizon_months=horizon_months,
        start_month=fleet.start_month,
        keep=fleet.owned,
    )
    wanted, binds = _needed(fleet, machine, run, growth[-1], year_days)
    servers = months[-1] if months else needed(growth[-1])
    if max((servers, *months)) > MOST_SERVERS and fleet.count is None:
        return infeasible(fleet, TOO_MANY, horizon_months=horizon_months)
    devices = servers * machine.device_count
    if devices == 0:
        idle = wanted == 0
        return infeasible(
            fleet,
            "no runs" if idle else "no servers for the runs",
            horizon_months=horizon_months,
            terms=terms,
            status=status,
            feasible=idle,
        )
    working = max(devices - work.replicas_lost * machine.device_count, 1)
    days = run.days(working)
    feasible, reason = _verdict(run, machine, fleet, working, days, growth[-1], year_days)
    runs_first = training.runs_per_year * fleet.share_fraction
    first = next((count for count in months if count), servers) * machine.device_count
    busy = min(1.0, runs_first * run.days(first) / year_days)
    hour = HourLoad(
        requests_per_s=0.0,
        servers_on=first // machine.device_count,
        busy_fraction=busy,
        compute_fraction=min(1.0, _mfu(run, first) * run.throughput_fraction) if busy else 0.0,
        memory_fraction=defaults.TRAINING_MEMORY_FRACTION.value if busy else 0.0,
    )
    memory = machine.device.memory_gb
    found = run.predicted(working)
    if found is not None:
        terms = (*terms, *predicted_terms(found), scaling_term(run, machine, working, found))
    terms = (*terms, *goodput_terms(run, working))
    return FleetResult(
        fleet=fleet.key,
        name=fleet.name,
        workload=work.key,
        owned=fleet.owned,
        feasible=feasible,
        servers=servers,
        servers_by_month=months,
        replicas=1,
        tensor_parallel=machine.device_count,
        device_count=devices,
        binds=reason or (binds if fleet.count is None else f"count: {servers:,} servers given"),
        at_peak=None,
        curve=(),
        targets=(),
        memory=found.memory.lines if found else run.lines(working),
        memory_capacity_gb=None if memory is None else memory.value,
        status=status,
        terms=terms,
        hours=(hour,) * DAY_HOURS,
        training_days=days,
        parallel=found.label if found else "",
        evidence=f"training runs, {found.evidence}" if found else "",
    )


def _verdict(
    run: TrainingRun,
    machine: Machine,
    fleet: Fleet,
    devices: int,
    days: float,
    factor: float,
    year_days: float,
) -> tuple[bool, str]:
    """Whether `devices` devices hold and finish the runs; the reason if not."""
    training = run.training
    least = run.devices_to_fit()
    if devices < least:
        missing = run.state_gb / devices - run.state_gb / least
        return False, (
            f"memory: {missing:,.1f} GB missing on each of {devices} devices; "
            f"use {least} devices or more"
        )
    if lacking := run.lacking(devices):
        return False, lacking
    sequences = training.global_batch_tokens.value / training.sequence_tokens
    if devices > sequences * machine.device_count:
        return False, (
            f"batch: {sequences:,.0f} sequences a step cannot keep {devices:,} devices busy; "
            "raise global_batch_tokens"
        )
    between = time_between_failures(devices, run.failures.value) * 3600
    if between < LEAST_BETWEEN * training.checkpoint_s:
        return False, (
            f"failures: one every {between:,.0f} s against a checkpoint of "
            f"{training.checkpoint_s:,.0f} s; write checkpoints faster or use fewer devices"
        )
    if training.deadline_days and days > training.deadline_days * (1 + 1e-9):
        return False, f"deadline: {days:,.1f} days against {training.deadline_days:,g}"
    runs = training.runs_per_year * fleet.share_fraction * factor
    if runs * days > year_days * (1 + 1e-9):
        return False, f"runs per year: {runs:,g} runs of {days:,.1f} days do not fit a year"
    return True, ""


def _mfu(run: TrainingRun, devices: int) -> float:
    found = run.predicted(devices)
    return run.mfu.value if found is None else found.mfu_fraction
