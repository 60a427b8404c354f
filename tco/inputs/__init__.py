"""Inputs of the engine: frozen, with units in their names."""

from tco.inputs.cloud import Api, Rental, Spot, StorageClass
from tco.inputs.figure import Figure, Status, assumed, weakest
from tco.inputs.finance import Finance, Tax
from tco.inputs.fleet import Fleet, Option, Purchase
from tco.inputs.hardware import (
    CapPoint,
    CloudOffer,
    CoLocation,
    Device,
    FidelityPoint,
    GemmPoint,
    Lifecycle,
    MeasuredRates,
    Partition,
    Server,
)
from tco.inputs.model import (
    Experts,
    LanguageModel,
    LatentAttention,
    Quality,
    StateLayers,
    WindowAttention,
)
from tco.inputs.moving import Exit, Migration, Port, Retraining, Staffing, Support
from tco.inputs.parallel import Parallel
from tco.inputs.purchase import Assessment, Failures, Financing, Instalment
from tco.inputs.scenario import (
    SCHEMA_VERSION,
    Correlation,
    ScenarioInputs,
    canonical_json,
    plain,
)
from tco.inputs.site import Colocation, Cooling, FacilityBuild, Feed, Rack, Region, Site, Tariff
from tco.inputs.workload import (
    BatchService,
    LatencyTarget,
    MeasuredPoint,
    MeasuredService,
    PipelineStage,
    Training,
    Workload,
)

__all__ = [
    "SCHEMA_VERSION",
    "Api",
    "Assessment",
    "BatchService",
    "CapPoint",
    "CloudOffer",
    "CoLocation",
    "Colocation",
    "Cooling",
    "Correlation",
    "Device",
    "Exit",
    "Experts",
    "FacilityBuild",
    "Failures",
    "Feed",
    "FidelityPoint",
    "Figure",
    "Finance",
    "Financing",
    "Fleet",
    "GemmPoint",
    "Instalment",
    "LanguageModel",
    "LatencyTarget",
    "LatentAttention",
    "Lifecycle",
    "MeasuredPoint",
    "MeasuredRates",
    "MeasuredService",
    "Migration",
    "Option",
    "Parallel",
    "Partition",
    "PipelineStage",
    "Port",
    "Purchase",
    "Quality",
    "Rack",
    "Region",
    "Rental",
    "Retraining",
    "ScenarioInputs",
    "Server",
    "Site",
    "Spot",
    "Staffing",
    "StateLayers",
    "Status",
    "StorageClass",
    "Support",
    "Tariff",
    "Tax",
    "Training",
    "WindowAttention",
    "Workload",
    "assumed",
    "canonical_json",
    "plain",
    "weakest",
]
