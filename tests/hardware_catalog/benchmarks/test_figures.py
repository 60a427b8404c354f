"""From runs to figures: which count, what the figure says, and what becomes of older ones."""

from __future__ import annotations

import math
from datetime import timedelta
from unittest import mock

import pytest
from django.core.management import call_command
from django.utils import timezone

from hardware_catalog.benchmarks.pooling import RunReading, pool
from hardware_catalog.benchmarks.selectors import newer_measurement
from hardware_catalog.benchmarks.throughput import refresh_pending
from hardware_catalog.models import CatalogEntry, RunDevice, ThroughputFigure
from hardware_catalog.to_engine import DatabaseCatalog
from tests.data.clean_bench_run import clean_document
from tests.hardware_catalog.benchmarks.conftest import sealed, with_new_id


def _figure(**wanted):
    return ThroughputFigure.objects.get(current=True, **wanted)


def _run(gflops=800.0, membw=60.0, **more):
    return with_new_id(clean_document(gflops_fp32=gflops, membw_gb_s=membw, **more))


def test_measured_figures_reach_the_engine(upload, document, demo_organisation, other_organisation):
    """A trusted run becomes the device's measured rates, for its organisation alone."""
    upload(document)
    key = CatalogEntry.objects.get().key
    device = DatabaseCatalog(demo_organisation).device(key)
    assert device.measured.memory_bandwidth_gb_s.value == pytest.approx(60.0, rel=2e-3)
    assert device.measured.memory_bandwidth_gb_s.status.value == "measured"
    rates = {(p.dtype, p.m): p.tflops.value for p in device.measured.gemm}
    assert rates["fp32", 512] == pytest.approx(0.8, rel=2e-3)
    assert rates["fp32", 1] == pytest.approx(0.8 * 0.035, rel=2e-3)
    assert device.measured.launch_us.value == pytest.approx(3.4, rel=2e-3)
    assert device.measured.run_ids == (document["run_id"],)
    assert DatabaseCatalog(other_organisation).device(key) is None


def test_figure_is_the_median_over_runs(upload):
    """Three runs at 55, 60 and 80 GB/s give 60; the older figures stay, not current."""
    for gb_s in (80.0, 55.0, 60.0):
        assert upload(_run(membw=gb_s)).json()["verdict"] == "trusted"
    assert _figure(metric="membw").value == pytest.approx(60.0, rel=2e-3)
    values = ThroughputFigure.objects.filter(metric="membw").order_by("pk")
    assert [figure.value for figure in values] == [
        pytest.approx(80.0, rel=2e-3),
        pytest.approx(67.5, rel=2e-3),
        pytest.approx(60.0, rel=2e-3),
    ]
    assert [figure.current for figure in values] == [False, False, True]


def test_range_of_one_run_holds_the_default_spread(upload, document):
    """One CPU run: about 1.96 × 10 % to either side (G11), however tight the run itself was."""
    upload(document)
    figure = _figure(metric="membw")
    assert (figure.high - figure.value) / figure.value == pytest.approx(0.196, abs=0.001)
    assert (figure.value - figure.low) / figure.value == pytest.approx(0.196, abs=0.001)


def test_own_spread_after_five_runs_by_hand():
    """From five runs on the spread is their own: here s of ln(98, 99, 100, 101, 102)."""
    readings = [RunReading(str(v), v, v * 0.99, v * 1.01) for v in (98.0, 99, 100, 101, 102)]
    logs = [math.log(reading.value) for reading in readings]
    mean = sum(logs) / 5
    s = math.sqrt(sum((value - mean) ** 2 for value in logs) / 4)
    pooled = pool(readings, "cpu")
    assert pooled.value == 100.0
    assert pooled.high == pytest.approx(100 * (1 + math.hypot(0.01, 1.96 * s)))
    wide = pool(readings[:4], "cpu")
    assert wide.high == pytest.approx(99.5 * (1 + math.hypot(0.01, 0.196)))


def test_untrusted_runs_are_kept_and_never_used(upload, document, ada_client):
    """An untrusted run is listed with its reason, and no figure rests on it."""
    document["host"]["run_delay_share"] = 0.4
    answer = upload(sealed(document))
    assert answer.status_code == 201
    assert answer.json()["verdict"] == "untrusted"
    assert answer.json()["flags"][0]["code"] == "cpu_contention"
    assert not ThroughputFigure.objects.exists()
    page = ada_client.get("/measurements/").content.decode()
    assert "Untrusted" in page
    upload(_run(membw=50.0))
    assert _figure(metric="membw").value == pytest.approx(50.0, rel=2e-3)


def test_degraded_run_is_left_out_and_degraded_measurement_alone(upload):
    """A flag of the run bars all of it, a flag of one measurement only that one."""
    barred = _run(membw=50.0)
    barred["host"]["steal_share"] = 0.02
    assert upload(sealed(barred)).json()["verdict"] == "degraded"
    assert not ThroughputFigure.objects.exists()
    partly = _run(membw=60.0)
    partly["results"][4]["host"]["run_delay_share"] = 0.05
    assert upload(sealed(partly)).json()["verdict"] == "degraded"
    assert _figure(metric="membw").value == pytest.approx(60.0, rel=2e-3)
    assert not ThroughputFigure.objects.filter(metric="gemm", dtype="fp32", m=512).exists()
    assert ThroughputFigure.objects.filter(metric="gemm", dtype="fp32", m=128).exists()


def test_all_threads_count_where_there_is_a_choice(upload):
    """A CPU is measured with one thread and with all; the figure is that of all."""
    document = _run()
    slower = clean_document(gflops_fp32=100.0)["results"][4]
    slower["params"]["threads"] = 1
    document["results"].insert(0, slower)
    upload(sealed(document))
    assert _figure(metric="gemm", dtype="fp32", m=512).value == pytest.approx(0.8, rel=2e-3)


def test_flagged_all_threads_do_not_yield_to_one_thread(upload):
    """Where the run with all threads is flagged, one thread does not stand in for it."""
    document = _run()
    slower = clean_document(gflops_fp32=100.0)["results"][4]
    slower["params"]["threads"] = 1
    document["results"][4]["host"]["run_delay_share"] = 0.05
    document["results"].append(slower)
    upload(sealed(document))
    assert not ThroughputFigure.objects.filter(metric="gemm", dtype="fp32", m=512).exists()


def test_only_the_newest_runs_speak_for_the_device(upload, monkeypatch):
    """A machine measured every hour is judged by its newest runs, not by all it ever did."""
    monkeypatch.setattr("hardware_catalog.benchmarks.throughput.RUNS_MOST", 2)
    for gb_s in (80.0, 50.0, 60.0):
        upload(_run(membw=gb_s))
    figure = _figure(metric="membw")
    assert figure.value == pytest.approx(55.0, rel=2e-3)
    assert len(figure.runs) == 2


def test_methods_are_not_mixed(upload):
    """A newer method version replaces the older one's values instead of joining them."""
    from hardware_catalog.models import Measurement

    upload(_run(membw=40.0))
    upload(_run(membw=60.0))
    Measurement.objects.filter(metric="membw", value__gt=55).update(benchmark="membw.v2")
    RunDevice.objects.update(needs_refresh=True)
    refresh_pending()
    figure = _figure(metric="membw")
    assert figure.method_version == "membw.v2"
    assert figure.value == pytest.approx(60.0, rel=2e-3)
    assert len(figure.runs) == 1


def test_lost_message_is_made_up_for(upload, document):
    """The mark in the database is the truth: the sweep does what the message did not."""
    with mock.patch(
        "hardware_catalog.benchmarks.tasks.throughput_refresh.apply_async",
        side_effect=ConnectionError("broker down"),
    ):
        assert upload(document).status_code == 201
    assert not ThroughputFigure.objects.exists()
    assert RunDevice.objects.filter(needs_refresh=True).count() == 1
    call_command("refresh_pending")
    assert ThroughputFigure.objects.filter(current=True).count() == 11
    assert not RunDevice.objects.filter(needs_refresh=True).exists()
    assert refresh_pending() == 0


def test_replay_wakes_a_refresh_that_was_lost(upload, document):
    """An agent that sends again also heals a lost message."""
    with mock.patch(
        "hardware_catalog.benchmarks.tasks.throughput_refresh.apply_async",
        side_effect=ConnectionError("broker down"),
    ):
        upload(document)
    assert upload(document).status_code == 200
    assert ThroughputFigure.objects.filter(current=True).count() == 11


def test_without_a_broker_the_refresh_happens_here(upload, document, settings):
    """One machine without a queue still gets its figures."""
    settings.CELERY_TASK_ALWAYS_EAGER = False
    settings.CELERY_BROKER_URL = ""
    upload(document)
    assert ThroughputFigure.objects.filter(current=True).count() == 11


def test_same_news_makes_no_new_figure(upload, document):
    """Refreshing again changes nothing, so that a projection's inputs stay the same."""
    upload(document)
    before = list(ThroughputFigure.objects.values_list("pk", flat=True))
    RunDevice.objects.update(needs_refresh=True)
    assert refresh_pending() == 0
    assert list(ThroughputFigure.objects.values_list("pk", flat=True)) == before


def test_newer_measurement_is_told(upload, document, demo_organisation, other_organisation):
    """A projection older than a figure of its device learns of it; a newer one does not."""
    before = timezone.now() - timedelta(seconds=1)
    upload(document)
    entry = CatalogEntry.objects.get()
    made = newer_measurement(organisation=demo_organisation, entries=[entry], since=before)
    assert made > before
    for organisation, since in (
        (demo_organisation, timezone.now()),
        (other_organisation, before),
    ):
        assert newer_measurement(organisation=organisation, entries=[entry], since=since) is None
