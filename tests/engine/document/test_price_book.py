"""Agreed prices: the table, the day that counts, what is said where none holds (F6, F13.1)."""

from __future__ import annotations

import copy

import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.document import resolve
from tco.document.price_book import CODES, read_price_book
from tco.errors import InputErrors
from tco.inputs import Status
from tco.projection import project
from tests.engine.mix.test_best_mix import document

HEAD = "kind,key,price,currency,discount_fraction,supplier,reference,valid_from,valid_to"
H100 = "supermicro-sys-821ge-tnhr"
P5 = "aws-p5-48xlarge-us-east-1"


class Booked(SeedCatalog):
    """The seed files with a price book."""

    def __init__(self, table):
        super().__init__(read_price_book(table))


def chat(day="2026-12-01", **server):
    """The chat example on a day; `server` changes the purchase of the H100 servers."""
    given = copy.deepcopy(document("chat"))
    given["finance"]["valuation_date"] = day
    for option in given["options"]:
        if option["key"] == "h100":
            option["fleets"][0]["purchase"] |= server
    return given


def fleet(given, table, option="h100"):
    """The first fleet of an option, resolved with a price book."""
    inputs = resolve(given, Booked(table))
    return next(one for one in inputs.options if one.key == option).fleets[0]


def findings(given, table):
    """Codes of what the projection says of the price book, with messages."""
    found = project(resolve(given, Booked(table))).findings
    return {one.code: one for one in found if one.code.startswith("quote_")}


def row(*cells):
    """A table of one row."""
    return f"{HEAD}\n{','.join(map(str, cells))}"


NET = row("server", H100, 210000, "USD", "", "Acme", "Q-17", "2026-10-01", "2026-12-31")


def test_a_net_price_that_holds_is_taken_with_its_quote():
    """In place of the list price; the figure says where it comes from."""
    price = fleet(chat(), NET).purchase.server_usd
    assert price.value == 210_000
    assert price.status is Status.PUBLISHED
    assert price.source == "price book: quote Q-17 of Acme, 2026-10-01 to 2026-12-31"
    assert price.as_of == "2026-10-01"
    assert not findings(chat(), NET)


@pytest.mark.parametrize(
    ("day", "holds"),
    [("2026-10-01", True), ("2026-12-31", True), ("2026-09-30", False), ("2027-01-01", False)],
)
def test_first_and_last_day_are_inside(day, holds):
    """One day further the list price counts, and a finding says so."""
    listed = fleet(chat(day), HEAD + "\n" + NET.split("\n")[1].replace(H100, "nothing"))
    price = fleet(chat(day), NET).purchase.server_usd
    assert (price.value == 210_000) is holds
    found = findings(chat(day), NET)
    if holds:
        assert "quote_ended" not in found
    else:
        assert price == listed.purchase.server_usd
        code = "quote_not_yet" if day < "2026-10" else "quote_ended"
        assert found[code].field == "options[0].fleets[0].purchase.server_usd"
        assert "the list price is used" in found[code].message
        assert "Q-17" in found[code].message


def test_a_discount_goes_off_the_list_price_and_its_range():
    """15 % off: value, low and high; the status stays that of the list price."""
    table = row("server", H100, "", "", 0.15, "Acme", "F-1", "2026-01-01", "2027-12-31")
    listed = fleet(chat(), NET.replace(H100, "other")).purchase.server_usd
    price = fleet(chat(), table).purchase.server_usd
    assert price.value == pytest.approx(listed.value * 0.85, rel=1e-12)
    assert price.low == (None if listed.low is None else pytest.approx(listed.low * 0.85))
    assert price.status is listed.status
    assert price.source.startswith("15.0% off (")


def test_what_the_scenario_says_comes_first():
    """Its own price silences the book; its own discount too, which is said."""
    own = {"value": 190000, "status": "assumed", "source": "us"}
    assert fleet(chat(server_usd=own), NET).purchase.server_usd.value == 190_000
    assert not findings(chat(server_usd=own), NET)
    discounted = chat(discount_fraction=0.1)
    assert fleet(discounted, NET).purchase.server_usd.value != 210_000
    assert findings(discounted, NET)["quote_not_used"].severity == "info"


def test_a_price_in_another_currency_is_converted_by_the_dated_rate():
    """And one without a rate is refused at the machine it is for."""
    table = NET.replace("USD", "EUR")
    price = fleet(chat(), table).purchase.server_usd
    assert price.foreign.currency == "EUR"
    assert price.foreign.value == 210_000
    assert price.value == pytest.approx(210_000 * price.foreign.account_per_unit)
    rated = {rate.currency for rate in SeedCatalog().exchange_rates()}
    unrated = next(code for code in CODES if code not in rated and code != "USD")
    with pytest.raises(InputErrors) as caught:
        fleet(chat(), NET.replace("USD", unrated))
    assert [one.field for one in caught.value.errors] == ["options[0].fleets[0].server"]


def test_an_offer_is_priced_by_its_commitment():
    """The rate of the hour: on demand where the table leaves the commitment out."""
    table = row("offer", P5, 30.5, "USD", "", "AWS", "EDP-3", "2026-01-01", "2026-12-31")
    given = chat()
    for option in given["options"]:
        if option["key"] == "p5":
            option["fleets"][0]["rental"].pop("usd_per_hour", None)
            option["fleets"][0]["rental"]["commitment"] = "on_demand"
    assert fleet(given, table, "p5").rental.usd_per_hour.value == 30.5


def test_an_order_after_the_last_day_and_one_too_small_are_said():
    """The quote is taken at the valuation date; what it does not promise is a finding."""
    given = chat()
    given["options"][0]["fleets"][0]["start_month"] = 6
    assert (
        "first order is placed in 2027-06"
        in findings(given, NET)["quote_ends_before_order"].message
    )
    table = NET.replace(",valid_to", ",valid_to,minimum_quantity").replace("-31", "-31,100")
    found = findings(chat(), table.replace("2026-12-31,100", "2026-12-31,100"))
    assert "holds from 100 servers on" in found["quote_minimum"].message


def test_every_error_of_a_table_at_once():
    """With row and column."""
    table = "\n".join(
        [
            HEAD,
            f"server,{H100},1,USD,0.5,A,Q,2026-01-01,2026-02-01",
            f"server,{H100},,,,A,Q,2026-01-01,2026-02-01",
            f"server,{H100},5,USD,,A,Q,2026-03-01,2026-02-01",
            f"rack,{H100},5,USD,,A,Q,2026-03-01,2026-04-01",
            f"server,{H100},5,USD,,A,Q2,2027-01-01,2027-12-31",
            f"server,{H100},6,USD,,A,Q3,2027-12-31,2028-12-31",
        ]
    )
    with pytest.raises(InputErrors) as caught:
        read_price_book(table)
    assert [(one.field, one.message.split()[0]) for one in caught.value.errors] == [
        ("row 2, price", "stands"),
        ("row 3, price", "is"),
        ("row 4, valid_to", "2026-02-01"),
        ("row 5, kind", "'rack'"),
        ("row 7, valid_from", "overlaps"),
    ]


def test_a_discount_without_a_list_price_is_an_error_at_the_machine():
    """Never a price of 0."""
    table = row("server", H100, "", "", 0.15, "Acme", "F-1", "2026-01-01", "2027-12-31")

    class Unlisted(Booked):
        def server(self, key, device_key=None):
            from dataclasses import replace

            found = super().server(key, device_key)
            return replace(found, price_usd=None) if found else None

    with pytest.raises(InputErrors, match="a list price that the catalog does not have"):
        resolve(chat(), Unlisted(table))
