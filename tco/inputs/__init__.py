"""Inputs of the engine: frozen, with units in their names."""

from tco.inputs.figure import Figure, Status, assumed, weakest
from tco.inputs.finance import Finance, Tax
from tco.inputs.fleet import Fleet, Migration, Option, Purchase, Rental
from tco.inputs.hardware import (
    CapPoint,
    CloudOffer,
    Device,
    GemmPoint,
    Lifecycle,
    MeasuredRates,
    Server,
)
from tco.inputs.scenario import SCHEMA_VERSION, ScenarioInputs, canonical_json, plain
from tco.inputs.site import Colocation, Cooling, FacilityBuild, Feed, Rack, Region, Site, Tariff
from tco.inputs.workload import (
    LanguageModel,
    LatencyTarget,
    MeasuredPoint,
    MeasuredService,
    Training,
    Workload,
)

__all__ = [
    "SCHEMA_VERSION",
    "CapPoint",
    "CloudOffer",
    "Colocation",
    "Cooling",
    "Device",
    "FacilityBuild",
    "Feed",
    "Figure",
    "Finance",
    "Fleet",
    "GemmPoint",
    "LanguageModel",
    "LatencyTarget",
    "Lifecycle",
    "MeasuredPoint",
    "MeasuredRates",
    "MeasuredService",
    "Migration",
    "Option",
    "Purchase",
    "Rack",
    "Region",
    "Rental",
    "ScenarioInputs",
    "Server",
    "Site",
    "Status",
    "Tariff",
    "Tax",
    "Training",
    "Workload",
    "assumed",
    "canonical_json",
    "plain",
    "weakest",
]
