"""One table of defaults: nothing outside it, each with its source, planning values named."""

from __future__ import annotations

import ast
import csv
from pathlib import Path

import pytest

from tco.defaults import BASES, default, defaults, defaults_in
from tco.document.values import default_figure
from tco.fields import field, sections
from tco.projection import project
from tests.generated.drawn import Drawn

ROOT = Path(__file__).resolve().parents[2]
NUMERIC = {"figure", "number", "integer"}
SEED = ROOT / "hardware_catalog" / "seed"


def test_every_default_of_a_field_stands_in_the_table():
    """All but 0 and 1, which leave something out or multiply nothing; value and unit agree."""
    seen = 0
    for section, fields in sections().items():
        for one in fields.values():
            key = f"{section}.{one.name}"
            if one.kind not in NUMERIC or not one.default:
                continue
            if float(one.default) in (0.0, 1.0) and key not in defaults():
                continue
            seen += 1
            assert key in defaults(), f"{key} has a default outside tco/defaults.csv"
            figure = default(key)
            assert figure.value == float(one.default), key
            assert figure.unit == (one.unit or "count"), key
    assert seen >= 20


def test_no_room_keeps_a_default_of_its_own():
    """A figure made from numbers at the top of a module belongs into the table."""
    found = []
    for path in sorted((ROOT / "tco").rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
            for call in ast.walk(value) if value is not None else ():
                name = getattr(getattr(call, "func", None), "id", "")
                if isinstance(call, ast.Call) and name in ("Figure", "assumed"):
                    found.append(f"{path.relative_to(ROOT)}:{call.lineno}")
    assert not found, f"defaults outside tco/defaults.csv: {found}"


def test_each_has_source_status_and_range_around_it():
    """A basis that is known, a use in words, low <= value <= high, used by somebody."""
    code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tco").rglob("*.py"))
    for key, one in defaults().items():
        assert one.basis in BASES, key
        assert one.used_for, key
        assert one.figure.source, key
        if one.figure.low is not None and one.figure.high is not None:
            assert one.figure.low <= one.figure.value <= one.figure.high, key
        assert one.of_a_field or f'"{key}"' in code, f"{key} is read by nobody"
        assert one.planning == one.figure.source.startswith("planning") or not one.of_a_field


def test_planning_values_have_sources_of_their_own():
    """The finding recognises a default by its source: two may not share one."""
    sources = [one.figure.source for one in defaults().values() if one.planning]
    assert len(set(sources)) == len(sources)


@pytest.mark.parametrize(
    ("key", "factor", "scope", "divide_by"),
    [
        ("failures.afr_per_year", "GPU + HBM failures per GPU-year", "same run", 1),
        ("failures.part_share_fraction", "GPU share of 8-GPU server cost", "HGX servers", 100),
    ],
)
def test_sourced_defaults_are_the_catalog_s_factors(key, factor, scope, divide_by):
    """Value and ends of the shipped factor."""
    with (SEED / "cost_factors.csv").open(encoding="utf-8") as text:
        rows = [row for row in csv.DictReader(text) if row["factor"] == factor]
    (row,) = [row for row in rows if row["region_or_scope"] == scope]
    figure = default(key)
    assert figure.value == pytest.approx(float(row["value_mid"]) / divide_by)
    for end in ("low", "high"):
        given = row[f"value_{end}"]
        assert getattr(figure, end) == (float(given) / divide_by if given else None)


def test_the_failure_rate_is_its_source_s_arithmetic():
    """148 faulty devices and 72 memories on 16,384 devices in 54 days: 9 % a year."""
    assert default("failures.afr_per_year").value == pytest.approx(
        (148 + 72) / 16_384 * 365 / 54, abs=5e-5
    )


def test_a_default_carries_range_and_date_into_the_scenario():
    """The discount rate nobody entered: 8 to 11 %, 2025, said to be a default."""
    figure = default_figure(field("finance", "discount_rate_fraction"))
    assert figure is not None
    assert (figure.value, figure.low, figure.high) == (0.1, 0.08, 0.11)
    assert figure.as_of == "2025-01"
    assert figure.source.startswith("default: rounded US technology WACC")


def _with(slot_w):
    def change(document):
        document["options"] = [
            {"key": "a", "fleets": [{"key": "f", "workload": "w0", "site": "s0", "count": 2}]}
        ]
        fleet = document["options"][0]["fleets"][0]
        fleet |= {"server": "supermicro-sys-821ge-tnhr", "device": "h100-sxm"}
        document["workloads"] = [
            {
                **{"key": "w0", "model": "meta-llama/Llama-3.1-70B", "weight_dtype": "fp8"},
                **{"requests_per_minute": 600, "input_tokens": 1000, "output_tokens": 250},
            }
        ]
        for site in document["sites"]:
            site.pop("slot_w", None)
            if slot_w is not None:
                site["slot_w"] = slot_w

    return Drawn.of(4).changed(change)


def test_a_planning_value_is_named_where_it_is_used():
    """200 W a slot, nobody's figure: a finding; entered, it is not."""
    for slot_w, named in ((None, True), (1500, False)):
        (finding,) = [
            one for one in project(_with(slot_w).inputs).findings if one.code == "planning_values"
        ]
        assert ("power per slot 200 W" in finding.message) is named
        assert finding.severity == "info"


def test_defaults_of_the_engine_stand_in_the_provenance():
    """Under the conventions of the result, with the table's source."""
    terms = {term.name: term for term in _with(1500).projection.conventions}
    found = terms["default: Highest planned share of the saturation load"]
    assert found.source == default("performance.load_table.max_load").source
    assert found.value == 0.9


def test_a_derived_figure_still_names_its_default():
    """What was computed from a default keeps its source in brackets."""
    source = "per server (default: planning value: a common rank of adapters)"
    assert [one.key for one in defaults_in([source])] == ["co_location.adapter_rank"]
    assert defaults_in(["a quote"]) == ()
