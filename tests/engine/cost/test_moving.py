"""Moving to another stack, leaving it, people and recurring work (F9), by hand-worked totals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tco.cost.ledger import OptionCase, build_ledger, fleet_lines
from tco.cost.porting_months import porting_months
from tco.cost.staffing import run_fte
from tco.inputs import (
    Exit,
    Migration,
    Port,
    Purchase,
    Retraining,
    Staffing,
    Status,
    Support,
    Tariff,
)
from tco.results import Ledger
from tests.engine.cost.cast import (
    case_of,
    device,
    fig,
    finance,
    option,
    owned,
    purchase,
    rented,
    server,
    site,
    workload,
)

FREE = site(tariff=Tariff(fig(0.0, "USD/kWh")))


def move(**more) -> Migration:
    """Six engineer-months, twice the effort, 10,000 USD a month."""
    given = {
        "engineer_months": fig(6, "engineer-month"),
        "factor": fig(2, "ratio"),
        "usd_per_engineer_month": fig(10_000),
    }
    return Migration(**{**given, **more})


def by_key(fleet, servers=4, **more) -> dict:
    """Lines of a fleet by key."""
    return {line.key: line for line in fleet_lines(case_of(fleet, servers, **more))}


def cell(feature: str, works: str) -> Support:
    """A cell of the matrix for the card."""
    return Support("card", "vllm", feature, works, Status.PUBLISHED, "test")


def ledger_of(*fleets, servers=4, team=None) -> Ledger:
    """The ledger of an option of these fleets."""
    chosen = replace(option("it", *fleets), staffing=team)
    cases = tuple(case_of(fleet, servers) for fleet in fleets)
    return build_ledger(OptionCase(chosen, cases[0].calendar, cases))


def test_each_part_of_a_move_is_a_line_of_its_own() -> None:
    """120,000 of porting, 5 x 4,000 of training, 15,000 + 20 x 500 + 8,000 of tests, 10 % of all.

    120,000 + 20,000 + 33,000 = 173,000; contingency 17,300; two months at 30,000 of the old fleet.
    """
    lines = by_key(
        owned(
            start_month=3,
            migration=move(
                people_trained=fig(5, "person"),
                usd_per_person_trained=fig(4_000),
                validation_usd=fig(15_000),
                accuracy_tests_per_model=fig(20, "test"),
                usd_per_accuracy_test=fig(500),
                numeric_drift_usd=fig(8_000),
                contingency_fraction=fig(0.1, "fraction"),
                dual_running_months=fig(2, "month"),
                old_usd_per_month=fig(30_000),
            ),
        ),
        [0, 0, 0] + [4] * 57,
    )
    at_start = {key: lines[key].start_usd[3] for key in lines if key.startswith("migration")}
    assert at_start["migration"] == pytest.approx(120_000)
    assert at_start["migration_training"] == pytest.approx(20_000)
    assert at_start["migration_validation"] == pytest.approx(33_000)
    assert at_start["migration_contingency"] == pytest.approx(17_300)
    assert lines["migration_dual_running"].end_usd[2:6] == pytest.approx((0, 30_000, 30_000, 0))
    assert sum(line.total_usd for key, line in lines.items() if key.startswith("migration")) == (
        pytest.approx(120_000 + 20_000 + 33_000 + 17_300 + 60_000)
    )


def test_models_ported_are_summed_and_each_is_tested() -> None:
    """Three months and five, and tests for two models: (3 + 5) x 2 x 10,000; 2 x 20 x 500."""
    ports = (
        Port("Large", "CUDA", "ROCm", fig(3, "engineer-month")),
        Port("Small", "CUDA", "ROCm", fig(5, "engineer-month")),
    )
    lines = by_key(
        owned(
            migration=move(
                engineer_months=None,
                ports=ports,
                accuracy_tests_per_model=fig(20, "test"),
                usd_per_accuracy_test=fig(500),
            )
        )
    )
    assert lines["migration"].total_usd == pytest.approx(160_000)
    assert lines["migration_validation"].total_usd == pytest.approx(20_000)
    assert [term.name for term in lines["migration"].terms][:2] == [
        "engineer-months, Large",
        "engineer-months, Small",
    ]


@pytest.mark.parametrize(
    ("works", "months"),
    [
        (("works", "works", "works"), 0.0),
        (("partial", "works", "works"), 1.5),
        (("missing", "partial", "partial"), 8.0),
        (("missing", "missing", "missing"), 15.0),
    ],
)
def test_the_support_matrix_gives_the_months(works, months) -> None:
    """Works 0, partial 1.5, missing 5 engineer-months, for each model that moves."""
    names = ("lora", "fp8", "graphs")
    fleet = owned(
        workload=workload(framework_features=names),
        framework="vllm",
        support=tuple(cell(name, how) for name, how in zip(names, works, strict=True)),
        migration=move(
            engineer_months=None,
            partial_feature_months=fig(1.5, "engineer-month"),
            missing_feature_months=fig(5, "engineer-month"),
        ),
    )
    assert porting_months(fleet, fleet.migration).value == pytest.approx(months)
    assert by_key(fleet)["migration"].total_usd == pytest.approx(months * 2 * 10_000)
    twice = replace(fleet.migration, ports=(Port("A"), Port("B")))
    assert porting_months(fleet, twice).value == pytest.approx(2 * months)


def test_months_given_go_before_the_matrix() -> None:
    """An estimate of one's own is not added to, nor replaced by, planning figures."""
    fleet = owned(
        workload=workload(framework_features=("fp8",)),
        framework="vllm",
        support=(cell("fp8", "missing"),),
        migration=move(missing_feature_months=fig(5, "engineer-month")),
    )
    assert by_key(fleet)["migration"].total_usd == pytest.approx(120_000)


@pytest.mark.parametrize(
    ("fleet", "key", "reason"),
    [
        (owned(migration=move(engineer_months=None)), "migration", "engineer-months are not given"),
        (
            owned(
                workload=workload(framework_features=("fp8", "lora")),
                framework="vllm",
                support=(cell("lora", "works"),),
                migration=move(engineer_months=None),
            ),
            "migration",
            "the support of fp8 by vllm on CARD is not known",
        ),
        (
            owned(migration=move(people_trained=fig(3, "person"))),
            "migration_training",
            "what training a person costs is not given",
        ),
        (
            owned(migration=move(usd_per_accuracy_test=fig(500))),
            "migration_validation",
            "the number of accuracy tests is not given",
        ),
        (
            owned(
                migration=move(engineer_months=None, contingency_fraction=fig(0.1, "fraction")),
            ),
            "migration_contingency",
            "engineer-months are not given",
        ),
        (
            owned(exit=Exit(fig(0.5, "fraction"), move(delay_months=fig(2, "month")))),
            "stack_exit",
            "the benefit lost a month is not given",
        ),
        (
            owned(exit=Exit(fig(0.5, "fraction"), move(engineer_months=None))),
            "stack_exit",
            "the engineer-months of leaving are not given",
        ),
        (
            owned(retraining=Retraining(fig(12, "run/year"), fig(100, "device-h"))),
            "model_retraining",
            "what a device hour costs is not given",
        ),
        (
            owned(retraining=Retraining(fig(12, "run/year"))),
            "model_retraining",
            "neither device hours nor the cost of a run is given",
        ),
    ],
)
def test_what_is_not_given_is_blank_with_its_reason(fleet, key, reason) -> None:
    """Never 0 in silence: the line stays, says why, and the totals are incomplete."""
    line = by_key(fleet)[key]
    assert reason in line.missing
    assert line.total_usd == 0


def test_an_exit_is_the_same_formula_by_its_chance_at_the_end_of_life() -> None:
    """0.4 x (120,000 x 1.1 + 2 x 30,000 + 3 x 50,000) = 136,800.

    It falls in the last month of a life of 36 months, or of the horizon.
    """
    leaving = move(
        contingency_fraction=fig(0.1, "fraction"),
        dual_running_months=fig(2, "month"),
        old_usd_per_month=fig(30_000),
        delay_months=fig(3, "month"),
        benefit_usd_per_month=fig(50_000),
    )
    fleet = owned(
        purchase=purchase(life_months=36), exit=Exit(fig(0.4, "fraction"), leaving), start_month=6
    )
    line = by_key(fleet)["stack_exit"]
    assert line.end_usd[41] == pytest.approx(136_800)
    assert line.total_usd == pytest.approx(136_800)
    late = by_key(replace(fleet, purchase=purchase(life_months=120)))["stack_exit"]
    assert late.end_usd[59] == pytest.approx(136_800)
    never = by_key(replace(fleet, exit=Exit(fig(0.0, "fraction"), leaving)))["stack_exit"]
    assert (never.total_usd, never.missing) == (0, "")


def test_dual_running_takes_its_own_rate_only_as_an_assumption() -> None:
    """Without the old fleet's run rate the new one's stands for it, assumed and said so."""
    fleet = owned(
        site=FREE,
        purchase=purchase(staff_usd_per_server_year=fig(12_000)),
        migration=move(dual_running_months=fig(1, "month")),
    )
    line = by_key(fleet)["migration_dual_running"]
    assert line.total_usd == pytest.approx(4_000)
    assert line.status is Status.ASSUMED
    assert "stands for it" in line.terms[1].source


def team(**more) -> Staffing:
    """1 + 0.02 servers + 0.5 sites + 0.25 kinds of devices, at least 2 at a site."""
    given = {
        "usd_per_fte_year": fig(120_000),
        "base_fte": fig(1, "FTE"),
        "fte_per_server": fig(0.02, "FTE/server"),
        "fte_per_site": fig(0.5, "FTE/site"),
        "fte_per_device_family": fig(0.25, "FTE/family"),
        "minimum_fte_per_site": fig(2, "FTE/site"),
    }
    return Staffing(**{**given, **more})


@pytest.mark.parametrize(
    ("more", "servers", "sites", "families", "fte"),
    [
        ({}, 4, 1, 1, 2.0),  # 1.83 of work, 2 at the site
        ({}, 40, 1, 2, 2.8),
        ({}, 40, 3, 2, 6.0),  # 3.8 of work, 2 at each of three sites
        ({"rota": True, "rota_fte": fig(5, "FTE")}, 40, 1, 2, 5.0),
        ({"rota": True, "rota_fte": fig(5, "FTE")}, 300, 1, 1, 7.75),
        ({"rota": False, "rota_fte": fig(5, "FTE")}, 40, 1, 2, 2.8),
        ({"shared_fraction": fig(0.25, "fraction")}, 40, 1, 2, 2.1),
    ],
)
def test_staff_by_servers_sites_and_kinds(more, servers, sites, families, fte) -> None:
    """F9.2 by hand: the largest of minimum, rota and work, less what is shared."""
    assert float(run_fte(team(**more), servers, sites, families)) == pytest.approx(fte)


def test_staff_is_one_line_of_the_option_and_follows_the_servers() -> None:
    """Two fleets of two vendors at one site: 1 + 0.02 x 60 + 0.5 + 0.5 = 3.2 people."""
    other = server(device("other", vendor="Else", architecture="X"))
    ledger = ledger_of(owned("a"), owned("b", server=other), servers=30, team=team())
    line = next(x for x in ledger.lines if x.key == "run_staff")
    assert line.fleet == ""
    assert line.end_usd[0] == pytest.approx(3.2 * 120_000 / 12)
    alike = ledger_of(owned("a"), owned("b"), servers=30, team=team())
    line = next(x for x in alike.lines if x.key == "run_staff")
    assert line.end_usd[0] == pytest.approx(2.95 * 120_000 / 12)


def test_staff_ramps_with_the_servers() -> None:
    """UP37: people are a class of their own that follows the fleet, not a lump sum beside it."""
    case = case_of(owned(), [100] * 12 + [200] * 48)
    chosen = replace(option("it", owned()), staffing=team())
    ledger = build_ledger(OptionCase(chosen, case.calendar, (case,)))
    line = next(x for x in ledger.lines if x.key == "run_staff")
    # 1 + 0.02 x 100 + 0.5 + 0.25 = 3.75 people, then two more
    assert line.end_usd[11] == pytest.approx(37_500)
    assert line.end_usd[12] == pytest.approx(57_500)


def test_staff_starts_with_the_first_machine_and_escalates() -> None:
    """Nobody before go-live; 3 % dearer from the second year on."""
    money = finance(opex_escalation_fraction=fig(0.03, "1/yr"))
    fleet = owned(start_month=6)
    case = case_of(fleet, [0] * 6 + [4] * 54, money=money)
    chosen = replace(option("it", fleet), staffing=team())
    ledger = build_ledger(OptionCase(chosen, case.calendar, (case,)))
    line = next(x for x in ledger.lines if x.key == "run_staff")
    assert line.end_usd[5] == 0
    assert line.end_usd[6] == pytest.approx(20_000)
    assert line.end_usd[12] == pytest.approx(20_600)


def test_rented_instances_need_no_staff_by_the_server() -> None:
    """No owned server, no site: base and one kind of device, 1.25 people."""
    ledger = ledger_of(rented(), servers=30, team=team())
    line = next(x for x in ledger.lines if x.key == "run_staff")
    assert line.end_usd[0] == pytest.approx(1.25 * 10_000)


def test_retraining_cadence_is_a_line_while_the_fleet_serves() -> None:
    """12 runs a year x (2,000 device hours x 2.50 + 1,000) = 72,000 a year, 6,000 a month."""
    given = Retraining(
        fig(12, "run/year"), fig(2_000, "device-h"), fig(2.5, "USD/device-h"), fig(1_000)
    )
    line = by_key(owned(start_month=2, retraining=given), [0, 0] + [4] * 58)["model_retraining"]
    assert line.end_usd[1] == 0
    assert line.end_usd[2] == pytest.approx(6_000)
    assert line.total_usd == pytest.approx(58 * 6_000)


def test_canaries_cost_their_share_beside_what_serves() -> None:
    """A fifth held: a quarter of 800,000 of servers and of 4,000 a month of staff comes on top."""
    fleet = owned(
        site=FREE,
        purchase=purchase(staff_usd_per_server_year=fig(12_000)),
        canary_fraction=fig(0.2, "fraction"),
    )
    lines = by_key(fleet)
    assert lines["canary_servers"].start_usd[0] == pytest.approx(200_000)
    assert lines["canary_running"].end_usd[0] == pytest.approx(1_000)
    assert "canary_servers" not in by_key(replace(fleet, count=4))
    unpriced = replace(fleet, server=server(price_usd=None))
    assert "Servers" in by_key(unpriced)["canary_servers"].missing


def test_every_line_broadcasts_over_draws() -> None:
    """Three draws of each input give, row by row, what three plain runs give."""
    factors = (1.0, 2.0, 3.5)
    rates = (9_000.0, 10_000.0, 12_000.0)
    shares = (0.1, 0.2, 0.3)
    columns = {
        name: np.array(values) for name, values in zip("frs", (factors, rates, shares), strict=True)
    }

    def fleet(factor, rate, share):
        moved = move(
            factor=factor,
            usd_per_engineer_month=rate,
            people_trained=factor,
            usd_per_person_trained=rate,
            contingency_fraction=share,
            dual_running_months=factor,
            old_usd_per_month=rate,
        )
        return owned(
            site=FREE,
            purchase=Purchase(None, fig(0.0, "fraction"), staff_usd_per_server_year=rate),
            migration=moved,
            exit=Exit(share, moved),
            retraining=Retraining(factor, factor, rate, rate),
            canary_fraction=share,
        )

    def people(factor, rate):
        return team(base_fte=factor, usd_per_fte_year=rate)

    drawn = [
        fig(value, unit).drawn(columns[name])
        for name, value, unit in (("f", 1.0, "x"), ("r", 1.0, "USD"), ("s", 0.1, "fraction"))
    ]
    together = ledger_of(fleet(*drawn), team=people(*drawn[:2]))
    for row, (factor, rate, share) in enumerate(zip(factors, rates, shares, strict=True)):
        one = [fig(factor, "x"), fig(rate), fig(share, "fraction")]
        alone = ledger_of(fleet(*one), team=people(*one[:2]))
        assert len(alone.lines) == len(together.lines) > 8
        for plain, column in zip(alone.lines, together.lines, strict=True):
            assert (plain.key, column.missing) == (column.key, "")
            for side in ("start_usd", "end_usd"):
                wide = np.broadcast_to(np.asarray(getattr(column, side)), (3, 60))
                assert wide[row] == pytest.approx(np.asarray(getattr(plain, side))), plain.key
