"""Invariants of financing, charges and both views over drawn fleets (F23.1, 2, 4, 9, 12, 13)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tco.cost.accounting import views
from tco.cost.case import Calendar
from tco.cost.fiscal import fiscal_years
from tco.cost.ledger import Book, OptionCase, build_ledger
from tco.inputs import Assessment, Failures, Finance, Financing, Fleet, Instalment, Purchase, Tax
from tests.engine.cost.cast import case_of, fig, finance, option, owned, purchase, site

drawn = settings(max_examples=120, deadline=None, derandomize=True)

rates = st.floats(0.0, 0.3).map(lambda x: fig(round(x, 4), "1/yr"))
shares = st.floats(0.0, 0.5).map(lambda x: fig(round(x, 4), "fraction"))
usd = st.floats(1.0, 50_000.0).map(lambda x: fig(round(x, 2)))


@st.composite
def financings(draw: st.DrawFn) -> Financing | None:
    """Cash, or any other kind with any of its terms."""
    kind = draw(
        st.sampled_from(["cash", "loan", "finance_lease", "operating_lease", "as_a_service"])
    )
    term = draw(st.sampled_from([1, 6, 12, 23, 36, 90]))
    timing = draw(st.sampled_from(["arrears", "advance"]))
    rise = draw(st.none() | rates)
    if kind == "cash":
        return draw(st.none() | st.just(Financing()))
    if kind == "loan":
        return Financing(kind, term, draw(rates), draw(st.none() | shares))
    common: dict[str, Any] = {
        "payment_timing": timing,
        "payment_rise_fraction_per_year": rise,
    }
    if kind == "as_a_service":
        minimum = draw(st.none() | st.integers(0, 60))
        return Financing(kind, term, usd_per_unit_month=draw(usd), minimum_count=minimum, **common)
    pay: dict[str, Any] = {"payment_usd_per_server_month": draw(usd)}
    if draw(st.booleans()):
        factor = draw(st.floats(0.001, 0.2).map(lambda x: fig(round(x, 4), "1/month")))
        pay = {"rate_factor_fraction_per_month": factor}
    end = draw(st.sampled_from(["renew", "return", "buyout"]))
    if end == "buyout":
        term = min(term, 23)  # shorter than any life below
        pay["buyout_fraction"] = draw(shares)
    if end == "return":
        pay["return_usd_per_server"] = draw(usd)
    return Financing(kind, term, draw(rates), at_end=end, **pay, **common)


@st.composite
def purchases(draw: st.DrawFn) -> Purchase:
    """Every charge, some of them left out."""
    financing = draw(financings())
    cash = financing is None or financing.kind == "cash"
    parts = (Instalment(0.3), Instalment(0.6, 4), Instalment(0.1, draw(st.integers(0, 60))))
    failures = Failures(
        draw(st.floats(0.0, 2.0).map(lambda x: fig(x, "1/yr"))),
        fig(draw(st.floats(0.0, 6.0)), "month"),
        fig(draw(st.sampled_from([0.0, 0.5, 0.95])), "fraction"),
        draw(st.sampled_from([0, 12, 60])),
        draw(usd),
        part_usd=draw(st.none() | usd),
        part_share_fraction=fig(0.65, "fraction"),
    )
    return purchase(
        financing=financing,
        instalments=parts if cash and draw(st.booleans()) else (),
        order_lead_months=draw(st.sampled_from([0, 3])),
        price_change_fraction_per_year=draw(
            st.none() | st.floats(-0.4, 0.4).map(lambda x: fig(x, "1/yr"))
        ),
        duty_fraction=draw(st.none() | shares),
        freight_usd_per_server=draw(st.none() | usd),
        sales_tax_fraction=draw(st.none() | shares),
        property_tax_fraction_per_year=draw(st.none() | rates),
        property_tax_schedule=draw(st.sampled_from([(), (Assessment(0.8), Assessment(0.3))])),
        insurance_fraction_per_year=draw(st.none() | rates),
        retirement_usd_per_server=draw(st.none() | usd),
        physical_security_usd_per_year=draw(st.none() | usd),
        support_fraction_per_year=draw(st.none() | rates),
        residual_fraction=draw(st.none() | shares),
        life_months=draw(st.sampled_from([24, 36, 60])),
        book_life_months=draw(st.none() | st.sampled_from([12, 48, 72])),
        failures=draw(st.none() | st.just(failures)),
    )


@st.composite
def moneys(draw: st.DrawFn) -> Finance:
    """Conventions, with or without tax."""
    tax = Tax(fig(0.21, "fraction"), draw(st.sampled_from(["macrs_5", "straight_line"])), 4, 0.2)
    return finance(
        horizon_months=draw(st.sampled_from([1, 12, 36, 60])),
        discount_rate_fraction=draw(rates),
        opex_escalation_fraction=draw(st.none() | rates),
        fiscal_year_start_month=draw(st.integers(1, 12)),
        lease_standard=draw(st.sampled_from(["asc_842", "ifrs_16"])),
        tax=draw(st.none() | st.just(tax)),
    )


def cased(terms: Purchase, money: Finance, servers: list[int], price: float = 1.0) -> OptionCase:
    """One fleet that grows as said."""
    base = owned(purchase=terms, site=site())
    machine = replace(base.server, price_usd=fig(200_000 * price))
    fleet: Fleet = replace(base, server=machine)
    months = money.horizon_months
    counts = [servers[min(month // 12, len(servers) - 1)] for month in range(months)]
    case = case_of(fleet, counts, money=money)
    return OptionCase(option("own", fleet), Calendar.of(money), (case,))


counts = st.lists(st.integers(0, 6), min_size=1, max_size=5).map(sorted)


@drawn
@given(terms=purchases(), money=moneys(), servers=counts)
def test_both_views_add_up_to_the_ledger(terms, money, servers):
    """Lines, cash and account have one total; years are sums of months (F23.1, 9, 13)."""
    case = cased(terms, money, servers)
    ledger = build_ledger(case)
    assert ledger.complete
    view = views(case, ledger)
    total = math.fsum(line.total_usd for line in ledger.lines)
    scale = max(1.0, sum(abs(line.total_usd) for line in ledger.lines))
    for found in (
        math.fsum(view.cash_usd),
        math.fsum(view.pnl_usd),
        math.fsum(row.total_usd for row in view.cash),
        math.fsum(row.total_usd for row in view.pnl),
    ):
        assert found == pytest.approx(total, abs=1e-9 * scale + 1e-6)
    _, places = fiscal_years(
        money.valuation_date, money.horizon_months, money.fiscal_year_start_month
    )
    for line, row in zip(ledger.lines, view.cash, strict=True):
        monthly = np.add(line.start_usd, line.end_usd)
        by_year = [monthly[np.array(places) == place].sum() for place in range(len(view.years))]
        assert row.years_usd == pytest.approx(by_year, abs=1e-6)
    assert all(math.isfinite(usd) for row in view.pnl for usd in row.years_usd)


@drawn
@given(terms=purchases(), money=moneys(), servers=counts)
def test_without_a_rate_the_value_is_the_plain_sum(terms, money, servers):
    """F23.2."""
    free = replace(money, discount_rate_fraction=fig(0.0, "1/yr"))
    book = Book.of(build_ledger(cased(terms, free, servers)))
    assert book.present_usd() == pytest.approx(book.plain_usd(), rel=1e-12, abs=1e-6)


@drawn
@given(terms=purchases(), money=moneys())
def test_no_servers_cost_nothing(terms, money):
    """Only a commitment is paid without use (F23.12)."""
    case = cased(terms, money, [0])
    ledger = build_ledger(case)
    free = {"as_a_service_unused", "sales_tax_on_payments", "tax_on_running_costs"}
    assert [x.key for x in ledger.lines if x.total_usd != 0.0 and x.key not in free] == []
    assert all(math.isfinite(usd) for line in ledger.lines for usd in line.end_usd)


@drawn
@given(terms=purchases(), money=moneys(), servers=counts)
def test_twice_the_machines_cost_twice_as_much(terms, money, servers):
    """All but spares, which are whole, and what is bought once for the fleet (F23.4)."""
    alone = replace(terms, physical_security_usd_per_year=None, failures=None)
    given_terms = alone.financing
    if given_terms is not None and given_terms.minimum_count:
        doubled = replace(given_terms, minimum_count=2 * given_terms.minimum_count)
    else:
        doubled = given_terms
    once = Book.of(build_ledger(cased(alone, money, servers)))
    twice = Book.of(
        build_ledger(cased(replace(alone, financing=doubled), money, [2 * x for x in servers]))
    )
    chosen = {"racks", "electricity_energy", "electricity_demand", "electricity_fixed"}
    values = [
        book.present_usd(lambda line: line.key not in chosen and line.category != "tax")
        for book in (once, twice)
    ]
    assert values[1] == pytest.approx(2.0 * values[0], rel=1e-9, abs=1e-6)


@drawn
@given(terms=purchases(), money=moneys(), servers=counts)
def test_a_loan_of_no_interest_costs_what_cash_does(terms, money, servers):
    """Principal is no cost: undiscounted, it comes and goes."""
    untaxed = replace(money, tax=None)
    lent = Financing("loan", 18, fig(0.0, "1/yr"))
    plain = replace(terms, financing=None)
    totals = [
        Book.of(build_ledger(cased(each, untaxed, servers))).plain_usd()
        for each in (plain, replace(plain, financing=lent, instalments=()))
    ]
    assert totals[0] == pytest.approx(totals[1], rel=1e-9, abs=1e-5)
