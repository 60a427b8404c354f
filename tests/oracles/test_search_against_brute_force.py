"""The configuration search against every configuration tried alone (P6.5, P8)."""

from __future__ import annotations

import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.inputs import LatencyTarget
from tco.performance.replica import capacity
from tco.search.enumerate import configurations
from tco.search.rank import point, search, spec_of
from tco.search.request import Found, Request

CATALOG = SeedCatalog()
TIGHT = (LatencyTarget("ttft", 99, 500), LatencyTarget("e2e", 99, 8000))
USUAL = (LatencyTarget("ttft", 95, 1000), LatencyTarget("tpot", 95, 50))
CLOSE = 3e-4  # both stop at a bracket of 1e-4


@pytest.mark.parametrize(
    ("model", "device", "lengths", "targets"),
    [
        ("meta-llama/Llama-3.1-70B", "h100-sxm", (1000, 250), USUAL),
        ("meta-llama/Llama-3.1-70B", "h100-sxm", (1000, 250), TIGHT),
        ("meta-llama/Llama-3.1-8B", "l4", (512, 128), USUAL),
        ("deepseek-ai/DeepSeek-V3", "b200", (2000, 500), USUAL),
    ],
)
def test_the_best_ten_are_the_best_ten_of_all(model, device, lengths, targets):
    """Same feasible set, same ten values in order, no bound that a configuration exceeds."""
    asked = Request(
        CATALOG.model(model),
        CATALOG.device(device),
        8,
        *lengths,
        targets=targets,
        usd_per_hour=24.0,
        batch_limits=(16, 64, 256),
    )
    found = search(asked).found
    rates = {}
    for each in configurations(asked)[0]:
        if each.prefill_workers:
            one = point(asked, each)
            rate = one.requests_per_s if isinstance(one, Found) else 0.0
        else:
            rate = capacity(spec_of(asked, each), (), targets).requests_per_s
        if rate > 0:
            rates[each] = rate
    assert {one.configuration for one in found} == set(rates)
    best = sorted((rate / each.devices for each, rate in rates.items()), reverse=True)
    for one, value in zip(found[:10], best, strict=False):
        assert rates[one.configuration] / one.configuration.devices == pytest.approx(
            value, rel=CLOSE
        )
        assert one.requests_per_s == pytest.approx(rates[one.configuration], rel=CLOSE)
    for one in found:
        assert rates[one.configuration] <= one.most_requests_per_s * (1 + CLOSE)
