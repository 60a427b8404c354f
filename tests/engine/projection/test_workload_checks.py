"""Quality floor, numerics between devices, shared devices: each said where it stands."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tco.inputs import (
    CoLocation,
    FidelityPoint,
    Figure,
    LanguageModel,
    MeasuredRates,
    Quality,
    ScenarioInputs,
    Status,
    Workload,
)
from tco.performance.partition import partition_of
from tco.projection import project
from tco.results import Finding
from tests.engine.cost.cast import device, fig, option, owned, scenario, server, workload


def found(inputs: ScenarioInputs, code: str) -> list[Finding]:
    """Findings of one kind."""
    return [finding for finding in project(inputs).findings if finding.code == code]


def rated(accepted: float, *, low: float | None = None, dtype: str = "") -> Workload:
    """A workload whose model has a quality figure, with a floor of 0.8."""
    work = workload()
    model = work.model
    assert isinstance(model, LanguageModel)
    figure = (
        Figure(
            accepted,
            "fraction",
            Status.MEASURED,
            "own set",
            low=low,
            high=min(2 * accepted - low, 1.0),
        )
        if low
        else Figure(accepted, "fraction", Status.MEASURED, "own set")
    )
    quality = (Quality("own set", dtype or work.weight_dtype, figure),)
    return replace(work, model=replace(model, quality=quality), quality_floor_fraction=0.8)


def only(work: Workload) -> ScenarioInputs:
    """A scenario of one owned fleet for a workload."""
    return scenario(option("a", owned(workload=work)))


def test_below_the_floor_makes_the_option_infeasible() -> None:
    """70 % accepted where 80 % are asked: an error that names both and the mend."""
    inputs = only(rated(0.7))
    finding = found(inputs, "quality_below_floor")[0]
    assert finding.severity == "error"
    assert "70.0%" in finding.message
    assert "80.0%" in finding.message
    assert finding.field.endswith("weight_dtype")
    assert not project(inputs).options[0].feasible


def test_an_interval_across_the_floor_is_a_warning_and_above_it_nothing() -> None:
    """0.83 with a low end of 0.78 warns; 0.9 says nothing."""
    assert found(only(rated(0.83, low=0.78)), "quality_near_floor")[0].severity == "warning"
    for code in ("quality_near_floor", "quality_below_floor", "quality_unknown"):
        assert found(only(rated(0.9)), code) == []


def test_another_precision_has_no_figure() -> None:
    """A figure of fp32 does not speak for the precision that runs: unknown, said so."""
    assert found(only(rated(0.99, dtype="fp32")), "quality_unknown")[0].severity == "warning"
    assert found(only(workload()), "quality_unknown") == []


def test_cost_of_accepted_answers_is_the_cost_over_the_share() -> None:
    """At 80 % accepted a thousand accepted answers cost 1.25 thousand; the interval follows."""
    kpis = project(only(rated(0.8, low=0.75))).options[0].kpis
    each, accepted = kpis["usd_per_1000_requests"], kpis["usd_per_1000_accepted"]
    assert accepted.value == pytest.approx(each.value / 0.8)
    low = each.low if each.low is not None else each.value
    high = each.high if each.high is not None else each.value
    assert accepted.low == pytest.approx(low / 0.85)
    assert accepted.high == pytest.approx(high / 0.75)
    assert "usd_per_1000_accepted" not in project(only(workload())).options[0].kpis


def measured(key: str, error: float | None) -> dict[str, object]:
    """A card whose products differ from the reference by `error`."""
    points = ()
    if error is not None:
        point = Figure(error, "fraction", Status.MEASURED, "fidelity test")
        points = (FidelityPoint("gemm", workload().weight_dtype, point),)
    return {"measured": MeasuredRates(fidelity=points)}


def two(left: float | None, right: float | None) -> ScenarioInputs:
    """Two cards that share one workload with a tolerance of 1 %."""
    work = replace(workload(), tolerance_fraction=0.01)
    fleets = [
        owned(
            key=key,
            workload=work,
            share_fraction=0.5,
            server=server(device(key, **measured(key, error)), key=f"server-{key}"),
        )
        for key, error in (("one", left), ("two", right))
    ]
    return scenario(option("a", *fleets))


def test_devices_that_differ_beyond_the_tolerance_are_named() -> None:
    """0.7 % and 0.6 % against one reference may be 1.3 % apart: both devices, operation, figure."""
    finding = found(two(0.007, 0.006), "numerics_differ")[0]
    assert finding.severity == "error"
    for word in ("ONE", "TWO", "gemm", "0.013", "0.01"):
        assert word in finding.message
    assert found(two(0.004, 0.005), "numerics_differ") == []


def test_numerics_that_nobody_measured_are_said() -> None:
    """A tolerance cannot be judged without figures of both."""
    assert found(two(0.004, None), "numerics_unknown")[0].severity == "warning"


def test_two_engines_that_reserve_more_than_the_device_do_not_start() -> None:
    """0.9 and 0.5 of one device: refused, by how much; 0.5 and 0.4 start."""

    def shared(a: float, b: float) -> ScenarioInputs:
        fleets = [
            owned(
                key=key,
                share_fraction=0.5,
                co_located=CoLocation(fig(0.5, "fraction"), fig(memory, "fraction")),
            )
            for key, memory in (("one", a), ("two", b))
        ]
        return scenario(option("a", *fleets))

    finding = found(shared(0.9, 0.5), "memory_reserved_twice")[0]
    assert "140%" in finding.message
    assert "0.40" in finding.mend
    assert found(shared(0.5, 0.4), "memory_reserved_twice") == []
    assert len(found(shared(0.5, 0.4), "shared_in_time")) == 2


def test_the_price_of_isolation_is_said() -> None:
    """A fleet on slices says how many there are and what is lost."""
    card = device("h100-sxm")
    part = partition_of(card, "3g.40gb")
    inputs = scenario(option("a", owned(server=server(card), partition=part)))
    finding = found(inputs, "partitioned")[0]
    assert "2 slices 3g.40gb" in finding.message
    assert "15%" in finding.message
