"""The pages of measurements, and the agent that the site gives."""

from __future__ import annotations

import hashlib
import html
import json
import re
import subprocess
import sys
import zipfile

import pytest
from django.urls import reverse

from hardware_catalog.benchmarks.agent_zipapp import AgentNotBuilt, agent_zipapp
from hardware_catalog.benchmarks.samples_svg import HEIGHT, WIDTH, draw_samples
from hardware_catalog.benchmarks.wording import benchmark_words, flag_finding
from hardware_catalog.models import CatalogEntry, Figure
from tests.data.clean_bench_run import clean_document
from tests.hardware_catalog.benchmarks.conftest import sealed, with_new_id

RUNS = "/measurements/"


def _text(answer):
    assert answer.status_code == 200
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode())))


@pytest.fixture
def page_of(ada_client):
    """The text of a page, without its marks."""
    return lambda address: _text(ada_client.get(address))


def test_empty_page_gives_the_agent_line(ada_client):
    """With nothing measured the page says how to measure, with address and checksum."""
    page = ada_client.get(RUNS)
    text = html.unescape(page.content.decode())
    assert "Nothing measured yet" in text
    assert "curl -fsSO http://testserver/agent/tco-agent.pyz" in text
    assert f'echo "{agent_zipapp().sha256}  tco-agent.pyz" | sha256sum -c' in text
    assert "run --profile quick --upload http://testserver --token-file tco-token" in text


def test_list_shows_headlines_with_interval_and_verdict(upload, document, page_of):
    """A run is a row: device, verdict in a word, GEMM and bandwidth with their intervals."""
    upload(document)
    text = page_of(RUNS)
    assert "1 run. Only trusted measurements" in text
    assert re.search(
        r"Test CPU 9000 to confirm Quick Trusted 0\.799 TFLOP/s 0\.79\d to 0\.80\d "
        r"Not measured 60\.0 GB/s 59\.\d to 60\.\d",
        text,
    ), text


def test_filters_keep_only_what_fits(upload, document, page_of):
    """A filter that nothing fits says so and leads back."""
    upload(document)
    assert "1 run fit the filter" in page_of(RUNS + "?verdict=trusted")
    text = page_of(RUNS + "?verdict=untrusted")
    assert "No run fits" in text
    assert "Show all runs" in text


def test_run_page_says_why_and_what(upload, document, page_of, ada_client):
    """Flags in words with value and limit, results with interval, and what was skipped and why."""
    document["host"]["run_delay_share"] = 0.31
    upload(sealed(document))
    address = f"{RUNS}{document['run_id']}/"
    text = page_of(address)
    assert "Untrusted: the run is kept, and none of its numbers feeds a figure." in text
    assert "kept the benchmark waiting for a CPU. 31 %; the limit is 10 %." in text
    assert "Matrix product 512 × 1,024 × 1,024, fp32, 8 threads" in text
    assert "Memory scaled add, 128 MiB, fp32, 8 threads" in text
    assert "Decoder block, decode, 1 token at width 512, fp32, 8 threads" in text
    assert "too_slow: probe predicts 7.8 s per call" in text
    assert "60 samples in 6 blocks" in text
    assert "PyTorch 2.13.0+cpu" in text
    # no raw JSON and no raw identifier among the words
    assert "{" not in text
    assert document["run_id"] not in text
    assert document["fingerprint"] not in text
    page = ada_client.get(address).content.decode()
    assert page.count('<svg viewBox="0 0 240 64"') == 13


def test_document_is_given_as_sent(upload, ada_client):
    """The download is the document byte for byte."""
    body = json.dumps(with_new_id(clean_document()), indent=3).encode()
    run_id = upload(body).json()["run_id"]
    answer = ada_client.get(f"{RUNS}{run_id}/document/")
    assert answer.content == body
    assert answer["Content-Type"] == "application/json"
    assert answer["Content-Disposition"].startswith('attachment; filename="bench-run-2026-11-30')


def test_device_page_compares_with_published(upload, page_of):
    """Measured 0.8 of a published 1.6 TFLOP/s is 50 %; 60 of 80 GB/s is 75 %."""
    entry = CatalogEntry.objects.create(
        kind="device", key="epyc-9654", name="EPYC 9654", attributes={"device_kind": "cpu"}
    )
    for name, value in (("tflops_fp32_vector_dense", 1.6), ("memory_bandwidth_gb_s", 80.0)):
        Figure.objects.create(
            entry=entry, name=name, value=value, unit="x", status="published", source="test"
        )
    upload(with_new_id(clean_document(device_model="AMD EPYC 9654 96-Core Processor")))
    text = page_of("/measurements/devices/epyc-9654/")
    assert re.search(
        r"Matrix product 512 × 1,024 × 1,024, fp32 0\.799 TFLOP/s 0\.643 to 0\.956 1\.6 \S* ?50",
        text.replace("1.60", "1.6"),
    ), text
    assert re.search(r"Memory bandwidth, fp32 60\.0 GB/s 48\.2 to 71\.7 80\.0 75\.0 %", text), text
    assert "Launch of one operation 3.40 µs" in text
    assert "Not published" in text


def test_device_page_without_figures_says_what_to_do(upload, document, page_of):
    """A device with untrusted runs only has an empty state that leads on."""
    document["host"]["run_delay_share"] = 0.31
    upload(sealed(document))
    text = page_of("/measurements/devices/test-works-test-cpu-9000-uploaded/")
    assert "No trusted measurement of this device yet" in text
    assert "waits in the catalog for a person to confirm it" in text
    assert "Runs of this device" in text


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "{{ 7|add:1 }}", "=cmd|' /C x'!A0"])
def test_uploaded_text_is_only_text(upload, name, ada_client):
    """What an agent writes is shown, never run."""
    document = clean_document(device_model=name)
    document["node"]["label"] = name
    run_id = upload(with_new_id(document)).json()["run_id"]
    for address in (RUNS, f"{RUNS}{run_id}/"):
        page = ada_client.get(address).content.decode()
        assert "<script>alert" not in page
        assert html.escape(name).replace("&#x27;", "&#x27;") in page


def test_number_of_queries_does_not_grow(
    upload, document, ada_client, django_assert_max_num_queries
):
    """A list of eleven runs asks as little as one of a single run."""
    upload(document)
    with django_assert_max_num_queries(20) as one:
        ada_client.get(RUNS)
        asked = len(one)
    for _ in range(10):
        upload(with_new_id(document))
    with django_assert_max_num_queries(asked):
        ada_client.get(RUNS)


def test_pages_need_a_person(client, db):
    """Strangers are led to sign in; the agent is for everybody."""
    run_id = "01937c2e-8a7b-7cc1-9f7e-4f1f0b1c2d3e"
    for address in (RUNS, f"{RUNS}{run_id}/", "/measurements/devices/x/"):
        assert client.get(address)["Location"].startswith("/accounts/sign-in/")
    assert client.get("/agent/tco-agent.pyz").status_code == 200


def test_served_agent_runs_and_has_its_checksum(client, tmp_path):
    """The file fits its checksum, is a zipapp, and starts alone."""
    data = client.get(reverse("hardware_catalog:agent_zipapp")).content
    line = client.get(reverse("hardware_catalog:agent_checksum")).content.decode()
    assert line == f"{hashlib.sha256(data).hexdigest()}  tco-agent.pyz\n"
    path = tmp_path / "tco-agent.pyz"
    path.write_bytes(data)
    assert "tco_agent/schema/bench_run.v1.json" in zipfile.ZipFile(path).namelist()
    shown = subprocess.run(
        [sys.executable, "-I", str(path), "run", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "--token-file" in shown.stdout


def test_agent_is_built_again_when_its_source_changes(settings, tmp_path):
    """A newer source makes a newer file; an unchanged one is not built twice."""
    import os
    import shutil

    settings.VAR_DIR = tmp_path / "var"
    source = tmp_path / "agent" / "src" / "tco_agent"
    shutil.copytree(settings.BASE_DIR / "agent" / "src" / "tco_agent", source)
    settings.BASE_DIR = tmp_path
    first = agent_zipapp()
    built_at = first.path.stat().st_mtime_ns
    assert agent_zipapp() == first
    assert first.path.stat().st_mtime_ns == built_at
    with (source / "__init__.py").open("a") as file:
        file.write("\n# newer\n")
    os.utime(source / "__init__.py", ns=(built_at + 10**9, built_at + 10**9))
    assert agent_zipapp().sha256 != first.sha256
    assert [entry.name for entry in first.path.parent.iterdir()] == ["tco-agent.pyz"]


def test_site_without_the_agent_says_so(client, settings, tmp_path, ada_client):
    """An installation without the source gives a reason, on the page and as 503."""
    settings.BASE_DIR = tmp_path
    with pytest.raises(AgentNotBuilt, match="not part of this installation"):
        agent_zipapp()
    answer = client.get("/agent/tco-agent.pyz")
    assert answer.status_code == 503
    assert "This site cannot give the agent" in ada_client.get(RUNS).content.decode()


def test_drawing_stays_inside_and_puts_slow_high():
    """Every point lies in the frame; the slowest is on top; blocks stand in order of time."""
    drawing = draw_samples([[100.0, 110.0, 105.0], [120.0, 90.0]])
    points = [point for block in drawing.blocks for point in block.points]
    assert len(points) == 5
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in points)
    assert [x for x, _ in points] == sorted(x for x, _ in points)
    assert min(y for _, y in points) == points[3][1]
    assert max(y for _, y in points) == points[4][1]
    assert drawing.label == "5 samples in 2 blocks, from 90 ns to 120 ns a call"
    assert draw_samples([[], []]) is None


def test_flags_in_words():
    """Each flag names its amount in its own unit."""
    flag = {"code": "too_fast", "verdict": "untrusted", "text": "Too fast.", "value": 812.4}
    assert flag_finding({**flag, "threshold": 800.0})["message"] == (
        "Too fast. 812 TFLOP/s; the limit is 800 TFLOP/s."
    )
    shift = {"code": "block_shift", "verdict": "degraded", "text": "It changed.", "value": 1.2}
    assert flag_finding({**shift, "threshold": 1.15})["message"] == (
        "It changed. 20 %; the limit is 15 %."
    )


def test_odd_parameters_do_not_break_words():
    """A document may leave out or twist what is not required."""
    assert benchmark_words("gemm.v1", {"m": "many", "dtype": None}) == "Matrix product ? × ? × ?"
    assert benchmark_words("block.v1", {"phase": "decode", "batch": None}) == (
        "Decoder block, decode"
    )
