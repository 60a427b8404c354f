"""From one option's total to another's (F23.11): by hand, at interest, and with a gap."""

from __future__ import annotations

import pytest

from tco.cost.waterfall import waterfall
from tco.errors import InputError
from tco.inputs import Status
from tco.results import Ledger, LedgerLine


def line(category, start=(0.0, 0.0), end=(0.0, 0.0), missing=""):
    """Two months of one line."""
    return LedgerLine("x", "X", category, "f", start, end, Status.ASSUMED, "", (), missing)


def test_steps_are_present_values():
    """At 10 % a month 110 at the end of month 0 is worth 100, 121 at the end of month 1 too."""
    own = Ledger(2, 0.1, (line("capex", (1000.0, 0.0)), line("energy", end=(110.0, 121.0))))
    rent = Ledger(2, 0.1, (line("cloud", end=(550.0, 605.0)), line("energy", end=(55.0, 0.0))))
    fall = waterfall(own, rent)
    assert (fall.before_usd, fall.after_usd) == pytest.approx((1200.0, 1050.0))
    assert [step.category for step in fall.steps] == ["capex", "energy", "cloud"]
    assert [step.change_usd for step in fall.steps] == pytest.approx([-1000.0, -150.0, 1000.0])
    assert [step.reached_usd for step in fall.steps] == pytest.approx([200.0, 50.0, 1050.0])


def test_what_does_not_change_is_no_step():
    """Two lines of one class that add up to the same."""
    left = Ledger(2, 0.0, (line("energy", end=(5.0, 5.0)), line("people", end=(1.0, 0.0))))
    right = Ledger(2, 0.0, (line("energy", end=(4.0, 6.0)), line("people", end=(2.0, 0.0))))
    assert [step.category for step in waterfall(left, right).steps] == ["people"]


def test_a_missing_price_is_no_saving():
    """The gap would read as a step down."""
    left = Ledger(2, 0.0, (line("energy", end=(5.0, 5.0)),))
    right = Ledger(2, 0.0, (line("energy", missing="no tariff is known"),))
    with pytest.raises(InputError, match="no tariff is known"):
        waterfall(left, right)
