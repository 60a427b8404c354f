"""Real workers on a sweep: one is killed in the middle, nothing is lost and nothing doubled."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest

from planner.models import Sweep, SweepShard

GROWTH = "workloads[0].growth_fraction_per_year=0:0.6:25"  # projected one by one
PUE = "sites[0].pue=1.1:1.5:8"


@pytest.fixture
def scenario(transactional_db, demo_organisation, ada):
    """The chat example."""
    from django.core.management import call_command

    from planner.scenarios.services import scenario_create
    from tests.planner.conftest import example

    call_command("load_seed_catalog", verbosity=0)
    return scenario_create(organisation=demo_organisation, document=example("chat"), by=ada)


def test_a_worker_killed_in_a_sweep_loses_no_point(scenario, start_worker, wait_until, monkeypatch):
    """Two workers; one dies with a shard in its hands; the other one takes it up."""
    from planner.scenarios.selectors import revision_get
    from planner.sweeps import services
    from planner.sweeps.grids import axes_of
    from planner.sweeps.selectors import cost_of
    from planner.sweeps.tasks import sweep_wake

    monkeypatch.setattr(services, "INLINE_WHOLE", 0)
    monkeypatch.setattr(services, "SHARD_WHOLE", 5)
    first, second = start_worker(), start_worker()
    sweep = services.sweep_ask(revision=revision_get(scenario=scenario), texts=[GROWTH, PUE])
    assert sweep.state == "running"
    sweep_wake(sweep)
    done = SweepShard.objects.filter(sweep=sweep, done_at__isnull=False)
    wait_until(lambda: done.count() >= 4, "nothing was priced")
    os.killpg(first.pid, signal.SIGKILL)
    first.wait(10)
    # what the dead one held is free after a minute; the test does not wait that long
    held = SweepShard.objects.filter(sweep=sweep, done_at=None, taken_at__isnull=False)
    wait_until(lambda: held.count() <= 1 or done.count() > 10, "the other one stands still")

    def taken_up():
        waiting = SweepShard.objects.filter(sweep=sweep, done_at=None)
        if not waiting.filter(taken_at=None).exists():
            waiting.update(taken_at=None)
            sweep_wake(sweep)
        return Sweep.objects.get(pk=sweep.pk).state == "done"

    wait_until(taken_up, "the sweep did not end", 180)
    assert second.poll() is None
    sweep.refresh_from_db()
    grid = services.grid(sweep.revision, axes_of(sweep.axes))
    wanted = grid.cost(0, sweep.points)
    assert np.array_equal(cost_of(sweep, wanted.shape[1]), wanted)
    shards = list(sweep.shards.values_list("first", "last"))
    assert [last for _, last in shards[:-1]] == [first for first, _ in shards[1:]]
    assert SweepShard.objects.filter(sweep=sweep).count() == 40
