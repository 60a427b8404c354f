"""What finance complained of in such tools (UP17 to UP40), each with the right value.

UP17, UP21, UP23 and UP33 stand in `test_money_reports`; currencies and price books (UP27, UP28)
have their own files.
"""

from __future__ import annotations

import pytest

from tco.cost.hybrid import hybrids
from tco.document.values import default_figure, values
from tco.fields import field
from tco.projection import option_cases, project
from tests.cases.plain_document import at, codes, inputs, kpi, lines, own, projected, refusals, rent

HOURS = 8760


def _years(found, kind):
    """Yearly amounts of one kind in the P&L of the first option."""
    views = found.options[0].views
    rows = [row for row in views.pnl if row.kind == kind]
    return [sum(row.years_usd[year] for row in rows) for year in range(len(views.years))]


def test_up19_assets_have_dates_lives_and_a_rest():
    """opencost 3834: no purchase date, no amortisation. Bought in July, 60 months, 10 % resale."""
    found = projected(
        at("finance.valuation_date", "2026-07-01"),
        at("finance.horizon_months", 60),
        own("purchase", {"server_usd": 240_000, "life_months": 60, "residual_fraction": 0.1}),
    )
    assert found.options[0].views.years[0] == "FY2026"
    assert _years(found, "depreciation") == pytest.approx([48e3, 96e3, 96e3, 96e3, 96e3, 48e3])
    assert lines(found.options[0])["residual"].total_usd == pytest.approx(-48_000)
    assert lines(found.options[0])["servers"].start_usd[0] == pytest.approx(480_000)


def test_up20_one_life_for_everybody():
    """configiq 92: two tools of one product wrote off over 3 and over 5 years."""
    assert values("purchase", {})["life_months"] == 60
    found = projected(at("finance.horizon_months", 60), own("purchase", {"server_usd": 240_000}))
    spread = _years(found, "depreciation")
    assert sum(spread) == pytest.approx(480_000)
    assert "60 months" in " ".join(found.options[0].views.notes)


def test_up24_the_key_of_a_shared_cost_is_named():
    """opencost-website 90: the ratio of on-premises costs was nowhere written."""
    hall = at("sites.0.hall_kw", 100)
    shared = projected(at("sites.0.build", {"usd_per_kw": 10_000, "life_years": 15}), hall)
    provisioned = shared.options[0].power[0].it_provisioned_kw
    built = lines(shared.options[0])["facility_build"]
    assert built.total_usd == pytest.approx(provisioned * 10_000 / 15)
    whole = projected(at("sites.0.build", {"usd_per_kw": 10_000, "charge": "whole"}), hall)
    own_part = lines(whole.options[0])["facility_build"].total_usd
    unused = lines(whole.options[0])["facility_stranded"].total_usd
    assert own_part == pytest.approx(provisioned * 10_000)
    assert own_part + unused == pytest.approx(100 * 10_000)
    assert "provisioned" in built.formula


def test_up29_quantity_times_price_is_the_line():
    """infracost 1698: a reader took the sum for the price of each. Three columns, always."""
    servers = lines(projected().options[0])["servers"]
    terms = {term.name: term for term in servers.terms}
    counts = [term for term in terms.values() if term.unit == "servers"]
    prices = [term for term in terms.values() if term.unit.startswith("USD")]
    assert [counts[0].value, prices[0].value] == [2, 240_000]
    assert counts[0].value * prices[0].value == servers.total_usd


def test_up30_owned_machines_have_their_power():
    """llm-d-planner 70, InferenceX 155, codecarbon 416: no price, PUE, idle draw, power budget."""
    base = projected()
    bill = lines(base.options[0])["electricity_energy"].total_usd
    dearer = projected(at("sites.0.energy_usd_per_kwh", 0.2))
    assert lines(dearer.options[0])["electricity_energy"].total_usd == pytest.approx(2 * bill)
    cooler = projected(at("sites.0.pue", 1.0))
    assert lines(cooler.options[0])["electricity_energy"].total_usd == pytest.approx(bill / 1.25)
    device = {"key": "calm", "like": "h100-sxm", "idle_w": 20}
    calm = projected(
        at("catalog.devices", [device]),
        at(
            "catalog.servers",
            [{"key": "box", "like": "supermicro-sys-821ge-tnhr", "device": "calm"}],
        ),
        own("server", "box"),
        own("device", None),
    )
    assert lines(calm.options[0])["electricity_energy"].total_usd < bill
    capped = projected(at("sites.0.hall_kw", 15))
    assert codes(capped)["hall_exceeded"].startswith("sites[0]")
    assert not capped.options[0].feasible


def test_up32_input_cached_and_output_apart():
    """configiq 10, inference-perf 139, InferenceX 552: one rate for all tokens."""
    terms = {
        **{"provider": "P", "input_usd_per_mtok": 1, "cached_input_usd_per_mtok": 0.1},
        "output_usd_per_mtok": 4,
    }
    found = projected(
        at("options.1.fleets", [{"key": "api", "workload": "chat", "api": terms}]),
        at("workloads.0.cached_input_fraction", 0.75),
    )
    bill = {key: line.total_usd for key, line in lines(found.options[1]).items()}
    million = 600 * 60 * HOURS / 1e6
    assert bill["api_input"] == pytest.approx(million * 250 * 1)
    assert bill["api_cached_input"] == pytest.approx(million * 750 * 0.1)
    assert bill["api_output"] == pytest.approx(million * 250 * 4)


def test_up34_a_fifth_of_the_use_costs_five_times_a_token():
    """llmtco.com, gera.services: utilisation decides and calculators hide it."""
    zero = (at("sites.0.energy_usd_per_kwh", 0),)
    busy = kpi(projected(*zero), 0, "usd_per_mtok_output").value
    idle = kpi(
        projected(*zero, at("workloads.0.requests_per_minute", 120)), 0, "usd_per_mtok_output"
    ).value
    assert idle == pytest.approx(5 * busy)
    crossings = projected().crossings
    assert any(crossing.what == "use_hours_per_day" for crossing in crossings)


def test_up36_schedules_and_lives_differ():
    """Straight line over 5 or 6 years breaks matching: at least three schedules, any book life."""
    tax = {"rate_fraction": 0.25, "life_years": 5}
    months = at("finance.horizon_months", 60)
    basis = at("finance.discount_basis", "nominal_after_tax")
    shields = []
    for schedule in ("straight_line", "declining", "macrs_5"):
        found = projected(months, basis, at("finance.tax", tax | {"depreciation": schedule}))
        shields.append(tuple(lines(found.options[0])["tax_shield_depreciation"].end_usd))
    assert len(set(shields)) == 3
    for life, yearly in ((36, 160e3), (48, 120e3), (60, 96e3)):
        found = projected(
            at("finance.valuation_date", "2026-01-01"),
            months,
            own("purchase", {"server_usd": 240_000, "book_life_months": life}),
        )
        assert _years(found, "depreciation")[0] == pytest.approx(yearly)


def test_up37_every_class_is_a_line():
    """randomcalculators.com: capital x (1 + overhead) + watts x PUE + a lump sum."""
    terms = {
        **{"server_usd": 240_000, "network_usd_per_server": 25_000},
        **{"support_fraction_per_year": 0.05, "staff_usd_per_server_year": 6000},
        **{"software_usd_per_device_year": 4500, "integration_usd_per_server": 2000},
        "failures": {"lead_months": 1, "warranty_months": 0, "labour_usd_per_failure": 200},
    }
    found = lines(projected(own("purchase", terms)).options[0])
    assert {
        *("servers", "network", "integration", "support", "staff", "software"),
        *("spares", "repairs", "electricity_energy"),
    } <= set(found)
    assert found["network"].total_usd == 50_000
    assert found["software"].total_usd == pytest.approx(2 * 8 * 4500)
    assert found["support"].total_usd == pytest.approx(2 * 240_000 * 0.05)
    assert "storage" in lines(
        projected(
            rent("rental.storage", [{"name": "s", "gb": 100, "usd_per_gb_month": 0.1}])
        ).options[1]
    )


def test_up39_no_year_off_by_one_and_nothing_twice():
    """REopt: a published pro-forma had cells swapped, a year shifted, running costs twice."""
    found = projected(
        at("finance.valuation_date", "2026-01-01"),
        at("finance.horizon_months", 36),
        at("sites.0.energy_usd_per_kwh", 0),
        own(
            "purchase", {"server_usd": 36_000, "life_months": 36, "staff_usd_per_server_year": 600}
        ),
    )
    views = found.options[0].views
    assert views.years == ("FY2026", "FY2027", "FY2028")
    assert views.cash_usd == pytest.approx([72_000 + 1200, 1200, 1200])
    assert views.pnl_usd == pytest.approx([24_000 + 1200] * 3)
    assert views.capex_usd == pytest.approx([72_000, 0, 0])


def test_up40_a_metric_keeps_its_name_and_says_its_base():
    """InferenceX-app 952: a metric was redefined and old charts showed other numbers."""
    found = projected()
    units = {key: one.unit for key, one in found.options[0].kpis.items()}
    assert units["tco_usd"] == "USD"
    assert units["usd_per_mtok_output"].startswith("USD")
    for one in found.options[0].kpis.values():
        assert one.formula, one.key
        assert one.label, one.key
    assert found.engine_version
    assert found.input_hash


def test_staff_runs_the_base_of_a_hybrid_too():
    """F14 with F9.2: all owned and all rented cost in the curve what their options cost."""
    changes = (
        at("workloads.0.requests_per_minute", 9000),
        at("workloads.0.daily_shape", [0.3] * 12 + [1.0] * 4 + [0.3] * 8),
        at("staffing", {"usd_per_fte_year": 120_000, "base_fte": 0.5, "fte_per_server": 0.1}),
        own("count", None),
        rent("count", None),
        rent("rental.scaling", "hourly"),
    )
    resolved = inputs(*changes)
    (found,) = hybrids(option_cases(resolved))
    own_option, rent_option = project(resolved).options
    staff = lines(own_option)["run_staff"]
    servers = own_option.fleets[0].servers
    assert servers > 1
    assert staff.total_usd == pytest.approx((0.5 + 0.1 * servers) * 120_000)
    assert found.curve[-1].total_usd == pytest.approx(own_option.kpis["tco_usd"].value)
    assert found.curve[0].total_usd == pytest.approx(rent_option.kpis["tco_usd"].value)
    assert found.optimum.total_usd <= min(found.curve[-1].total_usd, found.curve[0].total_usd)
    (without,) = hybrids(option_cases(inputs(*changes, at("staffing", None))))
    for point, bare in zip(found.curve, without.curve, strict=True):
        people = (0.5 + 0.1 * point.owned_servers) * 120_000
        assert point.total_usd - bare.total_usd == pytest.approx(people, abs=1e-3)


def test_the_default_of_a_figure_says_so():
    """UP20: one place for a default, and it is printed as one."""
    figure = default_figure(field("site", "pue"))
    assert figure is not None
    assert figure.source.startswith("default: Uptime Institute")
    assert refusals(at("sites.0.pue", 0.9))
