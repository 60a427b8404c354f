"""A whole scenario in another currency: amounts, months, labels, originals (F0.6, UP27, U8)."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.document import parse, resolve
from tco.projection import project
from tco.uncertainty.assess import assess
from tco.uncertainty.stored import assessment_of
from tco.uncertainty.takeaway import between, contenders

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "euro.yaml"


def document():
    """The example in euro, as written."""
    return parse(EXAMPLE.read_text(encoding="utf-8"))


def projected(given):
    """Its projection."""
    return project(resolve(given, SeedCatalog()))


def line(found, key, option=0):
    """One ledger line."""
    return next(x for x in found.options[option].ledger.lines if x.key == key)


def flat(given, *, currency=None, euro=1.10, pound=1.30):
    """The document with one rate of each currency."""
    given = copy.deepcopy(given)
    given["finance"]["currency"] = currency or given["finance"]["currency"]
    given["finance"]["exchange_rates"] = [
        {"currency": code, "usd_per_unit": usd, "date": "2026-12-01", "source": "t"}
        for code, usd in (("EUR", euro), ("GBP", pound))
    ]
    return given


def test_each_line_keeps_its_original_amount_currency_rate_and_date():
    """Two servers of 280,000 USD at 1.10: 509,090.91 EUR, and 560,000 USD beside them."""
    servers = line(projected(document()), "servers")
    assert servers.total_usd == pytest.approx(560_000 / 1.10)
    (original,) = servers.originals
    assert (original.currency, original.rate_date) == ("USD", "2026-12-01")
    assert original.value == pytest.approx(560_000)
    assert original.account_per_unit == pytest.approx(1 / 1.10)


def test_a_table_of_rates_moves_each_month_by_its_own():
    """3,500 GBP for 16 devices a year: 12 months at 1.3 / 1.10 and 24 at 1.3 / 1.14."""
    software = line(projected(document()), "software")
    month = 3500 * 16 / 12
    assert software.end_usd[11] == pytest.approx(month * 1.3 / 1.10)
    assert software.end_usd[12] == pytest.approx(month * 1.3 / 1.14)
    assert software.total_usd == pytest.approx(12 * month * 1.3 / 1.10 + 24 * month * 1.3 / 1.14)
    assert software.originals[0].value == pytest.approx(3 * 3500 * 16)
    assert software.originals[0].reported_usd == pytest.approx(software.total_usd)


def test_euro_prices_do_not_move_with_the_rate_of_the_euro():
    """Staff and electricity in euro are the same euro under any rate."""
    one, other = (projected(flat(document(), euro=euro)) for euro in (1.0, 1.5))
    for key in ("staff", "electricity_energy", "colocation"):
        assert line(one, key).end_usd == line(other, key).end_usd
        assert line(one, key).originals == ()
    assert line(one, "servers").total_usd == pytest.approx(1.5 * line(other, "servers").total_usd)


def test_under_one_rate_the_two_currencies_differ_by_that_rate_alone():
    """Every amount in dollars is the one in euro x 1.10: scaling the currency scales all money."""
    euro, usd = projected(flat(document())), projected(flat(document(), currency="USD"))
    for a, b in zip(euro.options, usd.options, strict=True):
        for x, y in zip(a.ledger.lines, b.ledger.lines, strict=True):
            assert y.total_usd == pytest.approx(1.10 * x.total_usd, rel=1e-12), x.key
        assert b.kpis["tco_usd"].value == pytest.approx(1.10 * a.kpis["tco_usd"].value)
        assert b.kpis["servers"].value == a.kpis["servers"].value
    assert euro.best_option == usd.best_option


def test_parts_by_currency_sum_to_the_line():
    """Support is a share of the server price: all of it is owed to the dollar."""
    found = projected(document())
    for option in found.options:
        for item in option.ledger.lines:
            parts = sum(original.reported_usd for original in item.originals)
            assert parts <= item.total_usd + 1e-6
            if option.key == "h100" and item.key in ("servers", "support", "software"):
                assert parts == pytest.approx(item.total_usd)


def test_every_label_names_the_reporting_currency():
    """No unit and no sentence says USD, except where it names the dollar itself."""
    found = projected(document()).to_dict()
    assert found["currency"]["code"] == "EUR"
    assert {rate["currency"] for rate in found["currency"]["rates"]} == {"GBP", "USD"}
    units = [kpi["unit"] for kpis in found["kpis"].values() for kpi in kpis.values()]
    assert "EUR/Mtok" in units
    assert not [unit for unit in units if "USD" in unit]
    assert "EUR" in found["verdict"]
    assert "USD" not in found["verdict"]
    for crossing in found["crossings"]:
        assert "USD" not in crossing["sentence"] + crossing["unit"]
    terms = [term for ledger in found["ledger"].values() for x in ledger["lines"]
             for term in x["terms"]]  # fmt: skip
    assert not [term for term in terms if "USD" in term["unit"]]
    assert any("converted from 280,000 USD at 0.909091" in term["source"] for term in terms)


def test_names_of_people_stay_as_they_are():
    """An option called USD pool is not renamed."""
    given = document()
    given["options"][0]["name"] = "USD pool"
    found = projected(given)
    assert "USD pool" in found.verdict
    assert "M EUR" in found.verdict


def test_draws_are_in_the_reporting_currency_and_follow_the_table():
    """The base of the uncertainty run is the projection's total, rates by month included."""
    inputs = resolve(document(), SeedCatalog())
    found = assess(inputs, draws=100)
    projection = project(inputs)
    assert found.currency == "EUR"
    for spread, option in zip(found.options, projection.options, strict=True):
        assert spread.base_usd == pytest.approx(option.kpis["tco_usd"].value, rel=1e-12)
    assert not [driver for driver in found.drivers if "USD" in driver.unit]
    assert all("USD" not in duel.sentence for duel in found.duels)


def test_a_stored_assessment_keeps_its_currency():
    """Pages and workbooks are made of the stored one."""
    found = assess(resolve(document(), SeedCatalog()), draws=100)
    assert assessment_of(found.to_dict()).currency == "EUR"


def test_the_take_away_speaks_in_the_reporting_currency_and_mixes_none():
    """One sentence in euro; a scenario in dollars beside it is not compared."""
    inputs, other = (
        resolve(given, SeedCatalog()) for given in (document(), flat(document(), currency="USD"))
    )
    able = contenders(inputs, project(inputs))
    sentence = between(able).sentence
    assert "M EUR" in sentence
    assert "USD" not in sentence
    mixed = between([*able, *contenders(other, project(other), " in dollars")]).sentence
    assert mixed == "Totals in EUR and USD are not compared: set one currency for all."


def test_bands_of_usual_prices_are_held_against_the_converted_price():
    """26 yen for a kWh are usual; 400 are not, and the bound is told in yen."""
    given = document()
    given["finance"]["currency"] = "JPY"
    given["finance"]["exchange_rates"] += [
        {"currency": "JPY", "usd_per_unit": 0.0065, "date": "2026-12-01", "source": "t"}
    ]
    given["sites"][0]["energy_usd_per_kwh"] = "26 JPY/kWh"
    assert "outside_usual_band" not in {x.code for x in projected(given).findings}
    given["sites"][0]["energy_usd_per_kwh"] = "400 JPY/kWh"
    found = next(x for x in projected(given).findings if x.code == "outside_usual_band")
    assert "154 JPY/kWh" in found.message


def test_rates_far_from_the_decision_are_told():
    """One two years old, one that begins a year later; those of the day are not."""
    assert not [x for x in projected(document()).findings if x.code.startswith("rate_")]
    given = document()
    given["finance"]["exchange_rates"] = [
        {"currency": "EUR", "usd_per_unit": 1.1, "date": "2024-12-01", "source": "t"},
        {"currency": "GBP", "usd_per_unit": 1.3, "date": "2027-12-01", "source": "t"},
    ]
    found = {x.code: x.message for x in projected(given).findings}
    assert "24 months older" in found["rate_is_old"]
    assert "from 2027-12-01" in found["rate_begins_later"]


def test_the_result_is_json():
    """Rates, originals and all."""
    text = json.dumps(projected(document()).to_dict())
    assert '"originals"' in text
