"""Intervals, batch, cache and evidence: on the page, in the text, in the files (P13)."""

from __future__ import annotations

import copy
import csv
import io
import json

import openpyxl
import pytest

from cli.projection_text import projection_text
from hardware_catalog.seed.to_engine import SeedCatalog
from planner.projections.page import projection_page
from planner.reports.csv_performance import build_performance_csv
from planner.reports.performance import HEAD, performance_rows
from tco.document import resolve
from tco.projection import project
from tests.planner.conftest import example
from tests.planner.reports.workbook_cases import example_result, workbook_bytes


@pytest.fixture(scope="module")
def projection():
    """The chat example, projected."""
    return project(resolve(example("chat"), SeedCatalog()))


@pytest.fixture(scope="module")
def result(projection):
    """The same as it is stored."""
    return json.loads(json.dumps(projection.to_dict()))


def test_every_latency_of_the_page_has_its_interval(result):
    """Cards, targets and the peak: value x the two factors, to the last digit."""
    page = projection_page(result)
    for option in page.options:
        fleet = result["latency"][option.key][0]
        ratio = fleet["at_peak"]["interval_ratio"]
        for target in option.fleets[0].targets:
            low, high = ratio[target["metric"]]
            value = target["predicted_ms"]
            assert target["interval"] == (value * low, value * high)
        for metric in ("ttft", "tpot"):
            kpi = result["kpis"][option.key][f"{metric}_ms"]
            low, high = ratio[metric]
            assert (kpi["low"], kpi["high"]) == (kpi["value"] * low, kpi["value"] * high)
            terms = [t["value"] for t in kpi["terms"] if t["name"].startswith("80 % interval")]
            assert terms == [low, high]
            card = next(card for card in option.cards if card.key == f"{metric}_ms")
            assert card.low_high.endswith(" (80 %)")
    for row, option in zip(page.peak, result["options"], strict=True):
        peak = result["latency"][option["key"]][0]["at_peak"]
        assert [x.value_ms for x in row.latencies] == [
            peak[f"{metric}_ms"]["p95"] for metric in ("ttft", "tpot", "e2e")
        ]
        assert all(x.low_ms < x.value_ms < x.high_ms for x in row.latencies)
        assert (row.batch, row.kv_fraction) == (peak["batch"], peak["kv_fraction"])


def test_the_page_says_what_the_speed_rests_on(chat, ada_client):
    """One sentence a kind of evidence, with the way to the accuracy page; degrees in words."""
    page = ada_client.get(f"/scenarios/{chat.pk}/").content.decode()
    assert page.count("Public kernel measurements of the H100 80GB SXM5;") == 1  # two fleets, once
    assert "Own 8xH100, Rent p5.48xlarge" in page
    assert 'href="/measurements/accuracy/"' in page[page.index("What these speeds rest on") :]
    assert "tensor 2" in page
    assert "TPOT p95 50 ms" in page


def test_the_fitted_terms_read_as_sentences(projection):
    """Names without the engine's shorthand; the source says what was fitted to what."""
    terms = {term.name: term for term in projection.options[0].fleets[0].terms}
    fitted = terms["share of the bandwidth reached reading weights"]
    assert fitted.source == (
        "fitted to public serving runs with vllm (docs/accuracy.md); "
        "kernels measured on this device by others"
    )
    assert {"host time of a request", "launches and host time of a step"} <= terms.keys()


def test_a_point_outside_the_ranges_is_marked(result):
    """The model's range comes before the measured one; a saturated fleet has no latency."""
    for change, said in (
        ({"measured_range": False}, "outside what was measured"),
        ({"measured_range": False, "within_model_range": False}, "outside the model's range"),
        ({"simulated": True, "within_model_range": False}, "simulated request by request"),
    ):
        changed = copy.deepcopy(result)
        changed["latency"]["h100"][0]["at_peak"] |= change
        assert said in projection_page(changed).peak[0].caution
    changed = copy.deepcopy(result)
    changed["latency"]["h100"][0]["at_peak"] |= {
        "saturated": True,
        **{f"{metric}_ms": {} for metric in ("ttft", "tpot", "e2e")},
    }
    row = projection_page(changed).peak[0]
    assert (row.latencies, row.caution) == ((), "saturated: arrivals outrun service")
    figures = {x[4]: x for x in performance_rows(changed)}
    assert figures["latency"][5] is None
    assert figures["latency"][9] == "saturated: arrivals outrun service"


def test_the_command_line_shows_them(projection):
    """Interval, batch, cache, degrees, evidence of each fleet."""
    text = projection_text(projection)
    peak = projection.options[0].fleets[0].at_peak
    low, high = peak.interval_ratio["tpot"]
    value = peak.tpot_ms["p95"]
    assert f"{value:.4g} ({value * low:.4g} to {value * high:.4g})" in text
    assert f"{peak.batch:,.1f}" in text
    assert f"{peak.kv_fraction:.0%}" in text
    assert "h100/h100: public kernel measurements" in text


def test_the_sheet_and_the_csv_hold_the_same_rows():
    """Made by one function; unknown numbers stay blank."""
    result = example_result()
    rows = performance_rows(result)
    sheet = openpyxl.load_workbook(io.BytesIO(workbook_bytes(result)))["Performance"]
    written = [tuple(cell.value for cell in row) for row in sheet.iter_rows(min_row=5)]
    assert len(written) == len(rows)
    for ours, theirs in zip(rows, written, strict=True):
        for value, cell in zip(ours, theirs, strict=True):
            if isinstance(value, float):
                assert cell == pytest.approx(value, rel=1e-14)  # a sheet keeps 16 digits
            else:
                assert (value or "") == (cell or "")
    text = build_performance_csv(result).decode("utf-8-sig")
    head, *lines = csv.reader(io.StringIO(text))
    assert tuple(head) == HEAD
    assert len(lines) == len(rows)
    for line, row in zip(lines, rows, strict=True):
        assert [float(line[at]) if line[at] else None for at in (5, 7, 8)] == [
            row[5],
            row[7],
            row[8],
        ]


def test_the_rows_are_the_projection_s():
    """p95 of the first token with its interval, the batch, the cache, the evidence."""
    result = example_result()
    fleet = result["latency"]["h100"][0]
    peak = fleet["at_peak"]
    rows = {(x[3], x[4]): x for x in performance_rows(result) if x[0] == "Own 8xH100"}
    low, high = peak["interval_ratio"]["ttft"]
    value = peak["ttft_ms"]["p95"]
    assert rows["peak", "time to first token, p95"][5:9] == (
        value,
        "ms",
        value * low,
        value * high,
    )
    assert rows["peak", "mean batch of a copy"][5] == peak["batch"]
    assert rows["peak", "KV room used"][5] == peak["kv_fraction"]
    assert rows["", "what the speed rests on"][9] == fleet["evidence"]
    assert rows["sizing", "devices of a copy"][5] == 2
    assert rows["design load", "time per output token, p95"][9] == "target 50 ms: met"


def test_a_formula_in_a_name_stays_text():
    """What a person typed cannot run in a spreadsheet."""
    result = copy.deepcopy(example_result())
    result["options"][0]["name"] = '=HYPERLINK("http://x.example")'
    text = build_performance_csv(result).decode("utf-8-sig")
    assert all(not row[0].startswith("=") for row in csv.reader(io.StringIO(text)))
    book = openpyxl.load_workbook(io.BytesIO(workbook_bytes(result)))
    assert {cell.data_type for row in book["Performance"].iter_rows() for cell in row} <= {"s", "n"}


def test_the_download(chat, ada_client, eve_client):
    """Named after the scenario; nobody else's."""
    from planner.projections.services import projection_get_or_run
    from planner.scenarios.selectors import revision_get

    projection = projection_get_or_run(revision=revision_get(scenario=chat))
    url = f"/projections/{projection.pk}/performance.csv"
    answer = ada_client.get(url)
    assert answer.status_code == 200
    assert "chat-owned-against-rented-revision-1-performance.csv" in answer["Content-Disposition"]
    assert eve_client.get(url).status_code == 404


def test_the_front_page_shows_the_interval_and_sizes_experts(client, seed_catalog):
    """A mixture of experts with latent attention is answered, with interval and evidence."""
    answer = client.get("/", {"model": "deepseek-ai/DeepSeek-V3", "requests_per_minute": "200"})
    page = answer.content.decode()
    assert answer.status_code == 200
    shown = answer.context["answer"].choices[0]
    assert shown.cards["ttft_ms"].low_high in page
    assert shown.cards["ttft_ms"].low_high.endswith("(80 %)")
    assert shown.evidence[1:] in page
    assert page.count('href="/measurements/accuracy/"') >= 2  # the footer has one
    assert "mixtures of experts and latent attention" in page
