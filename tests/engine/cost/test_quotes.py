"""Quotes levelled to equal scope: what is left out, what it costs, what flips the order (F24)."""

from __future__ import annotations

from decimal import Decimal as D
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tco.cost.quotes import Needed, Quote, Quoted, level
from tco.document.quotes_csv import read_quotes, read_scope, scope_of
from tco.errors import InputErrors

SCOPE = (
    Needed("servers", D(4)),
    Needed("optics", D(16)),
    Needed("pdus", D(2), D(1500), "cost factors, 2026"),
    Needed("tax", D(1)),
)


def quote(vendor, currency="USD", rate=1, **items):
    """A quote by item: quantity and unit price, None where it is included."""
    lines = tuple(
        Quoted(k, D(str(q)), None if p is None else D(str(p))) for k, (q, p) in items.items()
    )
    return Quote(vendor, currency, lines, Fraction(rate))


FULL = quote("Full", servers=(4, 210_000), optics=(16, 500), tax=(1, 84_800))
BARE = quote("Bare", servers=(4, 200_000))
SHORT = quote("Short", servers=(3, 205_000), optics=(16, None), tax=(1, 61_500))


def by_vendor(found):
    """Levelled quotes by name."""
    return {one.vendor: one for one in found.quotes}


def cell(one, item):
    """One item of a levelled quote."""
    return next(x for x in one.cells if x.item == item)


def test_three_quotes_by_hand():
    """Each omission named and priced.

    Full: 840,000 + 8,000 of goods and 3,000 of PDUs; its tax of 84,800 is 10 % of what it quoted,
    and 85,100 of equal scope: 936,100. Bare: 800,000 + 16 x 500 + 3,000, tax at 10 %: 892,100.
    Short: 820,000 with one server added, optics included, 3,000; tax 61,500 on 615,000, 10 %:
    905,300. As written, Short is the cheapest; at equal scope Bare is.
    """
    found = level(SCOPE, [FULL, BARE, SHORT])
    totals = {name: one.levelled_usd for name, one in by_vendor(found).items()}
    assert totals == {"Full": D("936100.00"), "Bare": D("892100.00"), "Short": D("905300.00")}
    assert [one.vendor for one in found.quotes] == ["Bare", "Short", "Full"]
    assert found.as_quoted == ("Short", "Bare", "Full")


def test_what_is_left_out_is_named_with_where_its_price_comes_from():
    """Others, own price, share of goods, catalog; what is included is not left out."""
    found = by_vendor(level(SCOPE, [FULL, BARE, SHORT]))
    assert "mean of the others" in cell(found["Bare"], "optics").why
    assert cell(found["Bare"], "tax").why == "not quoted: 10.00% of goods, mean of the others"
    assert "cost factors, 2026" in cell(found["Bare"], "pdus").why
    assert cell(found["Short"], "servers").why.startswith("1 missing")
    assert cell(found["Short"], "servers").estimated_usd == 205_000
    assert cell(found["Short"], "optics").why == ""
    assert found["Bare"].estimated_usd == 8_000 + 3_000 + 81_100


def test_an_item_nobody_prices_leaves_the_total_open():
    """No total, and no rank before those that have one."""
    scope = (*SCOPE[:2], Needed("training", D(1)))
    found = level(scope, [quote("A", servers=(4, 1), training=(1, 5)), quote("B", servers=(4, 2))])
    assert all(one.levelled_usd is None for one in found.quotes)
    assert cell(found.quotes[0], "optics").levelled_usd is None
    assert found.flips == ()


def test_more_than_needed_is_levelled_down_and_said():
    """Six quoted, four needed."""
    found = by_vendor(level(SCOPE[:1], [quote("A", servers=(6, 10)), quote("B", servers=(4, 11))]))
    assert (found["A"].quoted_usd, found["A"].levelled_usd) == (60, 40)
    assert found["A"].omissions[0].why == "2 more quoted than needed"


def test_a_quote_in_another_currency_flips_at_a_rate():
    """100 EUR at 1.1 against 115 USD: level at 1.15."""
    euro = quote("Euro", "EUR", Fraction("1.1"), servers=(1, 100))
    found = level([Needed("servers", D(1))], [euro, quote("Dollar", servers=(1, 115))])
    assert found.quotes[0].levelled_usd == 110
    flip = next(x for x in found.flips if x.what == "rate of EUR")
    assert (flip.now, flip.then, flip.unit) == (D("1.1"), D("1.15"), "USD/EUR")


def test_each_flip_does_level_the_two():
    """Bare's optics at 8,000 + 13,200, and then the two are as dear as each other."""
    found = level(SCOPE, [BARE, SHORT, FULL])
    first, second = found.quotes[:2]
    gap = second.levelled_usd - first.levelled_usd
    for flip in found.flips:
        if flip.what in ("optics", "pdus", "tax") and flip.sentence.startswith("Bare"):
            assert flip.then - flip.now == gap == D("13200.00")
    discount = next(x for x in found.flips if x.what == "discount")
    assert second.levelled_usd * (1 - discount.then) == pytest.approx(first.levelled_usd)


@pytest.mark.parametrize(
    ("quotes", "words"),
    [
        ([BARE], "two or more"),
        ([BARE, BARE], "stands twice"),
        ([BARE, quote("X", gpus=(1, 1))], "'gpus' is not on the bill of materials"),
    ],
)
def test_what_cannot_be_levelled_is_named(quotes, words):
    """Too few, one vendor twice, an item from nowhere."""
    with pytest.raises(InputErrors) as caught:
        level(SCOPE, quotes)
    assert words in str(caught.value)


def test_quotes_are_read_from_tables_with_every_error():
    """Table, row and column; the whole of it at once."""
    tables = [
        ("acme", "item;quantity;unit_price;currency\nServers;4;200.000,50;EUR\n"),
        ("bolt", "item,quantity,unit_price,included\nservers,0,5,\noptics,2,0,\ncables,2,,maybe\n"),
    ]
    with pytest.raises(InputErrors) as caught:
        read_quotes(tables, lambda code: 1.0)
    texts = [str(error) for error in caught.value.errors]
    assert texts[0].startswith("bolt: row 2, quantity: '0' is below")
    good = read_quotes(tables[:1], lambda code: 1.1)
    assert good[0].lines[0] == Quoted("servers", D(4), D("200000.50"))
    with pytest.raises(InputErrors) as caught:
        read_quotes([("bolt", tables[1][1].replace("servers,0,5,", "servers,1,5,"))], lambda c: 1.0)
    assert ["0 is no price" in str(e) or "neither yes" in str(e) for e in caught.value.errors] == [
        True,
        True,
    ]


def test_a_currency_without_a_rate_and_two_currencies_are_refused():
    """Named by vendor."""

    def none(code):
        raise KeyError(code)

    with pytest.raises(InputErrors, match="EUR has no exchange rate"):
        read_quotes([("a", "item,quantity,unit_price,currency\nx,1,1,EUR")], none)
    mixed = "item,quantity,unit_price,currency\nx,1,1,EUR\ny,1,1,GBP"
    with pytest.raises(InputErrors, match="is in EUR and GBP"):
        read_quotes([("a", mixed)], lambda code: 1.0)


def test_the_scope_is_given_or_the_widest_of_the_quotes():
    """Every item at its largest quantity."""
    given = read_scope("item,quantity,catalog_unit_price,source\nPDUs,2,1500,list\nservers,4,,\n")
    assert given == (Needed("pdus", D(2), D(1500), "list"), Needed("servers", D(4)))
    widest = {one.item: one.quantity for one in scope_of([FULL, SHORT])}
    assert widest == {"servers": 4, "optics": 16, "tax": 1}
    with pytest.raises(InputErrors, match="stands twice"):
        read_scope("item,quantity\na,1\nA,2")


prices = st.integers(1, 10_000)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.tuples(prices, prices, prices), min_size=2, max_size=4), st.randoms())
def test_complete_quotes_are_levelled_to_what_they_say(rows, random):
    """Nothing left out, nothing estimated; the order of the quotes does not matter."""
    scope = [Needed("servers", D(3)), Needed("optics", D(7)), Needed("pdus", D(1))]
    quotes = [
        quote(f"v{i}", servers=(3, a), optics=(7, b), pdus=(1, c))
        for i, (a, b, c) in enumerate(rows)
    ]
    found = level(scope, quotes)
    for one in found.quotes:
        assert one.levelled_usd == one.quoted_usd
        assert one.estimated_usd == 0
        assert one.omissions == ()
    shuffled = list(quotes)
    random.shuffle(shuffled)
    assert level(scope, shuffled).quotes == found.quotes
