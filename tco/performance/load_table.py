"""Latency at several loads of one replica, and the range it is stated for (P6.3)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tco.defaults import default
from tco.performance.operators import Array, BoolArray
from tco.results import LoadPoint

# the range the closed form is stated for (P6.3)
MAX_LOAD = default("performance.load_table.max_load")
MAX_SLOT_WAIT = 0.01  # share of requests that may wait for a KV slot
PERCENTILES = (50.0, 90.0, 95.0, 99.0)
METRICS = ("ttft", "tpot", "e2e")


@dataclass(frozen=True)
class LoadTable:
    """Results for an array of request rates per replica; seconds, [load] or [load, percentile]."""

    requests_per_s: Array
    saturated: BoolArray
    percentiles: tuple[float, ...]
    mean_s: dict[str, Array]
    quantile_s: dict[str, Array]
    in_flight: Array
    decoding: Array  # mean number of sequences decoding
    busy_fraction: Array
    iterations_per_s: Array
    slot_share: Array  # of requests that wait for a KV slot

    def at(self, metric: str, percentile: float) -> Array:
        """Return seconds of one percentile for every load."""
        return np.asarray(self.quantile_s[metric][:, self.percentiles.index(percentile)])

    def within_range(self, row: int, saturation_per_s: float) -> bool:
        """Return whether a load lies in the range that the closed form is stated for (P6.3)."""
        load = float(self.requests_per_s[row]) / saturation_per_s
        waits = float(self.slot_share[row])
        return load <= MAX_LOAD.value * (1 + 1e-9) and waits <= MAX_SLOT_WAIT * (1 + 1e-6)

    def point(
        self, row: int, *, replicas: int, saturation_per_s: float, measured_range: bool
    ) -> LoadPoint:
        """Return one load of `replicas` replicas; a saturated one has no latencies (P6.2)."""
        rate = float(self.requests_per_s[row])
        load = rate / saturation_per_s
        saturated = bool(self.saturated[row])

        def milliseconds(metric: str) -> dict[str, float]:
            if saturated or math.isnan(self.mean_s[metric][row]):
                return {}
            named = {"mean": 1e3 * float(self.mean_s[metric][row])}
            for percentile in PERCENTILES:
                column = self.percentiles.index(percentile)
                value = float(self.quantile_s[metric][row, column])
                named[f"p{percentile:g}"] = 1e3 * value
            return named

        return LoadPoint(
            batch=0.0 if saturated else float(self.decoding[row]),
            requests_per_s=rate * replicas,
            utilisation_fraction=load,
            ttft_ms=milliseconds("ttft"),
            tpot_ms=milliseconds("tpot"),
            e2e_ms=milliseconds("e2e"),
            saturated=saturated,
            measured_range=measured_range,
            within_model_range=self.within_range(row, saturation_per_s),
        )
