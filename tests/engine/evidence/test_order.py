"""Order of devices, regret and repeat noise, against scipy and numbers worked by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from tco.evidence.order import OrderRow, order_summary, regret_summary, repeat_noise


def compared(device, measured, predicted, model="m", source="s", load="closed", length=1024.0):
    """One run of a device."""
    return OrderRow(source, model, device, length, 256.0, load, measured, predicted)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(1, 10**6), st.integers(1, 10**6)),
        min_size=3,
        max_size=8,
        unique_by=(lambda pair: pair[0], lambda pair: pair[1]),
    )
)
def test_one_group_is_kendalls_tau(pairs):
    """Without ties, what scipy says."""
    rows = [compared(f"d{index}", *pair) for index, pair in enumerate(pairs)]
    found = order_summary(rows, more_is_better=True)
    assert found.tau == pytest.approx(kendalltau(*zip(*pairs, strict=True)).statistic)
    assert found.tau_pairs == pytest.approx(found.tau)


def test_a_device_stands_with_its_best_run():
    """Device a reaches 90 at its better degree, so it is behind b at 100 and before c at 80."""
    rows = [
        compared("a", 40, 45),
        compared("a", 90, 95),
        compared("b", 100, 99),
        compared("c", 80, 70),
    ]
    found = order_summary(rows, more_is_better=True)
    assert (found.groups, found.pairs, found.tau) == (1, 3, 1.0)


def test_models_lengths_loads_and_sources_are_not_mixed():
    """Four groups of one device each compare nothing."""
    rows = [
        compared("a", 1, 1),
        compared("b", 2, 1, model="other"),
        compared("c", 3, 1, length=8192),
        compared("d", 4, 1, load="offline"),
        compared("e", 5, 1, source="other"),
    ]
    found = order_summary(rows, more_is_better=True)
    assert (found.groups, found.tau) == (0, None)


def test_tied_predictions_count_as_neither():
    """Three pairs, one of them undecided: (1 + 1 + 0) / 3."""
    rows = [compared("a", 1, 5), compared("b", 2, 5), compared("c", 3, 9)]
    assert order_summary(rows, more_is_better=True).tau == pytest.approx(2 / 3)


def test_less_energy_is_better():
    """Each device stands with its least joules."""
    rows = [compared("a", 1.0, 1.1), compared("a", 9.0, 0.2), compared("b", 0.8, 0.3)]
    # best measured: a 1.0, b 0.8; best predicted: a 0.2, b 0.3: the wrong way round
    assert order_summary(rows, more_is_better=False).tau == -1.0


def test_regret_by_hand():
    """Prices 30,000 and 20,000; measured 100 and 50 tokens/s cost 300 and 400 USD per token/s.

    Predicted 100 and 80 cost 300 and 250: b is picked and costs a third more than a.
    """
    rows = [compared("a", 100, 100), compared("b", 50, 80)]
    found = regret_summary(rows, {"a": 30_000.0, "b": 20_000.0})
    assert found.mean == pytest.approx(1 / 3)
    assert found.mean_usd == pytest.approx(100_000)
    assert (found.groups, found.same_pick) == (1, 0)


def test_the_right_pick_has_no_regret():
    """However wrong the numbers are."""
    rows = [compared("a", 100, 1000), compared("b", 50, 400)]
    found = regret_summary(rows, {"a": 1.0, "b": 1.0})
    assert (found.mean, found.p90, found.same_pick) == (0.0, 0.0, 1)


def test_devices_without_a_price_are_named_and_left_out():
    """A missing price is no price of zero."""
    rows = [compared("a", 100, 100), compared("b", 50, 80), compared("c", 900, 900)]
    found = regret_summary(rows, {"a": 3.0, "b": 2.0, "c": None})
    assert found.unpriced == ("c",)
    assert found.mean == pytest.approx(1 / 3)


def test_repeat_noise_is_half_the_range_over_the_mean():
    """Groups of 2 %, 10 % and one published twice."""
    values = {"a": [98, 102], "b": [90, 100, 110], "c": [5.0, 5.0], "d": [7]}
    assert repeat_noise(values) == (pytest.approx(0.06), 2)
    assert repeat_noise({"c": [5.0, 5.00001]}) is None


def test_a_large_source_does_not_drown_a_small_one():
    """Ten groups in the wrong order in one source, one in the right order in another: 0."""
    rows = [
        compared(device, measured, predicted, source="large", length=2.0**step)
        for step in range(10)
        for device, measured, predicted in (("a", 1, 2), ("b", 2, 1))
    ]
    rows += [compared("a", 1, 1, source="small"), compared("b", 2, 2, source="small")]
    found = order_summary(rows, more_is_better=True)
    assert (found.groups, found.cells, found.tau) == (11, 2, 0.0)
    assert found.tau_pairs == pytest.approx(-9 / 11)
    assert [(one.source, one.tau) for one in found.by_source] == [("large", -1.0), ("small", 1.0)]


def test_regret_is_a_mean_over_cells_too():
    """Two groups of one model without regret and one of another at a third: a sixth."""
    rows = [compared("a", 100, 100), compared("b", 50, 80)]
    for length in (256.0, 8192.0):
        rows += [
            compared("a", 100, 100, model="other", length=length),
            compared("b", 50, 40, model="other", length=length),
        ]
    assert regret_summary(rows, {"a": 3.0, "b": 2.0}).mean == pytest.approx(1 / 6)
