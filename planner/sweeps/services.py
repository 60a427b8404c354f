"""Sweeps: asked, shared out shard by shard and fairly, cancelled, ended."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import logging
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, Max, Q
from django.utils import timezone

from accounts.models import Organisation
from planner.models import ScenarioRevision, Sweep, SweepShard
from planner.scenarios.to_engine import revision_inputs
from planner.sweeps.grids import grid, kept_grid
from planner.sweeps.selectors import cost_of
from tco import __version__ as ENGINE_VERSION
from tco.errors import InputError, InputErrors
from tco.sweep.axes import read_axis
from tco.sweep.table import blocks, summary

logger = logging.getLogger(__name__)
State = Sweep.State
SHARD, SHARD_WHOLE = 20_000, 20  # points: about half a second of work
INLINE, INLINE_WHOLE = 40_000, 10  # points that a request prices itself
SILENT_S = 60.0  # after which a shard is taken again: its worker has stopped


def sweep_ask(*, revision: ScenarioRevision, texts: Sequence[str]) -> Sweep:
    """Return the sweep of a grid; start it where nobody has.

    Raises
    ------
    tco.errors.InputErrors
        Every axis that cannot be read, and what cannot be swept: nothing is queued then.
    """
    axes, errors = [], []
    for text in texts:
        try:
            axes.append(read_axis(text))
        except InputError as error:
            errors.append(error)
    if errors:
        raise InputErrors(tuple(errors))
    inputs = revision_inputs(revision)
    stored = [axis.to_dict() for axis in axes]
    parts = (inputs.content_hash, ENGINE_VERSION, json.dumps(stored))
    key = hashlib.sha256("|".join(parts).encode()).hexdigest()
    known = Sweep.objects.filter(revision=revision, key=key).first()
    if known is not None:
        if known.state in (State.CANCELLED, State.FAILED):  # what is priced already stays
            Sweep.objects.filter(pk=known.pk, state=known.state).update(
                state=State.RUNNING, ended_at=None, error="", asked_at=timezone.now()
            )
            known.shards.filter(done_at=None).update(taken_at=None)
            known.refresh_from_db()
        return known
    made = grid(revision, tuple(axes))
    with transaction.atomic():
        sweep, fresh = Sweep.objects.get_or_create(
            revision=revision,
            key=key,
            defaults={
                "organisation": revision.scenario.organisation,
                "axes": stored,
                "points": made.size,
                "by_columns": made.by_columns,
                "why_whole": made.why_whole[:300],
            },
        )
        if not fresh:
            return sweep
        each = SHARD if made.by_columns else SHARD_WHOLE
        SweepShard.objects.bulk_create(
            SweepShard(sweep=sweep, first=first, last=last)
            for first, last in blocks(made.size, each)
        )
    small = made.size <= (INLINE if made.by_columns else INLINE_WHOLE)
    if small or not _queued():
        while sweep_work(sweep=sweep):
            pass
        sweep.refresh_from_db()
    return sweep


def _queued() -> bool:
    return bool(settings.CELERY_BROKER_URL)


def sweep_cancel(*, sweep: Sweep) -> Sweep:
    """End a sweep that runs; workers find out before they take or store another shard."""
    Sweep.objects.filter(pk=sweep.pk, state=State.RUNNING).update(
        state=State.CANCELLED, ended_at=timezone.now()
    )
    sweep.refresh_from_db()
    return sweep


def sweep_work(*, sweep: Sweep | None = None) -> bool:
    """Take one shard, price it and store it; False where none waits.

    Parameters
    ----------
    sweep
        Only of this one; None: of whichever organisation has the fewest shards in work, and was
        served longest ago.
    """
    taken = _take(sweep)
    if taken is None:
        return False
    shard, attempt = taken
    try:
        cost = kept_grid(shard.sweep).cost(shard.first, shard.last)
    except Exception as error:
        said = str(error) if isinstance(error, (InputError, InputErrors)) else ""
        logger.exception("sweep %s failed", shard.sweep_id)
        Sweep.objects.filter(pk=shard.sweep_id, state=State.RUNNING).update(
            state=State.FAILED,
            ended_at=timezone.now(),
            error=(said or "an error of this program, which is in its log")[:500],
        )
        return True
    with transaction.atomic():
        running = Sweep.objects.select_for_update().filter(pk=shard.sweep_id, state=State.RUNNING)
        if running.first() is None:
            return True
        SweepShard.objects.filter(pk=shard.pk, attempt=attempt, done_at=None).update(
            done_at=timezone.now(), cost=zlib.compress(np.ascontiguousarray(cost).tobytes(), 1)
        )
        _end_if_done(shard.sweep)
    return True


def _waiting() -> Q:
    silent = timezone.now() - dt.timedelta(seconds=SILENT_S)
    free = Q(taken_at=None) | Q(taken_at__lt=silent)
    return Q(done_at=None, sweep__state=State.RUNNING) & free


def _take(sweep: Sweep | None) -> tuple[SweepShard, int] | None:
    """The next shard, marked as taken; its attempt is the right to store it."""
    with transaction.atomic():
        waiting = SweepShard.objects.filter(_waiting())
        if sweep is not None:
            waiting = waiting.filter(sweep=sweep)
        else:
            owner = _next_owner(waiting)
            if owner is None:
                return None
            waiting = waiting.filter(sweep__organisation=owner)
        shard = (
            waiting.select_for_update(skip_locked=True, of=("self",))
            .select_related("sweep__revision__scenario__organisation")
            .order_by("sweep__asked_at", "sweep", "first")
            .first()
        )
        if shard is None:
            return None
        shard.attempt, shard.taken_at = shard.attempt + 1, timezone.now()
        shard.save(update_fields=["attempt", "taken_at"])
        return shard, shard.attempt


def _next_owner(waiting: Any) -> int | None:
    """The organisation with the fewest shards in work, then the one served longest ago."""
    owners = set(waiting.order_by().values_list("sweep__organisation", flat=True).distinct())
    if len(owners) < 2:
        return next(iter(owners), None)
    rows = (
        Organisation.objects.filter(pk__in=owners)
        .annotate(
            working=Count(
                "sweeps__shards",
                filter=Q(sweeps__shards__done_at=None, sweeps__shards__taken_at__isnull=False),
            ),
            served=Max("sweeps__shards__taken_at"),
        )
        .order_by("working", F("served").asc(nulls_first=True), "pk")
    )
    first = rows.first()
    return None if first is None else first.pk


def _end_if_done(sweep: Sweep) -> None:
    """Called with the sweep locked: the last shard writes what all of them say."""
    if sweep.shards.filter(done_at=None).exists():
        return
    made = kept_grid(sweep)
    found = summary(made.options, cost_of(sweep, len(made.options)))
    best = None
    if found.best is not None:
        (values,) = made.values_at(found.best[0], found.best[0] + 1)
        best = {
            "point": found.best[0],
            "at": dict(zip((axis.path for axis in made.axes), values, strict=True)),
            "option": found.best[1],
            "tco_usd": found.best[2],
        }
    Sweep.objects.filter(pk=sweep.pk).update(
        state=State.DONE,
        ended_at=timezone.now(),
        summary={
            "options": list(made.options),
            "names": list(made.names),
            "currency": made.currency,
            "cheapest_fraction": found.wins,
            "least_usd": found.least,
            "most_usd": found.most,
            "best": best,
            "unpriced": found.unpriced,
        },
    )
