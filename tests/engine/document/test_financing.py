"""Ways to pay in a document: what goes together, what is refused, what comes out (F12.1)."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.document import parse, resolve, validate
from tco.projection import project
from tests.engine.document.small_catalog import scenario
from tests.engine.document.test_validate import change

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "chat.yaml"
PURCHASE = "options[0].fleets[0].purchase"
LOAN = {"kind": "loan", "term_months": 36, "rate_fraction_per_year": 0.075}
LEASE = {"kind": "operating_lease", "term_months": 36, "payment_usd_per_server_month": 5000}
SERVICE = {"kind": "as_a_service", "term_months": 12, "usd_per_unit_month": 900}
FINANCE_LEASE = {**LEASE, "kind": "finance_lease", "rate_fraction_per_year": 0.06}


def bought(purchase):
    """The shipped chat example, one option, with its servers on these terms."""
    document = parse(EXAMPLE.read_text(encoding="utf-8"))
    document["options"] = document["options"][:1]
    return change(document, PURCHASE, {"server_usd": 200_000, **purchase})


def errors(purchase):
    """Errors of a fleet bought on these terms, as text."""
    return [str(error) for error in validate(change(scenario(), PURCHASE, purchase))]


@pytest.mark.parametrize("financing", [{"kind": "cash"}, LOAN, LEASE, SERVICE, FINANCE_LEASE])
def test_each_kind_is_taken_and_projected(financing):
    """A document of every kind gives a total and its two views."""
    document = bought({"financing": financing})
    assert validate(document) == ()
    inputs = resolve(document, SeedCatalog())
    assert inputs.options[0].fleets[0].purchase.financing.kind == financing["kind"]
    option = project(inputs).options[0]
    total = option.kpis["undiscounted_usd"].value
    assert total is not None
    assert math.fsum(option.views.cash_usd) == pytest.approx(total)
    assert math.fsum(option.views.pnl_usd) == pytest.approx(total)


@pytest.mark.parametrize(
    ("purchase", "field", "message"),
    [
        ({"financing": {**LOAN, "rate_fraction_per_year": -1}}, "rate", "is below 0"),
        ({"financing": {**LOAN, "rate_fraction_per_year": "-100 %/year"}}, "rate", "is below 0"),
        ({"financing": {**LOAN, "rate_fraction_per_year": 7.5}}, "rate", "write 0.075 for 7.5 %"),
        ({"financing": {**LOAN, "term_months": 0}}, "term_months", "is below 1"),
        ({"financing": {**LOAN, "term_months": math.inf}}, "term_months", "inf"),
        ({"life_months": math.inf}, "life_months", "inf"),
        ({"financing": {"kind": "loan"}}, "term_months", "is missing"),
        ({"financing": {**LOAN, "at_end": "buyout"}}, "at_end", "does not go with a loan"),
        ({"financing": {"kind": "cash", "term_months": 3}}, "term_months", "purchase in cash"),
        ({"financing": {"kind": "operating_lease", "term_months": 3}}, "payment", "is missing"),
        (
            {"financing": {**LEASE, "rate_factor_fraction_per_month": 0.03}},
            "rate_factor",
            "given twice",
        ),
        ({"financing": {**LEASE, "at_end": "buyout"}}, "buyout_fraction", "is missing"),
        ({"financing": {**LEASE, "buyout_fraction": 0.1}}, "buyout_fraction", "at_end"),
        (
            {
                "life_months": 36,
                "financing": {**LEASE, "at_end": "buyout", "buyout_fraction": 0.1},
            },
            "term_months",
            "leave nothing of a life of 36",
        ),
        ({"financing": {**SERVICE, "kind": "finance_lease"}}, "usd_per_unit", "a finance lease"),
        ({"financing": {"kind": "barter"}}, "kind", "not known"),
        (
            {"instalments": [{"share_fraction": 0.3}, {"share_fraction": 0.6}]},
            "instalments",
            "add up to 0.9",
        ),
        (
            {"financing": LOAN, "instalments": [{"share_fraction": 1}]},
            "instalments",
            "do not go with loan",
        ),
        ({"failures": {"lead_months": 2}}, "warranty_months", "is missing"),
        (
            {
                "failures": {
                    "lead_months": 2,
                    "warranty_months": 36,
                    "labour_usd_per_failure": 300,
                    "service_level_fraction": 1,
                }
            },
            "service_level",
            "is above",
        ),
    ],
)
def test_what_does_not_go_together_is_named(purchase, field, message):
    """Path and mend, never a total."""
    found = errors(purchase)
    assert any(field in text.split(":")[0] and message in text for text in found), found


def test_a_lease_past_the_horizon_is_a_finding():
    """Months and money that no total holds; a long loan is settled and said."""
    months = bought({})["finance"]["horizon_months"]
    document = bought({"financing": {**LEASE, "term_months": months + 7}})
    found = {x.code: x for x in project(resolve(document, SeedCatalog())).findings}
    assert "7 months past" in found["lease_past_the_horizon"].message
    assert found["lease_past_the_horizon"].field.endswith("purchase.financing.term_months")
    loan = {**LOAN, "term_months": months + 12}
    document = bought({"financing": loan})
    found = {x.code: x for x in project(resolve(document, SeedCatalog())).findings}
    assert "paid back in the last month" in found["loan_past_the_horizon"].message


def test_a_default_failure_rate_is_never_silent():
    """Its source stands in a finding, in the line's terms and in the provenance."""
    terms = {"lead_months": 2, "warranty_months": 36, "labour_usd_per_failure": 300}
    document = bought({"failures": terms})
    projection = project(resolve(document, SeedCatalog()))
    codes = {x.code: x.message for x in projection.findings}
    assert "arXiv:2407.21783" in codes["failure_rate_by_default"]
    assert "60 to 70 %" in codes["part_price_by_default"]
    line = next(x for x in projection.options[0].ledger.lines if x.key == "repairs")
    assert any("arXiv:2407.21783" in term.source for term in line.terms)
    assert any("afr_per_year" in term.name for term in projection.figures)


def test_what_a_lessor_pays_is_said():
    """Duty on leased servers is given and not counted."""
    document = bought({"financing": LEASE, "duty_fraction": 0.1})
    codes = {x.code: x.message for x in project(resolve(document, SeedCatalog())).findings}
    assert "import duty" in codes["owner_pays"]
