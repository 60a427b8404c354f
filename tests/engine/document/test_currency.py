"""Prices in other currencies: read, converted by dated rates, refused without one (F0.6, U8)."""

from __future__ import annotations

import copy

import pytest

from tco.document import resolve
from tco.document.quantity import quantity
from tco.document.validate import validate
from tco.document.values import currencies_of, figure
from tco.errors import InputErrors
from tco.fields import section, sections
from tco.inputs import CURRENCIES, ExchangeRate, path_of
from tests.engine.document.small_catalog import SmallCatalog, scenario

ENERGY = section("site")["energy_usd_per_kwh"]


def document(**finance):
    """The small scenario with more in its finance, decided on 2026-12-01."""
    found = copy.deepcopy(scenario())
    found["finance"] |= {"valuation_date": "2026-12-01", **finance}
    return found


def rate(currency, usd_per_unit, date="2026-12-01"):
    """One rate of a document."""
    return {"currency": currency, "usd_per_unit": usd_per_unit, "date": date, "source": "a bank"}


def energy(found):
    """Electricity price of the first site."""
    return found.sites[0].tariff.energy_usd_per_kwh


def refused(given):
    """Texts of the errors of a document that cannot be resolved."""
    with pytest.raises(InputErrors) as caught:
        resolve(given, SmallCatalog())
    return [str(error) for error in caught.value.errors]


def test_a_price_keeps_its_amount_currency_rate_and_date():
    """0.20 EUR/kWh at 1.2 USD: 0.24 USD/kWh, and the original beside it."""
    given = document()
    given["sites"][0]["energy_usd_per_kwh"] = "200 EUR/MWh"
    found = energy(resolve(given, SmallCatalog()))
    assert found.value == pytest.approx(0.24)
    assert found.foreign.value == pytest.approx(0.20)
    assert (found.foreign.currency, found.foreign.account_per_unit) == ("EUR", 1.2)
    assert found.foreign.rate_date == "2026-11-01"


def test_the_reporting_currency_converts_the_dollars_too():
    """In euro a euro price stays as it is and 0.08 USD/kWh becomes 0.08 / 1.25."""
    given = document(currency="EUR", exchange_rates=[rate("EUR", 1.25)])
    given["sites"][0]["energy_usd_per_kwh"] = "0.2 EUR/kWh"
    assert energy(resolve(given, SmallCatalog())).value == 0.2
    assert energy(resolve(given, SmallCatalog())).foreign is None
    given["sites"][0]["energy_usd_per_kwh"] = {"value": 0.08, "low": 0.05, "high": 0.1}
    found = energy(resolve(given, SmallCatalog()))
    assert (found.value, found.low, found.high) == pytest.approx((0.064, 0.04, 0.08))
    assert found.foreign.currency == "USD"


def test_a_cross_rate_goes_through_the_dollar():
    """A pound of 1.3 USD in euro of 1.25 USD is 1.04 EUR."""
    given = document(currency="EUR", exchange_rates=[rate("EUR", 1.25), rate("GBP", 1.3)])
    given["sites"][0]["energy_usd_per_kwh"] = "0.1 GBP/kWh"
    assert energy(resolve(given, SmallCatalog())).value == pytest.approx(0.104)


def test_rates_of_the_document_replace_those_of_the_catalog():
    """One rate of its own for a currency, and the catalog's are not looked at, even later ones."""
    given = document(exchange_rates=[rate("EUR", 1.0, "2025-01-01")])
    given["sites"][0]["energy_usd_per_kwh"] = "0.2 EUR/kWh"
    assert energy(resolve(given, SmallCatalog())).value == pytest.approx(0.2)


def test_a_currency_without_a_rate_is_named_where_it_stands():
    """The path of the price and of the reporting currency, and what to add."""
    given = document(currency="CHF")
    given["sites"][0]["energy_usd_per_kwh"] = "20 JPY/kWh"
    found = refused(given)
    assert "finance.currency: CHF has no exchange rate" in found[0]
    assert found[1].startswith("sites[0].energy_usd_per_kwh: JPY has no exchange rate")
    assert all("finance.exchange_rates" in text for text in found)


@pytest.mark.parametrize(
    ("bad", "place", "words"),
    [
        ({"usd_per_unit": 0}, "usd_per_unit", "below"),
        ({"usd_per_unit": -1.1}, "usd_per_unit", "below"),
        ({"usd_per_unit": float("nan")}, "usd_per_unit", "not a finite number"),
        ({"usd_per_unit": "1.1 EUR/kWh"}, "usd_per_unit", "not in a unit of USD"),
        ({"currency": "EURO"}, "currency", "did you mean 'EUR'"),
        ({"currency": "XXX"}, "currency", "not known"),
        ({"date": "yesterday"}, "date", "not a date"),
        ({"source": ""}, "source", "empty"),
    ],
)
def test_a_bad_rate_is_named(bad, place, words):
    """Zero, negative, no number, another unit, a code nobody has, no date, no source."""
    given = document(exchange_rates=[rate("EUR", 1.1) | bad])
    found = {error.field: str(error) for error in validate(given)}
    assert words in found[f"finance.exchange_rates[0].{place}"]


def test_two_rates_of_one_day_are_refused():
    """Which of them holds could not be said."""
    given = document(exchange_rates=[rate("EUR", 1.1), rate("EUR", 1.2)])
    assert any("EUR has a rate from 2026-12-01" in text for text in refused(given))


@pytest.mark.parametrize(
    ("written", "mend"),
    [
        ("0.2 EURO/kWh", "currency EUR"),
        ("0.2 euro/kWh", "currency EUR"),
        ("0.2 €/kWh", "currency EUR"),
        ("0.2 GPB/kWh", "currency GBP"),
    ],
)
def test_a_currency_misspelt_is_met_with_the_nearest(written, mend):
    """The code that was meant, not a list of units."""
    with pytest.raises(ValueError, match="is not known") as caught:
        quantity(written, "USD/kWh")
    assert mend in caught.value.args[1]


@pytest.mark.parametrize(
    "value",
    ["0.1 EUR/kWh to 0.2 USD/kWh", {"value": "0.1 EUR/kWh", "low": 0.08}],
)
def test_one_figure_has_one_currency(value):
    """A low end without a currency would be dollars beside a value in euro."""
    given = document()
    given["sites"][0]["energy_usd_per_kwh"] = value
    assert any("EUR and USD at once" in text for text in refused(given))


def test_a_limit_is_held_against_the_converted_price():
    """120,000 JPY for a kWh are 780 USD, above the field's limit; 20 JPY are not."""
    given = document(exchange_rates=[rate("JPY", 0.0065)])
    given["sites"][0]["energy_usd_per_kwh"] = "120000 JPY/kWh"
    assert any("is 780 USD/kWh, above" in text for text in refused(given))
    given["sites"][0]["energy_usd_per_kwh"] = "20 JPY/kWh"
    assert energy(resolve(given, SmallCatalog())).value == pytest.approx(0.13)


def test_a_price_per_hour_in_place_of_one_per_month_is_refused_by_its_unit():
    """Whatever the currency."""
    given = document()
    given["sites"][0]["fixed_usd_per_month"] = "3 EUR/h"
    assert any("not in a unit of USD/month" in text for text in refused(given))


def test_a_range_in_a_currency_is_converted_whole():
    """Value and both ends at one rate."""
    given = document()
    given["sites"][0]["energy_usd_per_kwh"] = "0.1 to 0.2 EUR/kWh"
    found = energy(resolve(given, SmallCatalog()))
    assert (found.low, found.value, found.high) == pytest.approx((0.12, 0.18, 0.24))


def test_every_price_of_the_dictionary_can_hold_a_currency():
    """A price is a figure: a plain number would lose its currency without a word."""
    for fields in sections().values():
        for field in fields.values():
            if "USD" in field.unit and field.section != "exchange_rate":
                assert field.kind == "figure", (field.section, field.name)


def test_the_dictionary_knows_the_currencies_of_the_engine():
    """The choices of the two fields are the table's codes."""
    assert section("finance")["currency"].choices == tuple(CURRENCIES)
    own = section("exchange_rate")["currency"].choices
    assert own == tuple(code for code in CURRENCIES if code != "USD")


def test_figures_are_marked_only_by_foreign_currencies():
    """Dollars, written or not, need no rate."""
    assert figure("0.1 USD/kWh", ENERGY).foreign is None
    assert currencies_of({"value": 0.1, "samples": ["0.1 EUR/kWh", "0.2 EUR/kWh"]}) == {
        "EUR",
        "USD",
    }


def test_a_month_has_the_latest_rate_begun_by_then():
    """By hand: 1.1 until March, 1.2 from April on; before the first rate, the first."""
    rates = [
        ExchangeRate("EUR", 1.2, "2027-04-01", "x"),
        ExchangeRate("EUR", 1.1, "2027-02-01", "x"),
    ]
    found = path_of("EUR", "USD", rates, "2026-12-01", 6)
    assert found.account_per_unit == (1.1, 1.1, 1.1, 1.1, 1.2, 1.2)
    assert found.dates == ("2027-02-01", "2027-04-01")
    assert not found.flat
