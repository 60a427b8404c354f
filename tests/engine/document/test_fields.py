"""The data dictionary: complete, consistent, fit for forms."""

from __future__ import annotations

import dataclasses

import pytest

from tco import inputs
from tco.document import KINDS
from tco.fields import field, section, sections

EVERY = [entry for fields in sections().values() for entry in fields.values()]
KNOWN_KINDS = {"text", "key", "date", "boolean", "integer", "number", "figure", "choice"} | {
    "choices",
    "list",
    "hours",
    "months",
    "series",
    "map",
    "one",
    "many",
    "ref",
    "local",
    "numbers",
}


def names(entries):
    """Section and name, for readable failures."""
    return [f"{entry.section}.{entry.name}" for entry in entries]


def test_every_field_is_described_for_people():
    """A label, a sentence, and a kind the checks know."""
    assert names(e for e in EVERY if not e.label or not e.description.endswith(".")) == []
    assert names(e for e in EVERY if e.kind not in KNOWN_KINDS) == []


def test_every_number_has_limits():
    """A number without limits would let 1e15 servers through; the default lies inside."""
    kinds = {"figure", "number", "integer", "hours", "months", "series", "map"}
    numbers = [e for e in EVERY if e.kind in kinds]
    numbers = [e for e in numbers if e.section != "figure"]
    assert names(e for e in numbers if e.minimum is None or e.maximum is None) == []
    assert names(e for e in numbers if not e.minimum < e.maximum) == []
    with_default = [e for e in numbers if e.default]
    assert len(with_default) > 10
    assert names(e for e in with_default if not e.minimum <= float(e.default) <= e.maximum) == []


def test_defaults_have_a_source():
    """A default is an assumption that is printed with the result."""
    figures = [e for e in EVERY if e.kind == "figure" and e.default]
    bare = [e for e in figures if not e.source]
    assert names(bare) == []
    words = [e for e in EVERY if e.kind == "choice" and e.default]
    assert names(e for e in words if e.default not in e.choices) == []
    assert names(e for e in EVERY if e.default and e.required) == []


def test_units_follow_the_names():
    """`_usd_per_kwh` is USD/kWh and `_fraction` a fraction: name and unit never disagree."""
    endings = {
        "_usd_per_kwh": {"USD/kWh"},
        "_usd_per_kw_month": {"USD/kW-month"},
        "_gco2_per_kwh": {"gCO2e/kWh"},
        "_fraction": {"fraction", "fraction/year"},
        "_months": {"month", "engineer-month"},
        "_kw": {"kW", "USD/kW", "kW/kW"},
        "_ms": {"ms"},
        "_gb": {"GB"},
        "_gb_s": {"GB/s"},
        "_kg": {"kg"},
        "_tokens": {"token"},
    }
    checked = 0
    for entry in EVERY:
        fitting = [ending for ending in endings if entry.name.endswith(ending)]
        if fitting and entry.kind in {"figure", "number"}:
            checked += 1
            assert entry.unit in endings[max(fitting, key=len)], names([entry])
    assert checked > 40


def test_references_lead_somewhere():
    """Every nested section exists, every catalog kind is one, every list of keys is there."""
    assert names(e for e in EVERY if e.kind in {"one", "many"} and e.of not in sections()) == []
    assert names(e for e in EVERY if e.kind == "ref" and e.of not in KINDS) == []
    assert names(e for e in EVERY if e.kind == "local" and e.of not in section("scenario")) == []


@pytest.mark.parametrize(
    ("section_name", "kind", "renamed"),
    [
        ("finance", inputs.Finance, {}),
        ("tax", inputs.Tax, {}),
        ("colocation", inputs.Colocation, {}),
        ("build", inputs.FacilityBuild, {}),
        ("purchase", inputs.Purchase, {}),
        ("financing", inputs.Financing, {}),
        ("instalment", inputs.Instalment, {}),
        ("assessment", inputs.Assessment, {}),
        ("failures", inputs.Failures, {}),
        ("migration", inputs.Migration, {}),
        ("port", inputs.Port, {}),
        ("exit", inputs.Exit, {}),
        ("retraining", inputs.Retraining, {}),
        ("staffing", inputs.Staffing, {}),
        ("availability", inputs.Availability, {}),
        ("layer", inputs.Layer, {}),
        ("transfer", inputs.Transfer, {}),
        ("support_contract", inputs.SupportContract, {}),
        ("second_site", inputs.SecondSite, {}),
        ("training", inputs.Training, {}),
        ("point", inputs.MeasuredPoint, {}),
        ("service", inputs.MeasuredService, {}),
        ("target", inputs.LatencyTarget, {}),
        ("cap_point", inputs.CapPoint, {}),
        ("cooling", inputs.Cooling, {}),
        ("rack", inputs.Rack, {}),
        ("region", inputs.Region, {}),
        ("offer", inputs.CloudOffer, {}),
    ],
)
def test_the_dictionary_knows_every_input_of_the_engine(section_name, kind, renamed):
    """A field added to the engine's inputs fails here until people can enter it."""
    written = set(section(section_name))
    assert {item.name for item in dataclasses.fields(kind)} == written


def test_devices_and_servers_can_be_written_whole():
    """All but what is measured or decided by the catalog, with the lifecycle spread out."""
    dates = {"release_date", "end_of_sale", "end_of_support"}
    for section_name, kind in (("device", inputs.Device), ("server", inputs.Server)):
        known = {item.name for item in dataclasses.fields(kind)} - {"lifecycle"}
        assert known - {"measured", "pending"} == set(section(section_name)) - dates - {"like"}


def test_one_field_is_found_by_section_and_name():
    """What forms ask for."""
    entry = field("purchase", "support_fraction_per_year")
    assert (entry.unit, entry.type, entry.required) == ("fraction/year", "figure", False)
    assert field("finance", "hours_mode").choices == ("730", "720", "calendar")
    with pytest.raises(KeyError):
        section("nonsense")
