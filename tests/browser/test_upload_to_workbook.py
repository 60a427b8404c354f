"""From an upload to a changed projection to the workbook, as the people would do it."""

from __future__ import annotations

import re

import openpyxl
import pytest
from django.core.management import call_command
from django.test import Client

from tests.data.clean_bench_run import clean_document
from tests.planner.reports.workbook_cases import recalculated

RUN = "01937c2e-8a7b-7cc1-9f7e-{:012x}"


@pytest.fixture
def agent(live_server, ada, demo_organisation):
    """A function that uploads a clean run as an agent does."""
    from accounts.services import token_create

    call_command("load_seed_catalog", verbosity=0)
    _, secret = token_create(organisation=demo_organisation, label="rig", scope="upload", by=ada)

    def upload(number, **rates):
        document = clean_document(run_id=RUN.format(number), seq=number, **rates)
        answer = Client().post(
            "/api/v1/benchmark-runs/",
            document,
            content_type="application/json",
            headers={
                "authorization": f"Bearer {secret}",
                "idempotency-key": document["run_id"],
            },
        )
        assert answer.status_code == 201, answer.content
        assert answer.json()["verdict"] == "trusted"

    return upload


def _kpi(page, name):
    """Exact value of a KPI of the first option, as its table prints it."""
    row = page.locator(f"tr:has(th:text-is('{name}'))").first
    return float(row.locator("td.num").first.inner_text().replace(",", "").split()[0])


def test_from_upload_to_workbook(agent, live_server, signed_in, demo_organisation, ada, tmp_path):
    """Measured, confirmed, planned, measured anew, recalculated, exported: one story."""
    page, site = signed_in, live_server.url
    page.set_default_timeout(15_000)
    agent(1, gflops_fp32=400.0, membw_gb_s=30.0)

    # The catalog did not know this device: a person confirms it.
    page.goto(f"{site}/catalog/device/?search=Test+CPU")
    page.get_by_role("link", name=re.compile("Test CPU 9000")).first.click()
    page.get_by_role("link", name="Confirm").click()
    page.get_by_role("button", name="Confirm").click()
    page.wait_for_url(re.compile(r"/catalog/entry/\d+/$"))
    assert "Nobody has confirmed" not in page.locator("main").inner_text()

    # The example takes the measured device in place of the assumed one.
    call_command("load_examples", organisation=demo_organisation.name, by=ada.email, verbosity=0)
    page.goto(f"{site}/scenarios/")
    page.get_by_role("link", name="A small model on this machine").first.click()
    page.wait_for_selector("#verdict")
    page.locator("summary", has_text="All results of").first.click()
    label = "End to end, p95 at design load"
    before = _kpi(page, label)
    assert "newer measurement" not in page.locator("main").inner_text().lower()

    # Twice as fast now, by the median of the runs: the page says so and waits for a person.
    agent(2, gflops_fp32=1200.0, membw_gb_s=90.0)
    page.reload()
    page.get_by_role("heading", name=re.compile("Newer measurement")).wait_for()
    page.locator("summary", has_text="All results of").first.click()
    assert _kpi(page, label) == before
    page.get_by_role("button", name="Recalculate").click()
    page.wait_for_load_state("networkidle")
    page.locator("summary", has_text="All results of").first.click()
    after = _kpi(page, label)
    assert after < before * 0.8

    # Finance takes the workbook; an independent engine recomputes the page's figures.
    cost = _kpi(page, "Total cost over 36 months, present value")
    with page.expect_download() as download:
        page.get_by_role("link", name="Workbook").click()
    path = tmp_path / "book.xlsx"
    download.value.save_as(path)
    sheet = openpyxl.load_workbook(path, data_only=True)["Summary"]
    read = recalculated(path)
    rows = {row[0].value: row[2] for row in sheet.iter_rows(min_row=6)}
    for name, shown in ((label, after), ("Total cost over 36 months, present value", cost)):
        cell = rows[name]
        assert cell.value == pytest.approx(shown, rel=1e-6)
        assert float(read("Summary", cell.coordinate)) == pytest.approx(cell.value, rel=1e-9)
    assert not page.console_errors
    assert not page.outside
