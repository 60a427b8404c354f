"""The vectorised bill against one counted hour by hour (F4)."""

from __future__ import annotations

import numpy as np
import pytest

from tco.power.part_load import Losses
from tco.tariff.load_year import FleetDay, load_year
from tco.tariff.site_bill import site_bill
from tco.tariff.site_load import SiteLoad
from tests.oracles.bill_by_hours import YEAR, Case, bill_by_hours, random_case


def load_of(case: Case, draws: int = 0) -> SiteLoad:
    """The same site for the engine; with `draws`, so many rows alike but for a factor."""
    shares = [np.array(path) for path in case.shares]
    if draws:
        factors = 1.0 + np.arange(draws)[:, None] / 4
        shares = [path * factors for path in shares]
    return SiteLoad(
        year=load_year(
            [FleetDay(tuple(mean), tuple(peak)) for mean, peak in case.days],
            shape=case.shape,
            month_shape=case.seasons,
            existing=case.existing,
            year=YEAR,
        ),
        month_of=np.array([(case.first_month - 1 + m) % 12 for m in range(case.months)]),
        hours=np.full(case.months, case.hours),
        shares=tuple(shares),
        losses=Losses(case.fixed_kw, case.linear, case.square),
        existing=case.existing is not None,
        generation_kw=tuple(case.generation) if case.generation else None,
    )


def bill_of(case: Case, draws: int = 0) -> np.ndarray:
    """Sum of the engine's parts by month."""
    load = load_of(case, draws)
    parts = site_bill(load, case.tariff, lambda figure: np.full(case.months, figure.value))
    return np.asarray(sum(part.usd for part in parts))


@pytest.mark.parametrize("seed", range(60))
def test_a_typical_day_costs_what_its_hours_cost(seed):
    """Random periods, tiers, ratchets, contracts, named hours, increments: to a hundredth cent."""
    case = random_case(seed)
    np.testing.assert_allclose(bill_of(case), bill_by_hours(case), rtol=1e-9, atol=1e-4)


@pytest.mark.parametrize(("seed", "series"), [(s, "hours") for s in range(8)] + [(3, "quarters")])
def test_a_year_of_hours_costs_what_its_hours_cost(seed, series):
    """8,760 hours or 35,040 quarter-hours, with weekdays of their year."""
    case = random_case(1000 + seed, series)
    np.testing.assert_allclose(bill_of(case), bill_by_hours(case), rtol=1e-9, atol=1e-4)


@pytest.mark.parametrize("seed", range(12))
def test_every_row_of_draws_is_the_bill_of_that_row(seed):
    """Draws at once give what each gives alone."""
    case = random_case(seed)
    rows = bill_of(case, draws=3)
    for row in range(3):
        factor = 1.0 + row / 4
        alone = random_case(seed)
        alone.shares = [[share * factor for share in path] for path in alone.shares]
        np.testing.assert_allclose(rows[row], bill_of(alone), rtol=1e-9, atol=1e-4)
