"""Checks of what is rented: interruptions, deadlines, quotas, commitments, APIs (F13)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from tco.checks.prices import BANDS, case_of, outside_band
from tco.checks.view import FleetView
from tco.cost.spot import missed_deadline_fraction
from tco.cost.unserved import unserved_requests
from tco.cost.wording import list_text, number_text, percent_text
from tco.errors import InputError
from tco.results import Finding
from tco.units import HOURS_PER_DAY, SECONDS_PER_HOUR

LATE_FRACTION = 0.05  # chance of a missed deadline that is worth a warning
_TERM_MONTHS = {"reserved_1y": 12, "reserved_3y": 36}


def interruptions_given(view: FleetView) -> Iterator[Finding]:
    """Spot instances are taken away; a spot rate without that is only half a price (F13.3)."""
    terms = view.fleet.rental
    if terms is None or terms.commitment != "spot" or terms.spot is not None:
        return
    yield view.finding(
        "interruptions_left_out",
        "warning",
        f"{view.path}.rental.spot",
        f"{view.fleet.name} is rented at a spot rate and never interrupted: hours done again and"
        " missed deadlines are not priced",
        "enter the mean time between interruptions and the restart",
    )


def deadline_kept(view: FleetView) -> Iterator[Finding]:
    """Chance that a run on spot instances ends after its deadline (F13.3)."""
    terms, plan = view.fleet.rental, view.fleet.workload.training
    spot, days = (terms.spot if terms else None), view.result.training_days
    if spot is None or plan is None or plan.deadline_days is None or not days:
        return
    field = f"{view.path}.rental.spot"
    try:
        late = missed_deadline_fraction(
            days * HOURS_PER_DAY,
            plan.deadline_days * HOURS_PER_DAY,
            between_interruptions_hours=spot.between_interruptions_hours
            / max(1, view.result.servers),
            checkpoint_hours=spot.checkpoint_hours,
            restart_hours=spot.restart_hours,
            interval_hours=spot.interval_hours,
        )
    except InputError as error:
        yield view.finding(
            "interrupted_too_often",
            "error",
            field,
            f"{view.result.servers} instances together: {error.message}",
            "fewer instances, a shorter checkpoint, or instances that are not taken away",
        )
        return
    yield view.finding(
        "deadline_risk",
        "warning" if late > LATE_FRACTION else "info",
        field,
        f"a run of {view.fleet.workload.name} takes {number_text(days)} days uninterrupted and"
        f" misses its deadline of {number_text(plan.deadline_days)} days with a chance of"
        f" {percent_text(late)}",
        "rent more instances, save the state more often, or use instances that stay",
    )


def quota_holds(view: FleetView) -> Iterator[Finding]:
    """What a quota or a rate limit leaves unserved (F13.8)."""
    left = unserved_requests(case_of(view))
    if left is None or not np.any(left):
        return
    load = view.fleet.workload
    shape = load.daily_shape or (1.0,)
    case = case_of(view)
    offered = load.peak_requests_per_s.value * view.fleet.share_fraction * math.fsum(shape)
    offered *= float(np.sum(case.growth * case.calendar.hours)) * SECONDS_PER_HOUR / len(shape)
    limit = "rental.quota_instances" if view.fleet.api is None else "api.requests_per_minute_limit"
    share = percent_text(float(np.sum(left)) / offered) if offered else "some"
    yield view.finding(
        "requests_unserved",
        "warning",
        f"{view.path}.{limit}",
        f"{share} of the requests of {load.name} find no room at {view.fleet.name}",
        "raise the limit, or serve the rest with another fleet",
    )


def commitment_ends(view: FleetView) -> Iterator[Finding]:
    """A commitment that is renewed runs past the horizon, and that part is in no total (F13.2)."""
    terms = view.fleet.rental
    term = _TERM_MONTHS.get(terms.commitment, 0) if terms is not None else 0
    months = view.scenario.finance.horizon_months - view.fleet.start_month
    if not term or months <= 0 or months % term == 0:
        return
    past = term - months % term
    yield view.finding(
        "commitment_past_the_horizon",
        "info",
        f"{view.path}.rental.commitment",
        f"the last commitment of {view.fleet.name} runs {past} months past the horizon; they are in"
        " no total",
        f"set finance.horizon_months to {view.fleet.start_month + months + past}",
    )


def api_as_it_is(view: FleetView) -> Iterator[Finding]:
    """Prices by the token lie where markets are; the latency of an API is not modelled (F13.9)."""
    api = view.fleet.api
    if api is None:
        return
    for name, figure in (
        ("input_usd_per_mtok", api.input_usd_per_mtok),
        ("cached_input_usd_per_mtok", api.cached_input_usd_per_mtok),
        ("output_usd_per_mtok", api.output_usd_per_mtok),
    ):
        if figure is not None and figure.value:
            message = outside_band(
                BANDS["token"],
                figure.value,
                f"{view.fleet.name}, {name}",
                view.scenario.finance.per_usd,
            )
            if message:
                yield view.finding(
                    "outside_usual_band",
                    "warning",
                    f"{view.path}.api.{name}",
                    message,
                    "prices are per million tokens; check the value and its unit",
                )
    targets = [f"{t.metric} p{t.percentile:g}" for t in view.fleet.workload.targets]
    if targets:
        yield view.finding(
            "api_latency_unknown",
            "info",
            f"{view.path}.api",
            f"{view.fleet.name} is not checked for {list_text(targets)} of"
            f" {view.fleet.workload.name}: its machines are not known",
            "measure it at the load of the workload",
        )
