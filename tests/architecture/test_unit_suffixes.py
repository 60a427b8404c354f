"""Every float of every engine dataclass says its unit in its name."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil

import tco

SUFFIXES = (
    *("_usd", "_usd_per_kwh", "_usd_per_hour", "_usd_per_kw", "_usd_per_kw_month", "_usd_by_month"),
    *("_kw", "_w", "_kwh", "_kva", "_va", "_a", "_v", "_mw", "_gb", "_gib", "_tflops", "_flops"),
    *("_gb_s", "_ms", "_us", "_s", "_hours", "_months", "_years", "_days", "_fraction", "_kg"),
    *("_per_s", "_per_year", "_per_month", "_per_hour", "_per_w", "_per_device", "_per_token"),
    *(
        "_litres",
        "_bytes",
        "_tokens",
        "_flop",
        "_flop_per_s",
        "_bytes_per_s",
        "_units",
        "_u",
        "_g",
        "_m",
    ),
    *("_replicas", "_sequences", "_m", "_m2"),
    "_k",  # kelvin
    *("_replicas", "_sequences", "_m"),
    *("_k", "_gbps"),  # kelvin; Gbit/s
    "_ranges",  # of an uncertain input, its own
)
# Pure numbers and generic holders: the unit stands beside them in a field called `unit`.
BARE = {
    *(
        "value",
        "low",
        "high",
        "each",
        "used",
        "available",
        "pue",
        "percentile",
        "concurrency",
        "factor",
    ),
    *("minimum", "maximum"),
    *("seconds", "minutes", "hours", "kw", "kva", "kg"),  # the unit is the name
    "power_factor",  # kW over kVA
    "unit",  # a position in a rack: its lowest unit
    "correlation",  # between two servers' draws, a pure number
    # Ratios by name: ports down over ports up; facility over IT at the peak; IT over computing.
    *("oversubscription", "peak_pue", "itue"),
    "people",
    "weight",  # of a claim on shared idle cost, a pure number
    # Of an uncertain input: the unit stands beside it; a correlation has none.
    *("switch_at", "rank_correlation"),
    # Of a goal seek: `unit` is that of the input, `result_unit` that of the result.
    *("at", "now", "wanted", "result_now", "below", "above"),
    # Scores: of a metric or load kind that stands beside them, or statistics of fractions.
    *("measured", "predicted", "load_value", "mean", "median", "p90", "tau", "tau_pairs"),
    *("median_all", "cell_median", "cell_median_all", "covered", "score"),
    *("constant_width", "constant_covered", "constant_score"),
    # Counts and widths in elements of a model's work: `tco.performance.work`, `training.shape`.
    *("count", "weights", "width", "rows_share", "units", "pool", "active", "layers", "kernels"),
    *("inner", "outer", "copies", "other_weights", "score_width", "heads", "full_layers"),
    *("window_layers", "element_width", "routed_width", "expert_layers", "hidden", "batch"),
    *("micro_batch", "micro_batches", "servers", "bubble"),
    # Parts of one training step, all seconds: the classes say so (`Bases`, `StepTime`).
    *("products", "attention", "elements", "network", "waiting", "input_stall", "floor"),
    *("products_16", "products_narrow", "product_traffic", "softmax", "loss", "optimizer"),
    *("data_network", "tensor_network", "expert_network", "routed", "measured_seconds"),
    # Rates of a training platform, all per second in flop or bytes (`Platform`, `Sustained`).
    *("peak_16", "peak", "sustained_16", "sustained", "memory", "scale_up", "scale_out", "flops"),
}


def _dataclasses():
    for module in pkgutil.walk_packages(tco.__path__, "tco."):
        loaded = importlib.import_module(module.name)
        for item in vars(loaded).values():
            own = getattr(item, "__module__", "") == module.name
            if own and isinstance(item, type) and dataclasses.is_dataclass(item):
                yield item


def test_every_float_field_carries_its_unit():
    """`power` is not a name; `power_kw` is."""
    wrong = [
        f"{item.__module__}.{item.__name__}.{field.name}"
        for item in _dataclasses()
        for field in dataclasses.fields(item)
        if str(field.type) in {"float", "float | None"}
        and field.name not in BARE
        and not field.name.endswith(SUFFIXES)
        and "_per_" not in field.name
    ]
    assert not wrong, wrong


def test_nothing_is_called_percent():
    """Shares are fractions, 0..1."""
    wrong = [
        f"{item.__name__}.{field.name}"
        for item in _dataclasses()
        for field in dataclasses.fields(item)
        if "percent" in field.name and not field.name.startswith("percentile")
    ]
    assert not wrong, wrong
