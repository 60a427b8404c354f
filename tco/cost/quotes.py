"""Vendor quotes on one bill of materials, levelled to equal scope (F24).

What a vendor leaves out is named and priced: a quantity he quotes too low at his own unit price,
an item he does not quote at the mean of the others', tax, freight and installation at the mean of
the others' shares of goods. Each such amount is estimated. An item that nobody prices leaves the
total open, and an open total is not ranked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from tco.errors import InputError, InputErrors
from tco.results.rounding import cents

# What quotes leave out most: items by share of goods, and items by the piece.
SHARES = ("tax", "freight", "installation")
USUAL = ("optics", "pdus", "support_years", *SHARES)


@dataclass(frozen=True, slots=True)
class Needed:
    """One item of the bill of materials; a price of the catalog stands in where nobody quotes."""

    item: str
    quantity: Decimal
    catalog_unit_usd: Decimal | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class Quoted:
    """One item of a quote: unit price in the vendor's currency; None: included in the others."""

    item: str
    quantity: Decimal
    unit_price: Decimal | None


@dataclass(frozen=True, slots=True)
class Quote:
    """One vendor's quote in one currency; `account_per_unit` converts it (F0.6)."""

    vendor: str
    currency: str
    lines: tuple[Quoted, ...]
    account_per_unit: Fraction = Fraction(1)
    valid_until: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One item of one vendor at the quantity needed, in the unit of account."""

    item: str
    needed: Decimal
    quoted: Decimal | None  # None: not in the quote
    quoted_usd: Decimal  # as the vendor wrote it
    levelled_usd: Decimal | None  # None: nobody prices it
    estimated_usd: Decimal  # the part that the quote does not say
    why: str = ""


@dataclass(frozen=True, slots=True)
class Levelled:
    """One quote at equal scope."""

    vendor: str
    currency: str
    cells: tuple[Cell, ...]
    quoted_usd: Decimal
    levelled_usd: Decimal | None
    valid_until: str = ""

    @property
    def omissions(self) -> tuple[Cell, ...]:
        """What the quote does not hold, or holds too little of."""
        return tuple(cell for cell in self.cells if cell.why)

    @property
    def estimated_usd(self) -> Decimal:
        """The part of the levelled total that is estimated."""
        return sum((cell.estimated_usd for cell in self.cells), Decimal(0))


@dataclass(frozen=True, slots=True)
class Flip:
    """What would make the second vendor as cheap as the first."""

    what: str
    now: Decimal
    then: Decimal
    unit: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Levelling:
    """All quotes at equal scope, the cheapest first; those with an open total at the end."""

    currency: str
    quotes: tuple[Levelled, ...]
    as_quoted: tuple[str, ...]  # vendors by the totals they wrote
    flips: tuple[Flip, ...]


def level(needed: Sequence[Needed], quotes: Sequence[Quote], currency: str = "USD") -> Levelling:
    """Level quotes to the scope of a bill of materials and rank them.

    Raises
    ------
    InputErrors
        Fewer than two quotes, a vendor twice, an item that the bill of materials does not have.

    Examples
    --------
    >>> two = [Quote("A", "USD", (Quoted("servers", Decimal(2), Decimal(100)),)),
    ...        Quote("B", "USD", (Quoted("servers", Decimal(2), Decimal(90)),
    ...                           Quoted("optics", Decimal(4), Decimal(10))))]
    >>> found = level([Needed("servers", Decimal(2)), Needed("optics", Decimal(4))], two)
    >>> [(one.vendor, str(one.levelled_usd)) for one in found.quotes], found.as_quoted
    ([('B', '220.00'), ('A', '240.00')], ('A', 'B'))
    """
    _refuse(needed, quotes)
    prices = {quote.vendor: _unit_prices(quote) for quote in quotes}
    goods = {
        quote.vendor: _goods(quote, needed, prices) for quote in quotes
    }  # levelled goods: what shares are taken of
    levelled = [_levelled(quote, needed, prices, goods) for quote in quotes]
    ranked = sorted(
        levelled, key=lambda one: (one.levelled_usd is None, one.levelled_usd or 0, one.vendor)
    )
    by_quote = sorted(levelled, key=lambda one: (one.quoted_usd, one.vendor))
    return Levelling(
        currency,
        tuple(ranked),
        tuple(one.vendor for one in by_quote),
        _flips(ranked, {quote.vendor: quote for quote in quotes}, currency),
    )


def _refuse(needed: Sequence[Needed], quotes: Sequence[Quote]) -> None:
    errors = []
    vendors = [quote.vendor for quote in quotes]
    if len(quotes) < 2:
        errors.append(InputError("quotes", f"{len(quotes)} quote", "give two or more to compare"))
    errors += [
        InputError(f"quote {name}", "stands twice", "name each vendor once")
        for name in dict.fromkeys(vendors)
        if vendors.count(name) > 1
    ]
    known = {one.item for one in needed}
    for quote in quotes:
        items = [line.item for line in quote.lines]
        errors += [
            InputError(
                f"quote {quote.vendor}",
                f"{item!r} is not on the bill of materials",
                f"add it there, or use one of {', '.join(sorted(known))}",
            )
            for item in dict.fromkeys(items)
            if item not in known
        ]
        errors += [
            InputError(f"quote {quote.vendor}", f"{item!r} stands twice", "join the two rows")
            for item in dict.fromkeys(items)
            if items.count(item) > 1
        ]
    if errors:
        raise InputErrors(tuple(errors))


Prices = dict[str, tuple[Fraction, Fraction]]  # item -> quantity, unit price in the unit of account


def _unit_prices(quote: Quote) -> Prices:
    return {
        line.item: (
            Fraction(line.quantity),
            Fraction(line.unit_price or 0) * quote.account_per_unit,
        )
        for line in quote.lines
    }


def _mean_of_others(item: str, vendor: str, prices: Mapping[str, Prices]) -> Fraction | None:
    """Mean unit price of those who ask one; what is included at no price says nothing."""
    others = [
        own[item][1]
        for name, own in prices.items()
        if name != vendor and item in own and own[item][1] > 0
    ]
    return sum(others, Fraction(0)) / len(others) if others else None


def _piece(
    quote: Quote, one: Needed, prices: Mapping[str, Prices]
) -> tuple[Fraction | None, Fraction, str]:
    """Levelled amount, the estimated part of it, and what was missing, of an item by the piece."""
    need, own = Fraction(one.quantity), prices[quote.vendor]
    if one.item in own:
        quantity, unit = own[one.item]
        short = need - quantity
        if short > 0 and unit > 0:
            return need * unit, short * unit, f"{_count(short)} missing, at the vendor's own price"
        more = f"{_count(-short)} more quoted than needed" if short < 0 and unit else ""
        return need * unit, Fraction(0), more
    mean = _mean_of_others(one.item, quote.vendor, prices)
    if mean is not None:
        return need * mean, need * mean, "not quoted: mean of the others' prices"
    if one.catalog_unit_usd is not None:
        amount = need * Fraction(one.catalog_unit_usd)
        said = f" ({one.source})" if one.source else ""
        return amount, amount, f"not quoted by anybody: price of the catalog{said}"
    return None, Fraction(0), "not quoted by anybody, and no price of the catalog"


def _goods(quote: Quote, needed: Sequence[Needed], prices: Mapping[str, Prices]) -> Fraction:
    found = (_piece(quote, one, prices)[0] for one in needed if one.item not in SHARES)
    return sum((amount for amount in found if amount is not None), Fraction(0))


def _share(
    quote: Quote,
    one: Needed,
    prices: Mapping[str, Prices],
    goods: Mapping[str, Fraction],
) -> tuple[Fraction | None, Fraction, str]:
    """The same for tax, freight and installation: by the others' shares of their own goods.

    A vendor's own amount follows his goods when the scope does: it stays the share he asked.
    """
    if one.item in prices[quote.vendor]:
        amount = _asked(prices[quote.vendor], one.item)
        quoted = _quoted_goods(prices[quote.vendor])
        levelled = amount * goods[quote.vendor] / quoted if quoted and one.item == "tax" else amount
        why = "tax follows the goods of equal scope" if levelled != amount else ""
        return levelled, levelled - amount, why
    shares = [
        _asked(own, one.item) / _quoted_goods(own)
        for vendor, own in prices.items()
        if vendor != quote.vendor and one.item in own and _quoted_goods(own)
    ]
    shares = [share for share in shares if share > 0]
    if shares:
        mean = sum(shares, Fraction(0)) / len(shares)
        amount = mean * goods[quote.vendor]
        return amount, amount, f"not quoted: {float(mean):.2%} of goods, mean of the others"
    if one.catalog_unit_usd is not None:
        amount = Fraction(one.quantity) * Fraction(one.catalog_unit_usd)
        said = f" ({one.source})" if one.source else ""
        return amount, amount, f"not quoted by anybody: price of the catalog{said}"
    return None, Fraction(0), "not quoted by anybody, and no price of the catalog"


def _asked(own: Prices, item: str) -> Fraction:
    quantity, unit = own[item]
    return quantity * unit


def _quoted_goods(own: Prices) -> Fraction:
    return sum((q * unit for item, (q, unit) in own.items() if item not in SHARES), Fraction(0))


def _levelled(
    quote: Quote,
    needed: Sequence[Needed],
    prices: Mapping[str, Prices],
    goods: Mapping[str, Fraction],
) -> Levelled:
    cells = []
    quantities = {line.item: line.quantity for line in quote.lines}
    for one in needed:
        if one.item in SHARES:
            amount, estimated, why = _share(quote, one, prices, goods)
        else:
            amount, estimated, why = _piece(quote, one, prices)
        own = prices[quote.vendor]
        asked = _asked(own, one.item) if one.item in own else Fraction(0)
        cells.append(
            Cell(
                one.item,
                one.quantity,
                quantities.get(one.item),
                _money(asked),
                None if amount is None else _money(amount),
                _money(estimated),
                why,
            )
        )
    known = [cell.levelled_usd for cell in cells if cell.levelled_usd is not None]
    return Levelled(
        quote.vendor,
        quote.currency,
        tuple(cells),
        sum((cell.quoted_usd for cell in cells), Decimal(0)),
        sum(known, Decimal(0)) if len(known) == len(cells) else None,
        quote.valid_until,
    )


def _flips(
    ranked: Sequence[Levelled], quotes: Mapping[str, Quote], currency: str
) -> tuple[Flip, ...]:
    """What closes the gap between the first two: a discount, an estimate, a rate."""
    closed = [one for one in ranked if one.levelled_usd is not None]
    if len(closed) < 2:
        return ()
    first, second = closed[:2]
    a, b = first.levelled_usd or Decimal(0), second.levelled_usd or Decimal(0)
    gap = b - a
    found = []
    if b:
        share = gap / b
        words = (
            f"{second.vendor} would match {first.vendor} with {share:.1%} off its levelled total"
        )
        found.append(Flip("discount", Decimal(0), share, "fraction", f"{words}."))
    for one, way in ((first, 1), (second, -1)):
        for cell in one.cells:
            then = cell.estimated_usd + way * gap
            if cell.estimated_usd and then >= 0:
                words = f"{one.vendor}'s {cell.item}, estimated at {cell.estimated_usd:,.2f}"
                sentence = f"{words}, would have to be {then:,.2f} {currency} to level the two."
                found.append(Flip(cell.item, cell.estimated_usd, then, currency, sentence))
        rate = quotes[one.vendor].account_per_unit
        own = Fraction(one.levelled_usd or 0) - Fraction(one.estimated_usd)
        if one.currency != currency and own:
            then_rate = rate * (1 + way * Fraction(gap) / own)
            if then_rate > 0:
                now, then = (Decimal(f"{float(x):.6g}") for x in (rate, then_rate))
                sentence = (
                    f"The two are level at {then} {currency} for one {one.currency}, now {now}."
                )
                unit = f"{currency}/{one.currency}"
                found.append(Flip(f"rate of {one.currency}", now, then, unit, sentence))
    return tuple(found)


def _count(value: Fraction) -> str:
    return f"{float(value):g}"


def _money(value: Fraction) -> Decimal:
    return cents(Decimal(round(value * 100)).scaleb(-2))
