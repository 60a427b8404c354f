"""A sweep against whole projections, point by point; what is refused before anything is done."""

from __future__ import annotations

import io
import math

import numpy as np
import pandas as pd
import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.document import resolve
from tco.errors import InputError, InputErrors
from tco.projection import project
from tco.sweep.axes import read_axis
from tco.sweep.run import Sweep
from tco.sweep.table import blocks, cheapest, frame, summary, written
from tests.engine.mix.test_best_mix import document

SERVER = "options[h100].fleets[h100].purchase.server_usd"
PRICES = (f"{SERVER}=200000:300000:7", "sites[0].energy_usd_per_kwh=0.05:0.2:5")


def swept(*axes, name="chat", **more):
    """A sweep of an example."""
    return Sweep(document(name), SeedCatalog(), tuple(map(read_axis, axes)), **more)


def projected(sweep, point):
    """Cost of every option at a point, by a whole projection."""
    options = project(resolve(sweep.document_at(point), SeedCatalog())).options
    return [one.kpis["tco_usd"].value for one in options]


@pytest.mark.parametrize(
    "axes",
    [
        (*PRICES, "finance.discount_rate_fraction=0.02:0.14:4"),
        ("sites[0].pue=1.1:1.6:11",),
        ("options[p5].fleets[p5].rental.usd_per_hour=log:10:80:9", *PRICES),
        ("options[h100].fleets[h100].server=supermicro-sys-821ge-tnhr,nvidia-dgx-h100", *PRICES),
    ],
)
def test_columns_equal_whole_projections(axes):
    """20 random points of each grid, to the last digit shown."""
    sweep = swept(*axes)
    assert sweep.by_columns
    draw = np.random.default_rng(len(axes))
    for point in draw.integers(sweep.size, size=20):
        found = sweep.cost(int(point), int(point) + 1)[0]
        assert found == pytest.approx(projected(sweep, int(point)), rel=1e-9)


@pytest.mark.parametrize(
    "axis",
    [
        "workloads[0].growth_fraction_per_year=0:0.5:3",
        "workloads[0].requests_per_minute=6000,24000",
        "finance.horizon_months=36,60",
        "options[p5].fleets[p5].rental.commitment=on_demand,reserved_1y",
    ],
)
def test_what_changes_sizes_is_projected_whole(axis):
    """And equals what one by one gives; why is said."""
    sweep = swept(axis, "sites[0].pue=1.2,1.4")
    assert not sweep.by_columns
    assert sweep.why_whole
    for point in range(sweep.size):
        found = sweep.cost(point, point + 1)[0]
        wanted = [math.nan if one is None else one for one in projected(sweep, point)]
        assert found == pytest.approx(wanted, rel=1e-12, nan_ok=True)


def test_one_swept_price_moves_no_other_that_is_alike():
    """Two fleets with the same figure: only the one named is varied."""
    sweep = swept("options[h100].fleets[h100].purchase.network_usd_per_server=10000:40000:4")
    cost = sweep.cost(0, sweep.size)
    keys = list(sweep.options)
    assert np.ptp(cost[:, keys.index("h100")]) > 0
    assert np.ptp(cost[:, keys.index("mi300x")]) == 0


def test_blocks_give_what_one_go_gives():
    """However the points are cut: the same bits."""
    sweep = swept(*PRICES)
    whole = sweep.cost(0, sweep.size)
    for each in (1, 4, 34):
        parts = [sweep.cost(first, last) for first, last in blocks(sweep.size, each)]
        assert np.array_equal(np.concatenate(parts), whole)


def test_the_table_holds_every_point_in_both_formats():
    """CSV and Parquet read back to the same numbers."""
    sweep = swept(*PRICES)
    cost = sweep.cost(0, sweep.size)
    table = frame(sweep, cost)
    assert list(table.columns[:2]) == [SERVER, "sites[0].energy_usd_per_kwh"]
    assert len(table) == 35
    csv = pd.read_csv(io.BytesIO(written(table, "csv")))
    parquet = pd.read_parquet(io.BytesIO(written(table, "parquet")))
    for other in (csv, parquet):
        assert other["tco_usd[h100]"].to_numpy() == pytest.approx(cost[:, 0])
        assert (other["cheapest"] == table["cheapest"]).all()
    said = summary(sweep.options, cost)
    assert sum(said.wins.values()) == pytest.approx(1.0)
    assert said.best[2] == cost.min()


def test_points_without_a_price_are_told_and_never_cheapest():
    """NaN is no price."""
    cost = np.array([[math.nan, 2.0], [math.nan, math.nan], [1.0, 3.0]])
    assert cheapest(cost).tolist() == [1, -1, 0]
    found = summary(("a", "b"), cost)
    assert (found.unpriced, found.best) == (1, (2, "a", 1.0))
    assert found.wins == {"a": 0.5, "b": 0.5}


@pytest.mark.parametrize(
    ("axes", "field", "says"),
    [
        (("sites[0].pu=1:2:3",), "sites[0].pu", "no field"),
        (("sites[0].pue=0.5:2:3",), "sites[0].pue", "outside the limits"),
        (("sites[0].pue=1:2:3", "sites[0].pue=1:2:4"), "sites[0].pue", "twice"),
        (("finance.horizon_months=12.5,24",), "finance.horizon_months", "whole number"),
        ((f"{SERVER}=1e5:3e5:90000", "sites[0].pue=1:2:90"), "axes", "8,100,000 points"),
        (("workloads[0].requests_per_minute=6e3:9e3:30000",), "axes", "one by one"),
        (("options[0].fleets[0].server=h1,h2",), "options[0].fleets[0].server=h1", "no server"),
    ],
)
def test_what_cannot_be_swept_is_refused_with_its_size(axes, field, says):
    """Before anything is computed, each error by its path."""
    with pytest.raises(InputErrors) as caught:
        swept(*axes)
    assert any(one.field == field and says in f"{one.message}" for one in caught.value.errors)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "x=",
        "x=1:2",
        "x=2:1:5",
        "x=nan:1:3",
        "x=1,nan",
        "x=1,a",
        "x=1,1",
        "x=log:0:1:3",
        "x=1:2:1",
    ],
)
def test_axes_that_cannot_be_read_are_named(text):
    """With what to write."""
    with pytest.raises(InputError):
        read_axis(text)
