"""Duty, freight, taxes, insurance, retirement, spares and repairs, by hand (F6, F6.2, F10)."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest

from hardware_catalog.seed.reader import FOLDER
from tco.cost.ledger import fleet_lines
from tco.cost.spares import spares_needed
from tco.errors import InputError
from tco.fields import field
from tco.inputs import Assessment, Failures, Financing
from tests.engine.cost.cast import case_of, fig, finance, purchase
from tests.engine.cost.cast import owned as owned_fleet


def lines_of(servers=2, months=24, **more):
    """Lines by key of two boxes of 200,000 USD."""
    fleet = owned_fleet(purchase=purchase(**more))
    case = case_of(fleet, servers, money=finance(horizon_months=months))
    return {line.key: line for line in fleet_lines(case)}


def test_duty_freight_and_sales_tax_come_with_the_servers():
    """10 % of 400,000; 2 x 3,000; 20 % of 440,000."""
    lines = lines_of(
        duty_fraction=fig(0.1, "fraction"),
        freight_usd_per_server=fig(3_000),
        sales_tax_fraction=fig(0.2, "fraction"),
    )
    assert lines["duty"].start_usd[0] == pytest.approx(40_000)
    assert lines["freight"].start_usd[0] == pytest.approx(6_000)
    assert lines["sales_tax"].start_usd[0] == pytest.approx(88_000)


def test_leased_servers_are_taxed_by_their_payments():
    """20 % of 2 x 5,000 each month, and no duty."""
    terms = Financing("operating_lease", 24, payment_usd_per_server_month=fig(5_000))
    lines = lines_of(
        financing=terms,
        duty_fraction=fig(0.1, "fraction"),
        sales_tax_fraction=fig(0.2, "fraction"),
    )
    assert lines["sales_tax_on_payments"].end_usd == pytest.approx([2_000] * 24)
    assert "duty" not in lines
    assert "sales_tax" not in lines


def test_property_tax_follows_its_schedule():
    """1.2 % of 400,000 x 80 %, then x 50 %, in twelfths; without a schedule a straight line."""
    rate = fig(0.012, "fraction/year")
    lines = lines_of(
        property_tax_fraction_per_year=rate,
        property_tax_schedule=(Assessment(0.8), Assessment(0.5)),
    )
    assert lines["property_tax"].end_usd == pytest.approx([320] * 12 + [200] * 12)
    plain = lines_of(property_tax_fraction_per_year=rate)["property_tax"]
    assert plain.end_usd == pytest.approx([400] * 12 + [320] * 12)
    assert any("straight line" in term.source for term in plain.terms)


def test_insurance_retirement_and_security_are_plain_lines():
    """0.6 % a year of 400,000; 2 x 500 at the end; 12,000 a year."""
    lines = lines_of(
        insurance_fraction_per_year=fig(0.006, "fraction/year"),
        retirement_usd_per_server=fig(500),
        physical_security_usd_per_year=fig(12_000),
    )
    assert lines["insurance"].end_usd == pytest.approx([200] * 24)
    assert lines["retirement"].end_usd == pytest.approx([0] * 23 + [1_000])
    assert lines["physical_security"].end_usd == pytest.approx([1_000] * 24)


def failing(**more):
    """1 failure a device and year, a year's warranty, 300 of labour, parts of 10,000."""
    given = {
        "afr_per_year": fig(1.0, "1/year"),
        "lead_months": fig(1.5, "month"),
        "service_level_fraction": fig(0.95, "fraction"),
        "warranty_months": 12,
        "labour_usd_per_failure": fig(300),
        "part_usd": fig(10_000),
    }
    return Failures(**{**given, **more})


def poisson_spares(expected, level):
    """The definition, term by term."""
    term = total = math.exp(-expected)
    count = 0
    while total < level:
        count += 1
        term *= expected / count
        total += term
    return count


def test_spares_are_the_least_that_serve():
    """Poisson by its terms: 2 expected failures at 95 % need 5."""
    assert float(spares_needed(2.0, 0.95)) == 5
    for expected in (0.01, 0.5, 1.0, 3.7, 20.0, 150.0):
        for level in (0.5, 0.9, 0.95, 0.999):
            assert float(spares_needed(expected, level)) == poisson_spares(expected, level)
    assert spares_needed(np.array([[0.0], [2.0]]), 0.95).tolist() == [[0.0], [5.0]]
    for level in (1.0, -0.1):
        with pytest.raises(InputError):
            spares_needed(1.0, level)


def test_spares_are_bought_and_repairs_paid():
    """16 devices x 1.5/12 is 2 expected: 5 spares; 16/12 failures a month, parts after a year."""
    lines = lines_of(failures=failing())
    assert lines["spares"].start_usd[0] == pytest.approx(50_000)
    assert lines["spares"].total_usd == pytest.approx(50_000)
    month = 16 / 12
    assert lines["repairs"].end_usd == pytest.approx([month * 300] * 12 + [month * 10_300] * 12)


def test_a_part_without_a_price_is_its_share_of_the_server():
    """65 % of 200,000 over 8 devices is 16,250."""
    share = fig(0.65, "fraction")
    line = lines_of(failures=failing(part_usd=None, part_share_fraction=share))["spares"]
    assert line.total_usd == pytest.approx(5 * 16_250)


def test_no_spares_where_none_are_asked_for():
    """A service level of 0 keeps none; a service repairs its own."""
    lines = lines_of(failures=failing(service_level_fraction=fig(0.0, "fraction")))
    assert "spares" not in lines
    terms = Financing("as_a_service", 12, usd_per_unit_month=fig(100))
    assert not {"spares", "repairs"} & set(lines_of(failures=failing(), financing=terms))


def test_the_failure_rate_and_the_share_are_the_catalogs():
    """Defaults of the dictionary are the rows of the catalog, with the same source."""
    with (FOLDER / "cost_factors.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["factor"]: row for row in csv.DictReader(file)}
    rate, given = rows["GPU + HBM failures per GPU-year"], field("failures", "afr_per_year")
    assert float(given.default) == float(rate["value_mid"])
    assert "arXiv:2407.21783" in given.source
    share = rows["GPU share of 8-GPU server cost"]
    given = field("failures", "part_share_fraction")
    assert float(given.default) == float(share["value_mid"]) / 100
    assert share["source"].removeprefix("https://") in given.source
