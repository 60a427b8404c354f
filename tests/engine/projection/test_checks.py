"""Each check finds its fault, names the field and the mend, and is silent otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from tco.inputs import (
    Cooling,
    Figure,
    Lifecycle,
    MeasuredRates,
    Option,
    Rack,
    ScenarioInputs,
    Status,
    Tax,
)
from tco.projection import project
from tco.results import Finding
from tests.engine.cost.cast import (
    device,
    fig,
    finance,
    offer,
    option,
    owned,
    purchase,
    rented,
    scenario,
    server,
    site,
    workload,
)


def found(inputs: ScenarioInputs, code: str) -> list[Finding]:
    """Findings of one kind."""
    return [finding for finding in project(inputs).findings if finding.code == code]


def one(code: str, *options: Option, **money: Any) -> Finding:
    """The only finding of its kind, with a field and a mend."""
    findings = found(scenario(*options, money=finance(**money)), code)
    assert len(findings) == 1, findings
    assert findings[0].field
    assert findings[0].mend
    return findings[0]


def test_a_plain_scenario_has_no_errors() -> None:
    """The checks are silent when nothing is wrong."""
    priced = purchase(
        network_usd_per_server=fig(25_000),
        support_fraction_per_year=fig(0.05, "fraction"),
        staff_usd_per_server_year=fig(6_000),
    )
    result = project(scenario(option("a", owned(purchase=priced)), option("b", rented())))
    assert [f for f in result.findings if f.severity != "info"] == []
    assert all(o.feasible for o in result.options)


@pytest.mark.parametrize(
    ("code", "life"),
    [
        ("past_end_of_sale", Lifecycle(end_of_sale="2026-06-30")),
        ("past_end_of_support", Lifecycle(end_of_support="2026-06-30")),
    ],
)
def test_device_past_its_dates(code: str, life: Lifecycle) -> None:
    """Sale or support ended before the purchase: an error at the server."""
    finding = one(code, option("a", owned(server=server(device(lifecycle=life)))))
    assert finding.severity == "error"
    assert finding.field == "options[0].fleets[0].server"
    assert "2026-06-30" in finding.message


def test_later_go_live_is_judged_at_its_own_month() -> None:
    """Sale ends in three months: bought today it is fine, in month 6 it is not."""
    life = Lifecycle(end_of_sale="2027-03-01")
    box = server(device(lifecycle=life))
    assert not found(scenario(option("a", owned(server=box))), "past_end_of_sale")
    assert found(scenario(option("a", owned(server=box, start_month=6))), "past_end_of_sale")


def test_support_that_ends_within_the_horizon_warns() -> None:
    """Ends in 2028, horizon to December 2031."""
    box = server(lifecycle=Lifecycle(end_of_support="2028-01-01"))
    assert one("support_ends", option("a", owned(server=box))).severity == "warning"


def test_workload_that_needs_attestation() -> None:
    """The device lacks it: an error and not feasible; with it, silence."""
    load = workload(required_features=("attestation",))
    finding = one("feature_missing", option("a", owned(workload=load)))
    assert "attestation" in finding.message
    assert not project(scenario(option("a", owned(workload=load)))).options[0].feasible
    box = server(features=frozenset({"attestation"}))
    assert not found(scenario(option("a", owned(workload=load, server=box))), "feature_missing")


def test_residency_of_sites_and_of_offers() -> None:
    """Work that must stay in Germany may stand in neither the US site nor us-east-1."""
    load = workload(residency=("DE",))
    finding = one("residency", option("a", owned(workload=load)))
    assert finding.field == "options[0].fleets[0].site"
    finding = one("residency", option("a", rented(workload=load)))
    assert finding.field == "options[0].fleets[0].offer"
    frankfurt = rented(workload=load, offer=offer(region="eu-central-1"))
    assert not found(scenario(option("a", frankfurt)), "residency")
    union = workload(residency=("EU",))
    at_home = rented(workload=union, offer=offer(region="eu-central-1"))
    assert not found(scenario(option("a", at_home)), "residency")
    assert one("residency", option("a", owned(workload=union))).severity == "error"
    nowhere = rented(workload=load, offer=offer(region="moon-1"))
    assert one("residency_unknown", option("a", nowhere)).severity == "warning"


def test_liquid_server_in_an_air_hall() -> None:
    """Cooling decides first (F3.5)."""
    finding = one("liquid_in_air_hall", option("a", owned(server=server(cooling="liquid"))))
    assert finding.field == "sites[0].cooling"


def test_rack_that_cannot_cool_or_feed_one_server() -> None:
    """10 kW servers in 8 kW racks."""
    cold = site(cooling=Cooling("air", "Air", "air", fig(8, "kW")))
    assert one("rack_over_cooling", option("a", owned(site=cold))).severity == "error"
    light = site(rack=Rack("r", "R", 48, fig(100, "kg")))
    assert one("rack_over_weight", option("a", owned(site=light))).field == "sites[0].rack"


def test_hall_and_utility_limits_count_all_fleets_of_an_option() -> None:
    """Two fleets of one server each are 20 kW in a 15 kW hall; each alone would fit."""
    small = site(hall_kw=fig(15, "kW"), utility_kw=fig(24, "kW"))
    pair = option(
        "two",
        owned("a", site=small, share_fraction=0.5, count=1),
        owned("b", site=small, share_fraction=0.5, count=1),
    )
    single = option("one", owned("c", site=small, count=1))
    inputs = scenario(pair, single)
    hall = found(inputs, "hall_exceeded")
    assert [(f.option, f.field) for f in hall] == [("two", "sites[0].hall_kw")]
    assert [f.option for f in found(inputs, "utility_exceeded")] == ["two"]


def test_missing_server_price_names_the_field() -> None:
    """One finding, though support rests on the same price."""
    fleet = owned(
        server=server(price_usd=None),
        purchase=purchase(support_fraction_per_year=fig(0.05, "f")),
    )
    finding = one("missing_price", option("a", fleet))
    assert finding.field == "options[0].fleets[0].purchase.server_usd"


def test_shares_that_do_not_sum_to_one() -> None:
    """0.5 + 0.4 is 0.9."""
    finding = one(
        "shares_not_one",
        option("a", owned("x", share_fraction=0.5), owned("y", share_fraction=0.4)),
    )
    assert "0.9" in finding.message


def test_option_that_leaves_a_workload_out() -> None:
    """Two workloads, an option for one of them: not comparable."""
    second = workload(key="mail", name="Mail")
    inputs = scenario(
        option("all", owned("a"), owned("b", workload=second)), option("half", owned("c"))
    )
    (finding,) = found(inputs, "workload_not_served")
    assert finding.option == "half"
    assert not project(inputs).options[1].feasible


@pytest.mark.parametrize(
    "money",
    [
        {"electricity_escalation_fraction": fig(0.01, "1/yr real")},
        {"discount_basis": "nominal_after_tax"},
        {"tax": Tax(fig(0.21, "fraction"), "straight_line", 5)},
        {"discount_basis": "real_pre_tax", "discount_rate_fraction": fig(0.1, "1/yr, nominal")},
    ],
)
def test_mixed_bases_are_errors(money: dict[str, Any]) -> None:
    """Real with nominal, before with after tax (F0.5, F12.8)."""
    assert one("mixed_basis", option("a", owned()), **money).field.startswith("finance.")


def test_zero_servers_for_a_load() -> None:
    """A count of 0 is an error where there is load."""
    finding = one("zero_servers", option("a", owned(count=0)))
    assert finding.field == "options[0].fleets[0].count"


def test_precision_that_the_device_does_not_execute() -> None:
    """fp8 weights on a device with bf16 only run at the bf16 rate."""
    card = device(peak_tflops=(("bf16", fig(400, "TFLOP/s")),))
    finding = one("dtype_not_native", option("a", owned(server=server(card))))
    assert finding.field == "workloads[0].weight_dtype"


def test_recalled_figures_are_counted() -> None:
    """Unverified figures are named."""
    recalled = Figure(700, "W", Status.PUBLISHED, "sheet", verified=False)
    finding = one("recalled_figures", option("a", owned(server=server(device(board_w=recalled)))))
    assert "CARD: board_w" in finding.message


def test_pending_and_unmeasured_devices() -> None:
    """A pending device warns; an unmeasured one is said to be so, a measured one is not."""
    assert one("device_pending", option("a", owned(server=server(device(pending=True)))))
    assert one("not_measured", option("a", owned()))
    rates = MeasuredRates(memory_bandwidth_gb_s=Figure(3000, "GB/s", Status.MEASURED, "run 1"))
    measured = scenario(option("a", owned(server=server(device(measured=rates)))))
    assert not found(measured, "not_measured")
    assert not found(measured, "nothing_measured")
    assert found(scenario(option("a", owned())), "nothing_measured")


def test_rack_without_a_price_is_said() -> None:
    """Racks that are not in the total are named."""
    assert one("rack_price_not_set", option("a", owned())).severity == "info"
    priced = site(rack=Rack("r", "R", 48, price_usd=fig(4000)))
    assert not found(scenario(option("a", owned(site=priced))), "rack_price_not_set")
