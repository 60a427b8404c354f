"""Public bug reports on money and units, as cases: what is right instead of what the tool said.

Each names its thread. Tariffs, feeds and racks have their own files.
"""

from __future__ import annotations

import json

import pytest

from cli.main import main
from tco.cost.finance import crf
from tco.cost.ledger import Book
from tco.document.schema import json_schema
from tco.fields import sections
from tests.cases.plain_document import (
    at,
    codes,
    document,
    kpi,
    lines,
    own,
    projected,
    refusals,
    rent,
)

HOURS = 8760


def test_an_hourly_price_stays_hourly():
    """opencost 3781, UP17: 0.95 USD an hour was divided by 730 once more; a year is 8,322 USD."""
    found = projected(rent("rental.usd_per_hour", 0.95), rent("count", 1))
    assert lines(found.options[1])["instances"].total_usd == pytest.approx(0.95 * HOURS)


@pytest.mark.parametrize("unit", ["USD/month", "USD/year", "USD/kWh", "USD"])
def test_a_price_of_another_period_is_refused(unit):
    """UP17: the period is part of the unit; 693.5 USD a month is no rate of an hour."""
    (error,) = refusals(rent("rental.usd_per_hour", f"693.5 {unit}"))
    assert error.startswith("options[1].fleets[0].rental.usd_per_hour: ")
    assert "use USD/h" in error


def test_every_quantity_has_a_unit_everywhere():
    """opencost 2840 and 1747, ralph 2515: price and power fields without units made users guess."""
    schema = json.dumps(json_schema(), ensure_ascii=False)
    without = {"number", "figure"}
    for section, fields in sections().items():
        for field in fields.values():
            bare = section == "figure" or field.name == "rank_correlation"  # of any unit, of none
            if field.kind in without and not bare:
                assert field.unit, f"{section}.{field.name}"
                assert field.unit in schema
            money = "usd" in field.name
            assert not money or "USD" in field.unit, f"{section}.{field.name}"


def test_one_figure_for_every_reader(tmp_path, capsys):
    """opencost 2901 and 2657, UP21, UP33: two endpoints gave one pod two costs."""
    path = tmp_path / "plain.json"
    path.write_text(json.dumps(document()), encoding="utf-8")
    assert main(["project", str(path), "--json"]) in (0, 1)
    printed = json.loads(capsys.readouterr().out)
    here = json.loads(json.dumps(projected().to_dict()))
    assert printed["kpis"] == here["kpis"]
    assert printed["ledger"] == here["ledger"]


def test_a_price_nobody_asks_is_told():
    """kubecost 2922: c5d.18xlarge at 0.0067 USD an hour instead of 3.46."""
    found = projected(rent("rental.usd_per_hour", 0.0067))
    assert codes(found)["outside_usual_band"] == "options[1].fleets[0].rental.usd_per_hour"
    assert "outside_usual_band" not in codes(projected(rent("rental.usd_per_hour", 27.68)))


def test_spot_is_priced_as_spot():
    """infracost 477, 104 and 2359: a spot node group was priced on demand, silently."""
    terms = {"commitment": "spot", "spot": {"between_interruptions_hours": 50, "restart_hours": 0}}
    found = projected(rent("rental", terms | {"usd_per_hour": 20}))
    instances = lines(found.options[1])["instances"]
    assert instances.total_usd == pytest.approx(2 * 20 * HOURS)
    assert "spot" in " ".join((instances.label, instances.formula, *map(str, instances.terms)))


def test_a_missing_price_is_no_zero():
    """infracost 3397, opencost 2215, UP23: no price for a type; blank and incomplete, never 0."""

    def unpriced(made):
        made["catalog"] = {
            "offers": [
                {
                    **{"key": "new", "provider": "P", "instance_type": "x", "country": "US"},
                    **{"device": "h100-sxm", "device_count": 8},
                }
            ],
            "servers": [{"key": "box", "device": "h200-sxm", "device_count": 8}],
        }

    for terms in ({}, {"commitment": "spot"}, {"commitment": "reserved_1y"}):
        found = projected(unpriced, rent("offer", "new"), rent("rental", terms))
        option = found.options[1]
        assert not option.complete
        assert option.kpis["tco_usd"].value is None
        assert option.kpis["tco_usd"].reason
        assert found.best_option == "own"
    bare = projected(
        unpriced,
        own("server", "box"),
        own("device", None),
        own("purchase", {}),
    )
    server = lines(bare.options[0])["servers"]
    assert server.missing or server.total_usd > 0
    assert codes(bare).get("missing_price", "options[0]").startswith("options[0]")


def test_egress_goes_by_tier():
    """infracost 220: 157 TB in a month at one tier; 1,024 GB a TB, by four tiers."""
    gb = 157 * 1024
    found = projected(rent("rental.egress_gb_per_month", gb), at("finance.horizon_months", 1))
    charged = gb - 100  # the allowance of the list
    right = 10_240 * 0.09 + 40_960 * 0.085 + 102_400 * 0.07 + (charged - 153_600) * 0.05
    assert lines(found.options[1])["egress"].total_usd == pytest.approx(right, rel=1e-9)


def test_interruptions_cost_time():
    """infracost 2732: spot without a model of eviction; the hours lost are billed."""
    bare = {"commitment": "spot", "usd_per_hour": 20}
    often = {"between_interruptions_hours": 6, "restart_hours": 0.25}
    found = projected(rent("rental", bare | {"spot": often}))
    assert lines(found.options[1])["spot_overhead"].total_usd > 0
    none = projected(rent("rental", bare))
    assert "spot_overhead" not in lines(none.options[1])
    assert "interruptions_not_given" in codes(none) or any(
        "interrupt" in finding.message for finding in none.findings
    )


def test_every_running_cost_counts_in_payback():
    """REopt.jl 434: running costs of some assets were missing from the payback."""
    found = projected(
        own("purchase.support_fraction_per_year", 0.05),
        own("purchase.staff_usd_per_server_year", 1200),
        own("purchase.insurance_fraction_per_year", 0.01),
    )
    option = found.options[0]
    per_year = 2 * (240_000 * 0.06 + 1200)
    running = [lines(option)[key].total_usd for key in ("support", "staff", "insurance")]
    assert sum(running) == pytest.approx(per_year)
    total = Book.of(option.ledger).flow_usd.sum()
    assert total == pytest.approx(option.kpis["tco_usd"].value)


def test_owner_and_user_pay_their_own():
    """REopt_API 128: capital cost after incentives at the wrong party's rates."""
    lease = {
        "kind": "operating_lease",
        "term_months": 36,
        "payment_usd_per_server_month": 8000,
    }
    terms = {"property_tax_fraction_per_year": 0.02, "server_usd": 240_000, "financing": lease}
    found = projected(own("purchase", terms))
    ours = lines(found.options[0])
    assert "property_tax" not in ours
    assert "owner_pays" in codes(found)
    assert ours["lease_payments"].total_usd == pytest.approx(2 * 8000 * 12)
    assert "servers" not in ours or ours["servers"].total_usd == 0


def test_capital_is_dated():
    """SAM 2129: six years of construction were one lump; sixths a year apart, each discounted."""
    parts = [{"share_fraction": 0.2, "after_months": 12 * year} for year in range(5)]
    found = projected(
        at("finance.horizon_months", 60),
        at("finance.discount_rate_fraction", 0.08),
        own("purchase", {"server_usd": 100_000, "instalments": parts, "life_months": 60}),
    )
    servers = lines(found.options[0])["servers"]
    assert [servers.start_usd[12 * year] for year in range(5)] == pytest.approx([40_000.0] * 5)
    book = Book.of(found.options[0].ledger)
    worth = book.present_usd(lambda line: line.key == "servers")
    assert worth == pytest.approx(sum(40_000 / 1.08**year for year in range(5)))


def test_rate_and_life_cannot_be_swapped():
    """PyPSA 1397: annuity(20, 0.07) for annuity(0.07, 20) made capital absurdly dear."""
    assert crf(0.07, 20) == pytest.approx(0.0943929, rel=1e-6)
    (error,) = refusals(at("finance.discount_rate_fraction", 20))
    assert "a fraction is not a percentage: write 0.2 for 20 %" in error
    (error,) = refusals(own("purchase.life_months", 0.07))
    assert "not a whole number" in error


def test_a_longer_horizon_changes_no_month():
    """multi-vector-simulator 289: one project over 1 or 20 years had different results."""
    level = (own("purchase", {"server_usd": 0, "staff_usd_per_server_year": 1200}),)
    year = projected(*level)
    score = projected(*level, at("finance.horizon_months", 240))
    for key in ("opex_usd_per_month", "servers", "facility_average_kw"):
        if key in year.options[0].kpis:
            assert kpi(year, 0, key).value == pytest.approx(kpi(score, 0, key).value)
    assert kpi(score, 0, "undiscounted_usd").value == pytest.approx(
        20 * kpi(year, 0, "undiscounted_usd").value
    )


def test_pue_touches_a_kilowatt_hour_once():
    """ecologits 230, carbontracker 3, mlco2 15: PUE twice, or not at all."""
    for pue in (1.0, 1.25, 1.6):
        found = projected(at("sites.0.pue", pue))
        (power,) = found.options[0].power
        bill = lines(found.options[0])["electricity_energy"].total_usd
        assert power.kwh_per_year == pytest.approx(power.it_average_kw * HOURS * pue)
        assert bill == pytest.approx(power.it_average_kw * HOURS * pue * 0.10)


def test_tokens_and_millions_of_tokens():
    """litellm 23503, sentry 94909: per token and per million were mixed, a factor of 10^6."""

    def api(value):
        return at("options.1.fleets", [{"key": "api", "workload": "chat", "api": value}])

    def prices(text):
        return {"provider": "P", "input_usd_per_mtok": text, "output_usd_per_mtok": text}

    million = projected(api(prices(0.6)))
    token = projected(api(prices("0.0000006 USD/token")))
    assert kpi(token, 1, "tco_usd").value == pytest.approx(kpi(million, 1, "tco_usd").value)
    (error, _) = refusals(api(prices("0.6 USD/token")))
    assert "above 100,000 USD/Mtoken" in error
    bare = projected(api(prices(0.0000006)))
    assert "outside_usual_band" in codes(bare)


def test_reasoning_is_output():
    """litellm 10567: reasoning tokens were not billed; they are part of what is put out."""

    def thinking(tokens):
        terms = {"provider": "P", "input_usd_per_mtok": 0, "output_usd_per_mtok": 10}
        fleet = {"key": "api", "workload": "chat", "api": terms}
        return projected(at("options.1.fleets", [fleet]), at("workloads.0.output_tokens", tokens))

    answer, both = thinking(250), thinking(250 + 750)
    month = 600 * 60 * HOURS
    assert kpi(answer, 1, "undiscounted_usd").value == pytest.approx(month * 250 / 1e6 * 10)
    assert kpi(both, 1, "undiscounted_usd").value == pytest.approx(month * 1000 / 1e6 * 10)
    assert "reasoning" in sections()["workload"]["output_tokens"].description


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("sites.0.energy_usd_per_kwh", "sites[0].energy_usd_per_kwh"),
        ("sites.0.pue", "sites[0].pue"),
        ("options.0.fleets.0.purchase.server_usd", "options[0].fleets[0].purchase.server_usd"),
        ("options.0.fleets.0.count", "options[0].fleets[0].count"),
        ("workloads.0.requests_per_minute", "workloads[0].requests_per_minute"),
    ],
)
def test_less_than_nothing_is_refused(path, field):
    """ralph 1942: negative power, height and cores were accepted."""
    (error,) = refusals(at(path, -1))
    assert error.startswith(f"{field}: -1")
    assert "is below" in error
