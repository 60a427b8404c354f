"""Currencies and their dated rates (F0.6).

The unit of account of a scenario is its reporting currency. In names of the engine `usd` reads
"the unit of account": US dollars unless `finance.currency` says otherwise (decision 9).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tco.units import date_of, month_start

BASE = "USD"  # of the catalog, and of a number without a currency


@dataclass(frozen=True, slots=True)
class Currency:
    """A currency of ISO 4217: code, symbol as printed, digits behind the point, name."""

    code: str
    symbol: str
    decimals: int
    name: str


CURRENCIES: dict[str, Currency] = {
    code: Currency(code, symbol, decimals, name)
    for code, symbol, decimals, name in (
        ("USD", "$", 2, "US dollar"),
        ("EUR", "€", 2, "Euro"),
        ("GBP", "£", 2, "Pound sterling"),
        ("CHF", "CHF", 2, "Swiss franc"),
        ("JPY", "¥", 0, "Yen"),
        ("CNY", "CN¥", 2, "Yuan renminbi"),
        ("HKD", "HK$", 2, "Hong Kong dollar"),
        ("TWD", "NT$", 2, "New Taiwan dollar"),
        ("KRW", "₩", 0, "Won"),
        ("SGD", "S$", 2, "Singapore dollar"),
        ("INR", "₹", 2, "Indian rupee"),
        ("IDR", "Rp", 2, "Rupiah"),
        ("MYR", "RM", 2, "Malaysian ringgit"),
        ("THB", "฿", 2, "Baht"),
        ("AUD", "A$", 2, "Australian dollar"),
        ("NZD", "NZ$", 2, "New Zealand dollar"),
        ("CAD", "CA$", 2, "Canadian dollar"),
        ("MXN", "MX$", 2, "Mexican peso"),
        ("BRL", "R$", 2, "Brazilian real"),
        ("CLP", "CLP$", 0, "Chilean peso"),
        ("SEK", "SEK", 2, "Swedish krona"),
        ("NOK", "NOK", 2, "Norwegian krone"),
        ("DKK", "DKK", 2, "Danish krone"),
        ("ISK", "ISK", 0, "Iceland krona"),
        ("PLN", "zł", 2, "Zloty"),
        ("CZK", "Kč", 2, "Czech koruna"),
        ("HUF", "Ft", 2, "Forint"),
        ("RON", "RON", 2, "Romanian leu"),
        ("TRY", "₺", 2, "Turkish lira"),
        ("ILS", "₪", 2, "New Israeli sheqel"),
        ("AED", "AED", 2, "UAE dirham"),
        ("SAR", "SAR", 2, "Saudi riyal"),
        ("QAR", "QAR", 2, "Qatari rial"),
        ("ZAR", "R", 2, "Rand"),
    )
}


@dataclass(frozen=True, slots=True)
class ExchangeRate:
    """US dollars for one unit of a currency, from a day on until the next rate."""

    currency: str
    usd_per_unit: float
    date: str  # ISO, or a year or month as sources give them
    source: str


@dataclass(frozen=True, slots=True)
class Foreign:
    """What a figure was before it was converted: its amount, currency and the rate used.

    `account_per_unit` is the unit of account for one of the currency, at month 0. `rate_date` and
    `rate_source` name every rate it was made from: that of the currency, and that of the
    reporting currency where it is not the dollar.
    """

    currency: str
    value: float
    account_per_unit: float = 1.0
    rate_date: str = ""
    rate_source: str = ""


@dataclass(frozen=True, slots=True)
class ExchangePath:
    """One currency in the reporting currency, month by month: fx(m) of F0.6."""

    currency: str
    account_per_unit: tuple[float, ...]  # reporting currency for one unit, by month
    rate_date: str  # of the rate of month 0
    rate_source: str
    dates: tuple[str, ...] = ()  # of every rate that some month uses

    @property
    def flat(self) -> bool:
        """Whether one rate holds for all months."""
        return len(set(self.account_per_unit)) <= 1


def path_of(
    currency: str, reporting: str, rates: Iterable[ExchangeRate], start: str, months: int
) -> ExchangePath:
    """Return fx(m): the latest rate dated on or before month m, of both currencies (F0.6).

    A month before the first rate of a currency has the first one.

    Parameters
    ----------
    currency, reporting
        ISO codes.
    rates
        Rates in US dollars; those of other currencies are passed over.
    start
        ISO day of month 0.
    months
        Length of the path; at least one value is returned.

    Raises
    ------
    KeyError
        A currency without a rate, with its code.

    Examples
    --------
    >>> rates = [ExchangeRate("EUR", 1.1, "2026-01", "x"), ExchangeRate("EUR", 1.2, "2026-03", "x")]
    >>> path_of("EUR", "USD", rates, "2026-01-15", 4).account_per_unit
    (1.1, 1.1, 1.2, 1.2)
    """
    listed = tuple(rates)
    own, other = (_in_order(code, listed) for code in (currency, reporting))
    values: list[float] = []
    first: tuple[ExchangeRate, ...] = ()
    dates: dict[str, None] = {}
    for month in range(max(1, months)):
        pair = tuple(_valid(table, start, month) for table in (own, other))
        used = tuple(rate for rate in pair if rate.currency != BASE)
        first = used if month == 0 else first
        dates |= dict.fromkeys(rate.date for rate in used)
        values.append(1.0 if currency == reporting else pair[0].usd_per_unit / pair[1].usd_per_unit)
    return ExchangePath(
        currency,
        tuple(values),
        ", ".join(dict.fromkeys(rate.date for rate in first)),
        "; ".join(dict.fromkeys(rate.source for rate in first)),
        tuple(dates),
    )


def _in_order(code: str, rates: Sequence[ExchangeRate]) -> tuple[ExchangeRate, ...]:
    if code == BASE:
        return (ExchangeRate(BASE, 1.0, "", ""),)
    own = (rate for rate in rates if rate.currency == code)
    found = tuple(sorted(own, key=lambda rate: (str(date_of(rate.date)), rate.date)))
    if not found:
        raise KeyError(code)
    return found


def _valid(table: Sequence[ExchangeRate], start: str, month: int) -> ExchangeRate:
    first_day = date_of(start)
    if first_day is None:
        return table[-1]
    day = month_start(first_day, month)
    begun = [rate for rate in table if (date_of(rate.date) or day) <= day]
    return begun[-1] if begun else table[0]
