"""Board power against the watts of a slot (F2.2)."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from tco.facility.slots import slot_fit
from tco.inputs import CapPoint
from tests.engine.power.power_fleets import figure, h100, h100_server


def point(cap_w: float, throughput: float) -> CapPoint:
    """A measured power cap."""
    return CapPoint(figure(cap_w, "W"), figure(throughput, "fraction"))


def test_the_lower_of_site_and_server_slot_counts() -> None:
    """A 700 W board fits a 1,000 W site slot, but not a server that feeds 600 W a slot."""
    assert slot_fit(h100_server(), figure(1_000, "W")).fits
    narrow = h100_server(slot_w=figure(600, "W"))
    fit = slot_fit(narrow, figure(1_000, "W"))
    assert not fit.fits
    assert fit.throughput_fraction == 0
    assert "700 W board over the 600 W slot" in fit.reason


def test_a_board_exactly_at_the_limit_fits() -> None:
    """The limit itself is allowed."""
    fit = slot_fit(h100_server(), figure(700, "W"))
    assert (fit.fits, fit.capped, fit.cap_w, fit.throughput_fraction) == (True, False, None, 1.0)


def test_the_best_cap_under_the_limit_is_taken_in_any_order() -> None:
    """Of caps at 300, 450, 500 and 650 W in a 500 W slot, the one with most throughput."""
    points = (point(300, 0.62), point(450, 0.88), point(500, 0.88), point(650, 0.97))
    for order in itertools.permutations(points):
        server = h100_server(device=replace(h100(), cap_points=order))
        fit = slot_fit(server, figure(500, "W"))
        assert (fit.fits, fit.capped, fit.cap_w, fit.throughput_fraction) == (
            True,
            True,
            450,
            0.88,
        )


def test_a_cap_above_the_limit_does_not_help() -> None:
    """A point measured at 550 W says nothing about 500 W."""
    server = h100_server(device=replace(h100(), cap_points=(point(550, 0.9),)))
    assert not slot_fit(server, figure(500, "W")).fits


def test_a_cpu_is_not_in_a_slot() -> None:
    """A 350 W CPU stands in a hall of 200 W slots: it has a socket."""
    server = h100_server(device=replace(h100(), kind="cpu", board_w=figure(350, "W")))
    assert slot_fit(server, figure(200, "W")).fits


@pytest.mark.parametrize(("points", "capped"), [((), False), ((point(180, 0.5),), True)])
def test_an_unknown_board_is_named_not_refused(points: tuple[CapPoint, ...], capped: bool) -> None:
    """Without a board power there is nothing to compare: it fits, and the reason says so."""
    server = h100_server(device=replace(h100(), board_w=None, cap_points=points))
    fit = slot_fit(server, figure(200, "W"))
    assert fit.fits
    assert fit.capped is capped
    assert "board power of H100 SXM unknown" in fit.reason
