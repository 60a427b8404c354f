"""Shipped factors of watts are what the fits give on the shipped rows (P13.2, P14)."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tco.power.activity import Spread, Work, fitted, table_rows
from tco.power.fit import (
    WattsRow,
    asked_ratio,
    fit_family,
    predicted_w,
    spread_of,
    watts_rows,
    with_devices,
)
from tco.power.fit_wall import fit_wall, table, wall_rows


def test_the_shipped_factors_are_the_fit() -> None:
    """Running the fit again gives the table, to its four decimals."""
    rows = watts_rows()
    again, shipped = with_devices(fit_family(rows), rows), fitted().factors
    for name in (
        "clocks_fraction",
        "memory_j_per_tb",
        "compute_j_per_tflop",
        "narrow_fraction",
        "experts_fraction",
    ):
        assert getattr(again, name) == pytest.approx(getattr(shipped, name), rel=2e-3)
    assert dict(again.device) == pytest.approx(dict(shipped.device), rel=2e-3)


def test_the_shipped_host_is_the_fit() -> None:
    """The same for wall power."""
    again = table(fit_wall(wall_rows()), {"none": [0.0]})
    shipped = {row["name"]: float(row["value"]) for row in table_rows("wall_factors.csv")}
    fit = dict(line.split(",") for line in again.splitlines()[2:])
    for name in ("socket_w", "follow_fraction", "capped_fraction"):
        assert float(fit[name]) == pytest.approx(shipped[name], rel=2e-3)


def test_factors_are_physical() -> None:
    """Memory between 3 and 10 pJ a bit, 16-bit products between 0.3 and 3 pJ a flop."""
    factors = fitted().factors
    assert 3 < factors.memory_j_per_tb / 8 < 10
    assert 0.3 < factors.compute_j_per_tflop < 3
    assert 0.2 < factors.clocks_fraction < 0.8


def test_the_fit_finds_factors_it_was_made_with() -> None:
    """Rows made from known factors: the fit returns them, whatever the devices."""
    made = replace(
        fitted().factors, clocks_fraction=0.4, memory_j_per_tb=70.0, compute_j_per_tflop=1.2
    )
    made = replace(made, device=())
    rows = [replace(row, board_w=predicted_w(made, row)) for row in watts_rows()[::3]]
    found = fit_family(rows)
    assert found.clocks_fraction == pytest.approx(0.4, rel=0.02)
    assert found.memory_j_per_tb == pytest.approx(70.0, rel=0.03)
    assert found.compute_j_per_tflop == pytest.approx(1.2, rel=0.03)


def test_a_device_factor_is_shrunk_by_the_cells_behind_it() -> None:
    """One cell 20 % over the family weighs a quarter against three of the family: 1.2^(1/4)."""
    plain = replace(fitted().factors, device=())
    row = watts_rows()[0]
    quiet = replace(row, compute_fraction=0.001, memory_fraction=0.1, work=Work())
    board, asked = row.board, predicted_w(plain, quiet)
    high = replace(quiet, board_w=asked)
    ratio = asked_ratio(plain, high)
    assert ratio == pytest.approx(1.0, rel=1e-6)
    hot = replace(plain, device=((board.key, 1.2),))
    measured = replace(quiet, board_w=predicted_w(hot, quiet))
    ((key, factor),) = with_devices(plain, [measured]).device
    assert key == board.key
    assert factor == pytest.approx(math.pow(1.2, 0.25), rel=1e-6)


def test_an_interval_holds_four_in_five_and_stays_on_the_board() -> None:
    """Ratios from 0.5 to 1.5 in even steps: 10 % and 90 % of them; the ends stay within the cap."""
    factors = replace(fitted().factors, device=())
    base: WattsRow = watts_rows()[0]
    watts = predicted_w(factors, base)
    answers = [(replace(base, board_w=watts * (0.5 + step / 200)), factors) for step in range(201)]
    spread = spread_of(answers)
    assert spread.low == pytest.approx(0.6, abs=0.01)
    assert spread.high == pytest.approx(1.4, abs=0.01)
    assert Spread(0.6, 1.4).around(650, idle_w=70, cap_w=700) == (390, 700)
