"""Bad input of money at the level of a document: a named error or finding, never a wrong total."""

from __future__ import annotations

import pytest

from tests.cases.plain_document import (
    at,
    codes,
    document,
    kpi,
    lines,
    own,
    projected,
    refusals,
    refused_text,
    rent,
)

LEASE = {"kind": "operating_lease", "payment_usd_per_server_month": 8000}


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        (at("finance.discount_rate_fraction", -1), "finance.discount_rate_fraction", "is below 0"),
        (
            at("finance.discount_rate_fraction", "-100 %/year"),
            "finance.discount_rate_fraction",
            "below",
        ),
        (
            own("purchase.price_change_fraction_per_year", -1),
            "options[0].fleets[0].purchase.price_change_fraction_per_year",
            "is below -0.9",
        ),
        (
            at("finance.electricity_escalation_fraction", -1),
            "finance.electricity_escalation_fraction",
            "is below -0.5",
        ),
        (
            own(
                "purchase.financing",
                {"kind": "loan", "term_months": 36, "rate_fraction_per_year": -1},
            ),
            "options[0].fleets[0].purchase.financing.rate_fraction_per_year",
            "is below 0",
        ),
        (
            own("purchase.life_months", 0),
            "options[0].fleets[0].purchase.life_months",
            "is below 1",
        ),
        (
            own("purchase.life_months", 1e9),
            "options[0].fleets[0].purchase.life_months",
            "above 240",
        ),
        (at("finance.horizon_months", 0), "finance.horizon_months", "is below 1"),
        (at("finance.currency", "JPY"), "finance.currency", "JPY has no exchange rate"),
        (
            rent("rental.usd_per_hour", "36500 USD/month"),
            "options[1].fleets[0].rental.usd_per_hour",
            "use USD/h",
        ),
        (
            own("purchase.software_usd_per_device_year", "375 USD/device-month"),
            "",
            "",
        ),
        (
            at("sites.0.energy_usd_per_kwh", "0.08 USD/kW"),
            "sites[0].energy_usd_per_kwh",
            "use USD/kWh",
        ),
        (at("sites.0.energy_usd_per_kwh", 80), "sites[0].energy_usd_per_kwh", "above 10 USD/kWh"),
        (
            own("purchase.discount_fraction", 20),
            "options[0].fleets[0].purchase.discount_fraction",
            "write 0.2 for 20 %",
        ),
        (
            own("purchase.instalments", [{"share_fraction": 0.5}, {"share_fraction": 0.4}]),
            "options[0].fleets[0].purchase.instalments",
            "add up to 0.9",
        ),
        (
            own("purchase.financing", LEASE),
            "options[0].fleets[0].purchase.financing.term_months",
            "is missing",
        ),
        (
            own(
                "purchase.financing",
                LEASE | {"term_months": 60, "at_end": "buyout", "buyout_fraction": 0.1},
            ),
            "options[0].fleets[0].purchase.financing.term_months",
            "leave nothing of a life",
        ),
        (at("finance.valuation_date", "2026-02-30"), "finance.valuation_date", "is not a date"),
        (own("start_month", 12), "options[0].fleets[0].start_month", "after the horizon"),
    ],
)
def test_an_error_names_the_field(change, field, words):
    """Or the value was exactly convertible, and was converted."""
    errors = refusals(change)
    if not field:
        assert not errors
        found = projected(change)
        assert lines(found.options[0])["software"].total_usd == pytest.approx(2 * 8 * 375 * 12)
        return
    assert errors, "taken without a word"
    assert any(error.startswith(field) and words in error for error in errors), errors


@pytest.mark.parametrize("number", [".inf", "-.inf", ".nan", "1e400", "1e308"])
def test_infinite_lives_and_prices_are_refused(number):
    """No sum is made of what is no number."""
    text = "\n".join(
        [
            "schema: tco-scenario/1",
            "name: x",
            f"finance: {{valuation_date: 2026-12-01, discount_rate_fraction: {number}}}",
            "workloads: []",
            "options: []",
        ]
    )
    errors = refused_text(text)
    assert any(error.startswith("finance.discount_rate_fraction: ") for error in errors)


def test_no_interest_is_no_division_by_nothing():
    """A loan, a lease and a discount at 0 %: level payments, present value = plain sum."""
    loan = {"kind": "loan", "term_months": 12, "rate_fraction_per_year": 0}
    found = projected(own("purchase.financing", loan))
    assert lines(found.options[0])["loan_interest"].total_usd == 0.0
    assert lines(found.options[0])["loan_principal"].end_usd == pytest.approx([40_000.0] * 12)
    assert kpi(found, 0, "tco_usd").value == kpi(found, 0, "undiscounted_usd").value


def test_a_lease_longer_than_the_horizon_is_told():
    """What is due after the end is named with its amount and stands in no total."""
    found = projected(own("purchase.financing", LEASE | {"term_months": 36}))
    assert codes(found)["lease_past_the_horizon"].startswith("options[0].fleets[0].purchase")
    finding = next(one for one in found.findings if one.code == "lease_past_the_horizon")
    assert finding.severity == "warning"
    assert lines(found.options[0])["lease_payments"].total_usd == pytest.approx(2 * 8000 * 12)


def test_an_hourly_price_given_by_the_month_leaves_the_band():
    """36,500 is no rate of an hour: the unit cannot show it, the band does."""
    found = projected(rent("rental.usd_per_hour", 36_500))
    assert codes(found)["outside_usual_band"] == "options[1].fleets[0].rental.usd_per_hour"


def test_a_price_in_cents_leaves_the_band():
    """8 cents entered as 8 USD/kWh."""
    found = projected(at("sites.0.energy_usd_per_kwh", 8))
    assert codes(found)["outside_usual_band"] == "sites[0].energy_usd_per_kwh"


def test_real_and_nominal_do_not_mix():
    """F0.5: a nominal rate with a real escalation is an error, in words of both."""
    rate = {"value": 0.1, "source": "real WACC"}
    found = projected(
        at("finance.discount_basis", "nominal_pre_tax"),
        at("finance.discount_rate_fraction", rate),
    )
    assert any("real" in one.message and "nominal" in one.message for one in found.findings)


def test_the_plain_document_is_good():
    """Otherwise every case above would be refused for another reason."""
    assert not refusals()
    assert document()["name"] == "Plain"
    assert all(option.complete for option in projected().options)
