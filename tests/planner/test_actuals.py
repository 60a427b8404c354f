"""Bills of a scenario: taken in whole and once, held against a stated plan."""

from __future__ import annotations

import io
from decimal import Decimal

import openpyxl
import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from planner.actuals.selectors import actuals
from planner.actuals.services import bills_import
from planner.models import ActualBill
from planner.projections.services import projection_get_or_run
from planner.reports.services import report_workbook
from planner.scenarios.selectors import revision_get
from tco.errors import InputErrors

pytestmark = pytest.mark.django_db

HEAD = "month;line;amount;currency;reference;rate\n"
TABLE = (
    f"{HEAD}2026-12;staff;1.000,00;USD;A1;\n2027-01;staff;2.000,00;USD;A2;\n"
    "2027-01;software;100,00;EUR;A3;1,25\n2027-01;unplanned;50,00;USD;A4;\n"
)


@pytest.fixture
def projected(chat):
    """The chat example with its projection adopted."""
    found = projection_get_or_run(revision=revision_get(scenario=chat))
    found.refresh_from_db()
    return found


def planned(projected, key, months):
    """Planned amount of a line of the H100 servers over the first months."""
    lines = projected.result["ledger"]["h100"]["lines"]
    line = next(x for x in lines if x["key"] == key)
    return sum(line["start_usd"][:months]) + sum(line["end_usd"][:months])


def table(month="2026-12", line="staff", amount="5", reference="A1"):
    """A table of one bill."""
    return f"month,line,amount,currency,reference\n{month},{line},{amount},USD,{reference}"


def test_a_table_is_taken_in_once(chat, ada):
    """The same table again adds nothing; a longer one adds what is new."""
    text = table()
    assert bills_import(scenario=chat, text=text, by=ada).added == 1
    again = bills_import(scenario=chat, text=text, by=ada)
    assert (again.added, again.known) == (0, 1)
    more = bills_import(scenario=chat, text=f"{text}\n2027-01,staff,7,USD,A2", by=ada)
    assert (more.added, more.known) == (1, 1)


def test_a_reference_with_other_content_is_refused_and_nothing_is_taken_in(chat, ada):
    """The stored bill stays, and the good row of the same table is not taken in either."""
    bills_import(scenario=chat, text=table(), by=ada)
    with pytest.raises(InputErrors) as caught:
        bills_import(scenario=chat, text=f"{table(amount='6')}\n2027-01,staff,1,USD,B1", by=ada)
    assert "row 2, amount: 'A1' is stored with another amount" in str(caught.value)
    assert list(ActualBill.objects.values_list("reference", "amount")) == [("A1", Decimal(5))]


def test_a_bill_never_changes(chat, ada):
    """A second save is an error."""
    bills_import(scenario=chat, text=table(), by=ada)
    bill = ActualBill.objects.get()
    bill.amount = Decimal(6)
    with pytest.raises(ValidationError):
        bill.save()


def test_the_report_names_its_plan_and_splits_the_difference(chat, projected, ada):
    """Two months of staff against revision 1; what has no bill is counted as planned."""
    text = TABLE.replace("2027-01;software;100,00;EUR;A3;1,25\n", "")
    bills_import(scenario=chat, text=text, by=ada)
    found = actuals(scenario=chat, revision=1, option="h100").to_dict()
    assert (found["months_over"], found["last_month"], found["currency"]) == (2, "2027-01", "USD")
    staff = next(row for row in found["rows"] if row["label"].startswith("Staff"))
    assert staff["actual"] == "3000.00"
    assert Decimal(staff["budget"]) == Decimal(str(round(planned(projected, "staff", 2), 2)))
    assert found["rows"][-1]["label"] == "Not in the plan"
    assert any("energy" in name for name in found["unbilled"])
    parts = ("price", "volume", "price_or_volume", "currency", "timing", "rounding")
    for row in (*found["rows"], found["total"]):
        assert sum(Decimal(row[part]) for part in parts) == Decimal(row["variance"])


def test_bills_that_do_not_fit_the_plan_are_named(chat, projected, ada):
    """An unknown line and an option the revision does not have."""
    bills_import(scenario=chat, text=table(line="stuff"), by=ada)
    with pytest.raises(InputErrors, match="no line or category 'stuff'"):
        actuals(scenario=chat)
    with pytest.raises(InputErrors, match="did you mean 'h100'"):
        actuals(scenario=chat, option="h10")
    with pytest.raises(InputErrors, match="revision 7 was never projected"):
        actuals(scenario=chat, revision=7)


def test_the_page_takes_a_table_and_shows_the_variance(client, chat, projected, ada):
    """Posted, redirected, shown with its plan."""
    client.force_login(ada)
    url = reverse("planner:scenario_actuals", args=[chat.pk])
    assert "No bill yet" in client.get(url).content.decode()
    text = TABLE.replace("software;100,00;EUR;A3;1,25", "unplanned;100,00;EUR;A3;1,25")
    assert client.post(url, {"text": text}).status_code == 302
    page = client.get(url, {"option": "h100"}).content.decode()
    assert "2 months to 2027-01" in page
    assert "Not in the plan" in page
    assert "175.00" in page  # 100 EUR at 1.25 and 50 USD
    assert "the plan so far" in page


def test_the_page_tells_every_error_and_keeps_the_text(client, chat, projected, ada):
    """Two cells that cannot be read; nothing is stored."""
    client.force_login(ada)
    url = reverse("planner:scenario_actuals", args=[chat.pk])
    answer = client.post(url, {"text": table(month="soon", amount="=1+1")})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "2 errors" in page
    assert "Row 2, month" in page
    assert "Row 2, amount" in page
    assert not ActualBill.objects.exists()


def test_an_unusable_plan_is_a_page_with_a_way_back(client, chat, projected, ada):
    """The bill fits no line of the plan."""
    client.force_login(ada)
    bills_import(scenario=chat, text=table(line="stuff"), by=ada)
    answer = client.get(reverse("planner:scenario_actuals", args=[chat.pk]))
    assert answer.status_code == 422
    assert "cannot be held against this plan" in answer.content.decode()


def test_the_workbook_has_the_bills_with_live_sums(chat, projected, ada):
    """A sheet with the rows of the page; a formula of a stranger stays text."""
    bills_import(scenario=chat, text=table(line="unplanned", reference="=1+1"), by=ada)
    book = openpyxl.load_workbook(io.BytesIO(report_workbook(projection=projected).content))
    sheet = book["Bills"]
    labels = [row[0].value for row in sheet.iter_rows(min_row=5)]
    assert "Not in the plan" in labels
    last = next(row for row in sheet.iter_rows(min_row=5) if row[0].value == "All lines")
    assert last[2].value.startswith("=SUM(")
