"""Numbers with a unit: exact conversion, and refusal of what is not known (U7)."""

from __future__ import annotations

import pytest

from tco.document.quantity import quantity, unit_of
from tco.fields import sections


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("40 kW", "W", 40000.0),
        ("40kW", "W", 40000.0),
        ("0.04 MW", "kW", 40.0),
        ("80 GiB", "GB", 85.89934592),
        ("80 GB", "GB", 80.0),
        ("5.3 TB/s", "GB/s", 5300.0),
        ("400 Gbit/s", "GB/s", 50.0),
        ("80 USD/MWh", "USD/kWh", 0.08),
        ("120 USD/kW-year", "USD/kW-month", 10.0),
        ("120 USD/kW/year", "USD/kW-month", 10.0),
        ("10 USD/W", "USD/kW", 10000.0),
        ("200 request/s", "request/min", 12000.0),
        ("200 requests per s", "request/min", 12000.0),
        ("1 s", "ms", 1000.0),
        ("20 %", "fraction", 0.2),
        ("2.5 %/year", "fraction/year", 0.025),
        ("3 years", "month", 36.0),
        ("1 PFLOP/s", "TFLOP/s", 1000.0),
        ("100 lb", "kg", 45.359237),
        ("0.31 kgCO2e/kWh", "gCO2e/kWh", 310.0),
        ("6000 USD/year", "USD/server-year", 6000.0),
        ("-3.5e2 W", "kW", -0.35),
        ("15 Mtoken", "token", 15e6),
    ],
)
def test_units_convert_exactly(text, unit, expected):
    """The nearest double of the exact result, not of a chain of roundings."""
    assert quantity(text, unit) == expected


def test_btu_per_hour_is_a_power():
    """12,000 BTU/h, a ton of refrigeration, are 3.5168528 kW."""
    assert quantity("12000 BTU/h", "kW") == pytest.approx(3.5168528420667, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "unit", "says", "mend"),
    [
        ("40 kw", "W", "unit 'kw'", "did you mean 'kW'"),
        ("40 parsec", "W", "unit 'parsec'", "use W"),
        ("40 kVA", "kW", "not in a unit of kW", "use kW"),
        ("40 kWh", "kW", "not in a unit of kW", "use kW"),
        ("12 EUR/kW", "USD/kWh", "not in a unit of USD/kWh", "use USD/kWh"),
        ("80 Gb", "GB", "not known", "did you mean"),
        ("40", "W", "without a unit", "write 40 without quotes"),
        ("forty", "W", "is not a number", "40 W"),
        ("NaN", "W", "is not a number", "number in W"),
        ("1e308 W", "W", "beyond any use", "smaller"),
        ("1e999 W", "W", "beyond any use", "smaller"),
        ("1e9999999 W", "W", "not known", "W"),
        ("12,000 W", "W", "not known", "W"),
        ("1 000 W", "W", "is not a number", "W"),
        ("", "W", "is not a number", "W"),
        ("1" * 200 + " W", "W", "is not a number", "W"),
    ],
)
def test_what_cannot_be_meant_is_refused(text, unit, says, mend):
    """kVA is not kW, GB is not Gb, a price is in dollars: no guess, but a mend."""
    with pytest.raises(ValueError, match=r"\w") as caught:
        quantity(text, unit)
    message, hint = caught.value.args
    assert says in message
    assert mend in hint


def test_every_unit_of_the_dictionary_is_known():
    """A field whose unit cannot be converted would refuse every text."""
    units = {field.unit for fields in sections().values() for field in fields.values()}
    assert [unit for unit in units if unit_of(unit) is None] == []
