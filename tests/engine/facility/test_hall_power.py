"""Chains, the power tree, legs and lost feeds: hand-worked numbers and known complaints."""

from __future__ import annotations

import math

import pytest

from tco.errors import InputError, InputErrors
from tco.facility.hall.chain import ChainPart, carried, chain_limit, share_after_loss
from tco.facility.hall.failure import CoolingUnit, lose_cooling, lose_node
from tco.facility.hall.legs import EMPTY, LegRule
from tco.facility.hall.tree import Node, PowerTree, RackFeeds, loads, rack_shares, worst_shares


def limit_kva(*parts: tuple[str, float], **more: object) -> tuple[float, str]:
    """Continuous kVA of a three-phase chain of 400 V, and its weakest part."""
    given = {"voltage_v": 400.0, "phases": 3, "reference": "LL", "usable_fraction": 0.8}
    found = chain_limit([ChainPart(*part) for part in parts], **{**given, **more})
    return found.kva, found.part


def test_the_weakest_part_of_a_chain_wins():
    """63 A breaker, 32 A plug, 40 A cord: the plug, sqrt(3) x 400 x 32 x 0.8 = 17.74 kVA."""
    assert limit_kva(("breaker", 63.0), ("plug", 32.0), ("cord", 40.0)) == (
        pytest.approx(17.736, abs=1e-3),
        "plug",
    )
    warm, _ = limit_kva(("breaker", 32.0), thermal_factor=0.9)
    assert warm == pytest.approx(17.736 * 0.9, abs=1e-3)


def test_three_phases_read_both_ways():
    """230 V to neutral is 22.08 kVA, not the 12.7 of 230 V between lines (netbox 8738)."""
    neutral, _ = limit_kva(("breaker", 32.0), voltage_v=230.0, reference="LN", usable_fraction=1.0)
    lines, _ = limit_kva(("breaker", 32.0), voltage_v=230.0, usable_fraction=1.0)
    assert neutral == pytest.approx(22.08, abs=1e-9)
    assert lines == pytest.approx(12.748, abs=1e-3)


def test_400_va_on_a_socket_of_120_v_are_27_8_percent():
    """120 V, 15 A at 0.8 is 1,440 VA; 400 of them are 27.8 %, never 28.0 (netbox 11041)."""
    kva, _ = limit_kva(("breaker", 15.0), voltage_v=120.0, phases=1)
    assert kva * 1000 == pytest.approx(1440.0)
    assert f"{0.4 / kva:.1%}" == "27.8%"


@pytest.mark.parametrize(
    ("feeds", "redundancy", "kva"),
    [
        ([10.0, 10.0], "2N", 10.0),
        ([10.0, 6.0], "2N", 6.0),
        ([10.0, 10.0, 10.0, 10.0], "2N", 20.0),
        ([10.0, 10.0, 12.0], "N+1", 20.0),
        ([10.0, 10.0], "N", 20.0),
    ],
)
def test_redundant_feeds_are_not_added_up(feeds, redundancy, kva):
    """A and B carry one side (netbox 54); N+1 all but the largest; N their sum."""
    assert carried(feeds, redundancy) == kva


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"usable_fraction": 0.0}, "usable_fraction: 0 is not within 0 and 1"),
        ({"phases": 2}, "phases: 2 is not 1 or 3"),
        ({"reference": "X"}, "'X' is neither LL nor LN"),
    ],
)
def test_a_chain_that_cannot_be_is_refused(change, said):
    """Multipliers, phases and the voltage's reference are checked."""
    with pytest.raises(InputError) as caught:
        limit_kva(("breaker", 32.0), **change)
    assert said in str(caught.value)


def test_a_circuit_needs_a_breaker_of_some_size():
    """No part, and a part of 0 A, are refused."""
    with pytest.raises(InputError, match="without a breaker"):
        limit_kva()
    with pytest.raises(InputError, match="0 A is not above 0"):
        limit_kva(("breaker", 0.0))
    with pytest.raises(InputError, match="one feed cannot be 2N"):
        carried([10.0], "2N")


def tree() -> PowerTree:
    """Two UPS of 100 kVA on a utility of 150 kW; a PDU behind a PDU on side A."""
    return PowerTree(
        [
            Node("grid", "Utility", "utility", limit_kw=150.0),
            Node("ups-a", "UPS A", "ups", "grid", limit_kva=100.0),
            Node("ups-b", "UPS B", "ups", "grid", limit_kva=100.0),
            Node("pdu", "PDU", "pdu", "ups-a", limit_kva=50.0, diversity_fraction=0.9),
            Node("strip", "Strip", "pdu", "pdu", limit_kva=10.0),
        ]
    )


def feeds(*racks: str, redundancy: str = "2N") -> list[RackFeeds]:
    """Racks on the strip and on UPS B, at a power factor of 0.95."""
    return [RackFeeds(name, ("strip", "ups-b"), redundancy, 0.95) for name in racks]


def test_a_load_is_seen_at_every_part_above_it_in_kw_and_kva():
    """8 x 100 VA behind a PDU are 800 VA at its inlet (netbox 8177), halved over two sides."""
    one = PowerTree([Node("inlet", "Inlet", "pdu", limit_kva=2.0), Node("s", "S", "pdu", "inlet")])
    hung = [RackFeeds(f"d{index}", ("s",), "N", 1.0) for index in range(8)]
    drawn = {f"d{index}": 0.1 for index in range(8)}
    found = loads(one, hung, drawn, rack_shares(one, hung))
    assert found["inlet"].kva == pytest.approx(0.8)
    assert found["inlet"].share_fraction == pytest.approx(0.4)
    both = loads(tree(), feeds("r"), {"r": 9.5}, rack_shares(tree(), feeds("r")))
    assert both["strip"].kva == pytest.approx(5.0)
    assert both["strip"].kw == pytest.approx(4.75)
    assert both["pdu"].kw == pytest.approx(4.75 * 0.9)  # diversity
    assert both["grid"].kw == pytest.approx(4.75 * 0.9 + 4.75)


def test_a_side_must_carry_all_of_a_2n_rack():
    """In the worst failure the strip sees the whole rack, and so does everything above it."""
    shares = worst_shares(tree(), feeds("r"))
    assert shares[("r", "strip")] == 1.0
    assert shares[("r", "ups-b")] == 1.0
    assert shares[("r", "pdu")] == pytest.approx(0.9)
    assert shares[("r", "grid")] == 1.0
    three = [RackFeeds("r", ("strip", "ups-b", "ups-a"), "N+1", 1.0)]
    assert worst_shares(tree(), three)[("r", "ups-b")] == 0.5
    assert share_after_loss(1, 4, "N") == 0.25


def test_everything_wrong_with_a_tree_is_said_at_once():
    """A loop, an unknown feeder, a limit of 0 and a key used twice."""
    with pytest.raises(InputErrors) as caught:
        PowerTree(
            [
                Node("a", "A", "ups", "b"),
                Node("b", "B", "pdu", "a"),
                Node("c", "C", "pdu", "nothing"),
                Node("d", "D", "pdu", limit_kw=0.0),
                Node("d", "D", "pdu"),
            ]
        )
    said = str(caught.value)
    for part in ("loop: a > b > a", "'nothing'", "0 kW is not above 0", "stands twice"):
        assert part in said


def test_one_load_between_lines_is_24_amperes_on_two_of_them():
    """4.992 kVA at 208 V between A and B: 24.0 A, not 20.8 (F2.6)."""
    rule = LegRule(8.646, 208.0, "LL")
    assert rule.lines_a((4.992, 0.0, 0.0)) == pytest.approx((24.0, 24.0, 0.0))
    assert rule.line_limit_a == pytest.approx(24.0, abs=0.01)


def test_legs_fill_in_turn_and_the_third_part_is_the_limit():
    """22.08 kVA to neutral: 7.36 a phase. Three loads of 5 fit, a fourth does not."""
    rule, legs = LegRule(22.08, 230.0, "LN"), EMPTY
    for _ in range(3):
        legs = rule.placed(legs, 5.0, 1)
        assert legs is not None
    assert legs == pytest.approx((5.0, 5.0, 5.0))
    assert rule.placed(legs, 5.0, 1) is None  # 15 + 5 is under 22.08 in total, not on a leg
    assert rule.imbalance_fraction((6.0, 3.0, 3.0)) == pytest.approx(0.5)
    spread = rule.placed(legs, 6.0, 3)
    assert spread == pytest.approx((7.0, 7.0, 7.0))


def test_a_lost_side_leaves_racks_exposed_and_finds_what_is_too_small():
    """UPS B gone: 12 kW on a strip of 10 kVA is overloaded, 9 kW is exposed, N goes dark."""
    on_b = RackFeeds("n", ("ups-b",), "N", 1.0)
    hung = [*feeds("big"), on_b]
    lost = lose_node(tree(), hung, {"big": 12.0, "n": 3.0}, {"big": 20.0, "n": 10.0}, "ups-b")
    assert lost.states == {"big": "overloaded", "n": "dark"}
    assert [load.key for load in lost.overloaded] == ["strip"]
    fine = lose_node(tree(), feeds("r"), {"r": 9.0}, {"r": 20.0}, "ups-b")
    assert (fine.states, fine.overloaded) == ({"r": "exposed"}, ())
    assert lose_node(tree(), feeds("r"), {"r": 9.0}, {"r": 5.0}, "ups-b").left_fraction == (
        pytest.approx(5.0 * 0.95 / 9.0)
    )


def test_a_lost_cdu_warms_its_racks_only_if_the_rest_is_too_small():
    """Two CDU of 100 kW carry 120 kW of liquid heat; without one 100 of 120 are carried."""
    racks = frozenset({"r1", "r2"})
    units = [CoolingUnit(f"cdu-{n}", f"CDU {n}", "cdu", "liquid", 100.0, racks) for n in (1, 2)]
    heat = {"liquid": {"r1": 60.0, "r2": 60.0, "far": 500.0}, "air": {}}
    lost = lose_cooling(units, heat, "cdu-1")
    assert lost.states == {"r1": "warm", "r2": "warm"}
    assert lost.left_fraction == pytest.approx(100 / 120)
    light = {"liquid": {"r1": 40.0, "r2": 40.0}, "air": {}}
    assert lose_cooling(units, light, "cdu-1").states == {}
    assert math.isclose(lose_cooling(units, light, "cdu-1").left_fraction, 1.0)
