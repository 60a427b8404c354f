"""Three models under one limit: what must be bought, what binds, why a 70B is not possible (P9)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from hardware_catalog.seed.to_engine.catalog import SeedCatalog
from tco.document import parse, resolve
from tco.projection import project
from tco.results import Projection

EXAMPLE = Path(__file__).parents[2] / "examples" / "pipeline.yaml"


@cache
def answer() -> Projection:
    """The projection of the shipped example."""
    return project(resolve(parse(EXAMPLE.read_text(encoding="utf-8")), SeedCatalog()))


def test_the_small_model_keeps_the_limit_of_the_whole():
    """p99 of simulated requests under 450 ms; stage percentiles would add up to more."""
    small = next(option for option in answer().options if option.key == "l40s")
    assert small.feasible
    pipeline = small.pipelines[0]
    assert pipeline.e2e_ms["p99"] <= 450.0
    assert pipeline.low_ms <= pipeline.e2e_ms["p99"] <= pipeline.high_ms
    assert pipeline.requests_per_s == pytest.approx(200.0)
    assert sum(stage.stage_ms["p99"] for stage in pipeline.stages) >= pipeline.e2e_ms["p99"]
    assert sum(stage.slow_fraction for stage in pipeline.stages) == pytest.approx(1.0)
    assert [stage.stage for stage in pipeline.stages if stage.binds] == ["answer"]


def test_no_stage_beats_its_floor():
    """Ranking: 20 x 256 tokens through 0.30 G parameters of products, 2 flops each, at the peak."""
    small = next(option for option in answer().options if option.key == "l40s")
    ranking = next(s for s in small.pipelines[0].stages if s.stage == "ranking")
    body = 24 * (4 * 1024 * 1024 + 2 * 1024 * 4096)
    floor_ms = 2 * body * 20 * 256 / 362e12 * 1e3
    assert ranking.stage_ms["p50"] > floor_ms
    reply = next(s for s in small.pipelines[0].stages if s.stage == "answer")
    # sixteen passes over 7.5 GB of weights at 864 GB/s
    assert reply.stage_ms["p50"] > 16 * 7.5 / 864 * 1e3


def test_the_large_model_is_not_possible_and_the_reason_is_its_lone_answer():
    """On the same servers even a lone request is late: no number of them helps."""
    large = next(option for option in answer().options if option.key == "l40s-70b")
    assert not large.feasible
    pipeline = large.pipelines[0]
    assert not pipeline.feasible
    assert pipeline.e2e_ms["p99"] > 450.0
    assert "with every request alone on its devices" in pipeline.binds
    assert pipeline.binds.startswith("Answer")
    told = [f for f in answer().findings if f.option == "l40s-70b" and f.severity == "error"]
    assert len(told) == 1
    assert "alone" in told[0].message


def test_fast_links_carry_the_large_model_at_their_price():
    """H100 with NVLink keep the limit; the option costs more than the small model's."""
    by_key = {option.key: option for option in answer().options}
    assert by_key["h100-70b"].feasible
    costs = {key: option.kpis["tco_usd"].value for key, option in by_key.items()}
    assert costs["h100-70b"] > 2 * costs["l40s"]


def test_requests_of_a_pipeline_are_counted_once():
    """12,000 a minute pass three fleets: the cost divides by the requests, not by three times."""
    small = next(option for option in answer().options if option.key == "l40s")
    each, usd = small.kpis["usd_per_1000_requests"], small.kpis["tco_usd"]
    served = next(t for t in each.terms if t.unit == "thousand").value
    assert each.value == pytest.approx(usd.value / served, rel=0.02)
    mean_of_day = 0.70
    undiscounted = 200 * mean_of_day * 730 * 3600 * 60 / 1000
    assert 0.6 * undiscounted < served < undiscounted
