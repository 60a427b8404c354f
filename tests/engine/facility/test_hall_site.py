"""Diversity, the peak hour and oversubscription (F2.8)."""

from __future__ import annotations

import numpy as np
import pytest

from tco.errors import InputError
from tco.facility.hall.site_check import P999, WorkClass, oversubscription, peak_hour


def drawn(item: WorkClass, rng: np.random.Generator, draws: int) -> np.ndarray:
    """Sum of a class in each draw: normal servers that share a part of their swing."""
    deviation = (item.provisioned_kw - item.average_kw) / P999
    common = rng.standard_normal((draws, 1)) * np.sqrt(item.correlation)
    own = rng.standard_normal((draws, item.servers)) * np.sqrt(1 - item.correlation)
    return (item.average_kw + deviation * (common + own)).sum(axis=1)


@pytest.mark.parametrize("limit_kw", [700.0, 720.0, 740.0])
def test_the_chance_is_what_draws_of_every_server_show(limit_kw):
    """Training that swings together and serving that does not, 40,000 draws, one seed."""
    rng = np.random.default_rng(7)
    train = WorkClass("training", 40, 8.0, 10.2, 1.0)
    serve = WorkClass("serving", 60, 6.0, 9.0, 0.1)
    total = drawn(train, rng, 40_000) + drawn(serve, rng, 40_000)
    found = oversubscription([train, serve], limit_kw)
    assert found.mean_kw == pytest.approx(680.0)
    assert found.provisioned_kw == pytest.approx(40 * 10.2 + 60 * 9.0)
    assert found.deviation_kw == pytest.approx(total.std(), rel=0.02)
    assert found.probability_fraction == pytest.approx((total > limit_kw).mean(), abs=0.006)


def test_training_that_swings_together_is_never_safer():
    """More correlation, more chance above a limit over the mean; none without spread."""
    chances = [
        oversubscription([WorkClass("w", 100, 8.0, 10.0, rho)], 850.0).probability_fraction
        for rho in (0.0, 0.05, 0.5, 1.0)
    ]
    assert chances == sorted(chances)
    flat = WorkClass("w", 10, 8.0, 8.0, 1.0)
    assert oversubscription([flat], 80.0).probability_fraction == 0.0
    assert oversubscription([flat], 79.0).probability_fraction == 1.0
    assert oversubscription([], 10.0).probability_fraction == 0.0


def test_the_utility_sees_the_peak_hour_and_the_batteries():
    """1,000 kW of racks at 0.9, PUE 1.6 in the hottest hour, 100 kW of recharge: 1,540 kW."""
    found = peak_hour(1000.0, diversity_fraction=0.9, peak_pue=1.6, recharge_kw=100.0)
    assert (found.hall_kw, found.site_kw) == (900.0, pytest.approx(1540.0))


@pytest.mark.parametrize(
    ("item", "limit_kw", "said"),
    [
        (WorkClass("w", 1, 5.0, 4.0, 0.0), 9.0, "average 5 kW is above"),
        (WorkClass("w", 1, 4.0, 5.0, 1.5), 9.0, "correlation 1.5"),
        (WorkClass("w", 1, 4.0, 5.0, 0.5), 0.0, "0 is not above 0"),
    ],
)
def test_what_cannot_be_is_refused(item, limit_kw, said):
    """Averages above the provisioned, correlations beyond 1, no limit."""
    with pytest.raises(InputError) as caught:
        oversubscription([item], limit_kw)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "more",
    [
        {"diversity_fraction": 1.2, "peak_pue": 1.3},
        {"diversity_fraction": 1.0, "peak_pue": 0.9},
        {"diversity_fraction": 1.0, "peak_pue": 1.3, "recharge_kw": -1.0},
    ],
)
def test_a_peak_hour_that_cannot_be_is_refused(more):
    """Diversity above 1, PUE below 1, negative recharge."""
    with pytest.raises(InputError):
        peak_hour(100.0, **more)
