"""Networks, store and plant of the example through the whole projection, by hand."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest

from hardware_catalog.seed.to_engine.catalog import SeedCatalog
from tco.document import parse, resolve, validate
from tco.errors import InputErrors
from tco.projection import option_cases, project
from tco.uncertainty.drivers import find_drivers
from tco.uncertainty.evaluate import Evaluator, base_row

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "liquid_cluster.yaml"
DOCUMENT = parse(EXAMPLE.read_text(encoding="utf-8"))


def changed(change):
    """The example after a change."""
    document = copy.deepcopy(DOCUMENT)
    change(document)
    return document


def run(document):
    """Its projection."""
    return project(resolve(document, SeedCatalog()))


def errors_of(change):
    """Errors of the example after a change, by field."""
    document = changed(change)
    try:
        resolve(document, SeedCatalog())
    except InputErrors as errors:
        return {error.field: error for error in errors.errors}
    return {}


def fleet(document):
    """Its first fleet."""
    return document["options"][0]["fleets"][0]


@pytest.fixture(scope="module")
def found():
    """The example, projected."""
    return run(DOCUMENT)


def line(found, option, key):
    """A line of an option's ledger."""
    ledger = next(one for one in found.options if one.key == option).ledger
    return next(one for one in ledger.lines if one.key == key)


def test_capital_follows_the_counted_parts(found) -> None:
    """32 + 16 switches at 36,000; 1,200 + 1,024 modules at 1,000; 1,824 fibres at 150."""
    assert sum(line(found, "rails", "network_switches_scale_out").start_usd) == 48 * 36_000
    assert sum(line(found, "rails", "network_modules_scale_out").start_usd) == 2_224_000
    assert sum(line(found, "rails", "network_fibre_scale_out").start_usd) == 1_824 * 150
    assert sum(line(found, "rails", "network_copper_storage").start_usd) == 200 * 120
    support = sum(line(found, "rails", "network_support_scale_out").end_usd)
    assert support == pytest.approx(48 * 36_000 * 0.08 * 5)
    licences = sum(line(found, "rails", "network_licences_scale_out").end_usd)
    assert licences == pytest.approx(48 * 1_500 * 5)
    keys = [one.key for one in found.options[0].ledger.lines]
    assert len(keys) == len(set(keys))


def test_watts_of_switches_and_modules_join_the_it_load(found) -> None:
    """48 x 747 + 2,224 x 17 W, 7 x 600 + 160 x 6 W and 7 x 900 W of storage day and night."""
    extra_kw = (48 * 747 + 2224 * 17 + 7 * 600 + 160 * 6 + 7 * 900) / 1000
    bare = run(changed(lambda d: [fleet(d).pop("fabrics"), fleet(d)["store"].pop("server_w")]))
    with_parts, without = found.options[0].power[0], bare.options[0].power[0]
    assert with_parts.it_provisioned_kw - without.it_provisioned_kw == pytest.approx(extra_kw)
    terms = {term.name: term.value for term in with_parts.terms}
    assert terms["power of the network, scale_out"] == pytest.approx(48 * 747 + 2224 * 17)


def test_pue_follows_from_the_plant(found) -> None:
    """0.2 x 0.28 + 0.8 x 0.06 of cooling, UPS and 25 kW fixed, over the load of the day."""
    option = found.options[0]
    kw = option.power[0].it_average_kw  # the same every hour of a training cluster
    ups = 1500 * (0.01 + 0.01 * kw / 1500 + 0.02 * (kw / 1500) ** 2)
    pue = 1 + 0.2 * 0.28 + 0.8 * 0.06 + (ups + 25) / kw
    assert option.cooling[0].pue == pytest.approx(pue)
    assert option.power[0].pue == pytest.approx(pue)
    assert option.power[0].facility_average_kw == pytest.approx(kw * pue)
    energy = line(found, "rails", "electricity_energy")
    assert sum(energy.end_usd) == pytest.approx(kw * pue * 8760 * 5 * 0.06)
    assert option.cooling[0].peak_pue > 1 + 0.2 * 0.40 + 0.8 * 0.12


def test_units_of_the_plant_and_one_loss(found) -> None:
    """1,002 kW: 802 in liquid on 400 kW units are 3 and a spare; 2 chillers of 600 less one."""
    cooling = found.options[0].cooling[0]
    kw = found.options[0].power[0].it_provisioned_kw
    assert cooling.it_provisioned_kw == kw
    assert (cooling.cdus, cooling.cdu_lost_kw) == (4, 0)
    assert cooling.chillers == 2
    assert cooling.chiller_lost_kw == pytest.approx(kw - 600)
    assert cooling.minutes == pytest.approx(40_000 * 8 / (kw - 600) / 60)
    assert cooling.flow_litres_per_min == pytest.approx(14.9 * 0.8 * kw / 10)
    assert sum(line(found, "rails", "cooling_cdus").start_usd) == 4 * 90_000
    assert sum(line(found, "rails", "cooling_plant").start_usd) == pytest.approx(kw * 1500)
    told = [one for one in found.findings if one.code == "cooling_unit_lost"]
    assert {(one.option, one.field) for one in told} == {
        ("rails", "sites[0].plant.chillers"),
        ("lean", "sites[0].plant.chillers"),
    }


def test_the_store_sets_the_checkpoint_time(found) -> None:
    """988 GB within 10 s at 15 GB/s each: 7 servers, 9.4 s, and fewer days than at the default."""
    store = found.options[0].stores[0]
    assert (store.servers, store.binds) == (7, "writing")
    assert store.checkpoint_s == pytest.approx(store.checkpoint_gb / 105)
    bare = run(changed(lambda d: fleet(d).pop("store")))
    assert found.options[0].fleets[0].training_days < bare.options[0].fleets[0].training_days


def test_a_slow_store_stalls_the_input() -> None:
    """Images of 600 kB a token from 1 GB/s: the step waits for its data (P12)."""

    def slow(document):
        document["workloads"][0]["training"]["bytes_per_token"] = 600_000
        fleet(document)["store"] |= {"servers": 1, "read_gb_s_per_server": 1}
        fleet(document)["store"].pop("checkpoint_target_s")

    def fast(document):
        slow(document)
        fleet(document)["store"] |= {"read_gb_s_per_server": 50_000}

    waiting, fed = (run(changed(one)).options[0].fleets[0] for one in (slow, fast))
    assert waiting.training_days > 2 * fed.training_days


def test_a_leaner_network_trains_slower(found) -> None:
    """At 3:1 a device has a third of the rate: no step is faster, and the run is longer."""
    rails, lean = (option.fleets[0].training_days for option in found.options)
    assert lean > rails


def test_a_measured_all_reduce_wins_over_the_links() -> None:
    """Rows ten times slower than the links make the run longer (F7.4)."""

    def measured(seconds):
        def change(document):
            fleet(document)["fabrics"][0]["all_reduce"] = [
                {"servers": 10, "message_bytes": 17.18e9, "seconds": seconds}
            ]

        return change

    slow, fast = (run(changed(measured(s))).options[0].fleets[0] for s in (2.0, 0.1))
    assert slow.training_days > fast.training_days


def test_a_price_left_out_is_blank_and_never_nothing() -> None:
    """Without a price of the modules the option is incomplete, and says why."""
    found = run(changed(lambda d: fleet(d)["fabrics"][0].pop("module_usd")))
    assert line(found, "rails", "network_modules_scale_out").missing
    assert not found.options[0].complete


def test_too_few_storage_servers_are_an_error() -> None:
    """Two servers do not hold what is kept: the option is infeasible, with the number needed."""
    found = run(
        changed(lambda d: fleet(d)["store"].update({"servers": 2, "checkpoint_target_s": 60}))
    )
    told = next(one for one in found.findings if one.code == "store_short")
    assert told.severity == "error"
    assert "capacity: 2 servers given, 5 needed" in told.message
    assert not found.options[0].feasible


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        (lambda d: fleet(d)["fabrics"][0].update(topology="fat_tre"), "fabrics[0].topology", ""),
        (lambda d: fleet(d)["fabrics"][0].update(switch="qm970"), "fabrics[0].switch", "qm97"),
        (lambda d: fleet(d)["fabrics"][0].update(switch_ports=0), "fabrics[0].switch_ports", "0"),
        (
            lambda d: fleet(d)["fabrics"][0].update(oversubscription=0.5),
            "fabrics[0].oversubscription",
            "0.5",
        ),
        (lambda d: fleet(d)["fabrics"][0].update(link_gbps=800), "fabrics[0].link_gbps", "800"),
        (lambda d: fleet(d)["fabrics"][1].update(role="scale_out"), "fabrics[1].role", "scale_out"),
        (lambda d: fleet(d)["fabrics"][0].pop("switch"), "fabrics[0].switch", "missing"),
        (
            lambda d: fleet(d)["purchase"].update(network_usd_per_server=1),
            "purchase.network_usd_per_server",
            "switch by switch",
        ),
    ],
)  # fmt: skip
def test_bad_networks_are_named(change, field, said) -> None:
    """Zero ports, oversubscription below 1, an unknown name, a slow switch, a network twice."""
    found = errors_of(change)
    error = found[f"options[0].fleets[0].{field}"]
    assert said in str(error)
    assert error.mend


def test_a_topology_that_is_not_known_is_answered_by_the_nearest() -> None:
    """`fat_tre` is answered by `fat_tree`."""
    errors = validate(changed(lambda d: fleet(d)["fabrics"][0].update(topology="fat_tre")))
    assert "fat_tree" in errors[0].mend


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda p: p.update(captured_fraction=1.2), "captured_fraction"),
        (lambda p: p.update(delta_t_k=0), "delta_t_k"),
        (lambda p: p.pop("liquid_kw_per_kw"), "liquid_kw_per_kw"),
        (lambda p: p["cdus"].update(kw=0), "cdus.kw"),
    ],
)
def test_bad_plants_are_named(change, field) -> None:
    """More captured than there is, no rise of the fluid, liquid without a figure, a unit of 0."""
    found = errors_of(lambda d: change(d["sites"][0]["plant"]))
    assert found[f"sites[0].plant.{field}"].mend


def test_a_pue_beside_a_plant_is_refused() -> None:
    """It follows from the plant: two answers would be one too many."""
    assert "sites[0].pue" in errors_of(lambda d: d["sites"][0].update(pue=1.3))


def test_a_ups_below_its_load_is_told_and_the_rest_goes_on() -> None:
    """The fleet says which figure; other fleets keep their lines."""
    found = run(changed(lambda d: d["sites"][0]["plant"].update(ups_rated_kw=100)))
    told = next(one for one in found.findings if one.code == "fleet_failed")
    assert "ups_rated_kw" in told.message
    assert not found.options[0].feasible


def test_a_network_larger_than_its_switches_carry_is_told() -> None:
    """800 ports on two tiers of 16-port switches: 128 at most."""

    def change(document):
        fleet(document)["fabrics"][0] |= {"topology": "leaf_spine", "switch_ports": 16}

    found = run(changed(change))
    told = next(one for one in found.findings if one.code == "fleet_failed")
    assert "800 ports are more than the 128" in told.message


def test_the_json_has_the_parts(found) -> None:
    """Networks, stores and cooling by option in the documented form."""
    plain = found.to_dict()
    assert plain["fabrics"]["rails"][0]["tiers"][0] == {
        "name": "leaf", "switches": 32, "ports_used": 1824
    }  # fmt: skip
    assert plain["stores"]["rails"][0]["servers"] == 7
    assert plain["cooling"]["rails"][0]["cdus"] == 4


def test_a_range_of_the_plant_is_drawn() -> None:
    """The share that liquid takes has a range: the energy line moves with it, the sums agree."""
    inputs = resolve(DOCUMENT, SeedCatalog())
    cases = option_cases(inputs)
    drivers, left = find_drivers(cases, inputs.finance)
    drawn = Evaluator(cases, drivers)
    assert not left
    names = [driver.field for driver in drawn.drivers]
    place = next(i for i, name in enumerate(names) if "captured_fraction" in name)
    rows = np.repeat(base_row(drawn.drivers), 3, axis=0)
    rows[:, place] = (0.7, 0.8, 0.9)
    usd = drawn.at(rows).plain_usd[0]
    assert usd[0] > usd[1] > usd[2]  # air takes 0.28 kW per kW, liquid 0.06, fluid 4 USD a kW
    assert usd[1] == pytest.approx(run(DOCUMENT).options[0].kpis["undiscounted_usd"].value)
