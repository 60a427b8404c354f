"""`project` through every room: a comparison, determinism, isolation, verdicts."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

import tco.projection
from tco.errors import InputError
from tco.inputs import (
    Colocation,
    Fleet,
    Migration,
    Rental,
    Status,
    Tariff,
    Training,
    canonical_json,
)
from tco.projection import project
from tco.results import Projection
from tests.engine.cost.cast import (
    device,
    fig,
    finance,
    model,
    offer,
    option,
    own_against_rent,
    owned,
    purchase,
    rented,
    scenario,
    server,
    site,
    workload,
)


def codes(result: Projection) -> list[str]:
    """Codes of the findings."""
    return [finding.code for finding in result.findings]


def test_owned_against_rented() -> None:
    """Both are feasible and complete; the verdict names the best, the margin and the threshold."""
    result = project(own_against_rent())
    own, rent = result.options
    assert own.feasible
    assert rent.feasible
    assert own.complete
    assert rent.complete
    assert result.best_option == "own"
    margin = 1 - own.kpis["tco_usd"].value / rent.kpis["tco_usd"].value
    assert f"{margin:.0%}".replace("%", " %") in result.verdict
    assert "h of use a day Option rent costs less than Option own" in result.verdict
    kinds = {crossing.what for crossing in result.crossings}
    assert {"cumulative_cost_month", "use_hours_per_day", "breakeven_hours"} <= kinds


def test_hours_of_use_a_day_bring_both_to_the_same_cost() -> None:
    """Renting for the hours of the threshold costs what owning does (F20.3)."""
    inputs = own_against_rent()
    result = project(inputs)
    hours = next(c.value for c in result.crossings if c.what == "use_hours_per_day")
    own, rent = result.options
    tco = own.kpis["tco_usd"].value
    energy = next(x for x in own.ledger.lines if x.key == "electricity_energy")
    rate = own.ledger.monthly_rate_fraction
    energy_pv = math.fsum(v / (1 + rate) ** (m + 1) for m, v in enumerate(energy.end_usd))
    owning = tco - energy_pv + energy_pv * hours / 24
    assert rent.kpis["tco_usd"].value * hours / 24 == pytest.approx(owning)


def test_same_inputs_same_bytes() -> None:
    """Two runs, and a run after another scenario, give identical bytes and hash."""
    first = canonical_json(project(own_against_rent()).to_dict())
    project(own_against_rent(finance(horizon_months=12)))
    again = project(own_against_rent())
    assert canonical_json(again.to_dict()) == first
    assert json.loads(first)["provenance"]["input_hash"] == own_against_rent().content_hash


def test_document_keys_of_the_json() -> None:
    """The documented keys are there, each by option."""
    data = project(own_against_rent()).to_dict()
    for key in ("kpis", "ledger", "latency", "power", "racks"):
        assert set(data[key]) == {"own", "rent"}
    assert data["provenance"]["figures"]
    assert data["provenance"]["conventions"]


def test_one_fleet_that_fails_does_not_stop_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """A room's error over one fleet is a finding at that fleet; the other option is projected."""
    real = tco.projection.size_fleet

    def fails(fleet, **more):
        if fleet.key == "own":
            raise InputError("devices.card.memory_gb", "-1 is below 0", "enter GB above 0")
        return real(fleet, **more)

    monkeypatch.setattr(tco.projection, "size_fleet", fails)
    result = project(own_against_rent())
    failed = next(f for f in result.findings if f.code == "fleet_failed")
    assert failed.field == "options[0].fleets[0]"
    assert "devices.card.memory_gb" in failed.message
    assert failed.mend == "enter GB above 0"
    own, rent = result.options
    assert not own.feasible
    assert own.kpis["tco_usd"].value is None
    assert rent.feasible
    assert result.best_option == "rent"


def test_faults_of_the_program_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """A TypeError is a bug and must be seen as one."""

    def broken(*args, **more):
        raise TypeError("bug")

    monkeypatch.setattr(tco.projection, "size_fleet", broken)
    with pytest.raises(TypeError):
        project(own_against_rent())


def test_model_that_does_not_fit_is_a_finding() -> None:
    """70 GB of weights on one 24 GB card: infeasible, blank total, no exception."""
    small = server(device(memory_gb=fig(24, "GB")), device_count=1)
    result = project(scenario(option("a", owned(server=small)), option("r", rented())))
    assert "model_does_not_fit" in codes(result)
    assert not result.options[0].feasible
    assert result.options[0].kpis["tco_usd"].value is None
    assert result.best_option == "r"
    assert "Option a cannot be compared" in result.verdict


def test_target_that_cannot_be_met_says_what_is_reached() -> None:
    """One server for two hundred requests a second misses; the finding names the limit's field."""
    heavy = workload(peak_requests_per_s=fig(200, "1/s"))
    result = project(scenario(option("a", owned(workload=heavy, count=1))))
    assert not result.options[0].feasible
    found = next(f for f in result.findings if f.code in ("target_not_met", "cannot_serve"))
    assert found.severity == "error"
    assert found.field.startswith(("workloads[0].targets[", "options[0].fleets[0]"))
    assert result.verdict.startswith("No option carries its workloads")
    assert result.options[0].kpis["tco_usd"].value > 0, "its cost is still shown"


def test_missing_price_leaves_the_option_out_of_the_comparison() -> None:
    """No rate for spot: the option is feasible, incomplete and cannot be best."""
    result = project(
        scenario(
            option("own", owned()),
            option("spot", rented(rental=Rental(commitment="spot"))),
        )
    )
    spot = result.options[1]
    assert spot.feasible
    assert not spot.complete
    assert spot.kpis["tco_usd"].value is None
    assert result.best_option == "own"
    finding = next(f for f in result.findings if f.code == "missing_price")
    assert finding.field == "options[1].fleets[0].rental.usd_per_hour"
    assert not [c for c in result.crossings if "spot" in c.between]


def test_power_cap_reaches_sizing_and_power() -> None:
    """A measured 500 W point in a 600 W slot: less speed, less power, a finding."""
    from tco.inputs import CapPoint

    card = device(cap_points=(CapPoint(fig(500, "W"), fig(0.8, "fraction")),))
    load = workload(peak_requests_per_s=fig(150, "1/s"))
    free = project(scenario(option("a", owned(server=server(card), workload=load))))
    capped = project(
        scenario(
            option("a", owned(server=server(card), workload=load, site=site(slot_w=fig(600, "W"))))
        )
    )
    assert "power_capped" in codes(capped)
    assert capped.options[0].fleets[0].servers > free.options[0].fleets[0].servers
    kw = [p.options[0].power[0].server_provisioned_kw for p in (free, capped)]
    assert kw[1] == pytest.approx(kw[0] - 8 * 0.2, rel=0.05)


def test_slot_too_small_makes_the_option_infeasible() -> None:
    """700 W boards in 200 W slots: sized and priced, but not feasible."""
    result = project(scenario(option("a", owned(site=site(slot_w=fig(200, "W"))))))
    assert not result.options[0].feasible
    assert "200" in result.options[0].fleets[0].binds
    found = next(f for f in result.findings if f.code == "slot_too_small")
    assert found.field == "sites[0].slot_w"


def test_training_has_a_cost_per_run() -> None:
    """A training fleet costs so much a run and no cost per token."""
    run = Training(fig(1e11, "tokens"), fig(4e6, "tokens"), 4096, 4.0)
    load = workload(key="train", kind="training", training=run, targets=(), weight_dtype="bf16")
    result = project(scenario(option("t", owned(workload=load, count=8))))
    found = result.options[0].kpis
    assert found["usd_per_mtok_output"].value is None
    run_cost = found["usd_per_training_run"]
    if result.options[0].feasible:
        cost, runs = run_cost.terms[:2]
        assert run_cost.value == pytest.approx(cost.value / runs.value)
    else:
        assert run_cost.value is None


def test_two_fleets_share_a_workload() -> None:
    """Half and half: each fleet serves half of the requests, and the option serves all of them."""
    both = scenario(
        option("mix", owned("a", share_fraction=0.5), owned("b", share_fraction=0.5)),
        option("one", owned("c")),
    )
    result = project(both)
    served = [o.kpis["usd_per_1000_requests"].terms[1].value for o in result.options]
    assert served[0] == pytest.approx(served[1])
    assert "shares_not_one" not in codes(result)


def test_conventions_and_figures_are_printed() -> None:
    """Every mode is a term; every figure appears once, with the name of its owner."""
    result = project(own_against_rent())
    names = [term.name for term in result.conventions]
    for name in ("horizon", "month 0", "hours of a month", "discount rate a month"):
        assert name in names
    figures = [(term.name, term.value) for term in result.figures]
    assert len(figures) == len(set(figures))
    assert ("Box: price_usd", 200_000) in figures
    assert ("CARD: board_w", 700) in figures
    assert ("finance: discount_rate_fraction", 0.10) in figures
    assert ("CARD: peak_tflops fp8", 1979) in figures


def test_hours_mode_moves_energy_and_rent_alike() -> None:
    """720 hours a month instead of 730: rented cost falls by 1/73."""
    base, short = (
        project(own_against_rent(finance(hours_mode=mode))).options[1].kpis["undiscounted_usd"]
        for mode in ("730", "720")
    )
    assert short.value / base.value == pytest.approx(720 / 730)


def test_unreadable_conventions_are_errors_of_the_document() -> None:
    """An unknown mode names the field."""
    with pytest.raises(InputError, match=r"finance\.hours_mode"):
        project(own_against_rent(finance(hours_mode="700")))


def test_delayed_go_live_is_a_month_of_the_ledger() -> None:
    """Nothing is bought, drawn or served before month 6 (F0.1)."""
    result = project(scenario(option("a", owned(start_month=6))))
    lines = {line.key: line for line in result.options[0].ledger.lines}
    assert lines["servers"].start_usd[5] == 0
    assert lines["servers"].start_usd[6] > 0
    assert not any(lines["electricity_energy"].end_usd[:6])


def test_porting_cost_decides_a_close_race() -> None:
    """A server 10 % cheaper that needs porting loses by the porting cost less the saving."""
    move = Migration(fig(6, "months"), fig(2, "x"), fig(18_000))
    result = project(
        scenario(
            option("stay", owned("stay")),
            option("port", owned("port", server=server(price_usd=fig(180_000)), migration=move)),
        )
    )
    stay, port = (o.kpis["tco_usd"].value for o in result.options)
    assert port - stay == pytest.approx(216_000 - 20_000)
    assert result.best_option == "stay"
    match = next(c for c in result.crossings if c.what == "server_price_usd")
    assert match.value is None, "even free it costs more"


def test_server_price_threshold_brings_totals_together() -> None:
    """At the threshold price the dearer option costs exactly what the cheaper does (F21.4)."""

    def at(price: float) -> Projection:
        terms = purchase(support_fraction_per_year=fig(0.05, "f"))
        dear = owned("dear", server=server(price_usd=fig(price)), purchase=terms)
        return project(scenario(option("dear", dear), option("cheap", owned("cheap"))))

    first = at(300_000)
    price = next(c.value for c in first.crossings if c.what == "server_price_usd")
    dear, cheap = (o.kpis["tco_usd"].value for o in at(price).options)
    assert dear == pytest.approx(cheap)


def test_empty_scenario_has_an_answer() -> None:
    """No options: a sentence, not an exception."""
    result = project(replace(own_against_rent(), options=()))
    assert result.verdict == "There is no option to compare."
    assert result.best_option is None


def test_unsupported_model_is_a_finding() -> None:
    """An architecture the engine cannot size yet does not raise."""
    odd = workload(model=replace(model(), supported=False, why_unsupported="mixture of experts"))
    result = project(scenario(option("a", rented(offer=offer(), workload=odd))))
    assert not result.options[0].feasible
    assert result.options[0].fleets[0].status in set(Status)
    assert any(f.severity == "error" for f in result.findings)


def test_an_impossible_price_is_a_finding_of_its_fleet() -> None:
    """1e308 USD: the other option is projected and the JSON holds no infinity."""
    dear = owned("dear", purchase=purchase(server_usd=fig(1e308)))
    result = project(scenario(option("dear", dear), option("own", owned())))
    assert "fleet_failed" in codes(result)
    assert result.best_option == "own"
    assert result.options[0].kpis["tco_usd"].value is None
    assert canonical_json(result.to_dict())


def test_training_and_serving_have_their_own_unit_costs() -> None:
    """The cost of a request rests on the serving fleet's lines alone."""
    run = Training(fig(1e11, "tokens"), fig(4e6, "tokens"), 4096, 4.0)
    load = workload(key="train", kind="training", training=run, targets=(), weight_dtype="bf16")
    both = project(scenario(option("o", owned("serve"), owned("train", workload=load, count=8))))
    alone = project(scenario(option("o", owned("serve"))))
    cost = [p.options[0].kpis["usd_per_1000_requests"] for p in (both, alone)]
    assert cost[0].terms[0].value == pytest.approx(cost[1].terms[0].value)
    run_cost = both.options[0].kpis["usd_per_training_run"]
    train_pv = both.options[0].kpis["tco_usd"].value - cost[1].terms[0].value
    assert run_cost.terms[0].value == pytest.approx(train_pv)


def test_both_cards_cost_the_same_at_the_threshold() -> None:
    """At the price per board watt of the threshold, 20 % cheaper for 40 % more power is a draw.

    With support, resale, rented space, a demand charge and 10 % discount: no special case.
    """
    terms = purchase(
        support_fraction_per_year=fig(0.05, "f"), residual_fraction=fig(0.1, "fraction")
    )
    place = site(
        colocation=Colocation(fig(150, "USD/kW-month")),
        tariff=Tariff(fig(0.1, "USD/kWh"), fig(12, "USD/kW-month")),
    )

    def at(price_usd: float) -> Projection:
        options = []
        for key, usd, watts in (("dear", price_usd, 500), ("cheap", price_usd * 0.8, 700)):
            box = server(device(key, board_w=fig(watts, "W")), price_usd=fig(8 * usd))
            options.append(
                option(key, owned(key, server=box, site=place, purchase=terms, count=10))
            )
        return project(scenario(*options))

    def threshold(result: Projection) -> float:
        return next(c.value for c in result.crossings if c.what == "price_usd_per_board_w")

    value = threshold(at(10_000))
    assert threshold(at(20_000)) == pytest.approx(value), "it does not depend on the price"
    dear, cheap = (o.kpis["tco_usd"].value for o in at(value * 500).options)
    assert dear == pytest.approx(cheap, rel=1e-9)


@pytest.mark.parametrize(
    "fleet",
    [
        owned(workload=workload(peak_requests_per_s=fig(0.0, "1/s"))),
        owned(workload=workload(daily_shape=())),
        owned(share_fraction=0.0),
        owned(start_month=70),
        owned(purchase=None),
        owned(server=server(device(board_w=None, idle_w=None, memory_gb=None), max_system_w=None)),
        owned(server=server(device(peak_tflops=(), memory_bandwidth_gb_s=None))),
        rented(rental=None),
        rented(workload=workload(targets=())),
    ],
    ids=lambda fleet: fleet.key,
)
def test_sparse_fleets_never_raise(fleet: Fleet) -> None:
    """No load, no shape, no date, no figures: an answer and JSON without NaN, never an error."""
    for months in (1, 60):
        money = finance(horizon_months=months)
        result = project(scenario(option("a", fleet), option("b", rented("b")), money=money))
        text = canonical_json(result.to_dict())
        assert "NaN" not in text
        assert result.verdict
