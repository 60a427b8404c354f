"""Charts and the rack drawing: hand-worked numbers, nothing JSON cannot hold."""

from __future__ import annotations

import copy
import json

import pytest

from planner.charts.cards import card, value_text
from planner.charts.kpis import KPI_ORDER, head, ordered
from planner.charts.theme import PALETTE, colour, end_label, spread
from planner.projections.charts_cost import (
    cost_breakdown,
    cost_over_time,
    cumulative_pv_usd,
    pv_by_category_usd,
)
from planner.projections.charts_load import load_latency
from planner.projections.charts_power import power_by_hour
from planner.projections.page import projection_page
from planner.projections.places import places_of
from planner.projections.rack import UNIT_HEIGHT, rack_views
from planner.projections.tables import ledger_tables, memory_tables


@pytest.fixture(scope="module")
def result():
    """The chat example, projected from the seed files: no database."""
    from hardware_catalog.seed.to_engine import SeedCatalog
    from tco.document import resolve
    from tco.projection import project
    from tests.planner.conftest import example

    return json.loads(json.dumps(project(resolve(example("chat"), SeedCatalog())).to_dict()))


def test_present_value_over_time_by_hand():
    """1 % a month: 100 at once, 50 at the end of months 1 and 2."""
    line = {"start_usd": [100.0, 0.0], "end_usd": [50.0, 50.0], "category": "x"}
    ledger = {"months": 2, "monthly_rate_fraction": 0.01, "lines": [line]}
    assert cumulative_pv_usd(ledger) == pytest.approx(
        [100.0, 100 + 50 / 1.01, 100 + 50 / 1.01 + 50 / 1.0201]
    )
    assert pv_by_category_usd(ledger) == pytest.approx({"x": 198.5197})


def test_the_curve_ends_at_the_total(result):
    """The last point of each option's curve is its TCO; the categories add up to it."""
    for option in result["options"]:
        total = result["kpis"][option["key"]]["tco_usd"]["value"]
        ledger = result["ledger"][option["key"]]
        assert cumulative_pv_usd(ledger)[-1] == pytest.approx(total, rel=1e-9)
        assert sum(pv_by_category_usd(ledger).values()) == pytest.approx(total, rel=1e-9)


def _charts(result):
    places = places_of(result)
    return [
        cost_over_time(result, places),
        cost_breakdown(result, places),
        power_by_hour(result, places),
        *load_latency(result, places),
    ]


def test_charts_are_plain_json_with_axes_and_twins(result):
    """No template, no NaN, titled axes with units, as many table columns as heads."""
    for chart in _charts(result):
        text = json.dumps(chart.figure, allow_nan=False)
        assert "template" not in chart.figure["layout"]
        assert text
        layout = chart.figure["layout"]
        assert layout["xaxis"]["title"]["text"]
        assert chart.title
        assert chart.caption
        assert chart.rows
        assert {len(row) for row in chart.rows} == {len(chart.head)}


def test_the_target_is_a_line_and_the_loads_in_use_are_marked(result):
    """Target across; a ring at the peak; a dot at the design load, at the latency of the card."""
    charts = load_latency(result, places_of(result))
    assert [chart.figure["layout"]["yaxis"]["title"]["text"] for chart in charts] == [
        "Time to first token, p95, ms",
        "Time per output token, p95, ms",
    ]
    for chart, limit, kpi in zip(charts, (1000, 50), ("ttft_ms", "tpot_ms"), strict=True):
        lines = [s for s in chart.figure["layout"]["shapes"] if s["type"] == "line"]
        assert [(s["y0"], s["y1"]) for s in lines] == [(limit, limit)]
        marks = [t for t in chart.figure["data"] if t["mode"] == "markers"]
        rings = [t for t in marks if t["marker"]["symbol"] == "circle-open"]
        dots = [t for t in marks if t["marker"]["symbol"] == "circle"]
        assert len(rings) == len(dots) == len(result["options"])
        for ring, dot, option in zip(rings, dots, result["options"], strict=True):
            assert ring["x"] == [pytest.approx(12000)]
            # headroom of 10 % and a lost copy: the design load is above the peak
            assert dot["x"][0] > 12000 * 1.1
            assert dot["y"] == [pytest.approx(result["kpis"][option["key"]][kpi]["value"])]


def test_nothing_is_shaded_where_nothing_was_measured(result):
    """The measured range is only drawn on measured devices."""
    for chart in load_latency(result, places_of(result)):
        assert not [s for s in chart.figure["layout"]["shapes"] if s["type"] == "rect"]
        assert "No measurement of your own" in chart.caption


def test_points_outside_the_model_s_range_are_faint_and_said(result):
    """Above 90 % load a curve is dotted and faint; caption and table say so (P6.3)."""
    charts = load_latency(result, places_of(result))
    for chart in charts:
        faint = [t for t in chart.figure["data"] if t.get("opacity", 1) < 1]
        assert len(faint) == len(result["options"])
        assert {t["line"]["dash"] for t in faint} == {"dot"}
        assert "outside the range that the model is checked in" in chart.caption
        assert chart.head[-1] == "In the model's range"
        for option in result["options"]:
            curve = result["latency"][option["key"]][0]["curve"]
            marks = ["yes" if point["within_model_range"] else "no" for point in curve[:-1]]
            assert "no" in marks
            assert [row[-1] for row in chart.rows if row[0] == option["name"]] == marks


def test_the_interval_is_a_faint_band_and_in_the_table(result):
    """Below and above each curve by the factors of the result, inside the model's range (P13.3)."""
    charts = load_latency(result, places_of(result))
    for chart, metric in zip(charts, ("ttft", "tpot"), strict=True):
        bands = [t for t in chart.figure["data"] if t.get("fill") == "toself"]
        assert chart.figure["data"][: len(bands)] == bands  # beneath every line
        assert "80 % of measured runs" in chart.caption
        for band, option in zip(bands, result["options"], strict=True):
            curve = result["latency"][option["key"]][0]["curve"]
            inside = [p for p in curve if p["within_model_range"] and not p["saturated"]]
            low, high = inside[0]["interval_ratio"][metric]
            values = [p[f"{metric}_ms"]["p95"] for p in inside]
            assert low < 1 < high
            assert band["y"] == pytest.approx(
                [*(value * low for value in values), *(value * high for value in values[::-1])]
            )
            assert float(band["fillcolor"].rpartition(",")[2].rstrip(")")) <= 0.16
            row = next(row for row in chart.rows if row[0] == option["name"])
            assert row[3:5] == (round(values[0] * low, 3), round(values[0] * high, 3))


def test_a_result_stored_before_there_were_intervals_has_no_band(result):
    """Old results keep their page: no band, and the table says that it is not known."""
    old = copy.deepcopy(result)
    for fleets in old["latency"].values():
        for fleet in fleets:
            for point in [*fleet["curve"], fleet["at_peak"]]:
                for name in ("interval_ratio", "batch", "kv_fraction", "simulated"):
                    point.pop(name)
            fleet.pop("parallel")
            fleet.pop("evidence")
    for chart in load_latency(old, places_of(old)):
        assert not [t for t in chart.figure["data"] if "fill" in t]
        assert {row[3:5] for row in chart.rows} == {("not known", "not known")}
    page = projection_page(old)
    assert page.peak == []
    assert page.options[0].fleets[0].devices_a_copy == 2


def test_a_fleet_has_one_colour_everywhere(result):
    """Cost, load, power and rack draw a fleet in the colour of its place."""
    places = places_of(result)
    cost, breakdown, power, *loads = _charts(result)
    for option in result["options"]:
        name, wanted = option["name"], colour(places.options[option["key"]])
        for chart in (cost, power, *loads):
            for trace in chart.figure["data"]:
                if trace["name"] == name:
                    assert trace["line"]["color"] == wanted
        for trace in breakdown.figure["data"]:
            if trace["name"] == name:
                assert trace["marker"]["color"] == wanted
    assert len(set(PALETTE)) == len(PALETTE) == 6


def test_provisioned_stands_above_the_hourly_line(result):
    """Two numbers per fleet: the level to provision is never below an hour's average (F2.5)."""
    chart = power_by_hour(result, places_of(result))
    rows = {}
    for name, hour, value in chart.rows:
        rows.setdefault(name, {})[hour] = value
    for values in rows.values():
        level = values.pop("provisioned")
        assert len(values) == 24
        assert max(values.values()) <= level


def test_the_rack_shows_each_server_in_its_units(result):
    """A box's top edge and height follow from its units, counted from the floor."""
    views = rack_views(result, places_of(result))
    assert len(views) == 3
    for view, layout in zip(
        views, [x for o in result["options"] for x in result["racks"][o["key"]]], strict=True
    ):
        assert view.frame_height >= layout["rack_units"] * UNIT_HEIGHT
        for box, server in zip(view.boxes, layout["placed"], strict=True):
            assert box.height == server["height_u"] * UNIT_HEIGHT - 2
            from_floor = layout["rack_units"] - (server["unit"] - 1)
            bottom = (box.y + box.height - 7) / UNIT_HEIGHT
            assert bottom == pytest.approx(from_floor, abs=0.2)
        assert [bar.name for bar in view.bars] == [
            *("Power", "Cooling", "Weight", "Units", "Circuits", "Ports")
        ]
        binding = [bar.name.lower() for bar in view.bars if bar.binds]
        assert binding == [layout["binds"]]
        assert layout["binds"] in view.sentence.lower()


def test_ledger_by_year_adds_up(result):
    """Years sum to the total, lines to the foot: the undiscounted KPI."""
    for table, option in zip(
        ledger_tables(result, places_of(result)), result["options"], strict=True
    ):
        kpi = result["kpis"][option["key"]]["undiscounted_usd"]["value"]
        assert len(table.years) == 5
        assert sum(table.sums_usd) == pytest.approx(kpi, rel=1e-9)
        assert table.total_usd == pytest.approx(sum(row.total_usd for row in table.rows))


def test_the_memory_table_fits_the_device(result):
    """The lines of a feasible fleet stay within the device's memory."""
    tables = memory_tables(result, places_of(result))
    assert len(tables) == len(result["options"])
    for table in tables:
        assert 0 < table.used_gb <= table.capacity_gb * 1.000001


def test_every_kpi_of_the_engine_has_a_place(result):
    """A new KPI of the engine must be given its place in the reading order."""
    for kpis in result["kpis"].values():
        assert set(kpis) <= set(KPI_ORDER)
        assert [kpi["key"] for kpi in ordered(kpis)] == [k for k in KPI_ORDER if k in kpis]
        assert all(kpi["value"] is not None for kpi in head(kpis) if kpi["key"] != "tco_usd")


def test_cards_round_to_three_figures_and_keep_the_exact_value(result):
    """Cards show three significant figures; the exact figure and its unit are beside it."""
    kpi = {
        **result["kpis"]["h100"]["tco_usd"],
        "value": 4883780.813936,
        "low": 4.6e6,
        "high": 5.2e6,
    }
    shown = card(kpi)
    assert (shown.value, shown.unit) == ("4.88 M", "USD")
    assert shown.exact == "4,883,780.813936 USD"
    assert shown.low_high == "4.6 M to 5.2 M" or shown.low_high == "4.60 M to 5.20 M"
    assert value_text(None, "USD") == "–"
    missing = card({**kpi, "value": None, "reason": "no price"})
    assert (missing.value, missing.exact, missing.reason) == ("–", "", "no price")


def test_end_labels_never_cover_each_other():
    """Three lines that end at the same height get labels a line of text apart."""
    notes = [end_label(name, 10, 100.0, 0) for name in "abc"]
    shifts = sorted(label["yshift"] for label in spread(notes, 200.0))
    assert shifts == [0, 16, 32]


def test_a_scenario_without_fleets_still_has_a_page():
    """Zero nodes: no chart breaks on an empty result."""
    from hardware_catalog.seed.to_engine import SeedCatalog
    from tco.document import resolve
    from tco.projection import project
    from tests.planner.conftest import example

    document = example("chat")
    document["workloads"][0]["requests_per_minute"] = 0
    result = json.loads(json.dumps(project(resolve(document, SeedCatalog())).to_dict()))
    page = projection_page(result)
    json.dumps([chart.figure for chart in page.cost_charts], allow_nan=False)
    assert page.options


def test_names_cannot_become_markup_in_a_chart():
    """What a person calls an option stays text in labels and on hover."""
    from planner.charts.theme import line

    name = '<a href="https://example.org">free</a> %{customdata}'
    trace = line(name, [0], [1], 0, "USD")
    assert "<a" not in trace["name"]
    assert "<a" not in trace["hovertemplate"]
    assert "%{customdata}" not in trace["hovertemplate"]
    assert "<a" not in end_label(name, 0, 1.0, 0)["text"]


def test_fleets_of_the_same_name_are_told_apart():
    """Two options with a fleet of one name each: the option's name goes before it."""
    from planner.projections.places import Places

    fleets = {("a", "x"): 0, ("a", "y"): 1, ("b", "x"): 2, ("b", "z"): 3, ("c", "x"): 4}
    names = {("a", "x"): "H100", ("a", "y"): "L4", ("b", "x"): "H100", ("b", "z"): "A10"}
    places = Places(
        fleets, {}, {"a": "Own", "b": "Mixed", "c": "Rent"}, {**names, ("c", "x"): "p5"}
    )
    labels = [places.fleet_label(*key) for key in fleets]
    assert labels == ["Own: H100", "L4", "Mixed: H100", "A10", "Rent"]
    twins = Places({("a", "x"): 0, ("a", "y"): 1}, {}, {"a": "Own"}, dict.fromkeys(fleets, "H100"))
    assert twins.fleet_label("a", "y") == "Own, fleet 2"
