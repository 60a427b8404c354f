"""Showback of shared assets: public reports, sums to the cent, whose idle it is (F22)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tco.cost.allocation import IDLE, Claim, allocate
from tco.errors import InputError


def test_four_quarters_of_a_device_are_one_device():
    """opencost 3828, HAMi 3073: four pods of 25 % for an hour were 4 device-hours; it is 1."""
    pods = [Claim(f"pod {i}", 0.25, 0.25) for i in range(4)]
    found = allocate(24.0, 8.0, pods, basis="device_hours")
    assert math.fsum(share.charged_units for share in found.shares) == 1.0
    assert [found.share(pod.name).cents for pod in pods] == [75, 75, 75, 75]
    assert found.idle_units == 7.0
    assert found.share(IDLE).cents == 2100


def test_idle_is_never_below_nothing():
    """kubecost 1978: a plugin that reports 0 devices made idle negative; it is flagged instead."""
    found = allocate(100.0, 0.0, [Claim("a", 3.0), Claim("b", 1.0)], basis="device_hours")
    assert found.missing_units == 4.0
    assert (found.share("a").cents, found.share("b").cents) == (7500, 2500)
    assert found.idle_usd == 0
    assert found.idle_units == 0


def test_idle_has_a_name():
    """opencost 2352: 7 h at 0.0384 USD/h showed 0.13 USD; it is 0.2688, with the idle named."""
    asset_usd = 7 * 0.0384
    used = 0.13 / 0.0384
    found = allocate(asset_usd, 7.0, [Claim("pod", 0.0, used)], basis="device_hours")
    assert math.fsum(share.total_usd for share in found.shares) == pytest.approx(0.2688)
    assert found.share("pod").allocated_usd == pytest.approx(0.13)
    assert found.share(IDLE).total_usd == pytest.approx(0.1388)
    assert [share.cents for share in found.shares] == [13, 14]


def test_idle_without_weights_stays():
    """opencost pull 883: shared by weights of nothing the idle cost vanished; it keeps its row."""
    for claims in ([], [Claim("a", 0.0)], [Claim("a", 1.0, weight=0.0)]):
        found = allocate(10.0, 2.0, claims, basis="device_hours", idle="shared")
        assert sum(share.cents for share in found.shares) == 1000
        assert found.share(IDLE).cents == (500 if claims and claims[0].requested_units else 1000)


def test_idle_goes_to_the_owner_of_the_pool():
    """cost-analyzer 5, aaw 1412: the idle server of a team was shared by all; its owner pays."""
    guest = [Claim("guest", 1.0)]
    found = allocate(80.0, 8.0, guest, basis="rack_u", idle="owner", owner="team")
    assert found.share("team").cents == 7000
    assert found.share("guest").cents == 1000
    alone = allocate(80.0, 8.0, [Claim("team", 2.0)], basis="rack_u", idle="owner", owner="team")
    assert (alone.share("team").allocated_usd, alone.share("team").idle_usd) == (20.0, 60.0)


def test_the_greater_of_asked_and_used_is_paid():
    """F22.2: 4 kW asked and 1 used pays 4; 2 asked and 3 used pays 3; 3 of 10 kW are idle."""
    claims = [Claim("a", 4.0, 1.0), Claim("b", 2.0, 3.0)]
    found = allocate(1500.0, 10.0, claims, basis="provisioned_kw")
    assert [share.cents for share in found.shares] == [60_000, 45_000, 45_000]


def test_idle_by_weight():
    """F22.2: 400 idle by weights 3 and 1 adds 300 and 100; without weights by own use, 2 to 1."""
    heavy = [Claim("a", 4.0, weight=3.0), Claim("b", 2.0, weight=1.0)]
    found = allocate(1000.0, 10.0, heavy, basis="provisioned_kw", idle="shared")
    assert [share.cents for share in found.shares] == [70_000, 30_000]
    plain = [Claim("a", 4.0), Claim("b", 2.0)]
    found = allocate(900.0, 9.0, plain, basis="provisioned_kw", idle="shared")
    assert [share.cents for share in found.shares] == [60_000, 30_000]


AMOUNT = st.floats(0, 1e7, allow_nan=False).map(lambda amount: round(amount, 6))
CLAIM = st.tuples(AMOUNT, AMOUNT, st.one_of(st.none(), AMOUNT))


@given(AMOUNT, AMOUNT, st.lists(CLAIM, max_size=6), st.sampled_from(["kept", "shared", "owner"]))
def test_lines_sum_to_the_asset_in_any_order(asset_usd, capacity, drawn, idle):
    """F23.1 and F23.8: whole cents sum to the asset, no line is negative, order is nothing."""
    claims = [Claim(f"user {i}", *rest) for i, rest in enumerate(drawn)]
    one, other = (
        allocate(asset_usd, capacity, order, basis="device_hours", idle=idle, owner="user 0")
        for order in (claims, claims[::-1])
    )
    assert sum(share.cents for share in one.shares) == round(asset_usd * 100)
    assert all(share.cents >= 0 and share.idle_usd >= 0 for share in one.shares)
    assert {s.name: s.cents for s in one.shares} == {s.name: s.cents for s in other.shares}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"asset_usd": -1.0}, "asset_usd"),
        ({"capacity_units": math.nan}, "capacity_units"),
        ({"claims": [Claim("a", -1.0)]}, "claims[0].requested_units"),
        ({"claims": [Claim("a", 1.0), Claim("a", 1.0)]}, "claims[1].name"),
        ({"claims": [Claim(IDLE, 1.0)]}, "claims[0].name"),
        ({"basis": "pods"}, "basis"),
        ({"idle": "lost"}, "idle"),
        ({"idle": "owner"}, "owner"),
    ],
)
def test_what_cannot_be_shared_is_refused_by_field(change, field):
    """Each refusal names the field."""
    good = {"asset_usd": 1.0, "capacity_units": 1.0, "claims": [], "basis": "rack_u"}
    with pytest.raises(InputError) as caught:
        allocate(**good | change)
    assert caught.value.field == field
