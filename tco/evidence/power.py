"""Watts and joules of measured runs: predicted beside measured (P14, P16).

Two ways to the shares in use, reported apart: from the throughput that was measured (how good the
watts are), and from the predicted throughput (how good the whole is). No row is scored with a fit
that saw its device, model or source (P16.4).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tco.evidence.aliases import Aliases, Catalog, find_device
from tco.evidence.record import ScoreRow
from tco.evidence.resolve import Unresolved, resolve
from tco.evidence.rows import read_runs
from tco.evidence.run import Predicted, ResolvedRun, Run
from tco.inputs import Device
from tco.power import defaults
from tco.power.activity import Board, Fitted, Work, asked_w, capped_w, fitted, generation_of
from tco.power.fit import of_generation, of_model, of_source, watts_rows, without
from tco.power.fit_wall import FULL_SHARE, WallFactors, fit_wall, wall_rows
from tco.power.host_power import usual_sockets
from tco.power.shares import Shares, running_sequences, shares_in_use

BOARD_W = "gpu_board_power_w"
WALL_W = "system_wall_power_w"
JOULES = "j_per_output_token_gpu"
THROUGHPUT = "output_tok_s_per_gpu"
IN_FLIGHT_KINDS = frozenset({"closed", "static_batch", "static_max_num_seqs"})
UNSTATED_FACTOR = 2.0  # an unstated prompt may be so much shorter
_LIMITED = frozenset({"qaic100"})  # measured under its 75 W constraint
_SOURCES = {  # source of the schema: source of the shipped rows
    "mlenergy_llm": "ML.ENERGY",
    "argonne_power": "Argonne",
    "splitwise_perf_model": "Splitwise",
}


_Settings = tuple[str, str, int, str, float | None, float | None, str, float | None]


def _settings(run: Run) -> _Settings:
    """What two sources' rows of one experiment share."""
    return (
        run.device_key,
        run.model,
        run.devices,
        run.engine.lower(),
        run.input_tokens,
        run.output_tokens,
        run.load_kind,
        run.load_value,
    )


def measured_rates(runs: Sequence[Run]) -> dict[_Settings, float]:
    """Output tokens per second and device by settings: one source may hold the watts of a run and
    another its throughput."""
    return {
        _settings(run): run.measured[THROUGHPUT].value for run in runs if THROUGHPUT in run.measured
    }


def shares_at(
    run: ResolvedRun, output_tokens_per_s: float, *, input_tokens: float | None = None
) -> Shares | str:
    """Shares in use at a throughput per device, measured or predicted, or why there are none.

    Parameters
    ----------
    output_tokens_per_s
        Of one device of the run.
    input_tokens
        In place of the run's.
    """
    prompt = run.input_tokens if input_tokens is None else input_tokens
    if run.run.load_kind not in IN_FLIGHT_KINDS or run.run.load_value is None:
        return "requests in flight are not stated"
    replicas = max(1, run.run.devices // run.parallel.devices)
    sequences = running_sequences(
        run.model,
        run.device,
        run.parallel,
        weight_dtype=run.weight_dtype,
        kv_dtype=run.kv_dtype,
        input_tokens=prompt,
        output_tokens=run.output_tokens,
        asked=run.run.load_value / replicas,
    )
    found = shares_in_use(
        run.model,
        run.device,
        run.parallel,
        weight_dtype=run.weight_dtype,
        kv_dtype=run.kv_dtype,
        input_tokens=prompt,
        output_tokens=run.output_tokens,
        sequences=sequences,
        output_tokens_per_s=output_tokens_per_s * run.parallel.devices,
    )
    return found or f"{run.device.name} has no bandwidth or no peak for {run.weight_dtype}"


def board_of(device: Device) -> Board | None:
    """Board of a device with what stands in for its idle watts; None without a board power."""
    if device.board_w is None:
        return None
    idle = device.idle_w
    share = defaults.IDLE_SHARE_OF_BOARD.value
    idle_w = share * device.board_w.value if idle is None else idle.value
    return Board.of(device, board_w=device.board_w.value, idle_w=idle_w)


@functools.cache
def _groups(fold: str) -> frozenset[str]:
    group = {"device": of_generation, "model": of_model, "source": of_source}[fold]
    return frozenset(group(row) for row in watts_rows())


def _fit_for(run: Run, device: Device, fold: str) -> Fitted:
    """Fit that never saw the run's group; the shipped one where it has no rows to leave out."""
    name = {
        "device": generation_of(device.key),
        "model": run.model,
        "source": _SOURCES.get(run.source, run.source),
    }[fold]
    return without(fold, name) if name in _groups(fold) else fitted()


def power_metrics(
    run: ResolvedRun,
    shares: Shares,
    *,
    output_tokens_per_s: float | None = None,
    fold: str = "device",
    busy_fraction: float = 1.0,
) -> dict[str, Predicted] | str:
    """Board watts, and joules per output token where the throughput is given, or why not (P14).

    Parameters
    ----------
    shares
        In use while busy: `shares_at` the measured or the predicted throughput.
    output_tokens_per_s
        Of one device.
    fold
        What the factors must not have seen: device | model | source.
    busy_fraction
        Share of the time with a request in flight.

    Examples
    --------
    ``power_metrics(run, shares_at(run, rate), output_tokens_per_s=rate)[BOARD_W].value``
    """
    board = board_of(run.device)
    if board is None:
        return f"board power of {run.device.name} is not known"
    fit = _fit_for(run.run, run.device, fold)
    spread = fit.spread(board)
    experts = run.model.experts
    work = Work(run.weight_dtype, experts.per_token if experts else 0, run.parallel.devices)
    asked = asked_w(fit.factors, board, work, shares.compute_fraction, shares.memory_fraction)

    busy_w = capped_w(asked, idle_w=board.idle_w, cap_w=board.board_w)
    low_w, high_w = spread.around(busy_w, idle_w=board.idle_w, cap_w=board.board_w)
    watts, low, high = (
        (1 - busy_fraction) * board.idle_w + busy_fraction * end_w
        for end_w in (busy_w, low_w, high_w)
    )
    evidence = "calibrated device" if fold != "device" else "calibrated family"
    if generation_of(run.device.key) not in _groups("device"):
        evidence = "family" if board.related else "data sheet"
    said = Predicted(watts, low, high, evidence)
    found = {BOARD_W: said}
    if output_tokens_per_s is not None and output_tokens_per_s > 0:
        found[JOULES] = Predicted(
            said.value / output_tokens_per_s,
            said.low / output_tokens_per_s,
            said.high / output_tokens_per_s,
            evidence,
        )
    return found


@functools.cache
def _wall_without(generation: str) -> tuple[WallFactors, float, float]:
    """Factors of wall power that never saw a generation, and the 80 % range of the others."""
    rows = [row for row in wall_rows() if generation_of(row.device) != generation]
    factors = fit_wall(rows)
    ratios = sorted(row.wall_w / factors.wall_w(row) for row in rows)
    tail = len(ratios) // 10
    return factors, ratios[tail], ratios[-1 - tail]


def wall_watts(
    device: Device, devices: int, *, boards: Predicted | None = None, capped: bool = False
) -> Predicted | str:
    """Wall power of a server of which no more is known than its devices (F2.3, P14).

    Parameters
    ----------
    boards
        Predicted watts of one board; None: saturated, near the rating or, where `capped`, at the
        usual efficiency limit (MLPerf's MaxQ rows do not publish theirs).
    """
    if device.board_w is None:
        return f"board power of {device.name} is not known"
    factors, low, high = _wall_without(generation_of(device.key))
    rated_w = devices * device.board_w.value
    sockets = usual_sockets(devices)
    if boards is not None:
        drawn_w = devices * boards.value
    else:
        drawn_w = rated_w * (factors.capped_fraction if capped else FULL_SHARE)
    watts = factors.at_w(drawn_w, rated_w=rated_w, sockets=sockets)
    return Predicted(watts, low * watts, high * watts, "calibrated family")


def _said(
    one: ResolvedRun | Unresolved,
    device: Device | str,
    rates: dict[_Settings, float],
    fold: str,
) -> dict[str, Predicted] | str:
    """Board watts and joules of a run at its measured throughput, or why there are none."""
    if isinstance(one, Unresolved):
        return one.reason
    if isinstance(device, str):
        return device
    own = one.run.measured.get(THROUGHPUT)
    rate = rates.get(_settings(one.run)) if own is None else own.value
    if rate is None:
        return "no measured throughput of the run"
    shares = shares_at(one, rate)
    if isinstance(shares, str):
        return shares
    found = power_metrics(one, shares, output_tokens_per_s=rate, fold=fold)
    if isinstance(found, str) or "input_tokens" not in one.filled:
        return found
    shorter = shares_at(one, rate, input_tokens=one.input_tokens / UNSTATED_FACTOR)
    if isinstance(shorter, str):
        return found
    other = power_metrics(one, shorter, output_tokens_per_s=rate, fold=fold)
    if isinstance(other, str):
        return found
    # A length that the source does not state widens the interval by what a shorter one would draw.
    return {
        metric: replace(said, low=min(said.low, said.low * other[metric].value / said.value))
        for metric, said in found.items()
    }


def power_score_rows(
    found: Sequence[ResolvedRun | Unresolved], catalog: Catalog, aliases: Aliases, fold: str
) -> list[ScoreRow]:
    """Rows of board watts, joules per token and wall watts at the measured throughput (P16.1)."""
    rows = []
    rates = measured_rates([one.run for one in found])
    for one in found:
        run = one.run
        if not any(metric in run.measured for metric in (BOARD_W, JOULES, WALL_W)):
            continue
        device = find_device(catalog, aliases, run.device_key, run.source)
        said: dict[str, Predicted] | str = ""
        if BOARD_W in run.measured or JOULES in run.measured:
            said = _said(one, device, rates, fold)
        for metric in (BOARD_W, JOULES, WALL_W):
            if metric not in run.measured:
                continue
            answer: Predicted | str
            if metric != WALL_W:
                answer = said if isinstance(said, str) else said.get(metric, "no throughput")
            elif isinstance(device, str):
                answer = device
            else:
                capped = "MaxQ" in run.note or device.key in _LIMITED
                answer = wall_watts(device, run.devices, capped=capped)
            good = answer if isinstance(answer, Predicted) else None
            rows.append(
                ScoreRow(
                    source=run.source,
                    device=run.device_key if isinstance(device, str) else device.key,
                    model=one.model.key if isinstance(one, ResolvedRun) else run.model,
                    metric=metric,
                    measured=run.measured[metric].value,
                    predicted=good.value if good else None,
                    low=good.low if good else None,
                    high=good.high if good else None,
                    fold=fold,
                    stratum=run.stratum,
                    run_id=run.run_id,
                    reason="" if good else str(answer),
                    filled=one.filled if isinstance(one, ResolvedRun) else (),
                    evidence=good.evidence if good else "",
                    overloaded=run.overloaded,
                )
            )
    return rows


def power_rows(
    catalog: Catalog, aliases: Aliases
) -> Callable[[str | Path, str], Sequence[ScoreRow]]:
    """Return the scorer of a folder that `tco.evidence.accuracy` takes among `others`."""

    def score(folder: str | Path, fold: str) -> Sequence[ScoreRow]:
        return power_score_rows(
            resolve(read_runs(folder), catalog, aliases), catalog, aliases, fold
        )

    return score
