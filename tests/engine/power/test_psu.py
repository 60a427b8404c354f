"""DC to AC (F2.4)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tco.power.psu import PowerSupplies
from tests.engine.power.power_fleets import figure, h100_server


@pytest.mark.parametrize(
    ("dc_w", "efficiency"),
    [
        (500, 0.90),
        (1_000, 0.90),
        (2_000, 0.94),
        (3_500, 0.95),
        (5_000, 0.96),
        (7_500, 0.935),
        (10_000, 0.91),
        (12_000, 0.91),
    ],
)
def test_titanium_supplies_at_their_rated_loads(dc_w: float, efficiency: float) -> None:
    """10 kW of supplies: 90, 94, 96 and 91 % at 10, 20, 50 and 100 % load; lines between."""
    supplies = PowerSupplies(0.96, 10_000.0)
    assert supplies.efficiency_fraction(dc_w) == pytest.approx(efficiency)
    assert supplies.ac_w(dc_w) == pytest.approx(dc_w / efficiency)


def test_all_supplies_share_the_load() -> None:
    """Six of 3,000 W carry 9 kW at half load each, so a 2N pair carries half a side."""
    server = h100_server(
        psu_efficiency_fraction=figure(0.96, "fraction"), psu_count=6, psu_w_each=figure(3_000, "W")
    )
    assert PowerSupplies.of(server).ac_w(9_000) == pytest.approx(9_375)


def test_unknown_supplies_are_assumed_and_named() -> None:
    """No efficiency in the catalog: 94 % at every load, and the reason says so."""
    supplies = PowerSupplies.of(h100_server(psu_efficiency_fraction=None))
    assert supplies.ac_w(940) == pytest.approx(1_000)
    assert supplies.reasons == ("supply efficiency unknown: 0.94 assumed",)


@settings(deadline=None)
@given(dc_w=st.floats(0, 20_000), more_w=st.floats(1e-3, 5_000), half=st.floats(0.88, 0.97))
def test_more_dc_always_draws_more_ac(dc_w: float, more_w: float, half: float) -> None:
    """A rising efficiency never makes a larger load cheaper."""
    supplies = PowerSupplies(half, 10_000.0)
    assert supplies.ac_w(dc_w + more_w) > supplies.ac_w(dc_w)


@settings(deadline=None)
@given(st.floats(0, 20_000))
def test_dc_of_ac_is_the_inverse(dc_w: float) -> None:
    """There and back gives the same watts."""
    supplies = PowerSupplies(0.96, 10_000.0)
    assert supplies.dc_w(supplies.ac_w(dc_w)) == pytest.approx(dc_w, abs=1e-6)
