"""Commitments, interruptions, storage, quotas, price paths and APIs by token, by hand (F13)."""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pytest

from tco.cost.demand import served
from tco.cost.ledger import fleet_lines
from tco.cost.spot import missed_deadline_fraction, spot_run
from tco.inputs import Api, Rental, Spot, StorageClass, Training
from tco.projection import project
from tco.results import HourLoad
from tests.engine.cost.cast import case_of, fig, option, rented, scenario, workload

DAY = tuple(HourLoad(1.0, n, 0.5, 0.1, 0.1) for n in [2] * 12 + [6] * 12)


def lines(case):
    """Lines of a fleet by key."""
    return {line.key: line for line in fleet_lines(case)}


def test_commitment_pays_what_is_used_unused_and_beyond():
    """4 committed of a day with 2 and 6: 3 used, 1 unused, 1 above on average (F13.2)."""
    terms = Rental(commitment="reserved_3y", scaling="hourly", committed_instances=4)
    found = lines(case_of(rented(rental=terms), 6, hours=DAY))
    assert found["instances"].end_usd[0] == pytest.approx(3 * 730 * 25)
    assert found["commitment_unused"].end_usd[0] == pytest.approx(1 * 730 * 25)
    assert found["instances_on_demand"].end_usd[0] == pytest.approx(1 * 730 * 50)


def test_commitment_is_worth_it_above_its_share_of_the_rate():
    """C x commit rate + max(0, use - C) x on demand, at every C."""
    totals = []
    for committed in range(8):
        terms = Rental("reserved_3y", scaling="hourly", committed_instances=committed)
        case = case_of(rented(rental=terms), 6, hours=DAY)
        totals.append(sum(line.end_usd[0] for line in lines(case).values()))
        by_hand = sum(committed * 25 + max(0, use - committed) * 50 for use in [2] * 12 + [6] * 12)
        assert totals[-1] == pytest.approx(by_hand / 24 * 730)
    assert min(totals) == pytest.approx(totals[2])


def test_rates_follow_their_price_path():
    """10 % less each year from the date of the price on (F13.7, F0.4)."""
    terms = Rental(price_change_fraction_per_year=fig(-0.1, "1/yr"))
    line = lines(case_of(rented(rental=terms), 1))["instances"]
    assert [line.end_usd[m] for m in (0, 11, 12, 24)] == pytest.approx(
        [36_500, 36_500, 32_850, 29_565]
    )


def test_spot_for_serving_pays_the_restart():
    """Half an hour in every ten is paid for nothing: 5 % more hours at the spot rate."""
    terms = Rental("spot", usd_per_hour=fig(20, "USD/h"), spot=Spot(10.0, 0.5))
    found = lines(case_of(rented(rental=terms), 4))
    assert found["instances"].end_usd[0] == pytest.approx(4 * 730 * 20)
    assert found["spot_overhead"].end_usd[0] == pytest.approx(0.05 * 4 * 730 * 20)


def training(**more):
    """Four runs a year with a deadline."""
    plan = Training(fig(1e9, "token"), fig(1e6, "token"), 4096, 4.0, **more)
    return workload(kind="training", training=plan, targets=())


def test_spot_for_training_is_dalys_stretch():
    """M 24 h of one, four of them: 6 h, checkpoint 0.1 h, restart 0.25 h: 1.2590 (F10.4)."""
    terms = Rental(
        "spot", usd_per_hour=fig(20, "USD/h"), spot=Spot(24.0, 0.25, checkpoint_hours=0.1)
    )
    found = lines(case_of(rented(rental=terms, workload=training()), 4))
    ratio = found["spot_overhead"].end_usd[0] / found["instances"].end_usd[0]
    assert ratio == pytest.approx(0.2590, abs=5e-5)


def simulated(useful, deadline, between, checkpoint, restart, rng):
    """Whether one run is late: interruptions strike at work, checkpoint and restart alike."""
    interval = spot_run(
        useful,
        1.0,
        between_interruptions_hours=between,
        checkpoint_hours=checkpoint,
        restart_hours=restart,
    ).goodput.interval_hours
    now, left = 0.0, useful / interval
    breaks = rng.expovariate(1 / between)
    while left > 0:
        span = min(left, 1.0) * (interval + checkpoint)
        if now + span <= breaks:
            now, left = now + span, left - 1.0
            continue
        now = breaks
        while True:
            breaks = now + rng.expovariate(1 / between)
            if now + restart <= breaks:
                now += restart
                break
            now = breaks
    return now > deadline


@pytest.mark.parametrize("deadline", [120.0, 126.0, 131.0])
def test_missed_deadlines_against_a_simulation(deadline):
    """4,000 seeded runs of 100 useful hours; the normal is within four points of them."""
    rng = random.Random(7)
    known = (6.0, 0.1, 0.25)
    late = sum(simulated(100.0, deadline, *known, rng) for _ in range(4000)) / 4000
    predicted = missed_deadline_fraction(
        100.0,
        deadline,
        between_interruptions_hours=6.0,
        checkpoint_hours=0.1,
        restart_hours=0.25,
    )
    assert predicted == pytest.approx(late, abs=0.04)


def test_storage_by_class_with_requests_and_retrieval():
    """10 TB at 0.02, 100 TB of archive at 0.004 read back at 0.03, a million requests."""
    terms = Rental(
        storage=(
            StorageClass("standard", fig(10_000, "GB"), fig(0.02), fig(1e6, "request"), fig(0.005)),
            StorageClass(
                "archive",
                fig(100_000, "GB"),
                fig(0.004),
                retrieved_gb_per_month=fig(500, "GB"),
                usd_per_gb_retrieved=fig(0.03),
            ),
        ),
        support_fraction=fig(0.1, "fraction"),
    )
    found = lines(case_of(rented(rental=terms), 1))
    assert found["storage"].end_usd[0] == pytest.approx(600)
    assert found["storage_requests"].end_usd[0] == pytest.approx(5)
    assert found["storage_retrieval"].end_usd[0] == pytest.approx(15)
    assert found["cloud_support"].end_usd[0] == pytest.approx(0.1 * (36_500 + 620))


def test_setup_is_paid_once_and_debugging_each_month():
    """At go-live in month 3, and from then on (F13.6)."""
    terms = Rental(setup_usd=fig(20_000), debugging_usd_per_month=fig(1_000))
    found = lines(case_of(rented(rental=terms, start_month=3), 1))
    assert [found["cloud_setup"].start_usd[m] for m in (2, 3, 4)] == [0, 20_000, 0]
    assert [found["cloud_debugging"].end_usd[m] for m in (2, 3, 59)] == [0, 1_000, 1_000]


def test_a_quota_leaves_requests_unserved_and_costs_their_value():
    """Half of the day asks for 6 and gets 3: half of its 10 requests a second are lost (F13.8)."""
    terms = Rental(
        scaling="hourly", quota_instances=3, value_usd_per_request=fig(0.002, "USD/request")
    )
    case = case_of(
        rented(rental=terms),
        6,
        hours=tuple(HourLoad(1.0, n, 0.5, 0.1, 0.1) for n in [3] * 12 + [6] * 12),
    )
    found = lines(case)
    assert found["instances"].end_usd[0] == pytest.approx(3 * 730 * 50)
    lost = 730 * 3600 / 2 * 5.0
    assert found["unserved"].end_usd[0] == pytest.approx(lost * 0.002)
    assert served(case).within_targets[0] == pytest.approx(730 * 3600 / 2 * (5 + 5))


def test_a_quota_without_a_value_is_blank_and_never_zero():
    """What an unserved request is worth must be said."""
    terms = Rental(quota_instances=3)
    assert "not given" in lines(case_of(rented(rental=terms), 6))["unserved"].missing
    assert "unserved" not in lines(case_of(rented(rental=terms), 3))


def by_token(**more):
    """An API for the chat of 10 requests a second at peak."""
    given = {
        "provider": "Someone",
        "input_usd_per_mtok": fig(0.5, "USD/Mtoken"),
        "output_usd_per_mtok": fig(2.0, "USD/Mtoken"),
    }
    load = more.pop("workload", workload())
    return rented(offer=None, rental=None, api=Api(**{**given, **more}), workload=load)


def test_tokens_of_an_api_have_three_prices():
    """7.5 requests a second in the mean; 1,000 in, 30 % of them cached, 250 out (F13.9)."""
    load = workload(cached_input_fraction=fig(0.3, "fraction"))
    fleet = by_token(cached_input_usd_per_mtok=fig(0.05, "USD/Mtoken"), workload=load)
    found = lines(case_of(fleet, 0))
    million = 7.5 * 730 * 3600 / 1e6
    assert found["api_input"].end_usd[0] == pytest.approx(million * 700 * 0.5)
    assert found["api_cached_input"].end_usd[0] == pytest.approx(million * 300 * 0.05)
    assert found["api_output"].end_usd[0] == pytest.approx(million * 250 * 2.0)


def test_without_a_price_of_the_cache_all_input_costs_the_same():
    """The cache saves nothing where the provider does not say so."""
    load = workload(cached_input_fraction=fig(0.3, "fraction"))
    found = lines(case_of(by_token(workload=load), 0))
    assert found["api_input"].end_usd[0] == pytest.approx(7.5 * 730 * 3600 / 1e6 * 1000 * 0.5)
    assert "api_cached_input" not in found


def test_a_rate_limit_throttles_the_busy_half():
    """480 a minute of 600: 2 a second for half the day are not served and not billed."""
    fleet = by_token(
        requests_per_minute_limit=480.0, value_usd_per_request=fig(0.01, "USD/request")
    )
    found = lines(case_of(fleet, 0))
    hour = 730 * 3600
    assert found["unserved"].end_usd[0] == pytest.approx(2 * hour / 2 * 0.01)
    assert found["api_output"].end_usd[0] == pytest.approx(6.5 * hour / 1e6 * 250 * 2.0)


def test_every_new_line_broadcasts_over_draws():
    """Prices as columns: each row is what the number alone gives (F21.2)."""
    draws = np.array([0.7, 1.0, 1.6])
    terms = Rental(
        "reserved_3y",
        scaling="hourly",
        usd_per_hour=fig(25, "USD/h"),
        committed_instances=4,
        on_demand_usd_per_hour=fig(50, "USD/h"),
        price_change_fraction_per_year=fig(-0.1, "1/yr"),
        quota_instances=5,
        value_usd_per_request=fig(0.001, "USD/request"),
        setup_usd=fig(1000),
        debugging_usd_per_month=fig(100),
        storage=(StorageClass("s", fig(1000, "GB"), fig(0.02), fig(1e6, "request"), fig(0.005)),),
    )
    fleets = [
        (rented(rental=terms), "rental", 6),
        (
            by_token(
                requests_per_minute_limit=480.0, value_usd_per_request=fig(0.01, "USD/request")
            ),
            "api",
            0,
        ),
    ]
    for fleet, part, count in fleets:
        given = getattr(fleet, part)
        names = [
            field.name
            for field in dataclasses.fields(given)
            if hasattr(getattr(given, field.name), "drawn")
        ]
        drawn = {n: getattr(given, n).drawn(getattr(given, n).value * draws) for n in names}
        many = lines(
            case_of(
                dataclasses.replace(fleet, **{part: dataclasses.replace(given, **drawn)}),
                count,
                hours=DAY,
            )
        )
        for row, factor in enumerate(draws):
            one = {
                n: dataclasses.replace(getattr(given, n), value=getattr(given, n).value * factor)
                for n in names
            }
            single = lines(
                case_of(
                    dataclasses.replace(fleet, **{part: dataclasses.replace(given, **one)}),
                    count,
                    hours=DAY,
                )
            )
            for key, line in single.items():
                for side in ("start_usd", "end_usd"):
                    columns = np.broadcast_to(np.asarray(getattr(many[key], side)), (3, 60))
                    assert columns[row] == pytest.approx(np.asarray(getattr(line, side))), key


def codes(fleet):
    """Codes of the findings of a scenario of one fleet, with their messages."""
    return {x.code: x for x in project(scenario(option("only", fleet))).findings}


def test_an_api_is_a_whole_option():
    """Sized to nothing, feasible, complete; its latency is said to be unknown."""
    projection = project(scenario(option("only", by_token())))
    (found,) = projection.options
    assert found.feasible
    assert found.complete
    assert found.kpis["usd_per_mtok_output"].value > 0
    assert "api_latency_unknown" in {x.code for x in projection.findings}


def test_a_price_per_token_for_a_million_is_outside_the_band():
    """0.000002 USD per million tokens is no price (a per-token price given per million)."""
    found = codes(by_token(output_usd_per_mtok=fig(0.000002, "USD/Mtoken")))
    assert "api.output_usd_per_mtok" in found["outside_usual_band"].field


def test_a_price_per_month_given_per_hour_is_outside_the_band():
    """36,500 for an instance of eight devices is a month, not an hour."""
    found = codes(rented(rental=Rental(usd_per_hour=fig(36_500, "USD/h"))))
    assert "rental.usd_per_hour" in found["outside_usual_band"].field


def test_spot_without_interruptions_is_said():
    """A spot rate alone is half a price."""
    found = codes(rented(rental=Rental("spot", usd_per_hour=fig(20, "USD/h"))))
    assert "interruptions_left_out" in found


def test_an_unserved_share_is_said():
    """The quota of one instance carries a part of the peak."""
    terms = Rental(quota_instances=1, value_usd_per_request=fig(0.01, "USD/request"))
    load = workload(peak_requests_per_s=fig(100, "requests/s"))
    found = codes(rented(rental=terms, workload=load))
    assert "rental.quota_instances" in found["requests_unserved"].field
